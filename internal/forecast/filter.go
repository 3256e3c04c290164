package forecast

import "math"

// filter keeps single outliers from members: F. R. Hampel, The influence curve and its
// role in robust estimation, Journal of the American Statistical Association 69, 1974,
// applied to the error one step ahead, since the series itself has seasons. A second
// one in a row on the same side is no outlier but news, and is let through.
type filter struct {
	pool pool // sizes of the last errors
	side int  // of the last value, when it was cut: −1, 1
}

const (
	filterRoom = 200
	// filterLeast is how many errors must be known before anything is cut.
	filterLeast = 30
	// filterCut is in medians of the error's size; for a normal error the cut is
	// at 10 standard deviations: loads have heavy tails, resets are far beyond.
	filterCut = 15.0
	// filterTail is in 98th hundredths, for series whose every fiftieth error is wild.
	filterTail = 3.0
)

// clean is value, or the nearest that is believable beside the forecast.
func (f *filter) clean(value, forecast float64) float64 {
	if f.pool.errs.room() == 0 {
		f.pool = newPool(filterRoom)
	}
	off := value - forecast
	n := len(f.pool.sorted)
	limit := math.Inf(1)
	if n >= filterLeast && f.pool.sorted[n/2] > 0 {
		limit = max(filterCut*f.pool.sorted[n/2], filterTail*f.pool.sorted[n-1-max(2, n/50)])
	}
	f.pool.add(math.Abs(off))
	side := 0
	switch {
	case off > limit:
		side = 1
	case off < -limit:
		side = -1
	}
	before := f.side
	f.side = side
	if side == 0 || side == before {
		return value
	}
	return forecast + float64(side)*limit
}

func (f *filter) code(c *codec) {
	if f.pool.errs.room() == 0 {
		f.pool = newPool(filterRoom)
	}
	f.pool.code(c)
	c.int(&f.side)
}
