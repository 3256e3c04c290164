package search

import (
	"math"
	"slices"

	"rebound/internal/gp"
)

// warp bends a limited output so that what is far from the limit counts less: y
// becomes limit + sign(v)·log(1+|v|), v = (y-limit)/scale. Far violations would
// else decide the length scales, and a narrow feasible part beyond them seem
// impossible. After D. Eriksson and M. Poloczek, Scalable Constrained Bayesian
// Optimization, AISTATS 2021 (arXiv:2002.08526), section 4; there alone and with
// scale 1, here beside the plain output. The zero value changes nothing.
type warp struct {
	limit, scale float64
	// logSlopes is Σ log dw/dy over the data, by which densities of warped and plain
	// outputs differ.
	logSlopes float64
}

// newWarp has a scale well below the usual distance from the limit.
func newWarp(limit float64, y []float64) warp {
	away := make([]float64, len(y))
	for i, v := range y {
		away[i] = math.Abs(v - limit)
	}
	slices.Sort(away)
	return warp{limit: limit, scale: 0.3 * away[len(away)/2]}
}

func (w warp) at(y float64) float64 {
	if w.scale == 0 {
		return y
	}
	v := (y - w.limit) / w.scale
	return w.limit + math.Copysign(math.Log1p(math.Abs(v)), v)
}

// bent are d with warped outputs; false where there is no scale.
func bent(d gp.Data, limit float64) (gp.Data, warp, bool) {
	w := newWarp(limit, d.Y)
	out := d
	out.Y = make([]float64, len(d.Y))
	for i, y := range d.Y {
		out.Y[i] = w.at(y)
		w.logSlopes -= math.Log(w.scale) + math.Log1p(math.Abs((y-limit)/w.scale))
	}
	return out, w, w.scale > 0
}
