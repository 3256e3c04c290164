package search

import (
	"math"
	"math/rand/v2"
	"testing"
)

// At a level between two known ones the first trial is close to the optimum: the
// limit is x + y ≥ level, so that at 0.5 the cheapest costs 1.5.
func TestTransfersBetweenLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	need := func(x []float64, level float64) Trial {
		return Trial{X: x, Level: []float64{level}, Results: []Result{{}, Seen(level - x[0] - x[1] + 0.02*rng.NormFloat64())}}
	}
	p := shop()
	p.Level, p.Start, p.Harm = []float64{0.5}, [][]float64{}, 0.5
	p.Outputs[1].Limit = new(0.0)
	s := begin(t, p)
	for range 10 {
		for _, level := range []float64{0.2, 0.9} {
			tell(t, s, need(p.Settings[rng.IntN(len(p.Settings))], level))
		}
	}
	if _, safe, err := s.Recommend(); safe || err != nil {
		t.Errorf("recommended before any trial at this level, %v", err)
	}
	first := ask(t, s, 1)[0]
	if cost := 1 + first.X[0] + first.X[1]; cost < 1.5-1e-9 || cost > 1.65 {
		t.Errorf("first trial %v, cost %g, want about the cheapest, 1.5", first.X, cost)
	}
	tell(t, s, need(first.X, 0.5))
	if c, _, err := s.Recommend(); err != nil || c.X[0] != first.X[0] || c.X[1] != first.X[1] {
		t.Errorf("recommended %v, %v, want the one trial at this level, %v", c.X, err, first.X)
	}
}

// Lower bounds count as such: where others rise, a setting that was only seen to
// be above 1.2 is believed to be well above.
func TestCensoredResults(t *testing.T) {
	s := begin(t, shop())
	rng := rand.New(rand.NewPCG(2, 1))
	for _, x := range [][]float64{{1, 1}, {0.5, 1}, {1, 0.5}, {0.5, 0.5}, {0.75, 0.25}, {0, 0.9}} {
		tell(t, s, serve(x, rng))
	}
	far := Trial{X: []float64{0.1, 0.1}, Results: []Result{{}, AtLeast(1.2)}} // 1.8 in truth
	tell(t, s, far)
	if err := s.learn(1); err != nil {
		t.Fatal(err)
	}
	if mean, _ := s.models[1].members[0].Predict(far.X); mean < 1.5 {
		t.Errorf("believed %g where the truth is 1.8 and was seen to be at least 1.2", mean)
	}
}

// Noise of objectives is averaged over: with a wide noise the front is still found.
func TestNoisyObjectives(t *testing.T) {
	p := disc(4)
	p.Outputs[0].Noise, p.Outputs[1].Noise = nil, new(0.05)
	s := begin(t, p)
	rng := rand.New(rand.NewPCG(9, 1))
	for range 8 {
		for _, a := range ask(t, s, 4) {
			tr := throw(a.X)
			for j := range 2 {
				tr.Results[j].Value += 0.05 * rng.NormFloat64()
			}
			tell(t, s, tr)
		}
	}
	front, err := s.Front()
	if err != nil || len(front) < 4 {
		t.Fatalf("front of %d, %v", len(front), err)
	}
	for _, c := range front {
		truth := throw(c.X).Results
		// On the line between the corners the distances add up to √2.
		if sum := truth[0].Value + truth[1].Value; sum > math.Sqrt2+0.15 || truth[2].Value > 0 {
			t.Errorf("%v is on the front: distances add up to %g", c.X, sum)
		}
	}
}
