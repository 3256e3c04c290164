package facts

import (
	"math/rand/v2"
	"time"

	"rebound/internal/job"
	"rebound/internal/model"
	"rebound/internal/recovery"
)

// draws is how many recoveries a prediction is made of, as in package model.
const draws = 4000

// Recovery predicts the recovery from one kind of failure. It is false where rate,
// capacity or interval are not stated; Missing then says which. Capacity as stated
// counts from the first record: no warm-up is added.
func (f Facts) Recovery(failure job.Failure) (job.Recovery, bool) {
	rho, ok := f.rho()
	effective, ok2 := f.Checkpoint.effective()
	if !ok || !ok2 {
		return job.Recovery{}, false
	}
	return f.at(failure, rho, effective), true
}

// at is the prediction for a utilization and an effective interval.
func (f Facts) at(failure job.Failure, rho, effective float64) job.Recovery {
	phases := f.phases(failure)
	d, _ := f.Checkpoint.duration()
	_, high := recovery.AgeRange(effective, d, f.Checkpoint.FailedInARow)
	s := recovery.Scenario{
		Subtasks: []recovery.Subtask{{Utilization: recovery.Exactly(rho)}}, Age: recovery.AgeModel{Low: d, High: high},
	}
	for _, p := range phases {
		s.Downtime = append(s.Downtime, recovery.Uncertain{Median: p.Seconds, Spread: p.Spread})
	}
	sample := s.Draw(rand.New(rand.NewPCG(1, 1)), draws)
	median := sample.Quantile(0.5)
	r := job.Recovery{Failure: failure, Outcome: outcome(median), Phases: []job.PhaseTime{}}
	r.P05Seconds, r.MedianSeconds = seconds(sample.Quantile(0.05)), seconds(median)
	r.P95Seconds, r.P95Outcome = seconds(sample.Quantile(0.95)), unless(sample.Quantile(0.95))
	r.AtRiskSeconds, r.AtRiskOutcome = seconds(sample.Quantile(1-f.Risk)), unless(sample.Quantile(1-f.Risk))
	r.WorstSeconds = seconds(recovery.Case{Rate: rho, Capacity: 1, Age: high, Downtime: total(phases)}.Time())
	if split, ok := sample.MedianPhases(); ok {
		r.Phases = named(phases, split, median.Seconds)
		f.visibility(&r, effective, d)
	}
	return r
}

// named are the phases of a recovery of median length. What is stated exactly
// stays so; what the draws leave of the median is replay and catch-up, in their
// proportion.
func named(down []job.PhaseTime, split []float64, median float64) []job.PhaseTime {
	out := make([]job.PhaseTime, 0, len(split))
	rest := median
	for i, p := range down {
		if p.Spread > 0 {
			p.Seconds = split[i]
		}
		rest -= p.Seconds
		out = append(out, p)
	}
	replay, catchUp := split[len(down)], split[len(down)+1]
	share := 0.0
	if replay+catchUp > 0 {
		share = max(0, rest) / (replay + catchUp)
	}
	return append(out,
		job.PhaseTime{Phase: job.Replay, Seconds: replay * share, Source: job.Configured, Note: "input since the checkpoint"},
		job.PhaseTime{Phase: job.CatchUp, Seconds: catchUp * share, Source: job.Configured, Note: "backlog of the meantime"})
}

// visibility adds what a read-committed reader waits for: the first commit, and
// the commit that follows the catch-up, half an interval later on average.
func (f Facts) visibility(r *job.Recovery, effective, duration float64) {
	if f.Checkpoint.Mode == "at_least_once" {
		return
	}
	down := 0.0
	for _, p := range r.Phases {
		if p.Phase.Downtime() {
			down += p.Seconds
		}
	}
	first := recovery.FirstCommit(down, effective, duration)
	r.FirstCommitSeconds = &first
	r.VisibleSeconds = new(max(first, *r.MedianSeconds+effective/2+duration))
}

// phases of the downtime: as stated, or as assumed of such a job.
func (f Facts) phases(failure job.Failure) []job.PhaseTime {
	if f.Downtime.Total != nil {
		return []job.PhaseTime{{Phase: job.Restore, Seconds: *f.Downtime.Total, Source: job.Configured, Note: "the whole downtime, as stated"}}
	}
	out := model.New(model.Evidence{Now: f.Observation(time.Unix(0, 0).UTC())}).Configured(failure)
	stated := map[job.Phase]*float64{
		job.Detect: f.Downtime.Detect, job.BackOff: f.Downtime.BackOff,
		job.Resources: f.Downtime.Resources, job.Restore: f.Downtime.Restore,
	}
	for i, p := range out {
		if v := stated[p.Phase]; v != nil {
			out[i] = job.PhaseTime{Phase: p.Phase, Seconds: *v, Source: job.Configured, Note: "as stated"}
		}
	}
	return out
}

func total(phases []job.PhaseTime) float64 {
	sum := 0.0
	for _, p := range phases {
		sum += p.Seconds
	}
	return sum
}

func seconds(t recovery.Time) *float64 {
	if t.Outcome != recovery.Recovers {
		return nil
	}
	return &t.Seconds
}

func outcome(t recovery.Time) job.Outcome {
	switch t.Outcome {
	case recovery.Recovers:
		return job.Recovers
	case recovery.BeyondHorizon:
		return job.BeyondHorizon
	default:
		return job.Never
	}
}

// unless is the outcome where it is not the usual one.
func unless(t recovery.Time) job.Outcome {
	if t.Outcome == recovery.Recovers {
		return ""
	}
	return outcome(t)
}
