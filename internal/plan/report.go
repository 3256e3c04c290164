package plan

import (
	"fmt"
	"math"
	"slices"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// Most lines of a proposal's lists.
const (
	mostAlternatives = 10
	mostFront        = 20
)

// stay proposes nothing, and says why.
func stay(in Input, why string) job.Plan {
	return job.Plan{
		Job: in.Job, Now: in.Now, Want: in.Now, Reason: why,
		Binding: []job.Binding{}, Alternatives: []job.Alternative{}, Front: []job.FrontPoint{},
		Predicted: job.Predicted{Recovery: []job.Recovery{}}, Present: job.Predicted{Recovery: []job.Recovery{}},
		Forecast: job.LoadSummary{NowPerSecond: in.Load.Now, Members: list(in.Load.Members)},
	}
}

// list is never nil.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func peakOf(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	return slices.Max(v)
}

// wait is the answer in catch-up.
func (f *frame) wait() job.Plan {
	p := stay(f.in, fmt.Sprintf("catching up: %.0f records wait, gone in about %.0f s, before the target of %.0f s", f.in.LagRecords, f.drain(), f.target))
	p.PaceSeconds, p.Feasible, p.Considered = f.in.PaceSeconds, true, 1
	f.stands = 1
	p.Present = f.predicted(f.present, f.in.Now, f.in.interval())
	p.Predicted, p.Forecast = p.Present, f.summary()
	return p
}

// report writes the proposal.
func (f *frame) report() job.Plan {
	chosen := f.sched.states[f.best].candidate
	p := stay(f.in, "")
	p.Want, p.PaceSeconds, p.Way, p.Considered = f.want, f.pace, f.way, f.considered
	if p.Want == f.in.Now {
		p.Way = ""
	}
	every := f.want.IntervalSeconds
	if f.pace != nil {
		every = *f.pace
	}
	p.Feasible = f.holds(chosen, every, f.span())
	p.Predicted = f.predicted(chosen, f.want, every)
	p.Present = p.Predicted
	if f.want != f.in.Now {
		p.Present = f.predicted(f.present, f.in.Now, f.in.interval())
		f.priceChange(&p.Predicted, chosen)
	}
	p.Alternatives = f.alternatives(chosen)
	p.Binding = f.binding(chosen, every, p)
	p.Front = f.front()
	p.Forecast = f.summary()
	p.Reason = f.reason(p)
	return p
}

// span is the time for which the choice stands.
func (f *frame) span() []epoch { return f.demand.epochs[:max(1, f.stands)] }

// worstOf is the greatest demand of the span.
func (f *frame) worstOf() epoch {
	top := f.span()[0]
	for _, e := range f.span() {
		top.window, top.peak, top.to = max(top.window, e.window), max(top.peak, e.peak), e.to
	}
	return top
}

// utilization of c at the peak of the span, with checkpoints every so often: its
// 95 % bound.
func (f *frame) utilization(c *candidate, every float64) float64 {
	i := recovery.EffectiveInterval(every, f.in.MinPauseSeconds, c.duration)
	rest := max(1e-9, 1-c.loss*share(c.duration, i))
	return math.Exp(f.worstOf().peak-c.capacity+upperZ*math.Hypot(c.sigma, f.spread)) / rest
}

// latency is the bound of the p95 at a utilization; false where it has none.
func latency(c *candidate, rho float64) (seconds float64, ok bool) {
	if !(rho < 1) {
		return 0, false
	}
	return c.behavior.LatencyBase.At(upperZ) + c.behavior.LatencyQueue.At(upperZ)*rho/(1-rho), true
}

func (f *frame) predicted(c *candidate, k job.Knobs, every float64) job.Predicted {
	p := job.Predicted{CostPerHour: c.cost, Recovery: []job.Recovery{}}
	i := recovery.EffectiveInterval(every, f.in.MinPauseSeconds, c.duration)
	at := f.paths.worst(i+c.duration, f.worstOf().to)
	for _, kind := range f.failures {
		p.Recovery = append(p.Recovery, f.paths.recovery(c.behavior, Question{
			Knobs: k, Failure: kind, Risk: f.risk(), At: &at, Interval: every,
			MinPause: f.in.MinPauseSeconds, Scale: f.in.Scale, Seed: f.in.Seed,
		}))
	}
	rho := f.utilization(c, every)
	p.Utilization = &rho
	if l, ok := latency(c, rho); ok {
		p.LatencySeconds = &l
	}
	p.VisibleSeconds = new(i + c.behavior.Duration.At(upperZ))
	p.Capacity = new(c.behavior.Capacity.Median * max(0, 1-c.loss*share(c.duration, i)))
	return p
}

// risk of the policy.
func (f *frame) risk() float64 {
	if r := f.in.Policy.Risk; r > 0 && r < 0.5 {
		return r
	}
	return defaultRisk
}

func (f *frame) priceChange(p *job.Predicted, c *candidate) {
	median, _ := f.restart(c, f.demand.epochs[0], f.way)
	p.ChangeSeconds = &median
	p.ChangeCost = new(median / 3600 * f.present.cost * f.weight())
}

func (f *frame) summary() job.LoadSummary {
	in := f.in
	return job.LoadSummary{
		NowPerSecond: in.Load.Now, PeakPerSecond: math.Exp(f.worstOf().peak),
		UpperPerSecond: math.Exp(f.worstOf().peak + f.z*f.spread), HorizonSeconds: f.worstOf().to,
		Members: list(in.Load.Members),
	}
}

// alternatives are the settings that are cheaper than c, the nearest of them, and
// what each would violate while the choice stands.
func (f *frame) alternatives(c *candidate) []job.Alternative {
	out := []job.Alternative{}
	for _, x := range slices.Backward(f.candidates) {
		if x.cost >= c.cost-1e-12 {
			continue
		}
		k := x.knobs
		k.IntervalSeconds = x.interval
		a := job.Alternative{Knobs: k, CostPerHour: x.cost, Violates: f.violated(x, x.interval)}
		a.Why = f.why(a, c, x)
		out = append(out, a)
		if len(out) == mostAlternatives {
			break
		}
	}
	slices.Reverse(out)
	return out
}

func (f *frame) why(a job.Alternative, c, x *candidate) string {
	switch {
	case len(a.Violates) > 0:
		return a.Violates[0].Detail
	case f.tooFar(x):
		return "the step is too far from what is known"
	case f.refused(x):
		return "was refused lately, or something smaller was"
	case f.heldOff(x):
		return "has been found wanting lately"
	}
	median, _ := f.restart(x, f.demand.epochs[0], f.sched.ways[anew])
	return fmt.Sprintf("saves %.3g an hour until it would have to go back; the change costs %.3g", c.cost-x.cost, median/3600*f.present.cost*f.weight())
}

// violated are the limits that c does not keep in the span.
func (f *frame) violated(c *candidate, every float64) []job.Binding {
	out := []job.Binding{}
	s, top := f.support(c, every), f.worstOf()
	if s.window < top.window {
		out = append(out, f.late(c, every, top.window-s.window))
	}
	if s.peak < top.peak {
		rho := f.utilization(c, every)
		out = append(out, job.Binding{
			Limit: "utilization", Value: rho, Bound: math.Exp(c.busy), Unit: job.Ratio,
			Detail: fmt.Sprintf("utilization up to %.2f of at most %.2f", rho, math.Exp(c.busy)),
		})
	}
	if every > c.longest*(1+1e-9) {
		out = append(out, job.Binding{
			Limit: "visibility", Value: every, Bound: c.longest, Unit: job.Seconds,
			Detail: fmt.Sprintf("the interval may be %.0f s at most for output to be visible and transactions to live", c.longest),
		})
	}
	return out
}

// late is the recovery time that c would have, at the risk: where the support is
// short by a factor, capacity is.
func (f *frame) late(c *candidate, every, short float64) job.Binding {
	t := f.atRisk(c, every)
	need := fmt.Sprintf("%.0f %% more capacity would do", 100*math.Expm1(short))
	if t.Outcome != recovery.Recovers {
		has := c.behavior.Capacity.Median
		return job.Binding{
			Limit: "recovery_time", Value: has, Bound: has * math.Exp(short), Unit: job.PerSecond,
			Detail: "would not catch up while the peak lasts; " + need,
		}
	}
	return job.Binding{
		Limit: "recovery_time", Value: t.Seconds, Bound: f.target, Unit: job.Seconds,
		Detail: fmt.Sprintf("recovery in up to %.0f s of %.0f s; %s", t.Seconds, f.target, need),
	}
}

// atRisk is R at the risk, of the worst kind of failure, as the tails have it.
func (f *frame) atRisk(c *candidate, every float64) (worst recovery.Time) {
	i := recovery.EffectiveInterval(every, f.in.MinPauseSeconds, c.duration)
	lost := c.loss * share(c.duration, i)
	for _, t := range c.tails {
		sigma := math.Sqrt(c.sigma*c.sigma + f.spread*f.spread + t.sigma*t.sigma)
		// The design point: each quantity takes its part of the distance.
		at := f.z / max(sigma, 1e-12)
		x := recovery.Case{
			Rate:     math.Exp(f.worstOf().window + at*f.spread*f.spread),
			Capacity: math.Exp(c.capacity-at*c.sigma*c.sigma) * max(1e-9, 1-lost),
			Age:      i + c.duration,
			Downtime: f.target - math.Exp(t.log-at*t.sigma*t.sigma),
		}
		if r := x.Time(); r.Compare(worst) > 0 {
			worst = r
		}
	}
	return worst
}

// binding says what keeps the choice from being cheaper, or what it violates.
func (f *frame) binding(c *candidate, every float64, p job.Plan) []job.Binding {
	if v := f.violated(c, every); len(v) > 0 {
		return v
	}
	out := []job.Binding{}
	if len(p.Alternatives) == 0 {
		return append(out, job.Binding{Limit: "range", Value: c.cost, Bound: c.cost, Unit: "money_per_hour", Detail: "nothing cheaper is allowed"})
	}
	for _, a := range p.Alternatives {
		if len(a.Violates) == 0 {
			return append(out, job.Binding{Limit: "change", Value: a.CostPerHour, Bound: c.cost, Unit: "money_per_hour", Detail: a.Why})
		}
	}
	next := p.Alternatives[len(p.Alternatives)-1].Violates[0]
	switch next.Limit {
	case "utilization":
		next.Value = f.utilization(c, every)
	case "recovery_time":
		t := f.atRisk(c, every)
		next = job.Binding{Limit: next.Limit, Value: t.Seconds, Bound: f.target, Unit: job.Seconds}
	}
	next.Detail = "what is next cheaper: " + p.Alternatives[len(p.Alternatives)-1].Why
	return append(out, next)
}

// front is cost against latency among what keeps all limits in the span.
func (f *frame) front() []job.FrontPoint {
	out, best := []job.FrontPoint{}, math.Inf(1)
	top := f.worstOf()
	for _, c := range f.candidates {
		if c.supports.missing(top) > 0 {
			continue
		}
		rho := f.utilization(c, c.interval)
		l, ok := latency(c, rho)
		if !ok || l >= best {
			continue
		}
		best = l
		k := c.knobs
		k.IntervalSeconds = c.interval
		out = append(out, job.FrontPoint{Knobs: k, CostPerHour: c.cost, LatencySeconds: l, SpreadSeconds: l - c.behavior.LatencyBase.Median})
	}
	out = thinned(out)
	sustained := f.sustained()
	for i := range out {
		rate, low, high := sustained.Range(out[i].Knobs)
		out[i].SustainedPerSecond, out[i].SustainedP05PerSecond, out[i].SustainedP95PerSecond = &rate, &low, &high
	}
	return out
}

// thinned keeps the ends and what lies evenly between.
func thinned(all []job.FrontPoint) []job.FrontPoint {
	if len(all) <= mostFront {
		return all
	}
	out := make([]job.FrontPoint, mostFront)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(mostFront-1)]
	}
	return out
}

// reason is the proposal in a sentence or two.
func (f *frame) reason(p job.Plan) string {
	until := f.span()[len(f.span())-1].to / 3600
	load := fmt.Sprintf("%.0f/s now, up to %.0f/s expected in %.1f h", f.in.Load.Now, p.Forecast.PeakPerSecond, until)
	switch {
	case p.Want == p.Now && p.Feasible:
		return "keep " + p.Now.String() + ": it holds the target at " + load + ", and no change would pay"
	case p.Want == p.Now:
		return "keep " + p.Now.String() + " although it violates a limit at " + load + ": nothing allowed is better by more than a change costs"
	case !p.Feasible:
		return "change to " + p.Want.String() + ": the least bad at " + load + "; nothing allowed keeps every limit"
	case p.Predicted.CostPerHour < p.Present.CostPerHour:
		return fmt.Sprintf("change to %s: saves %.3g of %.3g an hour at %s, for a change of %.0f s", p.Want, p.Present.CostPerHour-p.Predicted.CostPerHour, p.Present.CostPerHour, load, deref(p.Predicted.ChangeSeconds))
	case len(f.violated(f.present, f.in.interval())) > 0:
		return "change to " + p.Want.String() + ": at " + load + " the present settings fail: " + f.violated(f.present, f.in.interval())[0].Detail
	default:
		return fmt.Sprintf("change to %s: over the forecast it saves %.3g, the change paid; %s", p.Want, f.saves, load)
	}
}

func deref(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
