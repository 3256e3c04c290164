package plan

import (
	"cmp"
	"math"

	"rebound/internal/job"
)

// cheaper orders settings by cost, and those of equal cost by what they are.
func cheaper(a, b *candidate) int {
	if a.cost != b.cost {
		return cmp.Compare(a.cost, b.cost)
	}
	k, l := a.knobs, b.knobs
	return cmp.Or(
		cmp.Compare(k.TaskManagers(), l.TaskManagers()),
		cmp.Compare(k.Slots, l.Slots), cmp.Compare(k.Parallelism, l.Parallelism),
		cmp.Compare(k.CPUCores, l.CPUCores), cmp.Compare(k.MemoryBytes, l.MemoryBytes),
	)
}

// allowed says by which way the job may go to state i now, if it may.
func (f *frame) allowed(i int) (job.Way, bool) {
	x := &f.sched.states[i]
	k := x.knobs
	k.IntervalSeconds = f.in.Now.IntervalSeconds
	if !x.keeps && f.intervalFree() {
		k.IntervalSeconds = f.configured(x.candidate, len(f.demand.epochs))
	}
	way, ok := f.in.World.WayFor(f.in.Now, k)
	if !ok || way == "" || !f.reachable(x.candidate) || f.savesTooLittle(x.candidate) {
		return "", false
	}
	return f.unhindered(way), true
}

// reachable says whether the job may go to c in one step.
func (f *frame) reachable(c *candidate) bool { return !f.tooFar(c) && !f.heldOff(c) && !f.refused(c) }

// intervalFree says whether the configured interval can be turned.
func (f *frame) intervalFree() bool {
	_, ok := f.in.World.Restart[job.KnobInterval]
	return ok && f.in.Policy.Knobs.CheckpointInterval.Free()
}

// unhindered takes the last state where a savepoint could not complete: its
// barriers would wait behind the backlog.
func (f *frame) unhindered(w job.Way) job.Way {
	load := math.Log(f.in.Load.Now) >= f.present.capacity || f.lagging()
	if w == job.Savepoint && load {
		return job.LastState
	}
	return w
}

// tooFar bounds by how much one change multiplies or divides capacity.
func (f *frame) tooFar(c *candidate) bool {
	r := f.in.Policy.Limits.StepRatio
	return r > 1 && math.Abs(c.capacity-f.present.capacity) > math.Log(r)
}

// heldOff says whether a change to c, or down to no more than what failed, has
// been found wanting lately.
func (f *frame) heldOff(c *candidate) bool {
	if len(f.in.HeldOff) == 0 {
		return false
	}
	for _, h := range f.in.HeldOff {
		if h.SameResources(c.knobs) {
			return true
		}
		cost := h.PerHour(f.in.JobManager, f.in.Policy.Prices)
		if cost < f.present.cost && c.cost < f.present.cost &&
			c.capacity <= math.Log(f.in.Model.Behavior(h).Capacity.Median) {
			return true
		}
	}
	return false
}

// choose settles the knobs that the best first step means.
func (f *frame) choose() {
	f.want = f.in.Now
	if x := f.sched.states[f.best]; f.best != 0 {
		f.want = x.knobs
		f.want.IntervalSeconds = f.in.Now.IntervalSeconds
		if !x.keeps && f.intervalFree() {
			f.want.IntervalSeconds = f.configured(x.candidate, f.stands)
		}
	}
	if w, ok := f.in.World.WayFor(f.in.Now, f.want); f.best != 0 && ok {
		f.way = f.unhindered(w)
	}
	if f.best == 0 && !f.pacing {
		f.lengthen()
	}
	if f.pacing {
		f.settlePace()
	}
}

// configured is the interval to configure for c while it stands. It is the longest
// that keeps all limits; with pacing, which keeps them by itself, the longest with
// which the job would recover in time, as expected though not at the risk that is
// allowed, if nobody asked for checkpoints in between.
func (f *frame) configured(c *candidate, epochs int) float64 {
	q := f.question
	if f.pacing {
		q.z, q.spread = 0, 0
	}
	all := f.space.intervals
	best := -1
	for i, v := range all {
		if q.holds(c, v, f.demand.epochs[:epochs]) {
			best = i
		}
	}
	if best < 0 {
		v, _ := q.best(c, all)
		return v
	}
	return f.refined(all, best, func(v float64) bool { return q.holds(c, v, f.demand.epochs[:epochs]) })
}

// refined is the longest interval that holds, in whole seconds, between one of the
// list that does and the next, which does not. A list that the user gave is kept to.
func (f *frame) refined(all []float64, best int, holds func(float64) bool) float64 {
	r := f.in.Policy.Knobs.CheckpointInterval
	low := all[best]
	if best+1 == len(all) || len(r.List) > 0 || r.Step > 0 {
		return low
	}
	for high := math.Ceil(all[best+1]); high-low > 1; {
		if mid := math.Floor((low + high) / 2); mid > low && holds(mid) {
			low = mid
		} else {
			high = max(mid, low+1)
		}
	}
	return low
}

// holds says whether c with an interval keeps all limits in all epochs.
func (q *question) holds(c *candidate, interval float64, epochs []epoch) bool {
	s := q.support(c, interval)
	for _, e := range epochs {
		if s.missing(e) > 0 {
			return false
		}
	}
	return true
}

// lengthen proposes a longer interval for the present resources, if the capacity
// that checkpoints would no longer take is worth the restart.
func (f *frame) lengthen() {
	now, c := f.in.Now.IntervalSeconds, f.present
	if !f.intervalFree() || !f.holds(c, now, f.demand.epochs[:1]) {
		return
	}
	longer := f.configured(c, len(f.demand.epochs))
	k := f.in.Now
	k.IntervalSeconds = longer
	way, ok := f.in.World.WayFor(f.in.Now, k)
	if !ok || way == "" || !(longer > now) || !f.holds(c, longer, f.demand.epochs) {
		return
	}
	hours := f.demand.epochs[len(f.demand.epochs)-1].to / 3600
	gain := c.loss * (share(c.duration, max(now, c.duration)) - share(c.duration, max(longer, c.duration)))
	saves := gain*c.cost*hours - f.sched.change(&f.sched.states[0], f.demand.epochs[0], way)
	if saves > 0 {
		f.want, f.way, f.saves, f.stands = k, way, saves, len(f.demand.epochs)
	}
}

// lagging says whether more waits than a few seconds' worth.
func (f *frame) lagging() bool { return f.in.LagRecords > calmLag*f.in.Load.Now }

// calmLag is how many seconds of input may wait without the job counting as behind.
const calmLag = 15.0

// catchingUp says whether the job works off a backlog, and will be done in time:
// then the backlog is no reason to act, and what is seen meanwhile no ground.
func (f *frame) catchingUp() bool { return f.lagging() && f.drain() <= f.target }

// drain is how long the backlog takes at the present rate and capacity (s).
func (f *frame) drain() float64 {
	spare := math.Exp(f.present.capacity) - f.in.Load.Now
	if !(spare > 0) {
		return math.Inf(1)
	}
	return f.in.LagRecords / spare
}
