package gp

import (
	"math"

	"rebound/internal/normal"

	"gonum.org/v1/gonum/mat"
)

// sites are what expectation propagation leaves behind.
type sites struct {
	logNorm    float64 // sum of the logarithms of the sites' factors, [RW] equation 3.51
	noiseSlope float64 // ∂ log evidence/∂ log σ_n² through the bounds
}

// replaceCensored finds for each lower bound b the Gaussian observation that
// stands for the likelihood P(y ≥ b | f) = Φ((f - b)/σ_i), by expectation
// propagation ([RW] section 3.6, whose probit likelihood it is, moved by b and
// scaled by σ_i). The exact observations are Gaussian, so only the joint of the
// censored ones, given the exact, has to be iterated.
func (s *system) replaceCensored(h Hyper) error {
	mean, cov, err := s.givenExact(h)
	if err != nil {
		return err
	}
	n := len(s.y)
	s.target, s.noise2 = append(make([]float64, 0, n), s.y...), append(make([]float64, 0, n), s.variances(h)...)
	p := propagation{mean: mean, cov: cov}
	for _, i := range s.censored {
		p.bound = append(p.bound, s.y[i])
		p.noise = append(p.noise, s.noise2[i])
	}
	p.run()
	s.sites = sites{}
	for k, i := range s.censored {
		s.target[i], s.noise2[i] = p.nu[k]/p.tau[k], 1/p.tau[k]
		norm, slope := p.norm(k)
		s.sites.logNorm += norm
		if s.learnsNoise() {
			s.sites.noiseSlope += slope * h.Noise * s.share[i]
		}
	}
	return nil
}

// givenExact are the mean and covariance of f at the censored points given the
// exact observations, [RW] equations 2.23 and 2.24.
func (s *system) givenExact(h Hyper) ([]float64, *mat.SymDense, error) {
	e, c := len(s.exact), len(s.censored)
	mean, cov := make([]float64, c), mat.NewSymDense(c, nil)
	for a, i := range s.censored {
		for b, j := range s.censored[:a+1] {
			cov.SetSym(a, b, s.pair(i, j, h.Signal*(1+minJitter)))
		}
	}
	if e == 0 {
		return mean, cov, nil
	}
	l, err := s.exactFactor(h)
	if err != nil {
		return nil, nil, err
	}
	cross := mat.NewDense(e, c, nil)
	y := mat.NewVecDense(e, nil)
	for a, i := range s.exact {
		y.SetVec(a, s.y[i])
		for b, j := range s.censored {
			cross.Set(a, b, s.pair(i, j, 0))
		}
	}
	var v mat.Dense
	var z mat.VecDense
	// A factor of condition near 1/ε is reported as an error, but solved.
	_ = v.Solve(l, cross)
	_ = z.SolveVec(l, y)
	for a := range c {
		mean[a] = mat.Dot(v.ColView(a), &z)
		for b := range a + 1 {
			cov.SetSym(a, b, cov.At(a, b)-mat.Dot(v.ColView(a), v.ColView(b)))
		}
		cov.SetSym(a, a, max(cov.At(a, a), minJitter*h.Signal))
	}
	return mean, cov, nil
}

// exactFactor is L of the exact observations alone.
func (s *system) exactFactor(h Hyper) (*mat.TriDense, error) {
	e := len(s.exact)
	for jitter := minJitter; jitter < 2*maxJitter; jitter *= 10 {
		k := mat.NewSymDense(e, nil)
		for a, i := range s.exact {
			for b, j := range s.exact[:a] {
				k.SetSym(a, b, s.pair(i, j, 0))
			}
			k.SetSym(a, a, h.Signal*(1+jitter)+s.noise2[i])
		}
		var chol mat.Cholesky
		if chol.Factorize(k) {
			var l mat.TriDense
			chol.LTo(&l)
			return &l, nil
		}
	}
	return nil, ErrSingular
}

// pair is the covariance of points i and j; of a point with itself, variance.
func (s *system) pair(i, j int, variance float64) float64 {
	if i == j {
		return variance
	}
	i, j = max(i, j), min(i, j)
	return s.cov[i*(i-1)/2+j]
}

// propagation is expectation propagation for a Gaussian prior and the factors
// Φ((f_k - bound_k)/√noise_k).
type propagation struct {
	mean         []float64
	cov          *mat.SymDense // prior, then posterior
	bound, noise []float64
	tau, nu      []float64 // natural parameters of the sites: 1/variance, mean/variance
	cavity       []cavity
}

// cavity is what is believed of one f without its own site.
type cavity struct{ mean, variance float64 }

// The probit likelihood is log-concave: every site has a variance above 0, and
// the iteration converges in a few sweeps ([RW] page 57).
const (
	maxSweeps     = 200
	siteTolerance = 1e-11 // relative to the size of a parameter; the gradient relies on convergence
	minTau        = 1e-9
)

func (p *propagation) run() {
	p.tau, p.nu = make([]float64, len(p.bound)), make([]float64, len(p.bound))
	p.cavity = make([]cavity, len(p.bound))
	for range maxSweeps {
		moved := 0.0
		for k := range p.bound {
			moved = max(moved, p.update(k))
		}
		if moved < siteTolerance {
			break
		}
	}
	for k := range p.bound {
		p.cavity[k] = p.without(k)
	}
}

func (p *propagation) without(k int) cavity {
	v := p.cov.At(k, k)
	precision := max(1/v-p.tau[k], 1e-12/v)
	return cavity{mean: (p.mean[k]/v - p.nu[k]) / precision, variance: 1 / precision}
}

// update matches the moments of site k, [RW] equations 3.58 and 3.59, and says
// by how much the site moved.
func (p *propagation) update(k int) float64 {
	c := p.without(k)
	total := c.variance + p.noise[k]
	z := (c.mean - p.bound[k]) / math.Sqrt(total)
	rate := normal.Hazard(z)
	mean := c.mean + c.variance*rate/math.Sqrt(total)
	shrink := rate * (z + rate) * c.variance / total // in (0, 1)
	variance := c.variance * max(1-shrink, 1e-12)
	tau := max(1/variance-1/c.variance, minTau)
	nu := mean/variance - c.mean/c.variance
	dTau, dNu := tau-p.tau[k], nu-p.nu[k]
	moved := max(math.Abs(dTau)/(1+tau), math.Abs(dNu)/(1+math.Abs(nu)))
	p.tau[k], p.nu[k] = tau, nu
	p.shift(k, dTau, dNu)
	return moved
}

// shift brings mean and cov up to date with a change of site k, by the formula
// of Sherman and Morrison.
func (p *propagation) shift(k int, dTau, dNu float64) {
	n := len(p.mean)
	gain := 1 + dTau*p.cov.At(k, k)
	step := (dNu - dTau*p.mean[k]) / gain
	col := make([]float64, n)
	for i := range n {
		col[i] = p.cov.At(i, k)
		p.mean[i] += step * col[i]
	}
	p.cov.SymRankOne(p.cov, -dTau/gain, mat.NewVecDense(n, col))
}

// norm is the logarithm of the factor of site k, [RW] equation 3.51 solved for
// Z̃, and the slope of log Ẑ by the variance of its noise.
func (p *propagation) norm(k int) (logNorm, slope float64) {
	c := p.cavity[k]
	total := c.variance + p.noise[k]
	z := (c.mean - p.bound[k]) / math.Sqrt(total)
	spread := c.variance + 1/p.tau[k]
	gap := c.mean - p.nu[k]/p.tau[k]
	logNorm = normal.LogCDF(z) + math.Log(2*math.Pi*spread)/2 + gap*gap/(2*spread)
	return logNorm, -normal.Hazard(z) * z / (2 * total)
}
