package twin

import (
	"time"

	"rebound/internal/job"
)

// Recovery is what really happened after a failure or a planned restart.
type Recovery struct {
	At      time.Time   `json:"at"`
	Failure job.Failure `json:"failure,omitempty"` // empty of a planned restart
	Change  job.Way     `json:"change,omitempty"`  // of a planned restart
	// Seconds from At until the job was where it would have been. Of one that has
	// not come to its end, Done is false and Seconds is how long it has lasted.
	Seconds    float64 `json:"seconds"`
	Done       bool    `json:"done"`
	AgeSeconds float64 `json:"age_seconds"` // of what was restored, at At
	// DuringCatchUp: it struck while an earlier one was not caught up.
	DuringCatchUp bool `json:"during_catch_up"`
	// Interrupted: another failure, or a planned restart, struck before it was
	// caught up.
	Interrupted bool            `json:"interrupted"`
	Rate        float64         `json:"rate_per_second"` // of the load at At
	Knobs       job.Knobs       `json:"knobs"`           // that it came back with
	Phases      []job.PhaseTime `json:"phases"`          // add up to Seconds, once Done

	at, up, passed float64 // s
	target         int64   // pos at the failure
	phases         [4]float64
}

// record opens a recovery from now on.
func (t *Twin) record(r *Recovery, at float64) {
	r.At, r.at = t.stamp(at), at
	r.AgeSeconds = at - t.ckpt.last.trigger
	r.DuringCatchUp = len(t.open) > 0
	r.Rate = t.load.rate(at)
	r.target = t.pos
	if t.down != nil { // what the run before had reached
		r.target = t.high
	}
	for _, o := range t.open {
		o.Interrupted = true
	}
	if r.Failure != "" {
		t.book.failing++
	}
	t.open = append(t.open, r)
}

// running tells that the downtime is over.
func (r *Recovery) running(d *downtime) {
	r.up = d.up
	r.phases = d.phases()
	if d.from > r.at { // an earlier one's downtime was cut short by the next
		r.phases[0] += d.from - r.at
	}
}

// progress looks whether the replay of recoveries, or all of them, have come to
// their end in this step.
func (t *Twin) progress(w work, end float64) {
	for _, r := range t.open {
		if r.passed == 0 && t.pos >= r.target {
			r.passed = end
			if w.done > 0 {
				share := float64(max(0, r.target-w.before)) / float64(w.done)
				r.passed = w.from + share*w.active
			}
		}
	}
	if !w.idle {
		return
	}
	at := t.caughtUp(w, end)
	for _, r := range t.open {
		r.close(at)
		r.Knobs = t.knobs
		t.book.closed(r)
	}
	t.open = t.open[:0]
}

// caughtUp is when in the step the backlog came to 0: it had what waited before the
// job ran in the step, and shrank by the difference of what could be processed and
// what arrived.
func (t *Twin) caughtUp(w work, end float64) float64 {
	arriving := float64(w.arrived) / t.step
	backlog := float64(t.in-w.arrived-w.before) + arriving*(w.from-w.at)
	drain := w.could/w.active - arriving
	if drain <= 0 {
		return end
	}
	return min(end, w.from+backlog/drain)
}

func (r *Recovery) close(at float64) {
	r.Done, r.Seconds = true, at-r.at
	r.passed = min(max(r.passed, r.up), at)
	lengths := [6]float64{r.phases[0], r.phases[1], r.phases[2], r.phases[3], r.passed - r.up, at - r.passed}
	r.Phases = make([]job.PhaseTime, 0, len(lengths))
	for i, p := range job.Phases() {
		r.Phases = append(r.Phases, job.PhaseTime{Phase: p, Seconds: lengths[i], Source: job.Measured, Samples: 1})
	}
}
