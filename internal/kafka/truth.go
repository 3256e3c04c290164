package kafka

import (
	"cmp"
	"math"
	"slices"
)

// Rule says when lateness is back to what it was. The zero value is the rule by
// which recoveries are measured.
type Rule struct {
	// Quantile of the lateness of the bins before the failure, times Factor, is
	// still normal; 0 and 0 mean 0.95 and 1.5. Of committed output, where each bin
	// is a commit and near the top of its saw-tooth, they mean 0.5 and 1.25.
	Quantile, Factor float64
	// Floor is normal whatever was before, ms; 0 means 250, two markers and the
	// hiccups of a busy machine, or 1000 for committed output.
	Floor int64
	// Hold is for how long every bin must be normal, ms; 0 means 1500. Committed
	// output must be normal for two commits instead.
	Hold int64
	// Before is how much of the time before the failure is looked at, ms; 0 means a
	// minute, or three of committed output.
	Before int64
}

func (r Rule) or(d Rule) Rule {
	return Rule{
		Quantile: cmp.Or(r.Quantile, d.Quantile), Factor: cmp.Or(r.Factor, d.Factor),
		Floor: cmp.Or(r.Floor, d.Floor), Hold: cmp.Or(r.Hold, d.Hold), Before: cmp.Or(r.Before, d.Before),
	}
}

// PairTruth is the recovery of one pair. Times are seconds since the failure, known
// to a bin; what was not seen is absent.
type PairTruth struct {
	Pair
	ViewsPerSecond float64 // before the failure
	LateSeconds    float64 // the rule's quantile before the failure
	BandSeconds    float64 // up to which lateness is normal
	// Silent is the time of the last output before the downtime, Resumed of the
	// first after it.
	Silent, Resumed *float64
	// CaughtUp is the first output of the first stretch of at least Hold in which
	// all is normal.
	CaughtUp *float64
	// Progress counts the views since Resumed, up to the end of what was recorded.
	Progress []Progress
}

// Progress is how much had been processed by a time.
type Progress struct {
	Seconds float64 // since the failure
	Views   int64   // since the output resumed, all before Seconds
}

// Truth finds the recovery of each pair in what the job wrote, read uncommitted. It
// looks for the first silence after the failure that ends with output which is late
// or comes from another attempt, and from there for the return to normal.
// failedAt is in Unix milliseconds.
func Truth(all []Series, failedAt int64, rule Rule) []PairTruth {
	rule = rule.or(Rule{0.95, 1.5, 250, 1500, 60_000})
	found := make([]PairTruth, 0, len(all))
	for _, s := range all {
		found = append(found, truth(s, failedAt, rule))
	}
	return found
}

func truth(s Series, failedAt int64, rule Rule) PairTruth {
	w := watch(s.Bins, failedAt, rule)
	t := PairTruth{Pair: s.Pair, ViewsPerSecond: w.rate, LateSeconds: w.usual / 1000, BandSeconds: w.band / 1000}
	i := w.resumed()
	if i < 0 {
		return t
	}
	t.Silent, t.Resumed = elapsed(s.Bins[i-1].Last, failedAt), elapsed(s.Bins[i].First, failedAt)
	var views int64
	for _, b := range s.Bins[i:] {
		views += b.Views
		t.Progress = append(t.Progress, Progress{float64(b.Last-failedAt) / 1000, views})
	}
	if j := w.normal(i); j >= 0 {
		t.CaughtUp = elapsed(s.Bins[j].First, failedAt)
	}
	return t
}

func elapsed(at, failedAt int64) *float64 {
	v := float64(at-failedAt) / 1000
	return &v
}

// watched is a pair's output around a failure.
type watched struct {
	bins     []Bin
	failedAt int64
	after    int // index of the first bin that ends after the failure
	rule     Rule
	usual    float64 // lateness before, ms
	band     float64 // normal up to this, ms
	silence  int64   // longest before, ms
	rate     float64 // views/s before
	filled   float64 // share of bins with output before
}

// watch takes the measure of the time before the failure.
func watch(bins []Bin, failedAt int64, rule Rule) watched {
	w := watched{bins: bins, failedAt: failedAt, rule: rule, band: float64(rule.Floor)}
	w.after = slices.IndexFunc(bins, func(b Bin) bool { return b.Last >= failedAt })
	if w.after < 0 {
		w.after = len(bins)
	}
	before := bins[:w.after]
	if i := slices.IndexFunc(before, func(b Bin) bool { return b.First >= failedAt-rule.Before }); i >= 0 {
		before = before[i:]
	} else {
		before = nil
	}
	if len(before) == 0 {
		return w
	}
	late := make([]int64, len(before))
	var views int64
	for i, b := range before {
		late[i] = b.Late
		views += b.Views
		if i > 0 {
			w.silence = max(w.silence, b.First-before[i-1].Last)
		}
	}
	w.usual = percentile(late, rule.Quantile)
	w.band = max(w.band, rule.Factor*w.usual)
	if span := failedAt - before[0].First; span > 0 {
		w.rate = float64(views) / float64(span) * 1000
		w.filled = min(1, float64(len(before))*BinMillis/float64(span))
	}
	return w
}

// percentile is the nearest rank. It sorts v.
func percentile(v []int64, q float64) float64 {
	slices.Sort(v)
	return float64(v[max(0, int(math.Ceil(q*float64(len(v))))-1)])
}

// resumed is the index of the first bin after the downtime, or −1.
func (w watched) resumed() int {
	long := max(500, 2*w.silence)
	for i := max(1, w.after); i < len(w.bins); i++ {
		a, b := w.bins[i-1], w.bins[i]
		silent := b.First - a.Last
		if b.Attempt != a.Attempt || silent >= long && float64(b.Late) > w.band {
			return i
		}
	}
	return -1
}

// normal is the index from which on every bin is normal for the time to hold, at or
// after i; or −1. The stretch must have half as many bins with output as before, so
// that a pair that has fallen silent again does not pass for one that has caught up,
// and the recording must reach to its end.
func (w watched) normal(i int) int {
	need := w.filled / 2 * float64(w.rule.Hold) / BinMillis
	end := w.bins[len(w.bins)-1].Last
	for start := i; start < len(w.bins); start++ {
		until := w.bins[start].First + w.rule.Hold
		if until > end+BinMillis {
			return -1
		}
		n := start
		for n < len(w.bins) && w.bins[n].First < until && float64(w.bins[n].Late) <= w.band {
			n++
		}
		switch {
		case n < len(w.bins) && w.bins[n].First < until:
			start = n // late: no stretch that holds it will do
		case float64(n-start) >= need:
			return start
		}
	}
	return -1
}
