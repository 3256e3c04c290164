package forecast

import (
	"math"
	"slices"
)

// tidy is a history without gaps and single outliers; it starts with a value.
//
// A short gap gets a straight line, one that is longer than a part of a season what was
// that season before, the longest one that is known. An outlier stands more than outlierCut times the usual distance from
// the median of the values around it, as in Hampel's filter, and alone.
func tidy(history []float64, seasons []int) []float64 {
	y := slices.Clone(history)
	for t := range y {
		if !math.IsNaN(y[t]) {
			continue
		}
		end := t
		for end < len(y) && math.IsNaN(y[end]) {
			end++
		}
		bridge(y, t, end, seasons)
	}
	return despike(y, seasons)
}

// bridge fills the gap y[from:to].
func bridge(y []float64, from, to int, seasons []int) {
	season := 0
	for _, s := range seasons {
		if s <= from && to-from > s/12 {
			season = s
		}
	}
	left := y[from-1]
	right := left
	if to < len(y) {
		right = y[to]
	}
	for t := from; t < to; t++ {
		if season > 0 {
			y[t] = y[t-season]
			continue
		}
		y[t] = left + (right-left)*float64(t-from+1)/float64(to-from+1)
	}
}

const (
	outlierSide = 3 // values on each side that make the median
	// outlierCut is in usual distances; usual is the third quarter, since in a calm
	// rise half of all values are the median of those around them.
	outlierCut = 12.0
)

// despike takes a value for an outlier that is far from those around it and, where
// there are seasons, as far from those a season before and after.
func despike(y []float64, seasons []int) []float64 {
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
	limit := outlierCut * slices.Sorted(slices.Values(off))[3*n/4]
	if limit <= 0 {
		return y
	}
	out := slices.Clone(y)
	for t := range y {
		like := func(season int) bool {
			return t >= season && math.Abs(y[t]-y[t-season]) <= limit ||
				t+season < n && math.Abs(y[t]-y[t+season]) <= limit
		}
		if off[t] > limit && !slices.ContainsFunc(seasons, like) {
			out[t] = middle[t]
		}
	}
	return out
}
