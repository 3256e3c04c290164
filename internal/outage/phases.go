package outage

import (
	"fmt"
	"math"
	"strings"

	"rebound/internal/job"
)

// phases splits o as far as marks tell; a phase whose end nothing tells is part
// of the next one, which says so.
func (f *finder) phases(c candidate, o job.Outage, from float64) []job.PhaseTime {
	s := splitter{at: from, spread: o.ResolutionSeconds, phases: []job.PhaseTime{}}
	if o.RestoredAt == nil {
		return s.phases
	}
	for _, b := range []struct {
		phase job.Phase
		marks []float64
	}{{job.Detect, f.s.Marks.Detected}, {job.BackOff, f.s.Marks.Restarting}, {job.Resources, f.s.Marks.Deploying}} {
		// Of several attempts the last one led to the restore.
		at, ok := lastAtOrBefore(b.marks, *o.RestoredAt)
		s.end(b.phase, at, ok && at >= s.at)
	}
	s.end(job.Restore, *o.RestoredAt, true)
	if o.CaughtUpAt == nil {
		return s.phases
	}
	at, ok := f.replayed(c, o, from)
	s.end(job.Replay, at, ok && at <= *o.CaughtUpAt)
	s.end(job.CatchUp, *o.CaughtUpAt, true)
	if note := f.latencyNote(c, o.ResolutionSeconds); note != "" {
		last := &s.phases[len(s.phases)-1]
		last.Note = strings.TrimPrefix(last.Note+"; "+note, "; ")
	}
	return s.phases
}

// latencyNote says when the latency came back, where the lag decided and they
// disagree.
func (f *finder) latencyNote(c candidate, resolution float64) string {
	if f.lag == nil || f.s.Latency == nil || math.IsNaN(c.before.latHigh) {
		return ""
	}
	for k := c.end; k < len(f.t); k++ {
		if f.s.Latency[k] <= c.before.latHigh {
			if later := f.t[k] - f.t[c.end]; later > resolution {
				return fmt.Sprintf("latency back %.0f s after the lag", later)
			}
			return ""
		}
	}
	return "latency not back in the recording"
}

// splitter cuts a span of time into phases, front to back.
type splitter struct {
	at, spread float64
	merged     []string // phases whose end is not known
	phases     []job.PhaseTime
}

func (s *splitter) end(phase job.Phase, at float64, known bool) {
	if !known {
		s.merged = append(s.merged, string(phase))
		return
	}
	p := job.PhaseTime{Phase: phase, Seconds: max(0, at-s.at), Spread: s.spread, Source: job.Measured, Samples: 1}
	if len(s.merged) > 0 {
		p.Note = "includes " + strings.Join(s.merged, ", ")
	}
	s.phases = append(s.phases, p)
	s.at, s.merged = max(s.at, at), nil
}

// replayed is when the offsets of the failure were passed again. What was
// processed from the failure to the end exceeds what arrived by the replayed
// records, λ·A, by conservation; they come first after the restore. It is not
// told where A is less than the resolution, or the input is not steady enough.
func (f *finder) replayed(c candidate, o job.Outage, from float64) (float64, bool) {
	if f.rate == nil || !(c.before.rate > 0) {
		return 0, false
	}
	done := f.processed(from, *o.CaughtUpAt)
	replay := done - c.before.rate*(*o.CaughtUpAt-from)
	if !(replay > c.before.rate*max(o.ResolutionSeconds, f.step)) {
		return 0, false
	}
	sum := 0.0
	for k := c.onset; k < c.end; k++ {
		if f.t[k] < *o.RestoredAt {
			continue
		}
		if sum += f.rate[k] * (f.t[k+1] - f.t[k]); sum >= replay {
			return f.t[k+1], true
		}
	}
	return 0, false
}

// processed is the records processed between two moments; NaN where a rate
// between them is unknown.
func (f *finder) processed(from, to float64) float64 {
	sum := 0.0
	for k := 0; k+1 < len(f.t) && f.t[k] < to; k++ {
		if f.t[k] >= from {
			sum += f.rate[k] * (f.t[k+1] - f.t[k])
		}
	}
	return sum
}
