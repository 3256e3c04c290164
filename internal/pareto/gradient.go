package pareto

import (
	"math"

	"rebound/internal/normal"
)

// Gradient is LogImprovement with its slopes by mean and variance of each
// objective, for searches in continuous boxes: with ψ(t) = s·h(z), z = (t-m)/s,
// ∂ψ/∂m = -Φ(z) and ∂ψ/∂s = φ(z). It is computed by logarithms throughout, and
// finite as far out as they are. Slopes are 0 where the logarithm is -Inf, and
// so is that by a variance of 0.
func (r *Region) Gradient(mean, variance []float64) (value float64, byMean, byVariance []float64) {
	sameLength(mean, r.ref)
	sameLength(variance, r.ref)
	psi := r.thresholds()
	for j, p := range psi {
		r.logExcess(j, p, mean[j], math.Sqrt(variance[j]))
	}
	value = r.logSum(psi)
	byMean, byVariance = make([]float64, len(mean)), make([]float64, len(mean))
	if math.IsInf(value, -1) {
		return value, byMean, byVariance
	}
	for _, b := range r.boxes {
		logs, total := [maxObjectives]float64{}, 0.0
		for j, p := range psi {
			logs[j] = logDiff(p[b.hi[j]], p[b.lo[j]])
			total += logs[j]
		}
		share := math.Exp(total - value)
		if share == 0 {
			continue
		}
		for j, cuts := range r.cuts {
			s := math.Sqrt(variance[j])
			cdfHigh, pdfHigh := slopes(cuts[b.hi[j]]-mean[j], s, logs[j])
			cdfLow, pdfLow := slopes(cuts[b.lo[j]]-mean[j], s, logs[j])
			byMean[j] -= share * (cdfHigh - cdfLow)
			if s >= exact {
				byVariance[j] += share * (pdfHigh - pdfLow) / (2 * s)
			}
		}
	}
	return value, byMean, byVariance
}

// slopes are Φ and φ at a threshold so far above the mean, over a side whose
// logarithm is given.
func slopes(above, s, logSide float64) (cdf, pdf float64) {
	if s < exact {
		if above <= 0 {
			return 0, 0
		}
		return math.Exp(-logSide), 0
	}
	z := above / s
	return math.Exp(normal.LogCDF(z) - logSide), math.Exp(normal.LogPDF(z) - logSide)
}
