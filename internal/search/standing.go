package search

import (
	"math"
	"slices"

	"rebound/internal/normal"
)

// standing is what is believed of the trials at the level of the problem.
type standing struct {
	trials []int       // indices of trials at this level, one for each setting
	points [][]float64 // their settings
	met    []float64   // probability that all limits are met
}

// stand judges what was tried.
func (s *Search) stand() standing {
	var st standing
	for i, t := range s.trials {
		if s.here(t) && !slices.ContainsFunc(st.points, func(x []float64) bool { return slices.Equal(x, t.X) }) {
			st.trials = append(st.trials, i)
			st.points = append(st.points, t.X)
		}
	}
	st.met = make([]float64, len(st.points))
	for i := range st.points {
		st.met[i] = s.meets(st.trials[i])
	}
	return st
}

// meets is the probability that the setting of a trial meets all limits. Exact
// measurements are believed as they are.
func (s *Search) meets(trial int) float64 {
	t, p := s.trials[trial], 1.0
	for j, o := range s.problem.Outputs {
		r := t.Results[j]
		switch {
		case o.Limit == nil:
		case o.Known != nil:
			p *= step(o.Known(t.X), *o.Limit)
		case o.exact() && r.Seen && !r.AtLeast:
			p *= step(r.Value, *o.Limit)
		default:
			p *= s.models[j].meets(at(t.X, t.Level))
		}
	}
	return p
}

// step is the probability that a known value meets a limit.
func step(value, limit float64) float64 {
	if value <= limit {
		return 1
	}
	return 0
}

// meets is the probability that the limit is met at x: the average over likely
// processes.
func (m *model) meets(x []float64) float64 {
	p := 0.0
	for k, share := range m.shares(m.members) {
		mean, variance := m.members[k].Predict(x)
		p += share * normal.CDF((*m.output.Limit-mean)/math.Sqrt(variance))
	}
	return p
}

// value is what an objective is believed to be at a tried setting; false where it
// was not seen.
func (s *Search) value(trial, output int) (float64, bool) {
	t, o := s.trials[trial], s.problem.Outputs[output]
	switch r := t.Results[output]; {
	case o.Known != nil:
		return o.Known(t.X), true
	case !r.Seen:
		return 0, false
	case o.exact():
		return r.Value, true
	}
	mean, _ := s.models[output].members[0].Predict(at(t.X, t.Level))
	return mean, true
}
