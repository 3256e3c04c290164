package forecast

import "math"

// calibration turns a mean path into quantiles, from how wrong the mean paths before
// it were at the same horizon. Errors are multiples of the spread that was usual when
// the forecast was made, so that a calm and a rough stretch share one band.
type calibration struct {
	grid   grid
	ahead  []band // [grid] value − mean
	peak   []band // [grid] greatest value − greatest mean, from one step to the horizon
	open   []bet  // oldest first
	spread spread
}

// bet is a mean path that waits for what comes.
type bet struct {
	age, next int       // steps since it was made; the place of the grid that is due next
	means     []float64 // [grid]
	peaks     []float64 // [grid]
	highest   float64   // value since it was made
	unit      float64   // spread when it was made
}

func newCalibration(g grid) *calibration {
	c := &calibration{grid: g}
	for range g {
		c.ahead = append(c.ahead, newBand())
		c.peak = append(c.peak, newBand())
	}
	return c
}

// bet keeps the mean path made now. The spread must be known, so the first ones are
// not kept.
func (c *calibration) bet(path []float64) {
	unit := c.spread.now()
	if unit <= 0 {
		return
	}
	b := bet{highest: math.Inf(-1), unit: unit}
	top, done := math.Inf(-1), 0
	for _, h := range c.grid {
		for _, v := range path[done:h] {
			top = max(top, v)
		}
		done = h
		b.means, b.peaks = append(b.means, path[h-1]), append(b.peaks, top)
	}
	c.open = append(c.open, b)
}

// settle compares y with the paths made before; one is the mean that was forecast for
// it one step ahead. NaN: nothing was seen.
func (c *calibration) settle(y, one float64) {
	if !math.IsNaN(y) {
		c.spread.add(math.Abs(y - one))
	}
	kept := c.open[:0]
	for _, b := range c.open {
		b.age++
		if !math.IsNaN(y) {
			b.highest = max(b.highest, y)
		}
		if b.age == c.grid[b.next] {
			if !math.IsNaN(y) {
				c.ahead[b.next].learn((y - b.means[b.next]) / b.unit)
				c.peak[b.next].learn((b.highest - b.peaks[b.next]) / b.unit)
			}
			b.next++
		}
		if b.next < len(c.grid) {
			kept = append(kept, b)
		}
	}
	c.open = kept
}

// quantile is the path that the share q of what comes lies below.
func (c *calibration) quantile(mean []float64, q float64) []float64 {
	t := studentT3(q)
	at := make([]float64, len(c.grid))
	for g, h := range c.grid {
		// A random walk's errors grow with the root of the horizon.
		at[g] = c.ahead[g].quantile(q, t*math.Sqrt(float64(h)))
	}
	path := make([]float64, len(mean))
	unit := c.spread.now()
	for h := range path {
		path[h] = mean[h] + unit*c.grid.between(at, h+1)
	}
	return path
}

// peakOffset is how far the quantile q of the greatest value over the next h steps
// lies from the greatest mean.
func (c *calibration) peakOffset(h int, q float64) float64 {
	a, share := c.grid.place(h)
	prior := studentT3(q) * math.Sqrt(float64(h))
	v := c.peak[a].quantile(q, prior)
	if share > 0 {
		v += share * (c.peak[a+1].quantile(q, prior) - v)
	}
	return v * c.spread.now()
}

func (c *calibration) code(k *codec) {
	for g := range c.grid {
		c.ahead[g].code(k)
		c.peak[g].code(k)
	}
	c.spread.code(k)
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
	k.float(&b.highest)
	k.float(&b.unit)
}

func (b *bet) fits(places int) bool {
	return b.next >= 0 && b.next < places && len(b.means) == places && len(b.peaks) == places
}
