package forecast

import "math"

// lift notices at one horizon that the level has shifted: a surge that no season
// knows. Members see it at once in the last values but go back to the season further
// ahead, until they have learned otherwise from forecasts that are long in coming.
// The forecasts made for now in the last while tell already by how much the season is
// wrong.
type lift struct {
	last  [3]float64 // errors of the last forecasts that came due, value − forecast
	count int        // how many there were, ever
	usual float64    // size of an error, its outliers cut
}

const (
	// liftFrom is how many usual errors each of the last ones must have, on one side.
	liftFrom = 4
	// liftRate makes usual forget within some hundred forecasts.
	liftRate = 0.01
	// liftKnown is how many errors must have been seen before one is unusual.
	liftKnown = 30
)

func (l *lift) add(e float64) {
	l.count++
	size := math.Abs(e)
	if l.count > liftKnown {
		size = min(size, liftFrom*l.usual)
	}
	l.usual += max(liftRate, 1/float64(l.count)) * (size - l.usual)
	l.last[l.count%len(l.last)] = e
}

// shift is the least of the last errors, where all are unusual and on one side.
func (l *lift) shift() float64 {
	if l.count <= liftKnown {
		return 0
	}
	low := min(l.last[0], l.last[1], l.last[2])
	high := max(l.last[0], l.last[1], l.last[2])
	switch limit := liftFrom * l.usual; {
	case low > limit:
		return low
	case high < -limit:
		return high
	}
	return 0
}

func (l *lift) code(c *codec) {
	for i := range l.last {
		c.float(&l.last[i])
	}
	c.int(&l.count)
	c.float(&l.usual)
	if c.reading && l.count < 0 {
		c.err = errState
		l.count = 0
	}
}

// lifted moves the path towards the last value by what the level has shifted, and not
// beyond it: wholly for an eighth of the season, by ever less up to a quarter of it,
// where the last value says nothing any more.
func (e *engine) lifted(path []float64) {
	if len(e.lifts) == 0 || e.past[plain].len() == 0 {
		return
	}
	now := e.scales[plain].from(e.past[plain].at(1))
	whole := float64(e.period) / 8
	for h, v := range path {
		a, share := e.grid.place(h + 1)
		by := e.lifts[a].shift()
		if share > 0 {
			by += share * (e.lifts[a+1].shift() - by)
		}
		if whole > 0 {
			by *= min(1, max(0, 2-float64(h+1)/whole))
		}
		switch {
		case by > 0 && now > v:
			path[h] = min(v+by, now)
		case by < 0 && now < v:
			path[h] = max(v+by, now)
		}
	}
}
