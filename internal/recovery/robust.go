package recovery

import (
	"cmp"
	"math"
	"slices"
)

// madToSigma makes a median absolute deviation the standard deviation of normal
// data.
const madToSigma = 1.4826

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

func weightOf(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// weightedMedian is where half of the weight lies on either side; of two such
// values, the middle.
func weightedMedian(values, weights []float64) float64 {
	order := make([]int, len(values))
	total := 0.0
	for i := range values {
		order[i] = i
		total += weightOf(weights, i)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	below := 0.0
	for k, i := range order {
		below += weightOf(weights, i)
		if below == total/2 && k+1 < len(order) {
			return (values[i] + values[order[k+1]]) / 2
		}
		if below > total/2 {
			return values[i]
		}
	}
	return math.NaN()
}
