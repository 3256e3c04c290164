package gp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rebound/internal/normal"

	"gonum.org/v1/gonum/floats"
)

// minVariance is the least variance of f, in standardized units, that is
// returned: below it rounding decides.
const minVariance = 1e-12

// GP is a Gaussian process conditioned on data. Append changes it, all other
// methods only read.
type GP struct {
	*factor
	from  *standard
	hyper Hyper
	z     []float64 // L⁻¹y

	targets    []float64 // standardized; of a censored observation what stands for it
	likelihood float64
}

// condition makes the process from hyper-parameters.
func condition(s *system, h Hyper) (*GP, error) {
	value, err := s.evidence(h, nil)
	if err != nil {
		return nil, err
	}
	n := len(s.y)
	g := &GP{
		factor: &factor{kernel: newKernel(h), jitter: s.jitter},
		from:   s.standard, hyper: h, z: slices.Clone(s.target), targets: slices.Clone(s.target),
		// The density of y in its own units has another factor 1/scale each.
		likelihood: -value - float64(n)*math.Log(s.scale),
	}
	rows := slices.Clone(s.factor) // the next evaluation overwrites it
	for i := range n {
		g.points = append(g.points, g.scale(s.x[i]))
		g.rows = append(g.rows, rows[i*n:i*n+i+1:i*n+i+1])
	}
	g.solve(g.z)
	return g, nil
}

// Hyper are the hyper-parameters in force.
func (g *GP) Hyper() Hyper {
	h := g.hyper
	h.Lengths = slices.Clone(h.Lengths)
	return h
}

// Len is how many observations g is conditioned on.
func (g *GP) Len() int { return len(g.rows) }

// Noise is the learned variance of one observation, in squared units of Y. It is
// 0 where the noise was given.
func (g *GP) Noise() float64 { return g.hyper.Noise * g.from.scale * g.from.scale }

// LogLikelihood is the log marginal likelihood of the data that Fit was given,
// the prior mean and its constant taken as known. That of a censored
// observation is its probability instead of a density, by expectation
// propagation.
func (g *GP) LogLikelihood() float64 { return g.likelihood }

// Predict returns mean and variance of the noise-free function at x, in units of
// Y and squared. The variance is above 0. X must have as many inputs as the data.
func (g *GP) Predict(x []float64) (mean, variance float64) {
	v := g.coefficients(g.scale(x))
	return g.unscale(x, floats.Dot(v, g.z)), g.spread(g.signal - floats.Dot(v, v))
}

// unscale is a mean in units of Y.
func (g *GP) unscale(x []float64, mean float64) float64 {
	return g.from.mean(x) + g.from.center + g.from.scale*mean
}

// spread is a variance in squared units of Y.
func (g *GP) spread(variance float64) float64 {
	return max(variance, minVariance) * g.from.scale * g.from.scale
}

// PredictAll is Predict for many points, faster and without keeping anything.
func (g *GP) PredictAll(points [][]float64) (mean, variance []float64) {
	const batch = 8 * width
	for i := 0; i < len(points); i += batch {
		part := g.Grid(points[i:min(i+batch, len(points))])
		mean, variance = append(mean, part.Mean...), append(variance, part.Variance...)
	}
	return mean, variance
}

// LogDensity is the log density that g predicts for an observation y at x with
// the given variance of noise: when it drops, it is time for another Fit.
func (g *GP) LogDensity(x []float64, y, noise float64) float64 {
	mean, variance := g.Predict(x)
	sd := math.Sqrt(variance + max(0, noise))
	return normal.LogPDF((y-mean)/sd) - math.Log(sd)
}

// Append conditions g on another observation, y at x with the given variance of
// noise (squared units of Y, ≥ 0), under the same hyper-parameters, center and
// scale: O(n²). For learned noise pass g.Noise(), over the count for a mean. A
// censored observation needs another Fit.
func (g *GP) Append(x []float64, y, noise float64) error {
	if err := g.check(x, y, noise); err != nil {
		return err
	}
	g.appended(g.extend(g.scale(x), g.standardNoise(noise)), g.standardized(x, y))
	return nil
}

// appended completes z for a new last row of L.
func (g *GP) appended(row []float64, y float64) {
	n := len(row) - 1
	g.z = append(g.z, (y-floats.Dot(row[:n], g.z))/row[n])
	g.targets = append(g.targets, y)
}

func (g *GP) standardNoise(noise float64) float64 {
	return min(noise/(g.from.scale*g.from.scale), maxNoise)
}

func (g *GP) standardized(x []float64, y float64) float64 {
	return (y - g.from.mean(x) - g.from.center) / g.from.scale
}

func (g *GP) check(x []float64, y, noise float64) error {
	if len(x) != len(g.weights) {
		return fmt.Errorf("gp: x: %d inputs, want %d as in the data", len(x), len(g.weights))
	}
	var errs []error
	for j, v := range x {
		errs = number(errs, v, "x[%d]", j)
	}
	errs = number(errs, y, "y")
	if errs = number(errs, noise, "noise"); noise < 0 {
		errs = append(errs, fmt.Errorf("gp: noise: %g, want a variance of at least 0", noise))
	}
	return errors.Join(errs...)
}

// Clone is a copy that can be appended to on its own. Data are shared: O(n).
func (g *GP) Clone() *GP {
	c := *g
	c.factor, c.z, c.targets = g.clone(), slices.Clip(g.z), slices.Clip(g.targets)
	return &c
}

// LeaveOneOut predicts each observation from all others under the same
// hyper-parameters, [RW] equations 5.10 to 5.12: mean and variance of the
// observation, noise included, in units of Y. For a censored one it is what the
// observation that stands for it would be. O(n³).
func (g *GP) LeaveOneOut() (mean, variance []float64) {
	n := len(g.rows)
	alpha, precision := make([]float64, n), make([]float64, n)
	// Column i of L⁻¹ starts at row i; K⁻¹_ii = Σ_k (L⁻¹)_ki², α = L⁻ᵀz.
	col := make([]float64, n)
	for i := range n {
		col[i] = 1 / g.rows[i][i]
		for k := i + 1; k < n; k++ {
			col[k] = -floats.Dot(g.rows[k][i:k], col[i:k]) / g.rows[k][k]
		}
		precision[i] = floats.Dot(col[i:], col[i:])
		alpha[i] = floats.Dot(col[i:], g.z[i:])
	}
	mean, variance = make([]float64, n), make([]float64, n)
	for i := range n {
		x := g.input(i)
		mean[i] = g.unscale(x, g.targets[i]-alpha[i]/precision[i])
		variance[i] = g.spread(1 / precision[i])
	}
	return mean, variance
}

// input is point i in the unit cube.
func (g *GP) input(i int) []float64 {
	if i < len(g.from.x) {
		return g.from.x[i]
	}
	x := make([]float64, len(g.weights))
	for j, w := range g.weights {
		x[j] = g.points[i][j] / w
	}
	return x
}
