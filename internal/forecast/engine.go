package forecast

import "slices"

// engine forecasts a series of one step, whose seasons it is told. It learns members
// on a first part of the past, rolls them over the rest to see how far to trust each,
// and goes on from there step by step.
type engine struct {
	seasons    []int // in steps, ascending, at most two
	candidates []int // seasons to look for; nil: seasons are given
	grid       grid
	stride     int // steps from one scored forecast to the next
	scored     int // forecasts that are scored in a fit, about
	guide      *guided
	period     int // steps of the season that a level is a part of; 0: none

	window ring // values for fitting anew
	scales [scales]scale
	past   [scales]ring // the same on each scale, as far as members look back
	specs  []spec
	owned  []member // in the order of specs; nil: not enough history yet
	here   []bool   // which members take part; the last one is the guide
	mix    *mixture
	lifts  []lift  // [grid]
	open   []wager // oldest first
	fresh  int     // steps since the fit
	turn   int     // forecasts made
	low    float64 // least and greatest value of the window
	high   float64

	paths [][]float64 // scratch: of each member
	votes []vote      // scratch
	one   float64     // combined forecast of the next step, made by origin
}

// wager is what every member forecast at one time for the grid's horizons.
type wager struct {
	age, next int
	combined  []float64   // [grid]
	values    [][]float64 // [grid][member], NaN for one that is not there
}

const (
	// engineWindow is how many values are kept to fit on: three weeks of 5 min.
	engineWindow = 6300
	// learned is the share of the past that members see before they are rolled.
	learned = 0.6
	// rolled is the greatest number of values that they are rolled over: enough for
	// their weights, which forget sooner.
	rolled = 1500
	// openWagers is about how many forecasts wait for their outcome at a time.
	openWagers = 64
)

// newEngine is told its seasons, or where to look for them.
func newEngine(seasons, candidates []int, horizon int) *engine {
	return &engine{
		seasons: seasons, candidates: candidates, grid: newGrid(horizon), stride: 1 + (horizon-1)/openWagers,
		window: newRing(engineWindow), scored: defaultScored,
	}
}

// last is the longest horizon that is scored.
func (e *engine) last() int { return e.grid[len(e.grid)-1] }

// refit learns everything anew from the window. watch, if any, sees the forecasts that
// are made on the way, and what was seen then, NaN where nothing was.
func (e *engine) refit(seen []float64, watch *calibration) {
	y := e.window.values()
	e.fresh = 0
	e.low, e.high = slices.Min(y), slices.Max(y)
	start := max(1, int(learned*float64(len(y))), len(y)-rolled)
	open, lifts := e.open, e.lifts
	z := e.restart(y, start)
	guide := e.guide
	e.guide = nil // it knows the present only
	stride := max(e.stride, (len(y)-start)/e.scored)
	for t := start; t < len(y); t++ {
		e.join(z, t)
		e.origin((t-start)%stride == 0, watch)
		e.step(y[t])
		if watch != nil {
			watch.settle(seen[t], y[t], e.one)
		}
	}
	e.join(z, len(y))
	e.guide = guide
	if guide != nil && len(open) > 0 && len(open[0].values[0]) == len(e.specs)+1 {
		e.open = open // or the guide's forecasts far ahead would never be scored
		e.lifts = lifts
	}
	e.muster()
}

// restart forgets all but the window y and the guide, and puts y[:start] behind. It
// returns y on each scale.
func (e *engine) restart(y []float64, start int) [scales][]float64 {
	old := e.mix
	if e.candidates != nil {
		e.seasons = findSeasons(y, e.candidates)
	}
	e.specs = roster(e.seasons)
	e.owned = make([]member, len(e.specs))
	e.mix = newMixture(len(e.specs)+1, e.grid)
	e.lifts = make([]lift, len(e.grid))
	if old != nil { // the guide cannot be rolled, so its errors are kept
		e.mix.inherit(old)
	}
	e.open, e.paths = nil, nil
	var z [scales][]float64
	for k := range e.scales {
		e.scales[k] = scaleOf(y, scaleKind(k))
		e.past[k] = newRing(e.reach())
		z[k] = make([]float64, len(y))
		for t, v := range y {
			z[k][t] = e.scales[k].to(v)
		}
		for _, v := range z[k][:start] {
			e.past[k].push(v)
		}
	}
	return z
}

// reach is how far back members look.
func (e *engine) reach() int {
	far := 8
	for _, s := range e.seasons {
		far += 2 * s
	}
	return far
}

// join builds the members that have enough history with the first t values of z.
func (e *engine) join(z [scales][]float64, t int) {
	joined := false
	for i, s := range e.specs {
		if e.owned[i] == nil && s.need <= t {
			e.owned[i] = s.build(&e.past[s.scale], z[s.scale][:t])
			joined = true
		}
	}
	if joined {
		e.muster()
	}
}

// muster finds out which members take part, and weighs them.
func (e *engine) muster() {
	e.here = make([]bool, len(e.owned)+1)
	for i, m := range e.owned {
		e.here[i] = m != nil
	}
	e.here[len(e.owned)] = e.guide != nil && e.guide.ready()
	for g := range e.grid {
		e.mix.reweigh(g, e.here)
	}
}

// begin makes the forecasts of this moment, before the next value is known.
func (e *engine) begin(watch *calibration) {
	if e.mix == nil {
		return
	}
	if e.guide != nil && e.guide.ready() && !e.here[len(e.owned)] {
		e.muster()
	}
	e.turn++
	e.origin(e.turn%e.stride == 0, watch)
}

// finish learns the next value.
func (e *engine) finish(y float64) {
	if e.mix != nil {
		e.step(y)
	}
	e.window.push(y)
	e.fresh++
	if e.due() {
		e.refit(nil, nil)
	}
}

// seasonal says whether a season was found and there is enough of it.
func (e *engine) seasonal() bool {
	return len(e.seasons) > 0 && e.window.len() >= 2*e.seasons[0]+leastSamples
}

// due says whether there is so much news that fitting anew pays: a quarter
// more, or where the window is full, a sixth of it.
func (e *engine) due() bool {
	n := e.window.len()
	if e.window.full {
		return e.fresh >= engineWindow/6
	}
	return e.fresh*5 >= n
}
