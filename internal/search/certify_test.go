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
