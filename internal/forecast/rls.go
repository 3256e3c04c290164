package forecast

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// recursive is a linear regression that is updated with every sample: recursive
// least squares with exponential forgetting.
//
// L. Ljung, System Identification: Theory for the User, 2nd ed., Prentice Hall
// 1999, section 11.2, equations (11.12):
//
//	k = Pφ / (λ + φᵀPφ),  θ ← θ + k(y − φᵀθ),  P ← (P − kφᵀP) / λ
//
// Departure: where the samples carry no news (a constant series), P would grow
// without bound by 1/λ a step; so forgetting pauses while the trace of P exceeds
// its bound.
type recursive struct {
	forget float64   // λ in (0, 1]
	bound  float64   // on the trace of P
	theta  []float64 // θ
	p      []float64 // P by rows, symmetric
	gain   []float64 // scratch, Pφ
}

// traceBound is in units of the trace of P before any sample, which is a 1/ridge
// for each coefficient.
const traceBound = 10

// newRecursive starts from the ridge regression of the rows of x (each a sample of
// regressors) on y, the older ones forgotten likewise: θ = (ΣλφφᵀR + ridge I)⁻¹ Σλφy.
func newRecursive(x [][]float64, y []float64, forget, ridge float64) *recursive {
	p := len(x[0])
	a := make([]float64, p*p)
	b := make([]float64, p)
	w := 1.0
	for t, row := range slices.Backward(x) {
		for i, v := range row {
			wv := w * v
			b[i] += wv * y[t]
			for j, u := range row[:i+1] {
				a[i*p+j] += wv * u
			}
		}
		w *= forget
	}
	for i := range p {
		a[i*p+i] += ridge
		for j := range i {
			a[j*p+i] = a[i*p+j]
		}
	}
	r := startRecursive(p, forget, ridge)
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(p, a)) {
		return r
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return r
	}
	for i := range p {
		for j := range p {
			r.p[i*p+j] = inverse.At(i, j)
		}
	}
	theta := mat.NewVecDense(p, r.theta)
	theta.MulVec(&inverse, mat.NewVecDense(p, b))
	return r
}

// startRecursive knows nothing yet: θ = 0, P = I/ridge.
func startRecursive(p int, forget, ridge float64) *recursive {
	r := &recursive{
		forget: forget, bound: traceBound * float64(p) / ridge,
		theta: make([]float64, p), p: make([]float64, p*p), gain: make([]float64, p),
	}
	r.doubt()
	return r
}

// predict is φᵀθ.
func (r *recursive) predict(phi []float64) float64 {
	var sum float64
	for i, v := range phi {
		sum += v * r.theta[i]
	}
	return sum
}

// update learns that the regressors phi gave y. P stays symmetric to the last bit, and
// starts anew should rounding ever make it indefinite.
func (r *recursive) update(phi []float64, y float64) {
	p := len(phi)
	denominator, trace := 0.0, 0.0
	for i := range p {
		var sum float64
		row := r.p[i*p : i*p+p]
		for j, v := range phi {
			sum += row[j] * v
		}
		r.gain[i] = sum
		denominator += sum * phi[i]
		trace += row[i]
	}
	if denominator < 0 {
		r.doubt()
		return
	}
	forget := r.forget
	if trace > r.bound {
		forget = 1
	}
	off := (y - r.predict(phi)) / (forget + denominator)
	scale, inverse := 1/(forget+denominator), 1/forget
	for i, gi := range r.gain {
		r.theta[i] += gi * off
		row := r.p[i*p : i*p+p]
		for j, gj := range r.gain {
			row[j] = (row[j] - gi*gj*scale) * inverse // gi·gj first: it is gj·gi exactly
		}
	}
}

// doubt sets P to what it is before any sample, I/ridge.
func (r *recursive) doubt() {
	p := len(r.theta)
	clear(r.p)
	for i := range p {
		r.p[i*p+i] = r.bound / (traceBound * float64(p))
	}
}

func (r *recursive) code(c *codec) {
	c.float(&r.forget)
	c.float(&r.bound)
	c.floats(&r.theta)
	c.floats(&r.p)
	if c.reading {
		n := len(r.theta)
		r.gain = make([]float64, n)
		if len(r.p) != n*n {
			c.err = errState
		}
	}
}
