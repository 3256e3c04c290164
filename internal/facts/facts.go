// Package facts answers from a file instead of a cluster: what a person states of
// a job, how long it would then need to recover, and what settings would do.
//
// What is stated is taken as exact. What is left out is assumed as for a job that
// was observed but has shown nothing yet (package model), with the spread that
// this deserves, or is listed as missing.
package facts

import (
	"math"
	"slices"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// Facts of one job. Nil, 0 and empty mean unknown; times are seconds.
type Facts struct {
	Name         string
	Target       *float64 // wanted recovery time
	Visibility   *float64 // limit on I_e + D
	Risk         float64  // share of failures that may take longer; more than 0
	FlinkVersion string

	Rate        Rate
	Capacity    Law
	Utilization *float64 // ρ, where the capacity is not stated

	Parallelism, MaxParallelism, Partitions, Slots int

	TaskManager       job.TaskManagerResources
	SpareTaskManagers *int

	Checkpoint Checkpoint
	Downtime   Downtime
	SinkLimit  *float64 // records/s that the sink takes
	Alignment  Alignment
	Kafka      Kafka
	Config     job.Options
}

// Checkpoint is how snapshots are configured and how they go.
type Checkpoint struct {
	Interval, MinPause, Timeout *float64
	TolerableFailures           *int
	Mode                        string // exactly_once | at_least_once
	Unaligned                   *bool
	Durations                   []float64 // measured, oldest first; those beyond Timeout have failed
	FailedInARow                int
	LastCompletedAge            *float64
}

// Downtime is what passes between a failure and the last subtask RUNNING: a total,
// or its phases.
type Downtime struct {
	Total                               *float64
	Detect, BackOff, Resources, Restore *float64
}

// Alignment of watermarks holds sources to MaxDrift of event time beyond the
// slowest, looked up every UpdateInterval.
type Alignment struct{ MaxDrift, UpdateInterval *float64 }

// Kafka are limits on the transactions of the sink and on the input.
type Kafka struct{ TransactionTimeout, BrokerMaxTransactionTimeout, Retention *float64 }

// Rate is the input: constant, a sine, or samples.
type Rate struct {
	Mean, Amplitude float64 // records/s
	Period, Phase   float64 // s; the sine is at its mean, rising, at −Phase

	// File and Column name samples that the caller reads into Times and Values.
	File, Column  string
	Times, Values []float64
}

// Known says whether there is a rate at all.
func (r Rate) Known() bool { return r.Mean > 0 || len(r.Values) > 0 }

// At is the rate at t seconds; of samples the last one at or before t, and that of
// a day earlier beyond their end where they cover it.
func (r Rate) At(t float64) float64 {
	if len(r.Values) == 0 {
		if r.Period > 0 {
			return max(0, r.Mean+r.Amplitude*math.Sin(2*math.Pi*(t+r.Phase)/r.Period))
		}
		return r.Mean
	}
	first, last := r.Times[0], r.Times[len(r.Times)-1]
	t += first
	for last-first >= day && t > last {
		t -= day
	}
	i, found := slices.BinarySearch(r.Times, t)
	if !found {
		i--
	}
	return r.Values[min(max(0, i), len(r.Values)-1)]
}

const day = 86400.0

// Peak is the greatest rate.
func (r Rate) Peak() float64 {
	if len(r.Values) > 0 {
		return slices.Max(r.Values)
	}
	return r.Mean + math.Abs(r.Amplitude)
}

// Law is capacity over parallelism, in one of three forms.
type Law struct {
	Total             *float64        // at the present parallelism; in proportion elsewhere
	ByParallelism     map[int]float64 // measured; linear in the logarithms between and beyond
	PerSlot, Exponent float64         // PerSlot · p^Exponent
}

// At is the capacity at parallelism p, that of now being the present one. It is
// false where the law does not say.
func (l Law) At(p, now int) (float64, bool) {
	switch {
	case l.Total != nil && (p == now || now < 1):
		return *l.Total, true
	case l.Total != nil && p >= 1:
		return *l.Total * float64(p) / float64(now), true
	case l.PerSlot > 0 && p >= 1:
		return l.PerSlot * math.Pow(float64(p), l.Exponent), true
	case len(l.ByParallelism) > 0 && p >= 1:
		return l.interpolate(p), true
	}
	return 0, false
}

func (l Law) interpolate(p int) float64 {
	known := make([]int, 0, len(l.ByParallelism))
	for n := range l.ByParallelism {
		known = append(known, n)
	}
	slices.Sort(known)
	if len(known) == 1 {
		return l.ByParallelism[known[0]] * float64(p) / float64(known[0])
	}
	i, _ := slices.BinarySearch(known, p)
	i = min(max(1, i), len(known)-1)
	a, b := known[i-1], known[i]
	share := math.Log(float64(p)/float64(a)) / math.Log(float64(b)/float64(a))
	return l.ByParallelism[a] * math.Pow(l.ByParallelism[b]/l.ByParallelism[a], share)
}

// capacity is μ of a catch-up at the present settings: that of the job, or what
// its sink or the alignment of its watermarks allows where that is less.
func (f Facts) capacity() (float64, bool) {
	mu, ok := f.Capacity.At(f.Parallelism, f.Parallelism)
	if !ok && f.Utilization != nil && f.Rate.Known() {
		mu, ok = f.Rate.Peak() / *f.Utilization, true
	}
	if !ok {
		return 0, false
	}
	if f.SinkLimit != nil {
		mu = min(mu, *f.SinkLimit)
	}
	if f.Alignment.MaxDrift != nil && f.Alignment.UpdateInterval != nil {
		mu = min(mu, recovery.AlignmentLimit(f.Rate.Peak(), *f.Alignment.MaxDrift, *f.Alignment.UpdateInterval))
	}
	return mu, true
}

// rho is the utilization at the peak of the rate.
func (f Facts) rho() (float64, bool) {
	if mu, ok := f.capacity(); ok && f.Rate.Known() {
		return f.Rate.Peak() / mu, true
	}
	if f.Utilization != nil {
		return *f.Utilization, true
	}
	return 0, false
}

// duration is the median of all checkpoints, those that timed out included: of
// the completed ones alone it would be too short.
func (c Checkpoint) duration() (float64, bool) {
	if len(c.Durations) == 0 {
		return 0, false
	}
	d := slices.Clone(c.Durations)
	slices.Sort(d)
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2, true
}

// effective is I_e; false where the interval is not stated.
func (c Checkpoint) effective() (float64, bool) {
	if c.Interval == nil {
		return 0, false
	}
	d, _ := c.duration()
	return recovery.EffectiveInterval(*c.Interval, or(c.MinPause, 0), d), true
}

func or(v *float64, otherwise float64) float64 {
	if v == nil {
		return otherwise
	}
	return *v
}
