package plan

import (
	"math"
	"slices"
	"sort"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// Search is the planner: the cheapest settings that recover in time, at the risk
// that the user takes, for as long as they are going to stand; and a change only if
// it pays. It looks at every setting that the policy allows. The zero value is
// ready for use.
type Search struct{}

// Plan proposes what to do now.
func (Search) Plan(in Input) job.Plan {
	p, ok := newPaths(in.Load, Horizon)
	if !ok || !(in.Load.Now > 0) && !(peakOf(in.Load.Mean) > 0) {
		return stay(in, "the input rate is not known, so that nothing can be planned")
	}
	if in.Policy.RecoveryTime <= 0 {
		return stay(in, "the policy names no recovery time")
	}
	f := newFrame(in, p)
	if f.catchingUp() {
		return f.wait()
	}
	f.plan()
	return f.report()
}

// frame is one planning under way.
type frame struct {
	question
	sched      *schedule
	paths      *paths
	demand     demand
	space      space
	candidates []*candidate
	present    *candidate
	pacing     bool
	failing    bool        // the present settings, at once
	shape      []job.Knobs // at hand, with what is known of it
	scored     []*candidate
	considered int

	best   int     // the state to be in now; 0: the present one
	way    job.Way // to it
	saves  float64 // money over the horizon, over staying
	taken  []int   // the state of each epoch
	stands int     // epochs for which the first one stands
	want   job.Knobs
	pace   *float64
}

// rise plans for the upper path for a while where the present settings are about to
// be outgrown: a load that has just risen so far may go on, whatever its median path
// says, and a change that is needed anyway is to be the only one for that time.
func (f *frame) rise() {
	all := f.demand.epochs
	if f.supported().missing(all[0]) == 0 {
		return
	}
	for e := range all {
		if x := &all[e]; e > 0 && x.from < f.spacing()/2 {
			more := upperZ * x.spread
			x.window = max(all[0].window, x.window+more)
			x.peak = max(all[0].peak, x.peak+more)
			x.mean = math.Exp(x.window)
		}
	}
}

// defaultRisk stands where a policy names none.
const defaultRisk = 0.01

func newFrame(in Input, p *paths) *frame {
	risk := in.Policy.Risk
	if !(risk > 0 && risk < 0.5) {
		risk = defaultRisk
	}
	f := &frame{paths: p, space: newSpace(&in)}
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
	f.others = math.Hypot(b.Capacity.LogSpread(), f.spread)
	now := f.newCandidate(in.Now)
	f.present = &now
	if in.Load.Unseasoned {
		f.level(every + b.Duration.Median)
	} else {
		f.rise()
	}
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
	ways := [entries]job.Way{inPlace: f.wayOf(job.KnobParallelism), anew: f.wayOf(f.in.turned()...)}
	f.sched = newSchedule(&f.question, f.demand.epochs, f.pruned(f.states(), ways[anew]))
	f.sched.ways, f.sched.scarcity = ways, f.scarcity()
	for range mostPrices {
		f.sched.solve()
		f.best, f.way, f.saves = f.sched.best(f.allowed)
		f.taken = f.sched.path(f.best)
		if float64(changes(f.taken)) <= f.affords() {
			break
		}
		f.sched.price *= 2
		f.sched.scarcity *= 2
	}
	f.stands = stands(f.taken)
	f.choose()
}

// scarce is what the first restart of a day is worth beyond the disturbance that it
// causes, since they are numbered: in hours of what the job costs at its greatest,
// over the number of restarts. Following a rise of the cost by Δ over T hours in k
// steps wastes ΔT/2k, so that a further one saves ΔT/2k(k + 1): with k = 4, the half
// of eight restarts, T = 12 h and Δ two thirds of the greatest cost it is worth 0.2
// hours of that at least; half as much again, since a day has more than it shows.
const scarce = 3.0

// mostPrices of a change are tried, each the double of the one before, until the
// restarts of the schedule are within the budget.
const mostPrices = 4

// scarcity is what a restart is worth as one of those that are left, in money: the
// fewer, the dearer. What the job costs at its greatest is not known, but what has
// been needed once may be again.
func (f *frame) scarcity() float64 {
	budget := float64(f.in.Policy.Budget.RestartsPerDay)
	if budget <= 0 {
		return 0
	}
	most := f.present.cost
	for _, k := range f.in.Proven {
		most = max(most, k.PerHour(f.in.JobManager, f.in.Policy.Prices))
	}
	worth := scarce
	if f.in.Load.Unseasoned {
		worth = levelScarce
	}
	return most * worth / max(0.5, budget-float64(f.in.Restarts))
}

// affords is how many restarts the budget has for the horizon.
func (f *frame) affords() float64 {
	budget := f.in.Policy.Budget.RestartsPerDay
	if budget <= 0 {
		return math.Inf(1)
	}
	end := f.demand.epochs[len(f.demand.epochs)-1].to
	return max(1, float64(budget)*end/(24*3600))
}

// consider scores what may be of use: of each shape the sizes from the last that is
// too small for the easiest epoch to the first that supports the hardest. More of
// the same never supports less, so that smaller ones support nothing and greater
// ones only waste, as does all that costs clearly more than the cheapest that supports
// everything, unless it can be had in place.
func (f *frame) consider() {
	enough, hard, easy := math.Inf(1), f.extreme(math.Max), f.extreme(math.Min)
	hard.window = max(hard.window, f.upmost())
	room := make([]candidate, 0, f.space.count()+1)
	f.candidates = append(f.candidates, f.present)
	for _, s := range f.space.shapes {
		own := sameBut(s.sizes[0], f.in.Now)
		f.shape = s.sizes
		f.scored = append(f.scored[:0], make([]*candidate, len(s.sizes))...)
		first := sort.Search(len(s.sizes), func(i int) bool { return f.score(i, &room).supports.missing(easy) == 0 })
		for first > 0 && (first == len(s.sizes) || f.tooFar(f.score(first, &room))) {
			first-- // a step on the way there
		}
		for i := max(0, first-1); i < len(s.sizes); i++ {
			if !own && s.sizes[i].PerHour(f.in.JobManager, f.in.Policy.Prices) > enough*slack {
				break
			}
			c := f.score(i, &room)
			if c != f.present {
				f.candidates = append(f.candidates, c)
			}
			if c.supports.missing(hard) == 0 && f.reachable(c) && f.soon(c, hard) {
				enough = min(enough, c.cost)
				break
			}
		}
	}
	f.candidates = slices.DeleteFunc(f.candidates, func(c *candidate) bool {
		return c.cost > enough*slack && !sameBut(c.knobs, f.in.Now)
	})
	slices.SortFunc(f.candidates, cheaper)
	f.considered = f.space.count() * len(f.space.intervals)
}

// slack is by how much a setting may cost more than another that serves as well and
// still be of use, since it is reached by a lesser change.
const slack = 1.1

// soon says whether a planned restart into c is over before the target.
func (f *frame) soon(c *candidate, e epoch) bool {
	_, upper := f.restart(c, e, f.wayOf(f.in.turned()...))
	return upper <= f.target
}

// score is size i of the shape at hand, looked at once.
func (f *frame) score(i int, room *[]candidate) *candidate {
	switch {
	case f.scored[i] != nil:
	case f.shape[i].SameResources(f.in.Now):
		f.scored[i] = f.present
	default:
		*room = append(*room, f.newCandidate(f.shape[i]))
		f.scored[i] = &(*room)[len(*room)-1]
	}
	return f.scored[i]
}

// extreme is an epoch that asks for as much as any of them, or as little.
func (f *frame) extreme(of func(a, b float64) float64) epoch {
	out := f.demand.epochs[0]
	for _, e := range f.demand.epochs {
		out.window, out.peak = of(out.window, e.window), of(out.peak, e.peak)
	}
	return out
}

// upmost is what the upper path asks for: a setting that supports it is never
// outgrown, so that greater ones only waste.
func (f *frame) upmost() (most float64) {
	for _, e := range f.demand.epochs {
		most = max(most, e.window+upperZ*e.spread)
	}
	return most
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
		{job.KnobParallelism, k.Parallelism.Free()},
		{job.KnobSlots, k.Slots.Free()},
		{job.KnobCPU, k.CPU.Free()},
		{job.KnobMemory, k.Memory.Free()},
		{job.KnobInterval, k.CheckpointInterval.Free()},
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
