package search

import (
	"cmp"
	"math"
	"slices"

	"rebound/internal/pareto"
)

// Choice is a setting that was tried and what is believed of it.
type Choice struct {
	X          []float64
	Met        float64   // probability that all limits are met
	Objectives []float64 // as believed
}

// Front are the tried settings that are safe (Met ≥ Safe) and that no other safe
// one dominates, by the first objective ascending.
func (s *Search) Front() ([]Choice, error) {
	for j, m := range s.models {
		if m == nil {
			continue
		}
		if err := s.learn(j); err != nil {
			return nil, err
		}
	}
	return s.choices(s.stand()), nil
}

// Recommend is the safe tried setting with the least first objective. Where none
// is safe it is the one that most probably is, and false.
func (s *Search) Recommend() (Choice, bool, error) {
	front, err := s.Front()
	if err != nil {
		return Choice{}, false, err
	}
	if len(front) > 0 {
		return front[0], true, nil
	}
	st := s.stand()
	best := -1
	for i, p := range st.met {
		if best < 0 || p > st.met[best] {
			best = i
		}
	}
	if best < 0 {
		return Choice{}, false, nil
	}
	return s.choice(st, best), false, nil
}

func (s *Search) choices(st standing) []Choice {
	var out []Choice
	for _, i := range s.frontOf(st) {
		out = append(out, s.choice(st, i))
	}
	slices.SortStableFunc(out, func(a, b Choice) int { return cmp.Compare(a.Objectives[0], b.Objectives[0]) })
	return out
}

// frontOf are the indices, in the standing, of the safe front.
func (s *Search) frontOf(st standing) []int {
	var safe []int
	var points [][]float64
	for i, p := range st.met {
		c := s.choice(st, i)
		if p >= s.problem.Safe && !slices.ContainsFunc(c.Objectives, math.IsNaN) {
			safe, points = append(safe, i), append(points, c.Objectives)
		}
	}
	var out []int
	for _, k := range pareto.Front(points) {
		out = append(out, safe[k])
	}
	return out
}

// choice is what is believed of tried setting i. An objective that was not seen
// is NaN, which no front takes.
func (s *Search) choice(st standing, i int) Choice {
	c := Choice{X: slices.Clone(st.points[i]), Met: st.met[i]}
	for j, o := range s.problem.Outputs {
		if !o.Minimize {
			continue
		}
		y, ok := s.value(st.trials[i], j)
		if !ok {
			y = math.NaN()
		}
		c.Objectives = append(c.Objectives, y)
	}
	return c
}
