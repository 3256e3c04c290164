package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// grid lists k × k settings of the unit square.
func grid(k int) [][]float64 {
	var out [][]float64
	for i := range k {
		for j := range k {
			out = append(out, []float64{float64(i) / float64(k-1), float64(j) / float64(k-1)})
		}
	}
	return out
}

// shop is a list of settings whose cost is known, x + y + 1, and of which 2 - x - y
// must be at most 1 (so that x + y ≥ 1), seen with noise.
func shop() Problem {
	return Problem{
		Settings: grid(21), Seed: 3, Start: [][]float64{{1, 1}},
		Outputs: []Output{
			{Name: "cost", Minimize: true, Ref: 4, Known: func(x []float64) float64 { return x[0] + x[1] + 1 }},
			{Name: "time", Limit: new(1.0), Noise: new(0.02)},
		},
	}
}

// serve tries x in the shop.
func serve(x []float64, rng *rand.Rand) Trial {
	return Trial{X: x, Results: []Result{{}, Seen(2 - x[0] - x[1] + 0.02*rng.NormFloat64())}}
}

// disc is a box with two objectives and an exact limit: distances from two corners
// within a disc.
func disc(seed uint64) Problem {
	return Problem{Dim: 2, Seed: seed, Outputs: []Output{
		{Name: "a", Minimize: true, Ref: 1.5, Noise: new(0.0)},
		{Name: "b", Minimize: true, Ref: 1.5, Noise: new(0.0)},
		{Name: "in", Limit: new(0.0), Noise: new(0.0)},
	}}
}

func throw(x []float64) Trial {
	return Trial{X: x, Results: []Result{
		Seen(math.Hypot(x[0], x[1]-1)), Seen(math.Hypot(x[0]-1, x[1])),
		Seen(math.Hypot(x[0]-0.5, x[1]-0.5) - 0.4),
	}}
}

func begin(t *testing.T, p Problem) *Search {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ask(t *testing.T, s *Search, n int) []Suggestion {
	t.Helper()
	out, err := s.Ask(n)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func tell(t *testing.T, s *Search, trials ...Trial) {
	t.Helper()
	for _, tr := range trials {
		if err := s.Tell(tr); err != nil {
			t.Fatal(err)
		}
	}
}

// The cheapest setting with x + y ≥ 1 costs 2; by the line there is one every 0.05.
func TestFindsTheCheapestThatMeetsTheLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := begin(t, shop())
	for range 15 {
		for _, a := range ask(t, s, 1) {
			tell(t, s, serve(a.X, rng))
		}
	}
	c, safe, err := s.Recommend()
	if err != nil || !safe {
		t.Fatalf("recommended %+v, %v, %v", c, safe, err)
	}
	if c.Objectives[0] > 2.11 || c.X[0]+c.X[1] < 1-1e-9 {
		t.Errorf("recommended %v at cost %g, want the cheapest with x + y ≥ 1, cost 2", c.X, c.Objectives[0])
	}
}

// A search that is given an earlier one's history asks the same, bit for bit.
func TestResumes(t *testing.T) {
	problems := map[string]Problem{"list": shop(), "box": disc(5)}
	for name, p := range problems {
		rng := rand.New(rand.NewPCG(2, 1))
		first := begin(t, p)
		var history []Trial
		for range 9 {
			for _, a := range ask(t, first, 2) {
				tr := throw(a.X)
				if name == "list" {
					tr = serve(a.X, rng)
				}
				history = append(history, tr)
				tell(t, first, tr)
			}
			want := ask(t, first, 2)
			second := begin(t, p)
			tell(t, second, history...)
			if diff := cmp.Diff(want, ask(t, second, 2), cmpopts.EquateNaNs()); diff != "" {
				t.Fatalf("%s after %d trials (-first +resumed):\n%s", name, len(history), diff)
			}
			if diff := cmp.Diff(first.Pending(), second.Pending()); diff != "" {
				t.Fatalf("%s pending (-first +resumed):\n%s", name, diff)
			}
			for _, a := range want {
				tr := throw(a.X)
				if name == "list" {
					tr = serve(a.X, rng)
				}
				history = append(history, tr)
				tell(t, first, tr)
			}
		}
	}
}

// The settings of a batch, and what is pending from before, are all different.
func TestBatchesDoNotRepeat(t *testing.T) {
	s := begin(t, disc(1))
	var all [][]float64
	for range 3 {
		for _, a := range ask(t, s, 5) {
			if slices.ContainsFunc(all, func(x []float64) bool { return slices.Equal(x, a.X) }) {
				t.Errorf("%v is asked twice", a.X)
			}
			all = append(all, a.X)
			if len(all) <= 6 {
				tell(t, s, throw(a.X))
			}
		}
	}
	if len(s.Pending()) != len(all)-6 {
		t.Errorf("%d pending, want %d", len(s.Pending()), len(all)-6)
	}
}

// With a bound on harm nothing is asked that the models think more harmful.
func TestHarmIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := shop()
	p.Harm = 0.2
	s := begin(t, p)
	violated := 0
	for range 20 {
		for _, a := range ask(t, s, 1) {
			if a.Reason != Start && a.Met < 0.8 {
				t.Errorf("%v is asked with a probability of %g to meet the limit", a.X, a.Met)
			}
			if a.X[0]+a.X[1] < 1-1e-9 {
				violated++
			}
			tell(t, s, serve(a.X, rng))
		}
	}
	if violated > 4 {
		t.Errorf("%d of 20 trials violated the limit, want about a fifth at most", violated)
	}
}
