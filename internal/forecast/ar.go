package forecast

// autoregression predicts a value from those at fixed lags before it, near ones and
// those around the seasons, with weights that are learned online.
//
// With a season to difference by, value and lags are differences from one season
// before: y_t − y_{t−d}, G. Box, G. Jenkins, Time Series Analysis, 1970, chapter 9.
// Several steps ahead the forecasts take the places of values that are not there yet.
type autoregression struct {
	lags   []int
	season int   // to difference by; 0: none
	past   *ring // owned by the engine
	reg    *recursive
	phi    []float64
}

const (
	arForget = 0.999
	arRidge  = 0.2 // in samples: regressors are of the order of 1
)

// reach is how far back a sample looks.
func reach(lags []int, season int) int {
	far := 0
	for _, l := range lags {
		far = max(far, l)
	}
	return far + season
}

// newAutoregression fits on y, the values whose end is what past holds.
func newAutoregression(lags []int, season int, past *ring, y []float64) *autoregression {
	a := &autoregression{lags: lags, season: season, past: past, phi: make([]float64, len(lags)+1)}
	from := reach(lags, season)
	rows := make([][]float64, 0, len(y)-from)
	targets := make([]float64, 0, len(y)-from)
	flat := make([]float64, (len(y)-from)*len(a.phi))
	for t := from; t < len(y); t++ {
		row := flat[:len(a.phi):len(a.phi)]
		flat = flat[len(a.phi):]
		for i, l := range lags {
			row[i] = y[t-l]
			if season > 0 {
				row[i] -= y[t-l-season]
			}
		}
		row[len(lags)] = 1
		target := y[t]
		if season > 0 {
			target -= y[t-season]
		}
		rows, targets = append(rows, row), append(targets, target)
	}
	a.reg = newRecursive(rows, targets, arForget, arRidge)
	return a
}

func (a *autoregression) observe(y float64) {
	for i, l := range a.lags {
		a.phi[i] = a.past.at(l)
		if a.season > 0 {
			a.phi[i] -= a.past.at(l + a.season)
		}
	}
	a.phi[len(a.lags)] = 1
	if a.season > 0 {
		y -= a.past.at(a.season)
	}
	a.reg.update(a.phi, y)
}

func (a *autoregression) predict(path []float64) {
	last := len(a.lags)
	past := a.past.view()
	for h := range path {
		path[h] = a.reg.theta[last]
	}
	// What lags see beyond the present is there as a whole; what they see of the path
	// itself comes step by step.
	for i, l := range a.lags {
		a.add(path, past, l, a.reg.theta[i])
		if a.season > 0 {
			a.add(path, past, l+a.season, -a.reg.theta[i])
		}
	}
	a.add(path, past, a.season, 1)
	for h := range path {
		v := path[h]
		for i, l := range a.lags {
			if h >= l {
				v += a.reg.theta[i] * path[h-l]
			}
			if far := l + a.season; a.season > 0 && h >= far {
				v -= a.reg.theta[i] * path[h-far]
			}
		}
		if a.season > 0 && h >= a.season {
			v += path[h-a.season]
		}
		path[h] = v
	}
}

// add adds weight times the value a lag before, at the steps for which that is past.
func (a *autoregression) add(path, past []float64, lag int, weight float64) {
	n := min(lag, len(path))
	from := len(past) - lag
	for h, v := range past[from : from+n] {
		path[h] += weight * v
	}
}

func (a *autoregression) code(c *codec) {
	c.ints(&a.lags)
	if c.reading {
		a.reg = &recursive{}
		a.phi = make([]float64, len(a.lags)+1)
	}
	a.reg.code(c)
	if !c.reading || c.err != nil {
		return
	}
	for _, l := range a.lags {
		if l < 1 || l+a.season > a.past.room() {
			c.err = errState
		}
	}
	if len(a.reg.theta) != len(a.phi) {
		c.err = errState
	}
}
