package search

import (
	"rebound/internal/gp"
)

// model is what is believed of one output.
type model struct {
	output Output

	seen    int // trials with this output that it knows
	learned int // of these, how many its hyper-parameters are from

	// members are likely processes: the first has the most probable
	// hyper-parameters.
	members []*gp.GP
	grid    *gp.Grid // of the first, over all settings of a list
	merged  [][]float64
}

// Hyper-parameters are learned again with every result up to refitAlways, then
// with every refitEvery-th: they hardly change any more, and what was solved can
// be kept.
const (
	refitAlways = 64
	refitEvery  = 8
)

// likely is how many likely processes a probability is averaged over.
const likely = 8

// learn brings a model up to date with the trials told.
func (s *Search) learn(index int) error {
	m := s.models[index]
	var seen []int
	for i, t := range s.trials {
		if t.Results[index].Seen {
			seen = append(seen, i)
		}
	}
	if len(seen) == m.seen || len(seen) == 0 {
		return nil
	}
	learned := len(seen)
	if learned > refitAlways {
		learned -= learned % refitEvery
	}
	if learned != m.learned {
		if err := s.fit(index, seen[:learned]); err != nil {
			return err
		}
	}
	for _, i := range seen[max(m.seen, learned):] {
		if err := s.extend(index, s.trials[i]); err != nil {
			return err
		}
	}
	m.seen = len(seen)
	return nil
}

// fit learns hyper-parameters from the given trials.
func (s *Search) fit(index int, seen []int) error {
	m := s.models[index]
	var d gp.Data
	if m.output.Noise != nil {
		d.Noise = []float64{}
	}
	censored := false
	for _, i := range seen {
		r := s.trials[i].Results[index]
		d.X = append(d.X, at(s.trials[i].X, s.trials[i].Level))
		d.Y = append(d.Y, r.Value)
		d.Censored = append(d.Censored, r.AtLeast)
		censored = censored || r.AtLeast
		if m.output.Noise != nil {
			d.Noise = append(d.Noise, *m.output.Noise**m.output.Noise)
		}
	}
	if !censored {
		d.Censored = nil
	}
	d = d.Merged()
	g, err := gp.Fit(d, gp.Options{Mean: m.output.Mean})
	if err != nil {
		return err
	}
	m.members, m.grid, m.learned, m.merged = []*gp.GP{g}, nil, len(seen), d.X
	if m.output.Limit != nil {
		// The stream depends on what is learned from alone, so that results told in
		// between change nothing.
		rng := s.rngAt(alternativeStream, len(seen), index)
		if m.members, err = g.Alternatives(rng, likely); err != nil {
			return err
		}
	}
	return nil
}

// extend conditions on one more trial under the hyper-parameters in force. A lower
// bound counts as if it were the value until they are learned again.
func (s *Search) extend(index int, t Trial) error {
	m := s.models[index]
	x, y := at(t.X, t.Level), t.Results[index].Value
	for k, g := range m.members {
		noise := g.Noise()
		if m.output.Noise != nil {
			noise = *m.output.Noise * *m.output.Noise
		}
		if k == 0 && m.grid != nil {
			if err := m.grid.Append(x, y, noise); err != nil {
				return err
			}
		}
		if err := g.Append(x, y, noise); err != nil {
			return err
		}
	}
	m.merged = append(m.merged, x)
	return nil
}

// noise is the variance of a measurement.
func (m *model) noise() float64 {
	if m.output.Noise != nil {
		return *m.output.Noise * *m.output.Noise
	}
	return m.members[0].Noise()
}
