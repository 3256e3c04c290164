package recovery

import (
	"cmp"
	"math"
	"slices"
)

// madToSigma makes a median absolute deviation the standard deviation of normal
// data.
const madToSigma = 1.4826

// The prior of RobustLocation: downtimes of one job scatter by about half their
// median (2.2 to 5.8 s around 4.1 s for one kind of crash on a quiet local
// Flink), which counts as much as two samples.
const (
	priorRelativeSpread = 0.5
	priorSamples        = 2
)

// RobustLocation is what samples of one quantity tell of its next value: their
// median, and a spread from their median absolute deviation. Weights, from 0 to
// 1, let old samples fade; nil means 1 each. Since few samples say little of
// their scatter (one says nothing), its square is averaged with that of half the
// median, which counts as two samples; and with n samples the median itself is
// uncertain, for which the square grows by 1/n. Values are at least 0. Not ok:
// nothing has weight.
func RobustLocation(values, weights []float64) (u Uncertain, ok bool) {
	n := 0.0
	for i := range values {
		n += weightOf(weights, i)
	}
	if !(n > 0) {
		return Uncertain{}, false
	}
	median, scatter := Center(values, weights)
	prior := priorRelativeSpread * median
	variance := (n*square(scatter) + priorSamples*square(prior)) / (n + priorSamples)
	return Uncertain{Median: median, Spread: math.Sqrt(variance * (1 + 1/n))}, true
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
