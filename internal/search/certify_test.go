package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"rebound/internal/gp"

	"gonum.org/v1/gonum/mathext"
)

// The dumb twin draws what a trial may bring, conditions a process on it and looks
// for the cheapest certified setting, 4,000 times.
func TestSavingAgreesWithMonteCarlo(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	places := [][]float64{{0.1}, {0.3}, {0.45}, {0.6}, {0.8}}
	cost := []float64{1, 2, 3, 4, 5}
	h := gp.Hyper{Lengths: []float64{0.4}, Signal: 1}
	d := gp.Data{X: [][]float64{{0}, {0.7}, {1}}, Y: []float64{2, -1, -2}, Noise: []float64{0.01, 0.01, 0.01}}
	g, err := gp.Fit(d, gp.Options{Fixed: &h})
	if err != nil {
		t.Fatal(err)
	}
	const noise, z = 0.01, 0.84
	w := saving{cost: cost, now: 5, z: z, limits: []certified{{limit: 0, noise: noise, doubt: 1, grid: g.Grid(places)}}}
	for _, x := range []float64{0.1, 0.4, 0.55} {
		got, err := w.after([]float64{x})
		if err != nil {
			t.Fatal(err)
		}
		mean, variance := g.Predict([]float64{x})
		want := 0.0
		for range 4000 {
			c := g.Clone()
			if err := c.Append([]float64{x}, mean+math.Sqrt(variance+noise)*rng.NormFloat64(), noise); err != nil {
				t.Fatal(err)
			}
			for i, p := range places {
				if m, v := c.Predict(p); cost[i] < 5 && m+z*math.Sqrt(v) <= 0 {
					want += (5 - cost[i]) / 4000
					break
				}
			}
		}
		// Ten quantiles are off by at most one share of the greatest saving.
		if math.Abs(got-want) > 0.4 || got == 0 {
			t.Errorf("saving by a trial at %g: %g, Monte Carlo says %g", x, got, want)
		}
	}
}

// Quantiles are those of the middles of ten equal shares.
func TestQuantiles(t *testing.T) {
	for i, q := range quantiles() {
		if want := mathext.NormalQuantile((float64(i) + 0.5) / 10); math.Abs(q-want) > 1e-4 {
			t.Errorf("quantile %d: %g, want %g", i, q, want)
		}
	}
}

// What a trial is expected to save falls, until it is not worth a price.
func TestSaysWhenItIsNotWorthIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := shop()
	p.Price = 0.04
	s := begin(t, p)
	for n := range 40 {
		asked := ask(t, s, 1)
		if len(asked) == 0 || !asked[0].Worth {
			c, safe, err := s.Recommend()
			if err != nil || !safe || c.Objectives[0] > 2.11 {
				t.Errorf("stopped after %d trials with %+v, %v, %v", n, c, safe, err)
			}
			return
		}
		if asked[0].Reason != Start && asked[0].Gain < p.Price {
			t.Errorf("a gain of %g is worth it, the price is %g", asked[0].Gain, p.Price)
		}
		tell(t, s, serve(asked[0].X, rng))
	}
	t.Error("still worth it after 40 trials of a plane")
}

// Less is to be saved by a trial next to one that is being tried.
func TestPendingLowersTheSaving(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := begin(t, shop())
	for _, x := range [][]float64{{1, 1}, {0, 0.2}} {
		tell(t, s, serve(x, rng))
	}
	if err := s.learn(1); err != nil {
		t.Fatal(err)
	}
	st := s.stand()
	x := []float64{0.55, 0.45}
	savings := func() float64 {
		first, err := s.see(st, s.problem.Settings, depth{listed: true})
		if err != nil {
			t.Fatal(err)
		}
		cost := s.costs()
		w, err := first.saving(s, ascending(cost), cost)
		if err != nil {
			t.Fatal(err)
		}
		w.now = s.refs()[0]
		for _, i := range ascending(cost) {
			if first.met[i] >= math.Log(s.problem.Safe) {
				w.now = cost[i]
				break
			}
		}
		got, err := w.after(x)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	before := savings()
	if err := s.Pend([]float64{0.5, 0.45}); err != nil {
		t.Fatal(err)
	}
	if after := savings(); before <= 0 || after > 0.7*before {
		t.Errorf("a saving of %g while a neighbor is tried, %g before", after, before)
	}
}

// counter is the shop with a formula of physics that is off by a third: need is 1 − x − y
// and said to be 0.7 − x − y.
func counter(misfit float64, harmless bool) Problem {
	return Problem{
		Settings: grid(11), Seed: 3, Start: [][]float64{}, Harmless: harmless,
		Outputs: []Output{
			{Name: "cost", Minimize: true, Ref: 4, Known: func(x []float64) float64 { return x[0] + x[1] + 1 }},
			{Name: "need", Limit: new(0.0), Noise: new(0.02), Misfit: misfit, Mean: func(x []float64) float64 { return 0.7 - x[0] - x[1] }},
		},
	}
}

func weigh(x []float64) Trial { return Trial{X: x, Results: []Result{{}, Seen(1 - x[0] - x[1])}} }

// Where trials do no harm, those are asked that tell most, whether or not they are
// likely to meet the limits; either way the cheapest is found.
func TestHarmlessTrials(t *testing.T) {
	asked := func(harmless bool) (met float64, cost float64) {
		s := begin(t, counter(0.5, harmless))
		if err := s.Tell(weigh([]float64{1, 1})); err != nil {
			t.Fatal(err)
		}
		n := 0.0
		for range 12 {
			got, err := s.Ask(1)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) == 0 {
				break
			}
			n++
			met += got[0].Met
			if err := s.Tell(weigh(got[0].X)); err != nil {
				t.Fatal(err)
			}
		}
		r, ok, err := s.Recommend()
		if err != nil || !ok || n == 0 {
			t.Fatalf("%v trials, recommended: %v, error %v", n, ok, err)
		}
		return met / n, r.X[0] + r.X[1] + 1
	}
	careful, cost := asked(false)
	bold, costBold := asked(true)
	if bold >= careful {
		t.Errorf("on average %v likely to do where it harms, %v where not", careful, bold)
	}
	if cost > 2.25 || costBold > 2.25 {
		t.Errorf("the recommended cost %v and %v, want about 2", cost, costBold)
	}
}

// Two trials that a formula of physics tells well do not make a search sure that it
// tells all others: by how much it may be off is told.
func TestMisfitIsBelieved(t *testing.T) {
	for misfit, want := range map[float64][2]float64{0.5: {0.2, 1}, 0.05: {0.02, 0.1}} {
		s := begin(t, counter(misfit, true))
		for _, x := range [][]float64{{0.9, 0.9}, {1, 0.9}} {
			if err := s.Tell(Trial{X: x, Results: []Result{{}, Seen(0.7 - x[0] - x[1])}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.learn(1); err != nil {
			t.Fatal(err)
		}
		_, variance := s.models[1].members[0].Predict([]float64{0, 0})
		if d := math.Sqrt(variance); d < want[0] || d > want[1] {
			t.Errorf("with a misfit of %v the other corner is known to %v, want %v to %v", misfit, d, want[0], want[1])
		}
	}
	bad := shop()
	bad.Outputs[1].Misfit = math.NaN()
	if _, err := New(bad); err == nil {
		t.Error("a misfit that is no number is accepted")
	}
}
