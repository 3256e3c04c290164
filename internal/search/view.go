package search

import (
	"cmp"
	"math"
	"slices"

	"rebound/internal/gp"
	"rebound/internal/normal"
	"rebound/internal/pareto"

	"gonum.org/v1/gonum/floats"
)

// view is what is believed of candidates, given the trials and what is pending.
type view struct {
	points [][]float64 // what is pending, then the candidates
	fixed  int         // how many are pending

	gain  []float64           // log of the expected improvement
	met   []float64           // log of the probability that all limits are met
	score []float64           // log of their product; -Inf where it must not be asked
	sure  func(c int) float64 // improvement by a candidate if all were as expected
}

// depth is how much trouble a view takes.
type depth struct {
	draws  int  // of what the tried settings truly do; 0: their means
	likely bool // probabilities over all likely processes, not the first alone
	listed bool // the candidates are all settings of the list
}

// see looks at candidates.
func (s *Search) see(st standing, candidates [][]float64, d depth) (*view, error) {
	v := &view{points: slices.Concat(s.pending, candidates), fixed: len(s.pending)}
	if d.listed {
		v.points, v.fixed = candidates, 0
	}
	inputs := make([][]float64, len(v.points))
	for c, x := range v.points {
		inputs[c] = s.at(x)
	}
	v.met = make([]float64, len(v.points))
	var objectives []objective
	for j, o := range s.problem.Outputs {
		grids, err := s.grids(j, inputs, d)
		if err != nil {
			return nil, err
		}
		if o.Limit != nil {
			v.limit(o, grids, s.shares(j, d), s.doubt(j, d))
		}
		if o.Minimize {
			obj, err := s.objective(st, j, inputs, grids, d)
			if err != nil {
				return nil, err
			}
			objectives = append(objectives, obj)
		}
	}
	if err := v.improve(s, st, objectives); err != nil {
		return nil, err
	}
	v.judge(s, st)
	return v, nil
}

// grids are the predictions of an output by its likely processes, what is pending
// believed.
func (s *Search) grids(j int, inputs [][]float64, d depth) ([]*gp.Grid, error) {
	m := s.models[j]
	if m == nil {
		return nil, nil
	}
	members := m.members
	if !d.likely || m.output.Limit == nil {
		members = members[:m.forms]
	}
	var grids []*gp.Grid
	for k, g := range members {
		var grid *gp.Grid
		switch {
		case !d.listed:
			grid = g.Grid(inputs)
		case k == len(m.grids):
			m.grids = append(m.grids, g.Grid(inputs))
			fallthrough
		default:
			grid = m.grids[k]
		}
		if d.listed && len(s.pending) > 0 {
			grid = grid.Clone()
		}
		for _, x := range s.pending {
			if err := grid.Believe(s.at(x), m.noise()); err != nil {
				return nil, err
			}
		}
		grids = append(grids, grid)
	}
	return grids, nil
}

// shares are the logarithms of the shares of the processes that grids returns.
func (s *Search) shares(j int, d depth) []float64 {
	m := s.models[j]
	if m == nil {
		return nil
	}
	members := m.members
	if !d.likely {
		members = members[:m.forms]
	}
	out := m.shares(members)
	for k, share := range out {
		out[k] = math.Log(share)
	}
	return out
}

// doubt is by how much the standard deviations of the most probable process alone
// are too small, roughly: 2 at ten observations of four inputs. There 3 was
// measured; the rest is left to the second look.
func (s *Search) doubt(j int, d depth) float64 {
	m := s.models[j]
	if m == nil || d.likely {
		return 1
	}
	inputs := s.problem.Dim + len(s.problem.Level)
	return math.Sqrt(1 + 8*float64(inputs)/float64(m.seen))
}

// limit adds the log probability that a limit is met, with standard deviations
// multiplied by doubt.
func (v *view) limit(o Output, grids []*gp.Grid, shares []float64, doubt float64) {
	for c, x := range v.points {
		if grids == nil {
			v.met[c] += math.Log(step(o.Known(x), *o.Limit))
			continue
		}
		total := math.Inf(-1)
		for k, g := range grids {
			total = logAdd(total, shares[k]+normal.LogCDF((*o.Limit-g.Mean[c])/(doubt*math.Sqrt(g.Variance[c]))))
		}
		v.met[c] += total
	}
}

// improve computes the expected improvement.
func (v *view) improve(s *Search, st standing, objectives []objective) error {
	draws := 1
	ref := s.refs()
	for _, o := range objectives {
		draws = max(draws, len(o.mean))
	}
	regions, means := make([]*pareto.Region, draws), make([][][]float64, draws)
	variance := make([][]float64, len(objectives))
	for k := range draws {
		for j, o := range objectives {
			means[k] = append(means[k], o.mean[k%len(o.mean)])
			variance[j] = o.variance
		}
		var err error
		if regions[k], err = pareto.NewRegion(v.front(s, st, objectives, k), ref); err != nil {
			return err
		}
	}
	v.gain = make([]float64, len(v.points))
	pareto.LogMeanImprovements(v.gain, regions, means, variance)
	v.sure = func(c int) float64 {
		total, y := 0.0, make([]float64, len(ref))
		for k, r := range regions {
			for j := range y {
				y[j] = means[k][j][c]
			}
			total += r.Gain(y) / float64(draws)
		}
		return total
	}
	return nil
}

// front are the objectives, by draw k, of tried settings that are safe and of
// pending ones that probably are.
func (v *view) front(s *Search, st standing, objectives []objective, k int) [][]float64 {
	var out [][]float64
	for i, p := range st.met {
		if p < s.problem.Safe {
			continue
		}
		y := make([]float64, len(objectives))
		for j, o := range objectives {
			y[j] = o.value[k%len(o.value)][i]
		}
		out = append(out, y)
	}
	for c := range v.fixed {
		if v.met[c] < math.Log(0.5) {
			continue
		}
		y := make([]float64, len(objectives))
		for j, o := range objectives {
			y[j] = o.mean[k%len(o.mean)][c]
		}
		out = append(out, y)
	}
	return out
}

// judge scores what may be asked: not what is pending, and not again what was
// measured exactly.
func (v *view) judge(s *Search, st standing) {
	again := slices.ContainsFunc(s.problem.Outputs, func(o Output) bool { return !o.exact() })
	tried := map[string]bool{}
	for _, x := range st.points {
		tried[key(x)] = !again
	}
	for _, x := range s.pending {
		tried[key(x)] = true
	}
	v.score = make([]float64, len(v.points))
	floats.AddTo(v.score, v.gain, v.met)
	for c, x := range v.points {
		if c < v.fixed || math.IsNaN(v.score[c]) || tried[key(x)] {
			v.score[c] = math.Inf(-1)
		}
	}
}

// refuse takes out what is too harmful.
func (v *view) refuse(harm float64) {
	for c, met := range v.met {
		if -math.Expm1(met) > harm {
			v.score[c] = math.Inf(-1)
		}
	}
}

// best are the indices of the k best scores, best first, and fewer where no more
// may be asked.
func (v *view) best(k int) []int {
	order := make([]int, 0, len(v.points))
	for c, score := range v.score {
		if !math.IsInf(score, -1) {
			order = append(order, c)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(v.score[b], v.score[a]), cmp.Compare(a, b))
	})
	return order[:min(k, len(order))]
}

// pick are the candidates of the given indices.
func (v *view) pick(indices []int) [][]float64 {
	out := make([][]float64, len(indices))
	for i, c := range indices {
		out[i] = v.points[c]
	}
	return out
}

// logAdd is log(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	a, b = max(a, b), min(a, b)
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
