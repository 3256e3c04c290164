package pareto

import (
	"math"

	"rebound/internal/normal"
)

// LogImprovement is the logarithm of the expected improvement of the hypervolume
// by a point whose objectives are independent and normal with the given means
// and variances. A variance of 0 is a value that is known. It is -Inf where
// there is no improvement at all, as for known values that are dominated.
func (r *Region) LogImprovement(mean, variance []float64) float64 {
	sameLength(mean, r.ref)
	sameLength(variance, r.ref)
	out := []float64{0}
	m, v := make([][]float64, len(mean)), make([][]float64, len(mean))
	for j := range mean {
		m[j], v[j] = mean[j:j+1], variance[j:j+1]
	}
	r.LogImprovements(out, m, v)
	return out[0]
}

// LogImprovements is LogImprovement for many candidates: dst[c] from mean[j][c]
// and variance[j][c] for objective j, the form in which predictions come. What is
// NaN stays NaN.
func (r *Region) LogImprovements(dst []float64, mean, variance [][]float64) {
	LogMeanImprovements(dst, []*Region{r}, [][][]float64{mean}, variance)
}

// smallest is where the plain sum of products is left for logarithms, well above
// where its terms lose digits by underflow.
const smallest = 1e-200

// LogMeanImprovements is the logarithm of the average of the expected improvement
// over several draws of what noise hides, each with its own region and its own
// means, for many candidates: dst[c] from mean[k][j][c] for draw k and objective
// j, and variance[j][c], which all draws share. All regions have the same
// reference. A candidate that improves in no draw gets -Inf.
//
// After S. Daulton, M. Balandat and E. Bakshy, Parallel Bayesian Optimization of
// Multiple Noisy Objectives with Expected Hypervolume Improvement, NeurIPS 2021
// (arXiv:2105.08195), with the inner expectation exact instead of drawn.
func LogMeanImprovements(dst []float64, regions []*Region, mean [][][]float64, variance [][]float64) {
	clear(dst)
	for k, r := range regions {
		psi := r.thresholds()
		for c := range dst {
			for j, p := range psi {
				r.excess(j, p, mean[k][j][c], math.Sqrt(variance[j][c]))
			}
			dst[c] += r.sum(psi)
		}
	}
	for c, sum := range dst {
		if sum > smallest {
			dst[c] = math.Log(sum)
		} else if !math.IsNaN(sum) {
			dst[c] = logTotal(c, regions, mean, variance)
		}
		dst[c] -= math.Log(float64(len(regions)))
	}
}

// logTotal is the logarithm of the sum over draws, by logarithms throughout.
func logTotal(c int, regions []*Region, mean [][][]float64, variance [][]float64) float64 {
	total := math.Inf(-1)
	for k, r := range regions {
		psi := r.thresholds()
		for j, p := range psi {
			r.logExcess(j, p, mean[k][j][c], math.Sqrt(variance[j][c]))
		}
		total = logAdd(total, r.logSum(psi))
	}
	return total
}

// thresholds has a place for ψ at each cut.
func (r *Region) thresholds() [][]float64 {
	psi := make([][]float64, len(r.cuts))
	for j, cuts := range r.cuts {
		psi[j] = make([]float64, len(cuts))
	}
	return psi
}

// sum is the expected improvement from ψ at the cuts.
func (r *Region) sum(psi [][]float64) float64 {
	sum := 0.0
	for i := range r.boxes {
		b := &r.boxes[i]
		side := 1.0
		for j, p := range psi {
			side *= p[b.hi[j]] - p[b.lo[j]]
		}
		sum += side
	}
	return sum
}

// logSum is the logarithm of sum from logarithms.
func (r *Region) logSum(logPsi [][]float64) float64 {
	total := math.Inf(-1)
	for i := range r.boxes {
		b := &r.boxes[i]
		side := 0.0
		for j, p := range logPsi {
			side += logDiff(p[b.hi[j]], p[b.lo[j]])
		}
		total = logAdd(total, side)
	}
	return total
}

// A standard deviation below exact is that of a known value, so that its inverse
// is finite; at certain of them a threshold above the mean is never missed in
// float64.
const (
	exact   = 1e-150
	certain = 9
)

// excess fills dst with ψ(t) = E max(0, t-y), y normal with mean m and standard
// deviation s, at the cuts t of objective j.
func (r *Region) excess(j int, dst []float64, m, s float64) {
	dst[0] = 0
	cuts, inverse := r.cuts[j], 1/s
	known := s < exact
	for i := 1; i < len(cuts); i++ {
		above := cuts[i] - m
		z := above * inverse
		switch {
		case known:
			dst[i] = max(0, above)
		case z >= certain:
			dst[i] = above
		default:
			dst[i] = s * r.nodes.Excess(z)
		}
	}
}

// logExcess is excess in logarithms.
func (r *Region) logExcess(j int, dst []float64, m, s float64) {
	dst[0] = math.Inf(-1)
	for i, t := range r.cuts[j][1:] {
		z := (t - m) / s
		if s < exact || z >= certain {
			dst[i+1] = math.Log(max(0, t-m))
			continue
		}
		dst[i+1] = math.Log(s) + normal.LogExcess(z)
	}
}

// logDiff is log(eᵃ - eᵇ), -Inf where a ≤ b.
func logDiff(a, b float64) float64 {
	if a <= b {
		return math.Inf(-1)
	}
	return a + math.Log(-math.Expm1(b-a))
}

// logAdd is log(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	a, b = max(a, b), min(a, b)
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
