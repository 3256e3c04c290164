package gp

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Alternatives are k processes on the data that Fit was given: g without what was
// appended since, and others whose hyper-parameters could be the true ones, drawn
// from the normal approximation of their posterior (Laplace's, [RW] section
// 3.4). With few observations the best hyper-parameters alone make predictions
// far too certain; a mixture over some of them does so less. Fewer than k are
// returned where the posterior has no such approximation. A few evaluations for
// each parameter, and O(n³) for each process.
func (g *GP) Alternatives(rng *rand.Rand, k int) ([]*GP, error) {
	sys := newSystem(g.from)
	first, err := condition(sys, g.Hyper())
	if err != nil {
		return nil, err
	}
	out := []*GP{first}
	best := g.hyper.logs(g.from.learnsNoise())
	metric := sys.metric(best, 1)
	if metric == nil || k < 2 {
		return out, nil
	}
	for _, z := range deviates(rng, k-1, len(best)) {
		v := mat.NewVecDense(len(z), z)
		_ = v.SolveVec(metric.T(), v) // the factor of a matrix that was found positive
		floats.Add(z, best)
		h := fromLogs(z, len(g.weights), make([]bool, len(z)))
		if other, err := condition(sys, h); err == nil {
			out = append(out, other)
		}
	}
	return out, nil
}

// Mix is the mean and variance of the equal mixture of predictions of several
// processes for the same candidates, mean[k][c] and variance[k][c] for process k.
// The variance is the mean of variances and the variance of means together.
func Mix(mean, variance [][]float64) (mixedMean, mixedVariance []float64) {
	if len(mean) == 0 {
		return nil, nil
	}
	mixedMean, mixedVariance = make([]float64, len(mean[0])), make([]float64, len(mean[0]))
	share := 1 / float64(len(mean))
	for k := range mean {
		floats.AddScaled(mixedMean, share, mean[k])
		floats.AddScaled(mixedVariance, share, variance[k])
	}
	for k := range mean {
		for c, m := range mean[k] {
			away := m - mixedMean[c]
			mixedVariance[c] += share * away * away
		}
	}
	return mixedMean, mixedVariance
}
