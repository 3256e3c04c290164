package recovery

import "math"

// Center is the weighted median of values and the spread around it: half of
// (95 % − 5 %) of normal data with their median absolute deviation. Weights are
// at least 0, nil means 1 each; without any weight both are NaN.
func Center(values, weights []float64) (median, spread float64) {
	median = weightedMedian(values, weights)
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - median)
	}
	return median, z95 * madToSigma * weightedMedian(away, weights)
}
