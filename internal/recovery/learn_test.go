package recovery

import (
	"math"
	"slices"
	"testing"
)

// processed is what a job does in 100 ms bins for so long, each off by normal
// noise of this share, with the seed's noise.
func processed(w Warmup, capacity, span, noise float64) (t, done []float64) {
	rng := seeded(11)
	for i := 0; float64(i)*0.1 <= span; i++ {
		at := float64(i) * 0.1
		t = append(t, at)
		done = append(done, capacity*(at-w.lost(at)))
	}
	off := 0.0
	for i := 1; i < len(done); i++ {
		off += noise * capacity * 0.1 * max(-1, rng.NormFloat64())
		done[i] = max(done[i-1], done[i]+off)
	}
	return t, done
}

func TestFitWarmup(t *testing.T) {
	for name, c := range map[string]struct {
		truth       Warmup
		span, noise float64
		ok          bool
	}{
		"exact":            {Warmup{0.5, 16}, 60, 0, true},
		"noisy":            {Warmup{0.5, 16}, 60, 0.2, true},
		"from nothing":     {Warmup{0, 5}, 60, 0.1, true},
		"warm at once":     {Warmup{1, 0}, 30, 0.1, true},
		"short":            {Warmup{0.5, 16}, 12, 0.05, false},
		"short and noisy":  {Warmup{0.5, 16}, 4, 0.5, false},
		"warm, but unsure": {Warmup{1, 0}, 1, 0.5, false},
	} {
		w, capacity, ok := FitWarmup(processed(c.truth, 20e3, c.span, c.noise))
		if ok != c.ok {
			t.Errorf("%s: %+v, %v, ok %v", name, w, capacity, ok)
			continue
		}
		// What matters is the work done by any time, and the level.
		for at := 0.0; ok && at < 60; at += 5 {
			got, want := capacity*(at-w.lost(at)), 20e3*(at-c.truth.lost(at))
			if math.Abs(got-want) > 0.03*20e3*at+1 {
				t.Errorf("%s: %+v, %v: %v done after %v, want %v", name, w, capacity, got, at, want)
			}
		}
		if !ok && !(capacity > 0 && capacity < 22e3) {
			t.Errorf("%s: mean rate %v", name, capacity)
		}
	}
}

// A pause of two seconds in the middle, as a full collection makes, is no sign
// of anything.
func TestFitWarmupSurvivesAPause(t *testing.T) {
	truth := Warmup{0.5, 16}
	at, done := processed(truth, 20e3, 60, 0.05)
	for i := range at {
		if at[i] > 40 {
			done[i] -= 20e3 * min(2, at[i]-40)
			done[i] = max(done[i], done[i-1])
		}
	}
	w, capacity, ok := FitWarmup(at, done)
	if !ok || math.Abs(capacity/20e3-1) > 0.03 || math.Abs(w.Start-0.5) > 0.1 || math.Abs(w.Tau-16) > 5 {
		t.Errorf("%+v, %v, %v", w, capacity, ok)
	}
}

func TestFitWarmupRefuses(t *testing.T) {
	for name, c := range map[string]struct{ t, done []float64 }{
		"nothing":         {nil, nil},
		"one sample":      {[]float64{1}, []float64{1}},
		"time goes back":  {[]float64{0, 2, 1}, []float64{0, 1, 2}},
		"count goes back": {[]float64{0, 1, 2}, []float64{0, 5, 2}},
		"not a number":    {[]float64{0, math.NaN(), 2}, []float64{0, 5, 6}},
		"no records":      {[]float64{0, 1, 2}, []float64{0, 0, 0}},
	} {
		if w, capacity, ok := FitWarmup(c.t, c.done); ok || capacity != 0 {
			t.Errorf("%s: %+v, %v, %v", name, w, capacity, ok)
		}
	}
}

// Five values with one far off: the median is the third, and the deviations from
// it, 0, 0.1, 0.1, 0.2 and 90, have the median 0.1: 1.645 · 1.4826 · 0.1 = 0.2439.
// Without weight the odd one changes nothing; with all of it it is all there is.
func TestCenter(t *testing.T) {
	values := []float64{9.9, 10, 10.1, 10.2, 100}
	tests := []struct {
		weights        []float64
		median, spread float64
	}{
		{nil, 10.1, z95 * madToSigma * 0.1},
		{[]float64{1, 1, 1, 0, 0}, 10, z95 * madToSigma * 0.1},
		{[]float64{0, 0, 0, 0, 1}, 100, 0},
	}
	for _, tt := range tests {
		median, spread := Center(values, tt.weights)
		if math.Abs(median-tt.median) > 1e-9 || math.Abs(spread-tt.spread) > 1e-9 {
			t.Errorf("weights %v: %v ± %v, want %v ± %v", tt.weights, median, spread, tt.median, tt.spread)
		}
	}
	if median, spread := Center(nil, nil); !math.IsNaN(median) || !math.IsNaN(spread) {
		t.Errorf("of nothing: %v ± %v", median, spread)
	}
}

// A series of predictions whose intervals are too narrow by a factor is widened
// to it as it grows longer, one that is honest or wide is left alone.
// Intervals that are twice as wide as they must be are made narrower, but only by
// many scores, and by a third at most.
func TestFittedScale(t *testing.T) {
	wide := slices.Repeat([]Scored{{10, 20, 40, 28}}, 50) // ln(28/20)/ln(40/20) = 0.485
	if got := FittedScale(wide); got != 2.0/3 {
		t.Errorf("50 scores: %v, want 2/3", got)
	}
	near1 := slices.Repeat([]Scored{{10, 20, 40, 36}}, 90) // 0.848, of which 90 in 100 count
	if got, want := FittedScale(near1), math.Pow(math.Log(1.8)/math.Log(2), 0.9); !near(got, want, 1e-12) {
		t.Errorf("90 scores: %v, want %v", got, want)
	}
	if got := FittedScale(wide[:14]); got != 1 {
		t.Errorf("14 scores: %v, want 1", got)
	}
}

func TestHonestScale(t *testing.T) {
	rng := seeded(4)
	for _, c := range []struct{ truth, want float64 }{{1, 1}, {2, 2}, {0.7, 1}, {0.1, 1}} {
		var past []Scored
		for range 3000 {
			z := rng.NormFloat64() * c.truth
			past = append(past, Scored{
				P05: 20 * math.Exp(-z95*0.1), Median: 20, P95: 20 * math.Exp(z95*0.2),
				Measured: 20 * math.Exp(z*0.15+math.Abs(z)*0.05),
			})
		}
		if got := HonestScale(past); math.Abs(got/c.want-1) > 0.06 {
			t.Errorf("errors of %v times the width: scale %v, want %v", c.truth, got, c.want)
		}
		if got := HonestScale(past[:1]); got > 1.4 || got < 0.6 {
			t.Errorf("after one score: scale %v, want it near 1", got)
		}
	}
	if got := HonestScale(nil); got != 1 {
		t.Errorf("no past: %v, want 1", got)
	}
	if got := HonestScale([]Scored{{20, 20, 20, 25}}); got != 1 {
		t.Errorf("a prediction without width: %v, want 1", got)
	}
	// One score of 2 widths: 2^(1/11).
	if got, want := HonestScale([]Scored{{10, 20, 40, 80}}), math.Pow(2, 1.0/11); !near(got, want, 1e-12) {
		t.Errorf("one score: %v, want %v", got, want)
	}
}
