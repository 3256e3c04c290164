package plan

import (
	"math"
	"slices"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// Search is the planner: the cheapest settings that recover in time, at the risk
// that the user takes, for as long as they are going to stand; and a change only if
// it pays. It looks at every setting that the policy allows. The zero value is
// ready for use.
type Search struct {
	// LatencyPrice is what a second of the p95 of latency is worth, in money an
	// hour; 0: the cheapest settings are chosen, whatever the latency below its
	// limit.
	LatencyPrice float64
}

// Plan proposes what to do now.
func (s Search) Plan(in Input) job.Plan {
	p, ok := newPaths(in.Load, Horizon)
	if !ok || !(in.Load.Now > 0) && !(peakOf(in.Load.Mean) > 0) {
		return stay(in, "the input rate is not known, so that nothing can be planned")
	}
	if !(in.Policy.RecoveryTime > 0) {
		return stay(in, "the policy names no recovery time")
	}
	f := s.frame(in, p)
	if f.catchingUp() {
		return f.wait()
	}
	f.plan()
	return f.report()
}

// frame is one planning under way.
type frame struct {
	Search
	question
	sched      schedule
	paths      paths
	demand     demand
	space      space
	candidates []*candidate
	present    *candidate
	pacing     bool
	considered int

	best   int     // the state to be in now; 0: the present one
	way    job.Way // to it
	saves  float64 // money over the horizon, over staying
	taken  []int   // the state of each epoch
	stands int     // epochs for which the first one stands
	want   job.Knobs
	pace   *float64
}

// defaultRisk stands where a policy names none.
const defaultRisk = 0.01

func (s Search) frame(in Input, p paths) *frame {
	risk := in.Policy.Risk
	if !(risk > 0 && risk < 0.5) {
		risk = defaultRisk
	}
	f := &frame{Search: s, paths: p, space: newSpace(in)}
	f.question = question{
		in: in, target: in.Policy.RecoveryTime.Seconds(), z: quantileZ(1-risk) * max(1, in.Scale),
		failures: in.Policy.Failures,
	}
	if len(f.failures) == 0 {
		f.failures = []job.Failure{job.TaskFailure, job.ProcessFailure}
	}
	f.pacing = in.World.Pacing && (in.Policy.Mode == job.ModePace || in.Policy.Mode == job.ModeApply)
	f.periods = f.space.intervals
	b := in.Model.Behavior(in.Now)
	if f.pacing {
		f.periods = f.paces(b.Duration.Median)
	}
	every := recovery.EffectiveInterval(in.interval(), in.MinPauseSeconds, b.Duration.Median)
	f.demand = newDemand(p, f.target, every+b.Duration.Median)
	f.spread = f.demand.spread
	now := f.newCandidate(in.Now)
	f.present = &now
	return f
}

// interval in force now.
func (in Input) interval() float64 {
	if in.PaceSeconds != nil {
		return min(*in.PaceSeconds, in.Now.IntervalSeconds)
	}
	return in.Now.IntervalSeconds
}

// plan looks for the cheapest way through the horizon.
func (f *frame) plan() {
	f.consider()
	f.sched = schedule{
		q: &f.question, epochs: f.demand.epochs, states: f.states(), price: 1, now: f.present.cost,
		ways: [entries]job.Way{inPlace: f.wayOf(job.KnobParallelism), anew: f.wayOf(f.in.turned()...)},
	}
	f.sched.groups = group(f.sched.states)
	budget := f.in.Policy.Budget.RestartsPerDay
	for {
		f.sched.solve()
		f.best, f.way, f.saves = f.sched.first(f.allowed)
		f.taken = f.sched.path(f.best)
		n := f.sched.changes(f.taken, Horizon)
		if f.best != 0 {
			n++
		}
		if budget <= 0 || n <= budget || f.sched.price > 16 {
			break
		}
		f.sched.price *= 1.5
	}
	f.stands = stands(f.taken)
	f.choose()
}

// consider scores settings from the cheapest on, up to the first that supports
// all of the horizon: what costs more than that can only waste.
func (f *frame) consider() {
	all := f.space.resources
	costs := make([]float64, len(all))
	order := make([]int, len(all))
	for i, k := range all {
		costs[i], order[i] = k.PerHour(f.in.JobManager, f.in.Policy.Prices), i
	}
	slices.SortFunc(order, func(i, j int) int { return cheaper(costs[i], costs[j], all[i], all[j]) })
	enough, top := math.Inf(1), f.hardest()
	room := make([]candidate, 0, 256)
	for _, i := range order {
		if costs[i] > enough {
			break
		}
		if all[i].SameResources(f.in.Now) {
			f.candidates = append(f.candidates, f.present)
			continue
		}
		if len(room) == cap(room) {
			room = make([]candidate, 0, 256)
		}
		room = append(room, f.newCandidate(all[i]))
		c := &room[len(room)-1]
		f.candidates = append(f.candidates, c)
		if c.supports.missing(top) == 0 {
			enough = costs[i]
		}
	}
	if !slices.Contains(f.candidates, f.present) {
		f.candidates = append(f.candidates, f.present)
	}
	f.considered = len(f.candidates) * len(f.periods)
}

// hardest is an epoch that asks for as much as any of them.
func (f *frame) hardest() epoch {
	top := f.demand.epochs[0]
	for _, e := range f.demand.epochs {
		top.window, top.peak = max(top.window, e.window), max(top.peak, e.peak)
	}
	return top
}

// states are the present settings, then all others: with the interval that serves
// them best, and those next to the present ones with its interval as well.
func (f *frame) states() []state {
	out := make([]state, 1, len(f.candidates)+32)
	out[0] = state{candidate: f.present, supports: f.present.supports, keeps: true}
	if !f.pacing {
		out[0].supports = f.support(f.present, f.in.Now.IntervalSeconds)
	}
	for _, c := range f.candidates {
		near := sameBut(c.knobs, f.in.Now)
		if near && !f.pacing && c != f.present {
			out = append(out, state{candidate: c, supports: f.support(c, f.in.Now.IntervalSeconds), keeps: true})
		}
		if c != f.present || !f.pacing && len(f.periods) > 1 {
			out = append(out, state{candidate: c, supports: c.supports, keeps: near && f.pacing})
		}
	}
	return out
}

// sameBut says whether two differ in nothing but parallelism and interval.
func sameBut(k, l job.Knobs) bool {
	k.Parallelism = l.Parallelism
	return k.SameResources(l)
}

// group numbers the settings between which only the parallelism changes.
func group(states []state) int {
	type kind struct {
		slots       int
		cpu, memory float64
		keeps       bool
	}
	seen := map[kind]int{}
	for i := range states {
		x := &states[i]
		k := kind{x.knobs.Slots, x.knobs.CPUCores, x.knobs.MemoryBytes, x.keeps}
		g, ok := seen[k]
		if !ok {
			g = len(seen)
			seen[k] = g
		}
		x.group = g
	}
	return len(seen)
}

// turned are the knobs of which more than one value is tried.
func (in Input) turned() []job.Knob {
	k, out := in.Policy.Knobs, []job.Knob{}
	for _, x := range []struct {
		knob job.Knob
		free bool
	}{
		{job.KnobParallelism, k.Parallelism.Free()}, {job.KnobSlots, k.Slots.Free()}, {job.KnobCPU, k.CPU.Free()},
		{job.KnobMemory, k.Memory.Free()}, {job.KnobInterval, k.CheckpointInterval.Free()},
	} {
		if _, ok := in.World.Restart[x.knob]; ok && x.free {
			out = append(out, x.knob)
		}
	}
	return out
}

// wayOf is the way in which knobs are turned together: the most disruptive.
func (f *frame) wayOf(knobs ...job.Knob) job.Way {
	order := []job.Way{"", job.InPlace, job.Savepoint, job.LastState}
	worst := job.Way("")
	for _, k := range knobs {
		if w := f.in.World.Restart[k]; slices.Index(order, w) > slices.Index(order, worst) {
			worst = w
		}
	}
	return worst
}
