package search

import (
	"cmp"
	"math"
	"slices"

	"rebound/internal/gp"

	"gonum.org/v1/gonum/mathext"
)

// saving is the criterion where one known objective is minimized under limits that
// are learned, in a list of settings: by how much a trial is expected to lower the
// cost of the cheapest setting that is certified, which is one whose limits are
// met with a probability of at least Safe, tried or not. Unlike the improvement by
// the tried setting itself it counts what a trial tells of others, as that another
// checkpoint interval is better everywhere. It is the knowledge gradient of P. I.
// Frazier, W. B. Powell and S. Dayanik, The Knowledge-Gradient Policy for
// Correlated Normal Beliefs, INFORMS Journal on Computing 21(4), 2009, with the
// least certified cost as the value.
type saving struct {
	cost   []float64 // of the places, ascending: settings that could become the cheapest
	now    float64   // least certified cost
	z      float64   // quantile of Safe
	limits []certified
}

// certified is a limited output at the places.
type certified struct {
	limit float64
	noise float64
	doubt float64
	grid  *gp.Grid
}

// after is the expected saving by a trial at x, in units of the objective.
func (v saving) after(x []float64) (float64, error) {
	shift := make([][]float64, len(v.limits))
	spread := make([][]float64, len(v.limits))
	for j, l := range v.limits {
		mean, variance := l.grid.GP().Predict(x)
		// The observation is one standard deviation of it above what is expected: by
		// how much the means then move says how they move for any.
		g := l.grid.Clone()
		if err := g.Append(x, mean+math.Sqrt(variance+l.noise), l.noise); err != nil {
			return 0, err
		}
		shift[j], spread[j] = g.Mean, g.Variance
		for i := range shift[j] {
			shift[j][i] = (shift[j][i] - l.grid.Mean[i]) * l.doubt
			spread[j][i] = l.limit - l.grid.Mean[i] - v.z*l.doubt*math.Sqrt(spread[j][i])
		}
	}
	// Outputs are independent: each runs through the quantiles in its own order.
	strides := [...]int{1, 3, 7, 9}
	total := 0.0
	q := quantiles()
	for k := range q {
		total += max(0, v.now-v.least(func(i int) bool {
			for j := range shift {
				if shift[j][i]*q[k*strides[j%len(strides)]%len(q)] > spread[j][i] {
					return false
				}
			}
			return true
		}))
	}
	return total / float64(len(q)), nil
}

// least is the least cost of a place that is certified.
func (v saving) least(certified func(place int) bool) float64 {
	for i, cost := range v.cost {
		if cost >= v.now {
			break
		}
		if certified(i) {
			return cost
		}
	}
	return v.now
}

// quantiles of the standard normal distribution that stand for it: the middles of
// ten equal shares.
func quantiles() [10]float64 {
	return [...]float64{-1.6449, -1.0364, -0.6745, -0.3853, -0.1257, 0.1257, 0.3853, 0.6745, 1.0364, 1.6449}
}

// How many settings at most could become the cheapest and how many trials are
// compared: some of each class of cost.
const (
	classes    = 50
	placesEach = 24
	trialsEach = 4
)

// certify looks at what may be tried next: what is certified and cheaper than what
// is known to be safe by more than the price, or else whatever may save.
func (s *Search) certify(st standing, first *view) (*view, error) {
	cost, safe := s.costs(), math.Log(s.problem.Safe)
	order := ascending(cost)
	now, have := s.refs()[0], s.refs()[0]
	for _, i := range order {
		if first.met[i] >= safe {
			now = cost[i]
			break
		}
	}
	for _, c := range s.choices(st) {
		have = min(have, c.Objectives[0])
	}
	if now < have-s.problem.Price && !s.problem.Harmless {
		for i, met := range first.met {
			if met < safe {
				first.score[i] = math.Inf(-1)
			}
		}
		return s.see(st, first.pick(first.best(shortlisted)), depth{likely: true})
	}
	v, err := s.see(st, first.pick(first.trials(order)), depth{likely: true})
	if err != nil {
		return nil, err
	}
	w, err := first.saving(s, order, cost)
	if err != nil {
		return nil, err
	}
	w.now = now
	return v, s.weigh(v, w)
}

// caution is the power of the probability that limits are met by which an expected
// saving is multiplied: a trial that violates one harms, and where several would
// save alike the safer is better. With 1 half as many settings again were
// violated on the way, with more trials to the same cost.
const caution = 3

// weigh replaces the scores by expected savings.
func (s *Search) weigh(v *view, w saving) error {
	power := float64(caution)
	if s.problem.Harmless {
		power = 0
	}
	for c, x := range v.points {
		if math.IsInf(v.met[c], -1) || c < v.fixed {
			v.score[c] = math.Inf(-1)
			continue
		}
		gain, err := w.after(s.at(x))
		if err != nil {
			return err
		}
		v.score[c] = math.Log(gain)
		if power > 0 {
			v.score[c] += power * v.met[c]
		}
	}
	return nil
}

// trials are some of each class of cost that most probably meet the limits.
func (v *view) trials(order []int) []int {
	var out []int
	for class := range slices.Chunk(order, max(1, len(order)/classes)) {
		out = append(out, v.probable(class, trialsEach)...)
	}
	return out
}

// saving is what a trial may save, given the first look.
func (v *view) saving(s *Search, order []int, cost []float64) (saving, error) {
	w := saving{z: mathext.NormalQuantile(s.problem.Safe)}
	var inputs [][]float64
	for class := range slices.Chunk(order, max(1, len(order)/classes)) {
		some := v.probable(class, placesEach)
		slices.SortStableFunc(some, func(a, b int) int { return cmp.Compare(cost[a], cost[b]) })
		for _, i := range some {
			w.cost = append(w.cost, cost[i])
			inputs = append(inputs, s.at(v.points[i]))
		}
	}
	for j, o := range s.problem.Outputs {
		if o.Limit != nil && o.Known == nil {
			m := s.models[j]
			grid := m.members[0].Grid(inputs)
			for _, x := range s.pending {
				if err := grid.Believe(s.at(x), m.noise()); err != nil {
					return saving{}, err
				}
			}
			w.limits = append(w.limits, certified{
				limit: *o.Limit, noise: m.noise(), doubt: s.doubt(j, depth{}), grid: grid,
			})
		}
	}
	return w, nil
}

// probable are the k of some candidates that most probably meet all limits.
func (v *view) probable(some []int, k int) []int {
	out := slices.Clone(some)
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(v.met[b], v.met[a]) })
	return out[:min(k, len(out))]
}

func ascending(cost []float64) []int {
	order := make([]int, len(cost))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cost[a], cost[b]) })
	return order
}

// costs are the known objective of all settings.
func (s *Search) costs() []float64 {
	i := slices.IndexFunc(s.problem.Outputs, func(o Output) bool { return o.Minimize })
	out := make([]float64, len(s.problem.Settings))
	for k, x := range s.problem.Settings {
		out[k] = s.problem.Outputs[i].Known(x)
	}
	return out
}

// refs are the worst values that count.
func (s *Search) refs() []float64 {
	var out []float64
	for _, o := range s.problem.Outputs {
		if o.Minimize {
			out = append(out, o.Ref)
		}
	}
	return out
}

// certifies says whether the problem is of the kind that saving is for.
func (s *Search) certifies() bool {
	learned := false
	for _, o := range s.problem.Outputs {
		if o.Minimize && o.Known == nil {
			return false
		}
		learned = learned || o.Limit != nil && o.Known == nil
	}
	return learned && s.problem.Settings != nil && len(s.refs()) == 1
}
