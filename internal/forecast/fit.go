package forecast

import (
	"math"
	"slices"
)

// Fit starts with a history, oldest first, NaN for gaps; what was observed before is
// forgotten. It is what observing each value would teach, but takes a small part of
// the time: members are fitted once and rolled over the last part, which is also what
// quantiles are learned from.
func (f *Forecaster) Fit(history []float64) {
	fresh, err := New(f.options)
	if err != nil {
		return // the options were checked before
	}
	*f = *fresh
	seen := slices.Clone(history)
	for i, v := range seen {
		if math.IsInf(v, 0) {
			seen[i] = math.NaN()
		}
		if !math.IsNaN(seen[i]) {
			f.count++
			f.signed = f.signed || v < 0
		}
	}
	for len(seen) > 0 && math.IsNaN(seen[0]) {
		seen = seen[1:]
	}
	if len(seen) == 0 {
		return
	}
	seasons := slices.Concat(f.base.seasons, f.base.candidates)
	if f.coarse != nil {
		for _, s := range slices.Concat(f.coarse.engine.seasons, f.coarse.engine.candidates) {
			seasons = append(seasons, s*f.coarse.size)
		}
	}
	clean := tidy(seen, seasons)
	if f.coarse != nil {
		f.fitSums(clean, seen)
		return
	}
	for _, v := range clean {
		f.base.window.push(v)
	}
	n := f.base.window.len()
	f.base.refit(seen[len(seen)-n:], f.bands)
}

const (
	// sumsTail is how many single steps are gone through one by one beside the sums,
	// and sumsHead how many before them the members of single steps start with.
	sumsTail = 2000
	sumsHead = 1000
)

// fitSums fits the sums on all but the tail, single steps on what lies before it.
func (f *Forecaster) fitSums(clean, seen []float64) {
	size := f.coarse.size
	n := len(clean)
	cut := max(0, n-sumsTail)
	if sums := cut / size; sums > 0 {
		for i := cut - sums*size; i < cut; i += size {
			f.coarse.prior = mean(clean[i : i+size])
			f.coarse.engine.window.push(f.coarse.prior)
		}
		f.coarse.engine.refit(nil, nil)
		f.coarse.look()
		head := max(0, cut-sumsHead)
		for _, v := range clean[head:cut] {
			f.base.window.push(v)
		}
		f.base.refit(seen[head:cut], f.bands)
	}
	count := f.count
	for _, v := range seen[cut:] {
		f.Observe(v)
	}
	f.count = count
}
