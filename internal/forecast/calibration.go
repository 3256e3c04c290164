package forecast

import (
	"math"
	"slices"
)

// calibration turns a mean path into quantiles, from how wrong the mean paths before
// it were at the same horizon. Errors are multiples of what was usual when the forecast
// was made and for the part of the day that it was made for, so that calm and rough
// stretches share one band.
type calibration struct {
	grid    grid
	ahead   []band // [grid] value − mean
	peak    []band // [grid] greatest value − greatest mean, from one step to the horizon
	open    []bet  // oldest first
	spread  spread
	pattern pattern
	priors  []float64 // the promised quantiles of what is not known yet
	usual   float64   // slow average of the width in the middle of the horizon
}

// usualRate makes usual forget within about a thousand forecasts.
const usualRate = 0.001

// bet is a mean path that waits for what comes.
type bet struct {
	age, next int         // steps since it was made; the place of the grid that is due next
	means     []float64   // [grid]
	peaks     []float64   // [grid]
	units     []float64   // [grid] usual error
	ahead     [][]float64 // [grid] the quantiles that were promised, in units
	peak      [][]float64
	unit      float64 // spread when it was made
	highest   float64 // value since it was made
}

// newCalibration has a pattern with the period, in steps; 0: none.
func newCalibration(g grid, period int) *calibration {
	c := &calibration{grid: g, pattern: pattern{period: period}}
	for _, q := range promised() {
		c.priors = append(c.priors, studentT3(q))
	}
	for _, h := range g {
		c.ahead = append(c.ahead, newBand(h))
		c.peak = append(c.peak, newBand(h))
	}
	return c
}

// rounding is the error, as a share of the value, below which a forecast was right.
const rounding = 1e-9

// bet keeps the mean path made now. The spread must be known, so the first ones are
// not kept, nor are those of a series that is known to the last digits.
func (c *calibration) bet(path []float64) {
	unit := c.spread.now()
	if unit <= rounding*math.Abs(path[0]) {
		return
	}
	b := bet{unit: unit, highest: math.Inf(-1), units: c.pattern.factors(c.grid)}
	top, done := math.Inf(-1), 0
	for g, h := range c.grid {
		top = max(top, slices.Max(path[done:h]))
		done = h
		b.means, b.peaks = append(b.means, path[h-1]), append(b.peaks, top)
		b.units[g] *= unit
		walk := math.Sqrt(float64(h))
		b.ahead = append(b.ahead, c.ahead[g].issue(c.priors, walk))
		b.peak = append(b.peak, c.peak[g].issue(c.priors, walk))
	}
	c.open = append(c.open, b)
	if w := c.width(); c.usual == 0 {
		c.usual = w
	} else {
		c.usual += usualRate * (w - c.usual)
	}
}

// width is how far apart the ends of a 90 % interval are in the middle of the horizon,
// whatever the time of day.
func (c *calibration) width() float64 {
	g := len(c.grid) / 2
	t := studentT3(0.95) * math.Sqrt(float64(c.grid[g]))
	return c.spread.now() * (c.ahead[g].quantile(0.95, t) - c.ahead[g].quantile(0.05, -t))
}

// widened is how many times wider than usual intervals are; 1 where they are not.
func (c *calibration) widened() float64 {
	if c.usual <= 0 {
		return 1
	}
	return max(1, c.width()/c.usual)
}

// settle compares y with the paths made before; one is the mean that was forecast for
// it one step ahead, and clean is what members are told, which is not y where y is an
// outlier. NaN: nothing was seen.
func (c *calibration) settle(y, clean, one float64) {
	size := math.Abs(clean - one)
	if math.IsNaN(y) {
		size = y
	}
	if unit := c.spread.now(); unit > 0 {
		size /= unit
	} else {
		size = math.NaN()
	}
	c.pattern.add(size)
	if !math.IsNaN(y) {
		c.spread.add(math.Abs(clean - one))
	}
	kept := c.open[:0]
	for _, b := range c.open {
		b.age++
		if !math.IsNaN(y) {
			b.highest = max(b.highest, y)
		}
		if b.age == c.grid[b.next] {
			if !math.IsNaN(y) {
				c.learn(b, y)
			}
			b.next++
		}
		if b.next < len(c.grid) {
			kept = append(kept, b)
		}
	}
	c.open = kept
}

const (
	// outgrown is how many times the spread may have grown since a forecast was made
	// before its error is kept in the larger unit.
	outgrown = 1.5
	// upset is the growth at which what a band learned before says nothing of now: a
	// calm has ended, and small errors in its small unit would be taken for small
	// ones in the large unit.
	upset = 10
)

// learn gives the bands the error at the place of the grid that is due.
func (c *calibration) learn(b bet, y float64) {
	g := b.next
	growth := c.spread.now() / b.unit
	if growth > upset {
		c.ahead[g].reset()
		c.peak[g].reset()
		return
	}
	grown := max(1, growth/outgrown)
	e := (y - b.means[g]) / b.units[g]
	c.ahead[g].learn(e, e/grown, b.ahead[g])
	e = (b.highest - b.peaks[g]) / mean(b.units[:g+1])
	c.peak[g].learn(e, e/grown, b.peak[g])
}

// quantile is the path that the share q of what comes lies below.
func (c *calibration) quantile(mean []float64, q float64) []float64 {
	t := studentT3(q)
	at := make([]float64, len(c.grid))
	for g, h := range c.grid {
		// A random walk's errors grow with the root of the horizon.
		at[g] = c.ahead[g].quantile(q, t*math.Sqrt(float64(h)))
	}
	steps := make([]int, len(mean))
	for h := range steps {
		steps[h] = h + 1
	}
	path := c.pattern.factors(steps)
	unit := c.spread.now()
	for h := range path {
		path[h] = mean[h] + unit*path[h]*c.grid.between(at, h+1)
	}
	return path
}

// peakOffset is how far the quantile q of the greatest value over the next h steps
// lies from the greatest mean.
func (c *calibration) peakOffset(h int, q float64) float64 {
	prior := studentT3(q) * math.Sqrt(float64(h))
	factors := c.pattern.factors(c.grid)
	at := make([]float64, len(c.grid))
	for g := range c.grid {
		at[g] = mean(factors[:g+1]) * c.peak[g].quantile(q, prior)
	}
	return c.grid.between(at, h) * c.spread.now()
}

func (c *calibration) code(k *codec) {
	for g := range c.grid {
		c.ahead[g].code(k)
		c.peak[g].code(k)
	}
	c.spread.code(k)
	c.pattern.code(k)
	k.float(&c.usual)
	n := k.count(len(c.open), 8)
	if k.reading {
		c.open = make([]bet, n)
	}
	for i := range c.open {
		c.open[i].code(k)
		if k.reading && (k.err != nil || !c.open[i].fits(len(c.grid))) {
			k.err = errState
			c.open = nil
			return
		}
	}
}

func (b *bet) code(k *codec) {
	k.int(&b.age)
	k.int(&b.next)
	k.floats(&b.means)
	k.floats(&b.peaks)
	k.floats(&b.units)
	k.float(&b.unit)
	k.float(&b.highest)
	if k.reading {
		b.ahead, b.peak = make([][]float64, len(b.means)), make([][]float64, len(b.means))
	}
	for g := range b.ahead {
		k.floats(&b.ahead[g])
		k.floats(&b.peak[g])
		if k.reading && (len(b.ahead[g]) != promises || len(b.peak[g]) != promises) {
			k.err = errState
		}
	}
}

func (b *bet) fits(places int) bool {
	return b.next >= 0 && b.next < places &&
		len(b.means) == places && len(b.peaks) == places && len(b.units) == places
}
