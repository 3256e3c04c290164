package learn

import "math"

// regression is Bayesian linear regression with a normal prior and known noise, in
// sums: y = x·w + e, e of variance 1/weight. Its size does not depend on how much
// has been added.
type regression struct {
	Mean      []float64 `json:"mean"`      // of the prior
	Deviation []float64 `json:"deviation"` // of the prior, each more than 0
	XX        []float64 `json:"xx"`        // Σ weight·x·xᵀ, by rows
	XY        []float64 `json:"xy"`        // Σ weight·x·y
	Weight    float64   `json:"weight"`    // samples that are left after fading
}

func newRegression(mean, deviation []float64) regression {
	d := len(mean)
	return regression{Mean: mean, Deviation: deviation, XX: make([]float64, d*d), XY: make([]float64, d)}
}

// fade lets everything so far count by a share of what it did.
func (r *regression) fade(share float64) {
	for i := range r.XX {
		r.XX[i] *= share
	}
	for i := range r.XY {
		r.XY[i] *= share
	}
	r.Weight *= share
}

// add takes a sample whose noise has the given standard deviation.
func (r *regression) add(x []float64, y, deviation float64) {
	w, d := 1/(deviation*deviation), len(x)
	for i := range d {
		for j := range d {
			r.XX[i*d+j] += w * x[i] * x[j]
		}
		r.XY[i] += w * x[i] * y
	}
	r.Weight++
}

// solution is a posterior.
type solution struct {
	mean   []float64
	factor []float64 // Cholesky factor of its precision
}

func (r *regression) solve() solution {
	d := len(r.Mean)
	s := solution{mean: make([]float64, d), factor: append([]float64(nil), r.XX...)}
	for i := range d {
		p := 1 / (r.Deviation[i] * r.Deviation[i])
		s.factor[i*d+i] += p
		s.mean[i] = r.XY[i] + p*r.Mean[i]
	}
	if !factor(s.factor, d) { // sums beyond what floats can hold: say what was believed
		for i := range s.factor {
			s.factor[i] = 0
		}
		for i := range d {
			s.factor[i*d+i] = 1 / r.Deviation[i]
		}
		copy(s.mean, r.Mean)
		return s
	}
	forward(s.factor, s.mean)
	backward(s.factor, s.mean)
	return s
}

// at is the mean of y at x and its standard deviation, without the noise.
func (s solution) at(x []float64) (mean, deviation float64) {
	v := append(make([]float64, 0, 16), x...)
	forward(s.factor, v)
	return dot(s.mean, x), math.Sqrt(dot(v, v))
}

// noise is the typical size of what a law does not explain: a mean square that
// fades, with a prior worth some samples.
type noise struct {
	Square float64 `json:"square"` // Σ e²
	Weight float64 `json:"weight"`
}

func (n *noise) fade(share float64) { n.Square *= share; n.Weight *= share }

func (n *noise) add(e, weight float64) {
	n.Square += weight * e * e
	n.Weight += weight
}

// deviation is the standard deviation, the prior counting as worth samples.
func (n noise) deviation(prior, worth float64) float64 {
	return math.Sqrt((n.Square + worth*prior*prior) / (n.Weight + worth))
}
