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
		if !e.present(i) {
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

// mean fills path with the combined forecast.
func (e *engine) mean(path []float64) {
	e.predict(len(path))
	clear(path)
	for h := range path {
		a, share := e.grid.place(h + 1)
		for i := range e.paths {
			if !e.present(i) {
				continue
			}
			w := e.mix.weights[i][a]
			if share > 0 {
				w += share * (e.mix.weights[i][a+1] - w)
			}
			path[h] += w * e.paths[i][h]
		}
	}
}

// origin makes the forecasts of this moment. One that is to be scored goes to the
// horizon's end and is kept.
func (e *engine) origin(scored bool, watch *calibration) {
	if !scored {
		e.predict(1)
		return
	}
	path := make([]float64, e.last())
	e.mean(path)
	if watch != nil {
		watch.bet(path)
	}
	w := wager{values: make([][]float64, len(e.grid))}
	flat := make([]float64, len(e.grid)*len(e.paths))
	for g, h := range e.grid {
		w.values[g], flat = flat[:len(e.paths)], flat[len(e.paths):]
		for i := range e.paths {
			w.values[g][i] = math.NaN()
			if e.present(i) {
				w.values[g][i] = e.paths[i][h-1]
			}
		}
	}
	e.open = append(e.open, w)
}

// one is the combined forecast of the next step, of the paths that origin made.
func (e *engine) one() float64 {
	var sum float64
	for i := range e.paths {
		if e.present(i) {
			sum += e.mix.weights[i][0] * e.paths[i][0]
		}
	}
	return sum
}

// step compares y with what was forecast for it and learns it. It returns what was
// forecast one step ahead.
func (e *engine) step(y float64) float64 {
	one := e.one()
	kept := e.open[:0]
	for _, w := range e.open {
		w.age++
		if w.age == e.grid[w.next] {
			e.score(w.next, w.values[w.next], y)
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
	e.reweigh()
	return one
}

// score compares what members forecast at the place g of the grid with y.
func (e *engine) score(g int, values []float64, y float64) {
	e.sort = e.sort[:0]
	for _, v := range values {
		if !math.IsNaN(v) {
			e.sort = append(e.sort, v)
		}
	}
	if len(e.sort) == 0 {
		return
	}
	ref := math.Abs(median(e.sort) - y)
	for i, v := range values {
		if !math.IsNaN(v) {
			e.mix.score(i, g, math.Abs(v-y), ref)
		}
	}
}

// median is the middle of x, which it sorts; x must not be empty.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[n/2] + x[(n-1)/2]) / 2
}
