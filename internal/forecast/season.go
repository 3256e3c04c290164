package forecast

import "math"

// clear is how much of the variance a season must explain to be taken for one.
const clearSeason = 0.1

// findSeasons returns those of the candidates (in steps, ascending) that show in y, at
// most two; where none does, the lag of the clearest rise of the autocorrelation.
//
// A candidate shows when values a season apart resemble each other, and more so than
// values half a season apart: those of a trend or of a slow drift resemble each other
// at any lag.
func findSeasons(y []float64, candidates []int) []int {
	var found []int
	for _, p := range candidates {
		least := 2*p + leastSamples
		if len(found) > 0 {
			least = p + p/4 // a second one is only added to the first
		}
		if p < 2 || least > len(y) || len(found) == 2 {
			continue
		}
		whole := autocorrelation(y, p)
		if whole > clearSeason && whole > autocorrelation(y, p/2)+clearSeason/2 || len(found) > 0 && whole > clearSeason {
			found = append(found, p)
		}
	}
	if len(found) > 0 {
		return found
	}
	if p := clearest(y); p > 0 {
		return []int{p}
	}
	return nil
}

// clearest is the lag, up to a third of y and the direct limit, at which the
// autocorrelation rises most over its least value before; 0 where it does not rise.
func clearest(y []float64) int {
	const rise, least, first = 0.4, 0.3, 4
	best, at := 0.0, 0
	low := math.Inf(1)
	prev := autocorrelation(y, first-1)
	r := autocorrelation(y, first)
	for p := first; p < min(len(y)/3, directSeason); p++ {
		next := autocorrelation(y, p+1)
		low = min(low, r)
		if r > least && r >= prev && r > next && r-low > rise && r > best+clearSeason {
			best, at = r, p
		}
		prev, r = r, next
	}
	return at
}

// autocorrelation of y at a lag, of the values that have a partner; 0 for a constant.
func autocorrelation(y []float64, lag int) float64 {
	m := mean(y)
	var sum, all float64
	for t, v := range y {
		all += (v - m) * (v - m)
		if t >= lag {
			sum += (v - m) * (y[t-lag] - m)
		}
	}
	if all <= 0 || len(y) <= lag {
		return 0
	}
	return sum / all * float64(len(y)) / float64(len(y)-lag)
}
