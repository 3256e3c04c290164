package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"rebound/internal/gp"

	"gonum.org/v1/gonum/floats"
)

// model is what is believed of one output.
type model struct {
	output Output

	seen    int // trials with this output that it knows
	learned int // of these, how many its hyper-parameters are from

	// members are likely processes: first those of the most probable
	// hyper-parameters, as many as there are forms of the output (plain, and
	// warped).
	members []member
	forms   int
	grids   []*gp.Grid // of the forms, over all settings of a list
	merged  [][]float64
}

// member is a process of an output in one form.
type member struct {
	*gp.GP
	warp warp
	form int
	// likelihood is the logarithm of that of the data by the best of the form, in
	// parts of perInput for each input.
	likelihood float64
}

// bends says whether an output may be warped: only where nothing but its limit
// counts, and noise and prior means need not be bent with it.
func (o Output) bends() bool {
	return o.Limit != nil && !o.Minimize && o.exact() && o.Mean == nil
}

// Hyper-parameters are learned again with every result up to refitAlways, then
// with every refitEvery-th: they hardly change any more, and what was solved can
// be kept.
const (
	refitAlways = 64
	refitEvery  = 8
)

// likely is how many likely processes of each form a probability is averaged over.
const likely = 6

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
	m.members, m.forms, m.grids = nil, 0, nil
	m.learned, m.merged = len(seen), d.X
	// The stream depends on what is learned from alone, so that results told in
	// between change nothing.
	rng := s.rngAt(alternativeStream, len(seen), index)
	if err := m.form(rng, d, warp{}); err != nil {
		return err
	}
	if m.output.bends() && !censored {
		if b, w, ok := bent(d, *m.output.Limit); ok {
			if err := m.form(rng, b, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// perInput is by how many observations of each input the likelihood of all is
// divided before forms are weighed by it. With the likelihood itself one form would
// soon have everything, and a part of the space that it wrongly gives no chance
// would never be tried.
const perInput = 10

// otherEvery is how often a noisy objective is drawn by another likely process than
// the most probable: one that takes a part of the front for noise would hide it for
// good. Without, one search in twenty ended far below the others.
const otherEvery = 4

// drawn is the process that a noisy objective is drawn by at a moment.
func (m *model) drawn(moment int) *gp.GP {
	if moment%otherEvery > 0 {
		return m.members[0].GP
	}
	return m.members[moment/otherEvery%len(m.members)].GP
}

// shares of members in averages; they add up to 1.
func (m *model) shares(members []member) []float64 {
	out, total := make([]float64, len(members)), 0.0
	for k, f := range members {
		of := 0.0
		for _, g := range members {
			if g.form == f.form {
				of++
			}
		}
		out[k] = math.Exp(f.likelihood-m.members[0].likelihood) / of
		total += out[k]
	}
	floats.Scale(1/total, out)
	return out
}

// surely is how well a given misfit is known, and over what it changes: half
// the unit cube, about. Variances of logarithms.
const surely = 0.5

// options say what is believed of an output before any trial.
func (o Output) options() gp.Options {
	out := gp.Options{Mean: o.Mean}
	if o.Misfit > 0 {
		out.Unit, out.Signal, out.Prior = o.Misfit, &gp.Prior{Variance: surely}, &gp.Prior{Mean: math.Log(0.5), Variance: surely}
	}
	return out
}

// form adds processes of one form of the output: the best to the forms, others,
// where a probability is asked for, to the end.
func (m *model) form(rng *rand.Rand, d gp.Data, w warp) error {
	g, err := gp.Fit(d, m.output.options())
	if err != nil {
		return err
	}
	likelihood := g.LogLikelihood() + w.logSlopes
	f := member{GP: g, warp: w, form: m.forms, likelihood: likelihood / float64(perInput*len(d.X[0]))}
	m.members = slices.Insert(m.members, m.forms, f)
	m.forms++
	if m.output.Limit == nil && (m.output.exact() || m.learned > refitAlways) {
		return nil
	}
	others, err := g.Alternatives(rng, likely)
	if err != nil {
		return err
	}
	for _, o := range others[1:] {
		f.GP = o
		m.members = append(m.members, f)
	}
	return nil
}

// extend conditions on one more trial under the hyper-parameters in force. A lower
// bound counts as if it were the value until they are learned again.
func (s *Search) extend(index int, t Trial) error {
	m := s.models[index]
	x := at(t.X, t.Level)
	for k, g := range m.members {
		noise, y := g.Noise(), g.warp.at(t.Results[index].Value)
		if m.output.Noise != nil {
			noise = *m.output.Noise * *m.output.Noise
		}
		if k < len(m.grids) {
			if err := m.grids[k].Append(x, y, noise); err != nil {
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
