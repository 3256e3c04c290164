package forecast

import "math"

// Forecaster learns a series as it comes. It is not safe for concurrent use. Its memory
// does not grow with the number of observations.
type Forecaster struct {
	options Options
	base    *engine
	coarse  *coarse // nil: all seasons have few enough steps
	bands   *calibration
	filter  filter
	count   int  // observations, without gaps
	signed  bool // a value below 0 was seen
}

// New checks the options.
func New(o Options) (*Forecaster, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Horizon == 0 {
		o.Horizon = defaultHorizon
	}
	if o.Scored == 0 {
		o.Scored = defaultScored
	}
	look := o.Season == nil
	seasons := o.Season
	if look {
		seasons = o.candidates()
	}
	p := o.plan(seasons)
	f := &Forecaster{options: o}
	engineFor := func(seasons []int) ([]int, []int) {
		if look {
			return nil, append([]int{}, seasons...)
		}
		return seasons[:min(len(seasons), 2)], nil
	}
	given, wanted := engineFor(p.direct)
	f.base = newEngine(given, wanted, o.Horizon)
	f.base.scored = o.Scored
	if p.size > 0 {
		given, wanted = engineFor(p.summed)
		f.coarse = newCoarse(p.size, given, wanted, o.Horizon)
		f.base.guide = newGuided(f.coarse)
	}
	f.base.period = o.period(seasons)
	f.bands = newCalibration(f.base.grid, f.base.period)
	return f, nil
}

// Observe takes the value of the next step. NaN or an infinity is a gap: the step
// passes and teaches nothing.
func (f *Forecaster) Observe(value float64) {
	if math.IsInf(value, 0) {
		value = math.NaN()
	}
	if f.count == 0 && math.IsNaN(value) {
		return // nothing has begun
	}
	if !math.IsNaN(value) {
		f.count++
		f.signed = f.signed || value < 0
	}
	f.base.begin(f.bands)
	one, clean := f.base.one, value
	switch {
	case math.IsNaN(value):
		clean = one
	case f.count > 1: // there was a forecast to compare the value with
		clean = f.filter.clean(value, one)
	}
	if f.count > 1 || math.IsNaN(value) {
		f.bands.settle(value, clean, one)
	}
	f.base.finish(clean)
	if f.coarse != nil {
		f.coarse.observe(clean)
	}
}
