package forecast

// repeat forecasts the value of a fixed lag ago: the last value, or that of the last
// season (seasonal naive). It learns nothing and never breaks.
type repeat struct {
	lag  int
	past *ring
}

func (r *repeat) observe(float64) {}

func (r *repeat) predict(path []float64) {
	for h := range path {
		path[h] = r.past.lagged(path, h, r.lag)
	}
}

func (r *repeat) code(*codec) {}
