package outage

import (
	"math"
	"slices"
	"time"

	"rebound/internal/job"
)

// Observed makes a series of what was observed of one job, in order of time, on
// the JobManager's clock where it was told. Rate and lag are those of the
// sources; an observation that lacks a subtask's part has no sum. Times are
// seconds since 1970.
func Observed(obs []job.Observation) Series {
	var s Series
	ages := !slices.ContainsFunc(obs, func(o job.Observation) bool { return !math.IsNaN(pending(o)) })
	if ages {
		s.LagUnit = Seconds
	}
	failed, running := map[float64]bool{}, map[float64]bool{}
	for _, o := range obs {
		at := o.ServerTime
		if at.IsZero() {
			at = o.At
		}
		now := unix(at)
		if n := len(s.Times); n > 0 && now <= s.Times[n-1] {
			continue // the same answer again, or a clock that was set back
		}
		s.Times = append(s.Times, now)
		s.Rate = append(s.Rate, value(o.InputRate()))
		if ages {
			s.Lag = append(s.Lag, oldest(o))
		} else {
			s.Lag = append(s.Lag, pending(o))
		}
		share, since := runningShare(o)
		s.Running = append(s.Running, share)
		s.Restarts = append(s.Restarts, restarts(o))
		for _, e := range o.Exceptions {
			failed[unix(e.At)] = true
		}
		if share == 1 && !since.IsZero() {
			running[unix(since)] = true
		}
	}
	s.Marks.Failed, s.Marks.Running = ascending(failed), ascending(running)
	return s
}

// runningShare is the share of subtasks that run, NaN where nothing is known,
// and when the last of them began to. While the job's own state is another than
// RUNNING none counts; when it is RUNNING, some may still deploy.
func runningShare(o job.Observation) (share float64, since time.Time) {
	if o.State != "" && o.State != "RUNNING" {
		return 0, time.Time{}
	}
	all, run := 0, 0
	for _, v := range o.Vertices {
		for _, s := range v.Subtasks {
			all++
			if s.State == "RUNNING" || s.State == "FINISHED" {
				run++
			}
			if s.RunningSince != nil && s.RunningSince.After(since) {
				since = *s.RunningSince
			}
		}
	}
	if all == 0 {
		return math.NaN(), time.Time{}
	}
	return float64(run) / float64(all), since
}

// pending is the records that wait before all sources; NaN if one does not tell.
func pending(o job.Observation) float64 {
	return overSources(o, func(s job.Subtask) *float64 { return s.PendingRecords }, func(a, b float64) float64 { return a + b })
}

// oldest is the age of what the slowest source subtask emits, s.
func oldest(o job.Observation) float64 {
	return overSources(o, func(s job.Subtask) *float64 { return s.EmitLagSeconds }, func(a, b float64) float64 { return max(a, b) })
}

func overSources(o job.Observation, of func(job.Subtask) *float64, join func(a, b float64) float64) float64 {
	total, n := 0.0, 0
	for _, v := range o.Vertices {
		if len(v.Inputs) > 0 {
			continue
		}
		for _, s := range v.Subtasks {
			x := of(s)
			if x == nil {
				return math.NaN()
			}
			if n++; n == 1 {
				total = *x
				continue
			}
			total = join(total, *x)
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return total
}

func restarts(o job.Observation) float64 {
	if o.Restarts == nil {
		return math.NaN()
	}
	return float64(*o.Restarts)
}

func value(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

func unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func ascending(set map[float64]bool) []float64 {
	var out []float64
	for at := range set {
		out = append(out, at)
	}
	slices.Sort(out)
	return out
}
