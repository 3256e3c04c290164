package trace

import (
	"cmp"
	"math"
	"slices"
)

// Subtask identifies who counted. It is what survives a restart: the TaskManager
// and the pod do not.
type Subtask struct{ Job, Vertex, Subtask string }

// Reading is one value of one subtask.
type Reading struct {
	At     float64 // s
	Of     Subtask
	Holder string  // TaskManager, pod or attempt that counted; empty: not recorded
	Value  float64 // NaN: missing
}

// Rate is how fast a counter rose between two readings. Where it is not known
// there is none.
type Rate struct {
	From, To  float64 // s
	PerSecond float64
}

// gap is how many usual steps between two readings are too many: one scrape may
// fail, but behind two a restart can hide whose new count already passed the old.
const gap = 2.5

// Rates turns cumulative counters into rates, by subtask. Nothing is said of a
// time in which the counter was reset, changed its holder, or was not read:
// a difference across a reset is negative, and one across a gap smears the
// downtime over the work around it.
func Rates(readings []Reading) map[Subtask][]Rate {
	out := map[Subtask][]Rate{}
	for of, rs := range bySubtask(readings) {
		longest := gap * usualStep(rs)
		rates := []Rate{}
		for i := 1; i < len(rs); i++ {
			a, b := rs[i-1], rs[i]
			if b.At > a.At && b.At-a.At <= longest && b.Holder == a.Holder && b.Value >= a.Value {
				rates = append(rates, Rate{a.At, b.At, (b.Value - a.Value) / (b.At - a.At)})
			}
		}
		out[of] = rates
	}
	return out
}

// bySubtask sorts by time and leaves out what is missing.
func bySubtask(readings []Reading) map[Subtask][]Reading {
	out := map[Subtask][]Reading{}
	for _, r := range readings {
		if !math.IsNaN(r.Value) && !math.IsNaN(r.At) {
			out[r.Of] = append(out[r.Of], r)
		}
	}
	for _, rs := range out {
		slices.SortStableFunc(rs, func(a, b Reading) int { return cmp.Compare(a.At, b.At) })
	}
	return out
}

// usualStep is the median time between readings.
func usualStep(rs []Reading) float64 {
	var steps []float64
	for i := 1; i < len(rs); i++ {
		if d := rs[i].At - rs[i-1].At; d > 0 {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// TotalRate is the rate of all subtasks together just before each of at, which
// ascends. It is NaN where the rate of a subtask is not known that was read
// before and is read again: part of a sum is not the sum.
func TotalRate(readings []Reading, at []float64) []float64 {
	total := make([]float64, len(at))
	covered := make([]bool, len(at))
	lives := bySubtask(readings)
	for of, rates := range Rates(readings) {
		life := lives[of]
		from, to := life[0].At, life[len(life)-1].At
		k := 0
		for i, t := range at {
			if t <= from || t > to {
				continue
			}
			for k < len(rates) && rates[k].To < t {
				k++
			}
			covered[i] = true
			if k < len(rates) && rates[k].From < t {
				total[i] += rates[k].PerSecond
			} else {
				total[i] = math.NaN()
			}
		}
	}
	for i := range total {
		if !covered[i] {
			total[i] = math.NaN()
		}
	}
	return total
}

// Restarts counts, up to each of at, the moments at which a subtask was found
// anew: with another holder, or with a counter that had begun again. A gauge
// falls of itself, so give counters.
func Restarts(readings []Reading, at []float64) []float64 {
	anew := map[float64]bool{}
	for _, rs := range bySubtask(readings) {
		for i := 1; i < len(rs); i++ {
			if rs[i].Holder != rs[i-1].Holder || rs[i].Value < rs[i-1].Value {
				anew[rs[i].At] = true
			}
		}
	}
	out := make([]float64, len(at))
	count := 0.0
	for i, t := range at {
		if anew[t] {
			count++
		}
		out[i] = count
	}
	return out
}

// Total is the sum of a gauge over all subtasks at each of at, which ascends;
// NaN where a subtask that was read before and is read again was not read then.
func Total(readings []Reading, at []float64) []float64 {
	return over(readings, at, func(a, b float64) float64 { return a + b })
}

// Worst is the largest value of a gauge over all subtasks, NaN as in Total.
func Worst(readings []Reading, at []float64) []float64 {
	return over(readings, at, func(a, b float64) float64 { return max(a, b) })
}

func over(readings []Reading, at []float64, join func(a, b float64) float64) []float64 {
	out := make([]float64, len(at))
	seen := make([]bool, len(at))
	for _, life := range bySubtask(readings) {
		k := 0
		for i, t := range at {
			if t < life[0].At || t > life[len(life)-1].At {
				continue
			}
			for life[k].At < t {
				k++
			}
			v := math.NaN()
			if life[k].At == t {
				v = life[k].Value
			}
			if seen[i] {
				v = join(out[i], v)
			}
			out[i], seen[i] = v, true
		}
	}
	for i := range out {
		if !seen[i] {
			out[i] = math.NaN()
		}
	}
	return out
}
