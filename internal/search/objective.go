package search

import (
	"math"
	"slices"

	"rebound/internal/gp"
)

// objective is what is believed of one objective: mean[k][c] for draw k and
// candidate c, value[k][i] at tried setting i.
type objective struct {
	mean     [][]float64
	variance []float64
	value    [][]float64
}

// objective is what is believed of output j.
func (s *Search) objective(st standing, j int, inputs [][]float64, grids []*gp.Grid, d depth) (objective, error) {
	o := s.problem.Outputs[j]
	obj := objective{variance: make([]float64, len(inputs)), value: [][]float64{make([]float64, len(st.points))}}
	for i, t := range st.trials {
		obj.value[0][i] = math.NaN() // never part of a front
		if y, ok := s.value(t, j); ok {
			obj.value[0][i] = y
		}
	}
	switch {
	case o.Known != nil:
		mean := make([]float64, len(inputs))
		for c, x := range inputs {
			mean[c] = o.Known(x[:s.problem.Dim])
		}
		obj.mean = [][]float64{mean}
	case o.exact() || d.draws == 0:
		obj.mean, obj.variance = [][]float64{grids[0].Mean}, grids[0].Variance
	default:
		return s.draw(st, j, inputs, d.draws)
	}
	return obj, nil
}

// draw is an objective as several functions that could be the true one.
func (s *Search) draw(st standing, j int, inputs [][]float64, draws int) (objective, error) {
	m, rng := s.models[j], s.rng(drawStream, j)
	dr := m.drawn(len(s.trials)+len(s.pending)).Draw(rng, inputs, draws)
	for i := range s.pending {
		if err := dr.Append(rng, inputs[i]); err != nil {
			return objective{}, err
		}
	}
	obj := objective{mean: dr.Mean, variance: dr.Variance}
	for _, values := range dr.Values {
		row := make([]float64, len(st.points))
		for i, x := range st.points {
			row[i] = math.NaN()
			u := s.at(x)
			if k := slices.IndexFunc(m.merged, func(y []float64) bool { return slices.Equal(u, y) }); k >= 0 {
				row[i] = values[k]
			}
		}
		obj.value = append(obj.value, row)
	}
	return obj, nil
}
