package search

import (
	"math"
	"slices"
)

// Reason is why a setting is asked.
type Reason string

// Reasons.
const (
	Start       Reason = "start"       // before anything is known
	Exploit     Reason = "exploit"     // better than what was tried, as expected
	Explore     Reason = "explore"     // it is so uncertain that it may be better
	Feasibility Reason = "feasibility" // to learn where limits are met
	Confirm     Reason = "confirm"     // tried before: are limits met indeed?
)

// Suggestion is a setting to try.
type Suggestion struct {
	X      []float64
	Reason Reason
	// Met is the probability that all limits are met; NaN at the start.
	Met float64
	// Gain is the expected improvement of the hypervolume, counted where limits are
	// met: of one objective, in its own units. Where that is known, it is the saving
	// expected of all that the trial tells.
	Gain float64
	// Worth says whether Gain is at least the price of a trial. Where it is not, the
	// search is over unless the trial has another use.
	Worth bool
}

// propose asks n settings by what the models say.
func (s *Search) propose(n int) ([]Suggestion, error) {
	for j, m := range s.models {
		if m == nil {
			continue
		}
		if err := s.learn(j); err != nil {
			return nil, err
		}
		if m.seen == 0 {
			return s.blind(n), nil
		}
	}
	st := s.stand()
	first, err := s.see(st, s.candidates(st), depth{listed: s.problem.Settings != nil})
	if err != nil {
		return nil, err
	}
	if s.certifies() {
		return s.proposeCertified(st, first, n)
	}
	short := first.shortlist(s.problem)
	asked := len(s.pending)
	defer func() { s.pending = s.pending[:asked] }()
	var out []Suggestion
	for len(out) < n && len(short) > 0 {
		v, err := s.focus(st, short)
		if err != nil {
			return nil, err
		}
		best := v.best(1)
		if len(best) == 0 {
			break
		}
		sg := s.suggestion(st, v, best[0])
		out = append(out, sg)
		s.pending = append(s.pending, sg.X)
	}
	return out, nil
}

// proposeCertified is propose for problems of which certify knows the kind.
func (s *Search) proposeCertified(st standing, first *view, n int) ([]Suggestion, error) {
	asked := len(s.pending)
	defer func() { s.pending = s.pending[:asked] }()
	var out []Suggestion
	for len(out) < n {
		v, err := s.certify(st, first)
		if err != nil {
			return nil, err
		}
		v.refuse(s.problem.Harm)
		best := v.best(1)
		if len(best) == 0 {
			break
		}
		out = append(out, s.suggestion(st, v, best[0]))
		s.pending = append(s.pending, out[len(out)-1].X)
		if len(out) == n {
			break
		}
		// What is certified changes with what is being tried.
		if first, err = s.see(st, s.problem.Settings, depth{listed: true}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// blind are spread points, for when an output was never seen.
func (s *Search) blind(n int) []Suggestion {
	var out []Suggestion
	for _, x := range s.spread(2*s.problem.Dim + 2 + len(s.trials) + len(s.pending) + n) {
		if len(out) < n && !s.touched(x) {
			out = append(out, Suggestion{X: slices.Clone(x), Reason: Start, Met: math.NaN(), Worth: true})
		}
	}
	return out
}

// shortlist are the best candidates at a first look, and the best of those that
// seem harmless: the second look may think otherwise of both.
func (v *view) shortlist(p Problem) [][]float64 {
	k := shortlisted
	if p.Settings != nil {
		k = shortlistedOfAll
	}
	chosen := v.best(k)
	if p.Harm < 1 {
		v.refuse(p.Harm)
		for _, c := range v.best(k) {
			if !slices.Contains(chosen, c) {
				chosen = append(chosen, c)
			}
		}
	}
	return v.pick(chosen)
}

// noiseDraws is over how many draws of a noisy objective is averaged.
const noiseDraws = 24

// focus looks at few candidates in depth, and in a box at others around the best
// of them.
func (s *Search) focus(st standing, short [][]float64) (*view, error) {
	deep := depth{draws: noiseDraws, likely: true}
	v, err := s.see(st, short, deep)
	if err != nil {
		return nil, err
	}
	v.refuse(s.problem.Harm)
	if s.problem.Settings != nil {
		return v, nil
	}
	rng := s.rng(candidateStream, 1)
	for _, sd := range []float64{0.04, 0.01, 0.002} {
		around := near(rng, v.pick(v.best(8)), 25, sd)
		if len(around) == 0 {
			return v, nil
		}
		if v, err = s.see(st, append(around, v.pick(v.best(30))...), deep); err != nil {
			return nil, err
		}
		v.refuse(s.problem.Harm)
	}
	return v, nil
}

// suggestion says why candidate c is asked.
func (s *Search) suggestion(st standing, v *view, c int) Suggestion {
	sg := Suggestion{X: slices.Clone(v.points[c]), Met: math.Exp(v.met[c]), Gain: math.Exp(v.score[c])}
	sg.Worth = sg.Gain >= s.problem.Price
	switch {
	case slices.ContainsFunc(st.points, func(x []float64) bool { return slices.Equal(x, sg.X) }):
		sg.Reason = Confirm
	case sg.Met < 0.5 || !slices.ContainsFunc(st.met, func(p float64) bool { return p >= s.problem.Safe }):
		sg.Reason = Feasibility
	case v.sure(c) >= math.Exp(v.gain[c])/2:
		sg.Reason = Exploit
	default:
		sg.Reason = Explore
	}
	return sg
}
