package plan

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"rebound/internal/recovery"
)

// By hand: (T_d + ρA)/(1 − ρ) = R gives ρ = (R − T_d)/(R + A). With R = 180 s, T_d =
// 60 s, and A = 5 + 2 s at the shortest interval that is 120/187 of the capacity of
// 1,000/s, and of any other that is given;
// less what the least width of a forecast, 1 %, asks for at a risk of 1 %:
// e^(−2.326·0.01).
func TestSustainedByHand(t *testing.T) {
	in := referenceInput(flat(300, 0))
	in.Model = exact{capacity: 1000, down: 60, duration: 2}
	s, ok := NewSustained(in)
	if !ok {
		t.Fatal("nothing can be planned")
	}
	if math.Abs(s.Peak()-300) > 1e-6 {
		t.Errorf("the peak of a flat load of 300 is %v", s.Peak())
	}
	for capacity, want := range map[float64]float64{1000: 1000 * 120.0 / 187 * math.Exp(-0.02326), 5000: 5000 * 120.0 / 187 * math.Exp(-0.02326)} {
		rate, interval := s.Rate(in.Now, new(recovery.Exactly(capacity)))
		if math.Abs(rate/want-1) > 1e-3 || interval != 5 {
			t.Errorf("with a capacity of %v it sustains %v, every %v s; want %v, every 5 s", capacity, rate, interval, want)
		}
	}
	if rate, low, high := s.Range(in.Now); rate != low || rate != high {
		t.Errorf("what is known exactly sustains %v to %v, and %v", low, high, rate)
	}
	if !slices.ContainsFunc(s.Resources(), in.Now.SameResources) {
		t.Error("the present resources are not among those that may be chosen")
	}
}

// What settings sustain hardly depends on the load of now, is more with more capacity,
// and lies within its range; a load at that rate is just what the planner accepts.
func TestSustainedHoldsAtAnyLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		load := rapid.Float64Range(10e3, 100e3).Draw(t, "load")
		a, _ := NewSustained(referenceInput(flat(load, 0.02)))
		b, _ := NewSustained(referenceInput(flat(load*rapid.Float64Range(0.3, 3).Draw(t, "other"), 0.02)))
		k := rapid.SampledFrom(a.Resources()).Draw(t, "knobs")
		rate, _ := a.Rate(k, nil)
		other, _ := b.Rate(k, nil)
		if math.Abs(other/rate-1) > 0.02 {
			t.Fatalf("%s sustains %v at one load and %v at another", k, rate, other)
		}
		mid, low, high := a.Range(k)
		if !(low <= mid && mid <= high) {
			t.Fatalf("%v to %v, with %v between", low, high, mid)
		}
		capacity := a.frame.in.Model.Behavior(k).Capacity
		more, _ := a.Rate(k, &recovery.Uncertain{Median: 1.2 * capacity.Median, Spread: 1.2 * capacity.Spread})
		if more < rate {
			t.Fatalf("a fifth more capacity sustains %v, less than %v", more, rate)
		}
	})
}

func TestSustainedWithoutALoadOrATarget(t *testing.T) {
	in := referenceInput(Load{})
	if _, ok := NewSustained(in); ok {
		t.Error("of a load that is not known")
	}
	in = referenceInput(flat(100, 0))
	in.Policy.RecoveryTime = 0
	if _, ok := NewSustained(in); ok {
		t.Error("without a target")
	}
}
