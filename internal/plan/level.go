package plan

import "math"

// What is planned for while no season of the load is known, so that hours ahead
// cannot be told. A schedule over a forecast would then follow its errors up and
// down. Instead there are two thresholds with room between them, as in the (s, S)
// policies of inventories (H. Scarf, The Optimality of (S, s) Policies in the Dynamic
// Inventory Problem, 1960): settings that are about to fail give way to some with
// room for a rise to go on, and ones that do are left only for clearly cheaper ones
// that still have a margin. Logarithms of rates.
const (
	// reaction is how long it takes until a change is in force: looking, deciding and
	// restarting (s). What is forecast beyond it will be known before it matters.
	reaction = 180.0
	// ahead is how far a forecast without a season is followed (s), and mostRise how
	// much of a rise.
	ahead, mostRise = 3600.0, 0.6
	// room of what is changed to when it has to be: at 30 % an hour, a steep daily
	// rise, it lasts for an hour.
	room = 0.35
	// margin of what is changed to in order to save: two and a half deviations of a rate that
	// wanders by 4 %.
	margin = 0.10
	// leastFor and mostFor bound how long a choice is taken to stand (s): as long as
	// the one before it has.
	leastFor, mostFor = 2 * 3600.0, 4 * 3600.0
	// leastSaving is the share of its cost that a job has to save for a restart, and
	// lastSaving how much more when all restarts of the day but the last are used.
	leastSaving, lastSaving = 0.12, 0.25
	// levelScarce is as scarce: with steps of their own size few are wasted.
	levelScarce = 0.6
)

// level replaces the epochs of the demand by a single one.
func (f *frame) level(age float64) {
	soon := f.within(reaction, age)
	f.spread = soon.spread
	f.demand.spread = soon.spread
	now := f.newCandidate(f.in.Now)
	f.present = &now
	rise := max(0, min(mostRise, f.within(ahead, age).window-soon.window))
	s := f.supported()
	f.failing = s.missing(soon) > 0
	more := min(rise+margin, s.least()-max(soon.window, soon.peak))
	if f.failing {
		more = min(max(room, rise), f.top()-soon.window)
	}
	soon.to = max(leastFor, min(mostFor, f.in.SinceSeconds))
	soon.window += max(0, more)
	soon.peak += max(0, more)
	soon.mean = math.Exp(soon.window)
	f.demand.epochs = []epoch{soon}
}

// within is what the median path asks for until a time (s from now), and how well
// that is known.
func (f *frame) within(until, age float64) epoch {
	high := f.paths.row(upperRank)
	s := stretch{to: until, ahead: f.target, back: age}
	e := f.paths.epoch(f.paths.row(0.5), s)
	e.spread = max(leastLoadSpread, (f.paths.epoch(high, s).window-e.window)/max(f.paths.z[high], 1))
	return e
}

// supported is what the present settings support.
func (f *frame) supported() support {
	if f.pacing {
		return f.present.supports
	}
	return f.support(f.present, f.in.interval())
}

// top is the highest load that any setting within reach supports.
func (f *frame) top() float64 {
	top := math.Inf(-1)
	for _, s := range f.space.shapes {
		c := f.newCandidate(s.sizes[len(s.sizes)-1])
		if !f.tooFar(&c) {
			top = max(top, c.supports.least())
		}
	}
	return top
}

// savesTooLittle says whether c is cheaper than what does well, but not by enough to
// be worth one of the restarts that are left.
func (f *frame) savesTooLittle(c *candidate) bool {
	if !f.in.Load.Unseasoned || f.failing || c.cost >= f.present.cost {
		return false
	}
	used := 0.0
	if budget := f.in.Policy.Budget.RestartsPerDay; budget > 0 {
		used = float64(f.in.Restarts) / float64(budget)
	}
	return c.cost > (1-leastSaving-lastSaving*used*used)*f.present.cost
}
