package plan

import (
	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/recovery"
)

// draws is how many recoveries a prediction is made of. They are stratified in
// every quantity (Latin hypercube: M. D. McKay, R. J. Beckman, W. J. Conover,
// Technometrics 21(2), 1979), so that few do.
const draws = 256

// Question is what is asked of a prediction.
type Question struct {
	Knobs   job.Knobs
	Failure job.Failure
	Change  job.Way // of a planned restart, which has no Failure
	Risk    float64 // 0.01 asks for the 99 % quantile
	// Age of the restored offsets at the failure (s), where it is known. Of a
	// planned restart it is otherwise that of a checkpoint just completed, and
	// nothing with a savepoint, at which processing stops.
	Age *float64
	At  *float64 // s from now; nil: the worst moment of the horizon
	// Interval is the period of checkpoints (s) where another than that of Knobs is
	// in force, as with pacing; 0: that of Knobs.
	Interval float64
	MinPause float64 // s, between two checkpoints
	Lag      float64 // records that wait already
	Scale    float64 // on the log of the width (recovery.HonestScale); 0 means 1
	Seed     uint64
}

// interval is I_e for checkpoints that take d seconds.
func (q Question) interval(d float64) float64 {
	i := q.Interval
	if i == 0 {
		i = q.Knobs.IntervalSeconds
	}
	return recovery.EffectiveInterval(i, q.MinPause, d)
}

// Recovery predicts a recovery under a forecast: the distribution over what is
// not known exactly, the rank of the forecast's path among it. P05, median and p95
// are of a failure at a random moment between checkpoints, AtRisk and Worst of
// one at the greatest age; with an Age given, of that.
func Recovery(b learn.Behavior, l Load, q Question) job.Recovery {
	p, ok := newPaths(l, look)
	if !ok {
		return job.Recovery{Failure: q.Failure, Outcome: job.Never, P95Outcome: job.Never, AtRiskOutcome: job.Never, Phases: []job.PhaseTime{}}
	}
	return p.recovery(b, q)
}

func (p *paths) recovery(b learn.Behavior, q Question) job.Recovery {
	at := 0.0
	switch {
	case q.At != nil:
		at = *q.At
	default:
		at = p.worst(q.interval(b.Duration.Median)+b.Duration.Median, p.end())
	}
	down := downtimeOf(&b, q)
	s := newSampler(b, down, q)
	random := s.sample(p, at, q, atRandom)
	worst := random
	if q.Age == nil && q.Change == "" {
		worst = s.sample(p, at, q, atWorst)
	}
	r := job.Recovery{Failure: q.Failure, AgeSeconds: q.Age, Phases: []job.PhaseTime{}}
	if s := q.scale(); s != 1 {
		r.IntervalScale = new(q.Scale)
	}
	median, p95, risk := random.quantile(0.5), random.quantile(0.95), worst.quantile(1-q.Risk)
	r.Outcome, r.P95Outcome, r.AtRiskOutcome = outcomeOf(median), unless(p95), unless(risk)
	r.P05Seconds, r.MedianSeconds = seconds(random.quantile(0.05)), seconds(median)
	r.P95Seconds, r.AtRiskSeconds = seconds(p95), seconds(risk)
	r.WorstSeconds = seconds(worst.quantile(0.5))
	if median.Outcome == recovery.Recovers {
		r.Phases = random.phases(down)
		visibility(&r, q.interval(b.Duration.Median), b.Duration.Median)
	}
	return r
}
