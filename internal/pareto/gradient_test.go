package pareto

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"pgregory.net/rapid"
)

// The gradient is what differences of the logarithm are, near the front and far
// from it.
func TestGradient(t *testing.T) {
	central := &fd.Settings{Formula: fd.Central, Step: 1e-5}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 3).Draw(t, "objectives")
		r, err := NewRegion(grid(t, m), slices.Repeat([]float64{7}, m))
		if err != nil {
			t.Fatal(err)
		}
		mean, variance := believed(t, m)
		for j := range variance {
			variance[j] += 0.1
		}
		value, byMean, byVariance := r.Gradient(mean, variance)
		if want := r.LogImprovement(mean, variance); math.Abs(value-want) > 1e-8*(1+math.Abs(want)) {
			t.Fatalf("value %g, want %g", value, want)
		}
		at := func(v []float64) float64 { x, _, _ := r.Gradient(v[:m], v[m:]); return x }
		want := fd.Gradient(nil, at, slices.Concat(mean, variance), central)
		for i, got := range slices.Concat(byMean, byVariance) {
			if math.Abs(got-want[i]) > 1e-4*(1+math.Abs(want[i])) {
				t.Fatalf("slope %d is %g, want %g", i, got, want[i])
			}
		}
	})
}

// A known objective has a slope by its mean: here the gain is (4-m)·2, and
// d log/dm = -1/(4-m).
func TestGradientKnown(t *testing.T) {
	r, err := NewRegion(nil, []float64{4, 4})
	if err != nil {
		t.Fatal(err)
	}
	value, byMean, byVariance := r.Gradient([]float64{1, 2}, []float64{0, 0})
	near(t, "value", value, math.Log(6), 1e-14)
	near(t, "slope by the first", byMean[0], -1./3, 1e-14)
	near(t, "slope by the second", byMean[1], -1./2, 1e-14)
	if byVariance[0] != 0 || byVariance[1] != 0 {
		t.Errorf("slopes by variances of 0: %v", byVariance)
	}
	value, byMean, _ = r.Gradient([]float64{5, 2}, []float64{0, 0})
	if !math.IsInf(value, -1) || byMean[0] != 0 {
		t.Errorf("beyond the reference: %g %v", value, byMean)
	}
}
