package forecast

import (
	"math"
	"slices"
)

// tidy is a history without gaps and single outliers; it starts with a value.
//
// A gap that is shorter than the season gets a straight line, a longer one what was a
// season before. An outlier stands more than outlierCut times the usual distance from
// the median of the values around it, as in Hampel's filter, and alone.
func tidy(history []float64, season int) []float64 {
	y := slices.Clone(history)
	for t := range y {
		if !math.IsNaN(y[t]) {
			continue
		}
		end := t
		for end < len(y) && math.IsNaN(y[end]) {
			end++
		}
		bridge(y, t, end, season)
	}
	return despike(y, season)
}

// bridge fills the gap y[from:to].
func bridge(y []float64, from, to, season int) {
	left := y[from-1]
	right := left
	if to < len(y) {
		right = y[to]
	}
	long := season > 0 && to-from > season/12 && from >= season
	for t := from; t < to; t++ {
		if long {
			y[t] = y[t-season]
			continue
		}
		y[t] = left + (right-left)*float64(t-from+1)/float64(to-from+1)
	}
}

const (
	outlierSide = 3    // values on each side that make the median
	outlierCut  = 50.0 // usual distances
)

// despike takes a value for an outlier that is far from those around it and, where
// there is a season, as far from those a season before and after.
func despike(y []float64, season int) []float64 {
	n := len(y)
	if n < 4*outlierSide {
		return y
	}
	middle := make([]float64, n)
	off := make([]float64, n)
	around := make([]float64, 0, 2*outlierSide+1)
	for t := range y {
		around = append(around[:0], y[max(0, t-outlierSide):min(n, t+outlierSide+1)]...)
		middle[t] = median(around)
		off[t] = math.Abs(y[t] - middle[t])
	}
	usual := median(slices.Clone(off))
	if usual <= 0 {
		return y
	}
	out := slices.Clone(y)
	for t := range y {
		limit := outlierCut * usual
		if off[t] <= limit || season > 0 && (t >= season && math.Abs(y[t]-y[t-season]) <= limit || t+season < n && math.Abs(y[t]-y[t+season]) <= limit) {
			continue
		}
		out[t] = middle[t]
	}
	return out
}
