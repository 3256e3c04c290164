package recovery

import (
	"cmp"
	"math"
	"slices"
)

// Sample is a distribution of recoveries, drawn from a Scenario.
type Sample struct {
	draws []draw
	order []int // of draws, the soonest first
	scale float64
}

func newSample(draws []draw, scale float64) Sample {
	order := make([]int, len(draws))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(draws[i].time.Compare(draws[j].time), cmp.Compare(i, j))
	})
	if !(scale > 0) {
		scale = 1
	}
	return Sample{draws, order, scale}
}

// Quantile is the time within which a share p of the recoveries end, p from 0 to
// 1, interpolated between draws; those that never end come last. A sample of
// nothing never ends.
func (s Sample) Quantile(p float64) Time {
	t, median := s.raw(p), s.raw(0.5)
	if s.scale == 1 || t.Outcome != Recovers || median.Outcome != Recovers || !(median.Seconds > 0) {
		return t
	}
	return ends(median.Seconds * math.Pow(t.Seconds/median.Seconds, s.scale))
}

// raw is the quantile before it is stretched.
func (s Sample) raw(p float64) Time {
	if len(s.draws) == 0 {
		return Time{Outcome: Never}
	}
	at := min(1, max(0, p)) * float64(len(s.draws)-1)
	i := int(at)
	t, share := s.draws[s.order[i]].time, at-float64(i)
	if share == 0 || t.Outcome != Recovers {
		return t
	}
	next := s.draws[s.order[i+1]].time
	if next.Outcome != Recovers {
		return next
	}
	return Time{Seconds: t.Seconds + share*(next.Seconds-t.Seconds)}
}

// Recovered is the share of recoveries that end.
func (s Sample) Recovered() float64 {
	if len(s.draws) == 0 {
		return 0
	}
	n := 0
	for _, d := range s.draws {
		if d.time.Outcome == Recovers {
			n++
		}
	}
	return float64(n) / float64(len(s.draws))
}

// Decisive is the subtask that is most often done last, the first of equals; -1
// without subtasks.
func (s Sample) Decisive() int {
	counts := map[int]int{}
	best := -1
	for _, d := range s.draws {
		counts[d.decisive]++
		if n, most := counts[d.decisive], counts[best]; n > most || n == most && d.decisive < best {
			best = d.decisive
		}
	}
	return best
}

// MedianPhases are the phases of a recovery of median length: those of the
// downtime as the Scenario has them, the slowest subtask's lag being in the last
// of them, then replay and catch-up. They are means over the tenth of the draws
// around the median, brought to add up to it. Not ok: the median never ends.
func (s Sample) MedianPhases() (phases []float64, ok bool) {
	median := s.Quantile(0.5)
	if median.Outcome != Recovers {
		return nil, false
	}
	phases = make([]float64, len(s.draws[0].phases)+2)
	n := len(s.draws)
	for _, i := range s.order[n/2-n/20 : min(n/2+n/20+1, n)] {
		if s.draws[i].time.Outcome == Recovers {
			s.draws[i].addPhases(phases)
		}
	}
	total := 0.0
	for _, v := range phases {
		total += v
	}
	if total == 0 {
		return phases, true
	}
	rest := median.Seconds
	for i := range phases {
		phases[i] *= median.Seconds / total
		rest -= phases[i]
	}
	last := len(phases) - 1
	phases[last] = max(0, phases[last]+rest) // what rounding leaves
	return phases, true
}

// addPhases adds the phases of the slowest subtask to sum.
func (d draw) addPhases(sum []float64) {
	n := len(d.phases)
	lag := d.slowest.Downtime - d.downtime
	for k, v := range d.phases {
		if k == n-1 {
			v += lag
		}
		sum[k] += v
	}
	replay, catchUp := d.slowest.Phases()
	if n == 0 {
		replay.Seconds += lag // there is no other phase for it
	}
	sum[n] += replay.Seconds
	sum[n+1] += catchUp.Seconds
}
