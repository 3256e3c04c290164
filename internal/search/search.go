package search

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Search is a search with its history. Methods must not be called at once.
type Search struct {
	problem Problem
	trials  []Trial
	pending [][]float64

	models []*model // by output; nil where it is known
}

// New is a search without trials.
func New(p Problem) (*Search, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p = p.withDefaults()
	s := &Search{problem: p, models: make([]*model, len(p.Outputs))}
	for i, o := range p.Outputs {
		if o.Known == nil {
			s.models[i] = &model{output: o}
		}
	}
	return s, nil
}

// Tell adds a trial. One that was asked is no longer pending. Trials at other
// levels may be told before or in between.
func (s *Search) Tell(t Trial) error {
	if err := s.problem.check(t); err != nil {
		return err
	}
	t = t.clone()
	if t.Level == nil {
		t.Level = slices.Clone(s.problem.Level)
	}
	if s.here(t) {
		if i := slices.IndexFunc(s.pending, func(x []float64) bool { return slices.Equal(x, t.X) }); i >= 0 {
			s.pending = slices.Delete(s.pending, i, i+1)
		}
	}
	s.trials = append(s.trials, t)
	return nil
}

// Pend says that x is being tried: for a search that goes on with an earlier
// one's history. What Ask returns is pending already.
func (s *Search) Pend(x []float64) error {
	if errs := cube(nil, "x", x, s.problem.Dim); len(errs) > 0 {
		return errs[0]
	}
	s.pending = append(s.pending, slices.Clone(x))
	return nil
}

// Pending are the settings that were asked, or said to be tried, and have no
// results yet.
func (s *Search) Pending() [][]float64 {
	out := make([][]float64, len(s.pending))
	for i, x := range s.pending {
		out[i] = slices.Clone(x)
	}
	return out
}

// Ask says what to try next, at most n settings, best first. Fewer where nothing
// else may be tried, as all settings are pending or too harmful.
func (s *Search) Ask(n int) ([]Suggestion, error) {
	var out []Suggestion
	for len(out) < n {
		x, ok := s.start()
		if !ok {
			break
		}
		s.pending = append(s.pending, x)
		out = append(out, Suggestion{X: slices.Clone(x), Reason: Start, Met: math.NaN(), Worth: true})
	}
	if len(out) == n {
		return out, nil
	}
	rest, err := s.propose(n - len(out))
	if err != nil {
		return nil, err
	}
	for _, r := range rest {
		s.pending = append(s.pending, slices.Clone(r.X))
	}
	return append(out, rest...), nil
}

// start is the next of the points that are tried before models say anything.
func (s *Search) start() ([]float64, bool) {
	points := s.problem.Start
	local := slices.ContainsFunc(s.trials, s.here)
	if points == nil && (len(s.trials) == 0 || local) {
		points = s.spread(2*s.problem.Dim + 2)
	}
	for _, x := range points {
		if !s.touched(x) {
			return slices.Clone(x), true
		}
	}
	return nil, false
}

// touched says whether x is pending or was tried at this level.
func (s *Search) touched(x []float64) bool {
	return slices.ContainsFunc(s.pending, func(y []float64) bool { return slices.Equal(x, y) }) ||
		slices.ContainsFunc(s.trials, func(t Trial) bool { return s.here(t) && slices.Equal(x, t.X) })
}

// here says whether a trial was at the level of the problem.
func (s *Search) here(t Trial) bool { return slices.Equal(t.Level, s.problem.Level) }

// at is a setting as the models see it: followed by the level.
func (s *Search) at(x []float64) []float64 { return at(x, s.problem.Level) }

func at(x, level []float64) []float64 {
	return append(append(make([]float64, 0, len(x)+len(level)), x...), level...)
}

// stream numbers separate what chance decides.
const (
	spreadStream = iota + 1
	candidateStream
	alternativeStream
	drawStream
)

// rng depends on what was told and is pending alone, so that a search can be
// taken up again. Other says which output or step it is for.
func (s *Search) rng(stream, other int) *rand.Rand {
	return s.rngAt(stream, len(s.trials)<<20+len(s.pending), other)
}

// rngAt is the random numbers of a stream at a moment.
func (s *Search) rngAt(stream, moment, other int) *rand.Rand {
	return rand.New(rand.NewPCG(s.problem.Seed<<8+uint64(stream), uint64(moment)<<8+uint64(other)))
}
