package pareto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Two draws whose fronts are one point each, in one objective: the average of
// s·h((best-m)/s) over both.
func TestLogMeanImprovements(t *testing.T) {
	var regions []*Region
	for _, best := range []float64{2, 5} {
		r, err := NewRegion([][]float64{{best}}, []float64{10})
		if err != nil {
			t.Fatal(err)
		}
		regions = append(regions, r)
	}
	dst := make([]float64, 2)
	// At best = m it is 3/√(2π); a known value 12 is beyond the reference.
	LogMeanImprovements(dst, regions, [][][]float64{{{2, 12}}, {{5, 12}}}, [][]float64{{9, 0}})
	near(t, "log mean", dst[0], math.Log(3/math.Sqrt(2*math.Pi)), 1e-10)
	if !math.IsInf(dst[1], -1) {
		t.Errorf("no draw is improved, but %g", dst[1])
	}
}

// believed draws what is believed of a point with objectives on the scale of
// grid.
func believed(t *rapid.T, m int) (mean, variance []float64) {
	for range m {
		mean = append(mean, rapid.Float64Range(-5, 12).Draw(t, "mean"))
		sd := rapid.Float64Range(0.01, 4).Draw(t, "sd")
		variance = append(variance, sd*sd)
	}
	return mean, variance
}

// The order of points, points that are dominated and points beyond the reference
// change nothing; one more point of the front never raises the expected
// improvement, and a lower mean never lowers it.
func TestLogImprovementLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 3).Draw(t, "objectives")
		points, ref := grid(t, m), slices.Repeat([]float64{7}, m)
		mean, variance := believed(t, m)
		at := func(points [][]float64) float64 {
			r, err := NewRegion(points, ref)
			if err != nil {
				t.Fatal(err)
			}
			return r.LogImprovement(mean, variance)
		}
		base := at(points)
		if math.IsNaN(base) || math.IsInf(base, 1) {
			t.Fatalf("log improvement %g", base)
		}
		turned := slices.Clone(points)
		slices.Reverse(turned)
		for _, p := range points {
			worse := slices.Clone(p)
			worse[0]++
			turned = append(turned, worse, slices.Repeat([]float64{9}, m))
		}
		// Corners of boxes differ, and with them what rounding does.
		if other := at(turned); math.Abs(other-base) > 1e-6*(1+math.Abs(base)) {
			t.Fatalf("log improvement %g, turned around %g", base, other)
		}
		more := append(slices.Clone(points), slices.Repeat([]float64{3}, m))
		if less := at(more); less > base+1e-6*(1+math.Abs(base)) {
			t.Fatalf("log improvement %g, with another point %g", base, less)
		}
		mean[0]--
		if lower := at(points); lower < base-1e-6*(1+math.Abs(base)) {
			t.Fatalf("log improvement %g, of a lower mean %g", base, lower)
		}
	})
}

// An objective that is known is the limit of one that is nearly known, and three
// objectives with the third known to lie below all levels are two, times the
// third's length.
func TestLogImprovementKnown(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	points := [][]float64{{1, 3}, {2, 2}, {3, 1}}
	two, err := NewRegion(points, []float64{4, 4})
	if err != nil {
		t.Fatal(err)
	}
	var lifted [][]float64
	for _, p := range points {
		lifted = append(lifted, []float64{p[0], p[1], 0})
	}
	three, err := NewRegion(lifted, []float64{4, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		mean := []float64{4 * rng.Float64(), 4 * rng.Float64()}
		known := two.LogImprovement(mean, []float64{0, 0.5})
		near(t, "nearly known", two.LogImprovement(mean, []float64{1e-14, 0.5}), known, 1e-5)
		flat := two.LogImprovement(mean, []float64{0.3, 0.5})
		near(t, "third known", three.LogImprovement(append(mean, 0), []float64{0.3, 0.5, 0}), flat+math.Log(5), 1e-9)
	}
}

// Whatever is believed, the logarithm is a number or -Inf; only NaN gives NaN.
func FuzzLogImprovement(f *testing.F) {
	f.Add(uint64(1), 0.0, 1.0, 2.0, 1.0)
	f.Add(uint64(2), 1e12, 1e-24, -1e12, 0.0)
	f.Add(uint64(3), 1e300, 1e300, -1e300, 5e-324)
	f.Add(uint64(59), 1e300, 1e300, -1e300, 5e-324)
	f.Add(uint64(4), -1e-12, 0.0, 1e-12, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, m1, v1, m2, v2 float64) {
		if !(v1 >= 0 && v2 >= 0) || math.IsNaN(m1+m2) || math.IsInf(v1+v2, 0) || math.IsInf(m1, 0) || math.IsInf(m2, 0) {
			t.Skip()
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		var points [][]float64
		for range rng.IntN(6) {
			points = append(points, []float64{rng.NormFloat64(), rng.NormFloat64()})
		}
		r, err := NewRegion(points, []float64{1, 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.LogImprovement([]float64{m1, m2}, []float64{v1, v2}); math.IsNaN(got) {
			t.Fatalf("log improvement %g", got)
		}
	})
}
