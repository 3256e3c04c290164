package gp

import (
	"errors"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// Sample draws the noise-free function at all points together, s times:
// result[k][i] is draw k at points[i], in units of Y. Draws are spread evenly
// (quasi-Monte Carlo), so that averages over a few of them are good; single ones
// are not independent of each other. O(n²p + p³).
func (g *GP) Sample(rng *rand.Rand, points [][]float64, s int) ([][]float64, error) {
	if len(points) == 0 || s < 1 {
		return nil, errors.New("gp: nothing to draw, want at least one point and one draw")
	}
	for _, x := range points {
		if err := g.check(x, 0, 0); err != nil {
			return nil, err
		}
	}
	out := g.draw(rng, points, s)
	for _, draw := range out {
		for i, x := range points {
			draw[i] = g.unscale(x, draw[i])
		}
	}
	return out, nil
}

// pivotTolerance is the variance, relative to the signal's, below which nothing
// is left to draw.
const pivotTolerance = 1e-12

// draw is Sample in standardized units.
func (g *GP) draw(rng *rand.Rand, points [][]float64, s int) [][]float64 {
	e := newField(g.factor, points)
	p := len(points)
	mean := make([]float64, p)
	e.weighted(mean, g.z)
	cov := mat.NewSymDense(p, nil)
	v := mat.NewDense(len(e.rows), p, e.first.Data)
	cov.SymOuterK(-1, v.T())
	row := make([]float64, p)
	for i, x := range points {
		e.row(row, g.scale(x), e.cols, 0)
		for j := range i + 1 {
			cov.SetSym(i, j, cov.At(i, j)+row[j])
		}
		cov.SetSym(i, i, max(cov.At(i, i), 0))
	}
	// With pivots the first coordinates are those that move most, which is where
	// quasi-Monte Carlo is best; and a singular covariance, as of equal points,
	// is no special case.
	var chol mat.PivotedCholesky
	chol.Factorize(cov, pivotTolerance*g.signal)
	var u mat.TriDense
	chol.UTo(&u)
	pivots := chol.ColumnPivots(nil)
	out := make([][]float64, s)
	for k, z := range deviates(rng, s, chol.Rank()) {
		out[k] = make([]float64, p)
		for i, at := range pivots {
			sum := mean[at]
			for r := range min(i+1, len(z)) {
				sum += u.At(r, i) * z[r]
			}
			out[k][at] = sum
		}
	}
	return out
}

// haltonInputs is how many coordinates come from the Halton sequence; with bases
// above some fifty, few points are no longer even in pairs of coordinates, and a
// Latin hypercube does as well.
const haltonInputs = 16

// deviates are s vectors of d standard normal numbers, evenly spread.
func deviates(rng *rand.Rand, s, d int) [][]float64 {
	out := make([][]float64, s)
	for k := range out {
		out[k] = make([]float64, d)
	}
	h := min(d, haltonInputs)
	if h > 0 {
		batch := mat.NewDense(s, h, nil)
		samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(h, rng), Src: rng}.Sample(batch)
		fill(out, batch, 0)
	}
	if d > h {
		batch := mat.NewDense(s, d-h, nil)
		samplemv.LatinHypercube{Q: distmv.NewUnitUniform(d-h, rng), Src: rng}.Sample(batch)
		fill(out, batch, h)
	}
	return out
}

func fill(out [][]float64, uniform *mat.Dense, first int) {
	for k, row := range out {
		for j, u := range uniform.RawRowView(k) {
			// Neither method excludes 0, whose quantile is infinite.
			row[first+j] = mathext.NormalQuantile(min(max(u, 1e-12), 1-1e-12))
		}
	}
}

// Draws are s functions that could be the true one, each known at the observed
// points, and what follows at candidates. Given a draw the function elsewhere is
// Gaussian again; its variance is the same for all draws.
//
// They serve criteria that compare with the best so far, which noise hides:
// average over draws, each with its own best. See S. Daulton, M. Balandat and E.
// Bakshy, Parallel Bayesian Optimization of Multiple Noisy Objectives with
// Expected Hypervolume Improvement, NeurIPS 2021 (arXiv:2105.08195); here the
// average is over the observed points alone and the rest is exact.
type Draws struct {
	// Values[k][i] is draw k at observed point i, then at what was appended.
	Values [][]float64
	// Mean[k][c] is the expected value at candidate c given draw k.
	Mean [][]float64
	// Variance[c] is the variance at candidate c given any draw.
	Variance []float64

	gp    *GP
	field *field
	z     [][]float64 // L⁻¹ Values, standardized
}

// Draw makes s draws, in units of Y: O(n³ + n²m + snm).
func (g *GP) Draw(rng *rand.Rand, candidates [][]float64, s int) *Draws {
	n := len(g.rows)
	inputs := make([][]float64, n)
	for i := range n {
		inputs[i] = g.input(i)
	}
	free := &factor{kernel: g.kernel, jitter: g.jitter}
	for i := range n {
		free.extend(g.points[i], 0)
	}
	d := &Draws{Values: g.draw(rng, inputs, s), gp: g, field: newField(free, candidates)}
	d.Variance = d.field.variances()
	base := make([]float64, len(candidates))
	for c, x := range candidates {
		d.Variance[c] = g.spread(d.Variance[c])
		base[c] = g.unscale(x, 0)
	}
	for _, values := range d.Values {
		z := append([]float64(nil), values...)
		free.solve(z)
		d.z = append(d.z, z)
		mean := make([]float64, len(candidates))
		d.field.weighted(mean, z)
		floats.Scale(g.from.scale, mean)
		floats.Add(mean, base)
		d.Mean = append(d.Mean, mean)
		for i, x := range inputs {
			values[i] = g.unscale(x, values[i])
		}
	}
	return d
}

// Append draws the function at another point x as well, once for each draw and
// jointly with what was drawn before: a point that is being tried and has no
// result yet. O(snm).
func (d *Draws) Append(rng *rand.Rand, x []float64) error {
	if err := d.gp.check(x, 0, 0); err != nil {
		return err
	}
	l, v := d.field.extend(d.gp.scale(x), 0)
	n := len(l) - 1
	scale := d.gp.from.scale
	for k, e := range deviates(rng, len(d.z), 1) {
		value := floats.Dot(l[:n], d.z[k]) + l[n]*e[0]
		d.z[k] = append(d.z[k], e[0])
		d.Values[k] = append(d.Values[k], d.gp.unscale(x, value))
		floats.AddScaled(d.Mean[k], scale*e[0], v)
	}
	floor := d.gp.spread(0)
	for c, w := range v {
		d.Variance[c] = max(floor, d.Variance[c]-scale*scale*w*w)
	}
	return nil
}
