package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rebound/internal/normal"
	"rebound/internal/pareto"

	"pgregory.net/rapid"
)

// played is a search on the disc with some trials, and its standing.
func played(t *testing.T, n int) (*Search, standing) {
	t.Helper()
	s := begin(t, disc(7))
	for len(s.trials) < n {
		for _, a := range ask(t, s, 1) {
			tell(t, s, throw(a.X))
		}
	}
	for j := range s.models {
		if err := s.learn(j); err != nil {
			t.Fatal(err)
		}
	}
	return s, s.stand()
}

// The dumb twin draws objectives at a candidate and averages the hypervolume that
// they add to that of the feasible trials.
func TestGainAgreesWithMonteCarlo(t *testing.T) {
	s, st := played(t, 8)
	x := [][]float64{{0.5, 0.35}, {0.3, 0.5}, {0.62, 0.58}}
	v, err := s.see(st, x, depth{likely: true})
	if err != nil {
		t.Fatal(err)
	}
	var front [][]float64
	for _, tr := range s.trials {
		if tr.Results[2].Value <= 0 {
			front = append(front, []float64{tr.Results[0].Value, tr.Results[1].Value})
		}
	}
	region, err := pareto.NewRegion(front, []float64{1.5, 1.5})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for c, u := range x {
		m0, v0 := s.models[0].members[0].Predict(u)
		m1, v1 := s.models[1].members[0].Predict(u)
		const draws = 40_000
		want := 0.0
		for range draws {
			want += region.Gain([]float64{m0 + math.Sqrt(v0)*rng.NormFloat64(), m1 + math.Sqrt(v1)*rng.NormFloat64()}) / draws
		}
		if got := math.Exp(v.gain[c]); math.Abs(got-want) > 0.03*want+1e-6 {
			t.Errorf("gain at %v: %g, Monte Carlo says %g", u, got, want)
		}
		met := 0.0
		limited := s.models[2]
		for k, share := range limited.shares(limited.members) {
			mean, variance := limited.members[k].Predict(u)
			met += share * normal.CDF(-mean/math.Sqrt(variance))
		}
		if got := math.Exp(v.met[c]); math.Abs(got-met) > 1e-6 {
			t.Errorf("met at %v: %g, want %g", u, got, met)
		}
	}
}

// A point that is being tried leaves less to gain next to it.
func TestPendingLowersTheGainNearby(t *testing.T) {
	s, st := played(t, 8)
	best := ask(t, s, 1)[0].X
	s.pending = nil
	beside := [][]float64{{best[0], min(1, best[1]+1e-3)}}
	before, err := s.see(st, beside, depth{likely: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Pend(best); err != nil {
		t.Fatal(err)
	}
	after, err := s.see(st, beside, depth{likely: true})
	if err != nil {
		t.Fatal(err)
	}
	if after.gain[1] > before.gain[0]-1 {
		t.Errorf("log gain %g while a neighbor is tried, %g before", after.gain[1], before.gain[0])
	}
	if !math.IsInf(after.score[0], -1) {
		t.Error("what is pending has a score")
	}
}

// Warping keeps order and the limit.
func TestWarp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Float64Range(-10, 10).Draw(t, "limit")
		y := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 9).Draw(t, "y")
		w := newWarp(limit, y)
		if w.at(limit) != limit {
			t.Fatalf("the limit %g becomes %g", limit, w.at(limit))
		}
		slices.Sort(y)
		for i := 1; i < len(y); i++ {
			if w.at(y[i]) < w.at(y[i-1]) {
				t.Fatalf("%g and %g change order", y[i-1], y[i])
			}
		}
		for _, v := range y {
			if (v > limit) != (w.at(v) > limit) && v-limit > 1e-9 {
				t.Fatalf("%g changes sides", v)
			}
		}
	})
	if w := newWarp(1, []float64{1, 1, 5}); w.at(5) != 5 {
		t.Errorf("without a scale 5 becomes %g", w.at(5))
	}
}
