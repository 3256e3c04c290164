package plan

import (
	"math"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// Sustained tells what rates settings sustain: how much may arrive for the target to
// hold at the risk of the policy, with the interval that suits them best, and with
// utilization and latency within their limits. It hardly depends on the present
// load, so that what is seen at one tells of all others.
type Sustained struct {
	frame *frame
	peak  float64 // log of the greatest mean rate over a recovery
	brief float64 // by how much the greatest rate is above it, as a logarithm
}

// NewSustained is made for one input; not ok: too little is known to plan.
func NewSustained(in Input) (s Sustained, ok bool) {
	p, ok := newPaths(in.Load, Horizon)
	if !ok || in.Policy.RecoveryTime <= 0 || !(in.Load.Now > 0) && !(peakOf(in.Load.Mean) > 0) {
		return Sustained{}, false
	}
	return newFrame(in, p).sustained(), true
}

func (f *frame) sustained() Sustained {
	hardest := f.extreme(math.Max)
	return Sustained{f, hardest.window, hardest.peak - hardest.window}
}

// Resources are all that may be chosen, the interval being that of now: the present
// ones are among them.
func (s Sustained) Resources() []job.Knobs {
	out := make([]job.Knobs, 0, s.frame.space.count())
	for _, shape := range s.frame.space.shapes {
		out = append(out, shape.sizes...)
	}
	return out
}

// Peak is the rate that the planner plans for: the greatest mean over a recovery in
// the horizon (records/s).
func (s Sustained) Peak() float64 { return math.Exp(s.peak) }

// Range is what k sustains if its capacity is what it is believed to be (records/s),
// and if it is at the 5 and the 95 % quantile of that.
func (s Sustained) Range(k job.Knobs) (perSecond, p05, p95 float64) {
	c := s.frame.in.Model.Behavior(k).Capacity
	at := func(z float64) float64 {
		v, _ := s.Rate(k, new(recovery.Exactly(c.Median*math.Exp(z*c.LogSpread()))))
		return v
	}
	return at(0), at(quantileZ(0.05)), at(quantileZ(0.95))
}

// Rate is what k sustains (records/s), and with which interval (s). A capacity that
// is given stands in for what is believed of it.
func (s Sustained) Rate(k job.Knobs, capacity *recovery.Uncertain) (perSecond, interval float64) {
	f := s.frame
	c := f.newCandidate(k)
	if capacity != nil {
		c.capacity, c.sigma = math.Log(max(1e-9, capacity.Median)), capacity.LogSpread()
		c.doubt = math.Exp(eachZ * math.Hypot(c.sigma, f.spread))
		c.longest = f.longest(&c)
		c.interval, c.supports = f.question.best(&c, f.periods)
	}
	return math.Exp(min(c.supports.window, c.supports.peak-s.brief)), c.interval
}
