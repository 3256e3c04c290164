// Package outage finds interruptions in what was recorded of a job, and measures
// them.
//
// An outage is told by conservation, not by a threshold fitted to a recording:
// processing paused while input came, so that a backlog worth several seconds of
// input arose. Hence a rise of the load is none (processing did not pause), nor
// is idle input (no backlog), a single odd sample (no stretch), the stall of a
// checkpoint (too little backlog), or a saw-tooth of committed offsets, whose
// height λ·I belongs to the band that the lag has in calm times. What the cluster
// says itself, a restart or subtasks that are not RUNNING, needs no backlog.
//
// The job has caught up once the lag is back in the band of the stretch before
// the failure and stays there. Where lag and latency disagree the lag decides:
// latency gauges are histograms that remember, and come down minutes late;
// latency decides where there is no lag. Without either, the surplus over the
// calm rate shows the catch-up.
//
// Time is seconds on whatever axis the caller has; nothing here knows the
// present. NaN in a series is an unknown value, never zero.
package outage

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rebound/internal/job"
)

// ErrCannotTell says that the series do not hold enough to find an outage, or to
// exclude one.
var ErrCannotTell = errors.New("not enough data to tell")

// Unit is what a lag is counted in.
type Unit int

// Lag is counted in records waiting, or in seconds of their age. Ages compare
// two clocks: a constant difference belongs to the band.
const (
	Records Unit = iota
	Seconds
)

// Series is what was recorded of one job. All slices that are not nil have the
// length of Times.
type Series struct {
	Times   []float64 // s, ascending; need not be regular
	Rate    []float64 // records/s processed
	Lag     []float64 // in LagUnit
	LagUnit Unit
	Latency []float64 // s
	Input   []float64 // records/s that arrive
	// Running is the share of subtasks that are RUNNING: the job's own RUNNING
	// hides those that still deploy or load state.
	Running  []float64
	Restarts []float64 // counter
	Marks    Marks
}

// Marks are moments that are known better than by sampling, each list ascending.
type Marks struct {
	Failed     []float64 // the failure itself, as a drill or a log has it
	Detected   []float64 // the JobManager knew
	Restarting []float64 // the back-off was over
	Deploying  []float64 // all slots were there
	Running    []float64 // the last subtask was RUNNING
}

// Params bound the search. The zero value of a field means its default.
type Params struct {
	// Before is the length of calm that bands are taken from: 600 s, ten
	// checkpoints of a usual interval, short against the change of a day's load.
	Before float64
	// Stall is the least outage, in seconds of processing missed: 10 s. Longer
	// than alignment, a synchronous snapshot or a full collection pauses a job;
	// shorter than detection, restart and replay together take.
	Stall float64
	// Dip is the share of the calm rate below which processing is down: 0.7. A
	// rate averaged over a minute, as dashboards do, gets there by 18 s of nothing.
	Dip float64
	// Hold is how long all must be calm before the job counts as recovered: 30 s,
	// two scrapes at Prometheus' usual 15 s.
	Hold float64
	// Timeout is how long a recovery is followed: 3600 s. Beyond, it is censored.
	Timeout float64
	// Reach is how far before the first impact a mark may lie and still be its
	// failure: 120 s, twice the default heartbeat timeout and some.
	Reach float64
}

func (p Params) orDefaults() Params {
	for _, f := range []struct {
		value    *float64
		standard float64
	}{{&p.Before, 600}, {&p.Stall, 10}, {&p.Dip, 0.7}, {&p.Hold, 30}, {&p.Timeout, 3600}, {&p.Reach, 120}} {
		if *f.value == 0 {
			*f.value = f.standard
		}
	}
	return p
}

// least is how many samples must lie before an outage: fewer make no band.
const least = 10

// Find returns the outages in s, in order of time. It fails with ErrCannotTell
// where there are too few samples, or neither rate nor lag nor state.
func Find(s Series, p Params) ([]job.Outage, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	f := newFinder(s, p.orDefaults())
	out := []job.Outage{}
	for i := f.first(); i < len(f.t); i++ {
		if !f.suspicious(i) {
			continue
		}
		c, ok := f.examine(i)
		if !ok {
			continue
		}
		out = append(out, f.measure(c))
		f.exclude(c)
		i = c.end
	}
	return out, nil
}

func (s Series) validate() error {
	n := len(s.Times)
	for _, c := range []struct {
		name   string
		values []float64
	}{{"rate", s.Rate}, {"lag", s.Lag}, {"latency", s.Latency}, {"input", s.Input}, {"running", s.Running}, {"restarts", s.Restarts}} {
		if c.values != nil && len(c.values) != n {
			return fmt.Errorf("%s: %d values at %d times", c.name, len(c.values), n)
		}
		if c.name != "lag" && c.name != "latency" && slices.ContainsFunc(c.values, func(v float64) bool { return v < 0 }) {
			return fmt.Errorf("%s: a value is negative", c.name)
		}
	}
	for i, t := range s.Times {
		if math.IsNaN(t) || math.IsInf(t, 0) || i > 0 && t <= s.Times[i-1] {
			return fmt.Errorf("times: sample %d is not after the one before", i+1)
		}
	}
	if known(s.Rate)+known(s.Lag)+known(s.Running) == 0 {
		return fmt.Errorf("%w: no processed rate, no lag and no state", ErrCannotTell)
	}
	if most := max(known(s.Rate), known(s.Lag), known(s.Running)); most < 2*least {
		return fmt.Errorf("%w: %d samples, want at least %d", ErrCannotTell, most, 2*least)
	}
	return nil
}

// known counts the values that are there.
func known(v []float64) (n int) {
	for _, x := range v {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}
