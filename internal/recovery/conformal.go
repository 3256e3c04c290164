package recovery

import (
	"math"
	"slices"
)

// Scored is a prediction and what came of it, all in seconds and more than 0.
type Scored struct{ P05, Median, P95, Measured float64 }

const (
	// honestPrior is how many predictions that were as honest as they claimed the
	// past is assumed to hold beyond those that are scored.
	honestPrior = 10
	// leastScaling: intervals are only ever widened. What makes them narrower is
	// what is learned of the quantities; narrowing here too would count it twice.
	leastScaling = 1
	manyScored   = 15
	leastFitted  = 2.0 / 3
)

// HonestScale is the factor on the logarithm of (p95/median) and (p05/median)
// that would have made the intervals of past predictions hold nine measurements
// in ten (split conformal prediction on the log ratio, each side measured by its
// own width). With n of them it is raised to the power n/(n + 10), since few
// scores say little: with none it is 1. It is at least 1. Predictions without a
// width cannot be scored and are left out.
func HonestScale(past []Scored) float64 { return max(leastScaling, fitted(past)) }

// FittedScale is as HonestScale, but makes intervals narrower, too, where many
// predictions, manyScored at least, have shown them to be wider than they must be; by
// a third at most.
func FittedScale(past []Scored) float64 {
	if len(past) < manyScored {
		return HonestScale(past)
	}
	return max(leastFitted, fitted(past))
}

func fitted(past []Scored) float64 {
	var sizes []float64
	for _, p := range past {
		off, width := math.Log(p.Measured/p.Median), math.Log(p.P95/p.Median)
		if off < 0 {
			width = math.Log(p.P05 / p.Median)
		}
		if size := off / width; size >= 0 && !math.IsInf(size, 1) {
			sizes = append(sizes, size)
		}
	}
	n := len(sizes)
	if n == 0 {
		return 1
	}
	slices.Sort(sizes)
	rank := min(n, int(math.Ceil(nominal*float64(n+1))))
	return math.Pow(sizes[rank-1], float64(n)/float64(n+honestPrior))
}
