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

// smallest is where the plain sum of products is left for logarithms, well above
// where its terms lose digits by underflow.
const smallest = 1e-200

// LogImprovements is LogImprovement for many candidates: dst[c] from mean[j][c]
// and variance[j][c] for objective j, the form in which predictions come.
func (r *Region) LogImprovements(dst []float64, mean, variance [][]float64) {
	psi := make([][]float64, len(r.cuts))
	for j, cuts := range r.cuts {
		psi[j] = make([]float64, len(cuts))
	}
	for c := range dst {
		for j := range psi {
			r.excess(j, psi[j], mean[j][c], math.Sqrt(variance[j][c]))
		}
		if sum := r.sum(psi); sum > smallest {
			dst[c] = math.Log(sum)
			continue
		}
		for j := range psi {
			r.logExcess(j, psi[j], mean[j][c], math.Sqrt(variance[j][c]))
		}
		dst[c] = r.logSum(psi)
	}
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

// excess fills dst with ψ(t) = E max(0, t-y), y normal with mean m and standard
// deviation s, at the cuts t of objective j.
func (r *Region) excess(j int, dst []float64, m, s float64) {
	dst[0] = 0
	for i, t := range r.cuts[j][1:] {
		if s == 0 {
			dst[i+1] = max(0, t-m)
			continue
		}
		dst[i+1] = s * r.nodes.Excess((t-m)/s)
	}
}

// logExcess is excess in logarithms.
func (r *Region) logExcess(j int, dst []float64, m, s float64) {
	dst[0] = math.Inf(-1)
	for i, t := range r.cuts[j][1:] {
		if s == 0 {
			dst[i+1] = math.Log(max(0, t-m))
			continue
		}
		dst[i+1] = math.Log(s) + normal.LogExcess((t-m)/s)
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

// LogMean is the logarithm of the mean of numbers given by their logarithms, as
// of the improvements over the fronts of several draws. It is -Inf of none.
func LogMean(logs []float64) float64 {
	total := math.Inf(-1)
	for _, v := range logs {
		total = logAdd(total, v)
	}
	return total - math.Log(float64(max(1, len(logs))))
}
