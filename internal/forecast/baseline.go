package forecast

import "math"

// Baseline is a simple method to compare with. It has no quantiles.
type Baseline struct {
	season int // steps
	smooth bool
	past   ring
	member member
	seen   bool
}

// LastValue forecasts the last value.
func LastValue() *Baseline { return SeasonalNaive(1) }

// SeasonalNaive forecasts the value of one season before, season being in steps; the
// last day's where it is a day.
func SeasonalNaive(season int) *Baseline { return &Baseline{season: max(1, season)} }

// HoltWinters is additive exponential smoothing with one season, in steps, whose rates
// are found in the history that Fit gets. Without two seasons of history it smooths
// without one.
func HoltWinters(season int) *Baseline { return &Baseline{season: max(1, season), smooth: true} }

// Fit implements Method.
func (b *Baseline) Fit(history []float64) {
	b.past = newRing(b.season)
	var known []float64
	for _, v := range history {
		if math.IsNaN(v) {
			if len(known) == 0 {
				continue
			}
			v = known[len(known)-1]
		}
		known = append(known, v)
		b.past.push(v)
	}
	b.seen = len(known) > 0
	switch {
	case !b.smooth || !b.seen:
		b.member = &repeat{lag: max(1, min(b.season, len(known))), past: &b.past}
	case b.season > 1 && len(known) >= 2*b.season:
		b.member = newSmoothing([]int{b.season}, known)
	default:
		b.member = newSmoothing(nil, known)
	}
}

// Observe implements Method.
func (b *Baseline) Observe(value float64) {
	if b.member == nil || !b.seen {
		b.Fit([]float64{value})
		return
	}
	if math.IsNaN(value) {
		one := make([]float64, 1)
		b.member.predict(one)
		value = one[0]
	}
	b.member.observe(value)
	b.past.push(value)
	if r, ok := b.member.(*repeat); ok {
		r.lag = min(b.season, b.past.len())
	}
}

// Forecast implements Method.
func (b *Baseline) Forecast(horizon int, _ []float64) Forecast {
	f := Forecast{Mean: make([]float64, horizon), Widened: 1}
	if b.seen {
		b.member.predict(f.Mean)
	}
	return f
}
