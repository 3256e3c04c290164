package forecast

import (
	"math"
	"slices"
)

// predict fills e.paths with the next n steps by every member, on the plain scale and
// within half a range of what was ever seen.
func (e *engine) predict(n int) {
	for len(e.paths) < len(e.owned)+1 {
		e.paths = append(e.paths, nil)
	}
	room := (e.high - e.low) / 2
	lo, hi := e.low-room, e.high+room
	if e.low >= 0 {
		lo = max(lo, 0)
	}
	for i := range e.paths {
		if !e.here[i] {
			continue
		}
		e.paths[i] = slices.Grow(e.paths[i][:0], n)[:n]
		s := scale{width: 1}
		if i < len(e.owned) {
			e.owned[i].predict(e.paths[i])
			s = e.scales[e.specs[i].scale]
		} else {
			e.guide.predict(e.paths[i])
		}
		for h, v := range e.paths[i] {
			e.paths[i][h] = min(max(s.from(v), lo), hi)
		}
	}
}

// trimmed is the share of the weight that is left out on each side of a combination:
// the mean of what remains errs less than the whole when a member goes astray.
const trimmed = 0.2

// mean fills path with the combined forecast: at each step the members' weighted mean
// without the outer fifths of the weight.
func (e *engine) mean(path []float64) {
	if e.mix == nil {
		clear(path)
		return
	}
	e.predict(len(path))
	e.votes = e.votes[:0]
	for i := range e.paths {
		if e.here[i] && e.mix.counts(i) {
			e.votes = append(e.votes, vote{member: i})
		}
	}
	for h := range path {
		a, share := e.grid.place(h + 1)
		near, far := e.mix.weights[a], e.mix.weights[min(a+1, len(e.grid)-1)]
		for k, v := range e.votes {
			w := near[v.member]
			e.votes[k].weight = w + share*(far[v.member]-w)
			e.votes[k].value = e.paths[v.member][h]
		}
		path[h] = combine(e.votes)
	}
}

// vote is what one member forecasts, and its weight.
type vote struct {
	member        int
	value, weight float64
}

// combine is the trimmed mean of votes, whose weights have the sum 1; 0 of none. It
// sorts them, which is fast where they were sorted for the step before.
func combine(votes []vote) float64 {
	for k := 1; k < len(votes); k++ {
		for j := k; j > 0 && votes[j].value < votes[j-1].value; j-- {
			votes[j], votes[j-1] = votes[j-1], votes[j]
		}
	}
	var below, sum, weight float64
	for _, v := range votes {
		w := min(below+v.weight, 1-trimmed) - max(below, trimmed)
		below += v.weight
		if w > 0 {
			sum += w * v.value
			weight += w
		}
	}
	if weight <= 0 {
		return 0
	}
	return sum / weight
}

// origin makes the forecasts of this moment. One that is to be scored goes to the
// horizon's end and is kept.
func (e *engine) origin(scored bool, watch *calibration) {
	if !scored {
		one := make([]float64, 1)
		e.mean(one)
		e.lifted(one)
		e.one = one[0]
		return
	}
	path := make([]float64, e.last())
	e.mean(path)
	w := wager{combined: make([]float64, len(e.grid)), values: make([][]float64, len(e.grid))}
	flat := make([]float64, len(e.grid)*len(e.paths))
	for g, h := range e.grid {
		w.combined[g] = path[h-1]
		w.values[g], flat = flat[:len(e.paths)], flat[len(e.paths):]
		for i := range e.paths {
			w.values[g][i] = math.NaN()
			if e.here[i] {
				w.values[g][i] = e.paths[i][h-1]
			}
		}
	}
	e.open = append(e.open, w)
	e.lifted(path)
	e.one = path[0]
	if watch != nil {
		watch.bet(path)
	}
}

// step compares y with what was forecast for it and learns it.
func (e *engine) step(y float64) {
	kept := e.open[:0]
	for _, w := range e.open {
		w.age++
		if w.age == e.grid[w.next] {
			e.mix.score(w.next, w.values[w.next], y)
			e.mix.reweigh(w.next, e.here)
			e.lifts[w.next].add(y - w.combined[w.next])
			w.next++
		}
		if w.next < len(e.grid) {
			kept = append(kept, w)
		}
	}
	e.open = kept
	for i, m := range e.owned {
		if m != nil {
			m.observe(e.scales[e.specs[i].scale].to(y))
		}
	}
	for k := range e.past {
		e.past[k].push(e.scales[k].to(y))
	}
	if e.guide != nil {
		e.guide.observe(y)
	}
	e.low, e.high = min(e.low, y), max(e.high, y)
}

// median is the middle of x, which it sorts; x must not be empty.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[n/2] + x[(n-1)/2]) / 2
}
