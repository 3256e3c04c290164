package gp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// meanStep is the step, in the unit cube, of the differences that stand for the
// gradient of a prior mean.
const meanStep = 1e-5

// Gradient returns how mean and variance, as of Predict, change with each input
// at x: for searches in continuous boxes. That of the prior mean is by
// differences. O(n²).
func (g *GP) Gradient(x []float64) (mean, variance []float64) {
	u := g.scale(x)
	alpha, w := slices.Clone(g.z), g.coefficients(u)
	g.solveTransposed(alpha)
	g.solveTransposed(w)
	mean, variance = g.meanGradient(x), make([]float64, len(x))
	scale := g.from.scale
	for i, p := range g.points {
		s2 := 0.0
		for j, a := range u {
			s2 += (a - p[j]) * (a - p[j])
		}
		s := math.Sqrt(s2)
		// ∂k/∂s = -σ_f²·s(1+s)e⁻ˢ/3, and ∂s/∂u_j = (u_j - p_j)/s.
		slope := -g.signal * (1 + s) * g.powers.Exp(s) / 3
		for j, a := range u {
			d := slope * (a - p[j]) * g.weights[j]
			mean[j] += scale * d * alpha[i]
			variance[j] -= 2 * scale * scale * d * w[i]
		}
	}
	return mean, variance
}

// solveTransposed replaces b by L⁻ᵀb.
func (f *factor) solveTransposed(b []float64) {
	for i := len(f.rows) - 1; i >= 0; i-- {
		row := f.rows[i]
		b[i] /= row[i]
		floats.AddScaled(b[:i], -b[i], row[:i])
	}
}

func (g *GP) meanGradient(x []float64) []float64 {
	out := make([]float64, len(x))
	if g.from.prior == nil {
		return out
	}
	at := slices.Clone(x)
	for j, v := range x {
		at[j] = v + meanStep
		up := g.from.mean(at)
		at[j] = v - meanStep
		out[j] = (up - g.from.mean(at)) / (2 * meanStep)
		at[j] = v
	}
	return out
}
