package gp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
)

// The gradient of the evidence by the logarithms of the hyper-parameters is what
// differences of the evidence are, for all kinds of data.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := points(rng, 14, 3)
	y := waves(x)
	for i := range y {
		y[i] += rng.NormFloat64() / 10
	}
	noise := slices.Repeat([]float64{0.01}, 14)
	noise[3] = 0.2
	count := slices.Repeat([]int{1}, 14)
	count[2], count[9] = 3, 2
	censored := make([]bool, 14)
	censored[1], censored[6], censored[13] = true, true, true
	for name, d := range map[string]Data{
		"learned noise":       {X: x, Y: y},
		"replicates":          {X: x, Y: y, Count: count, Within: 0.02},
		"given noise":         {X: x, Y: y, Noise: noise},
		"no noise":            {X: x, Y: y, Noise: make([]float64, 14)},
		"censored":            {X: x, Y: y, Censored: censored},
		"censored replicates": {X: x, Y: y, Censored: censored, Count: count, Within: 0.02},
		"censored, given":     {X: x, Y: y, Censored: censored, Noise: noise},
		"all censored":        {X: x, Y: y, Censored: slices.Repeat([]bool{true}, 14)},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := standardize(d, Options{})
			if err != nil {
				t.Fatal(err)
			}
			sys := newSystem(s)
			at := Hyper{Lengths: []float64{0.5, 0.8, 1.5}, Signal: 1.2, Noise: 0.03}.logs(s.learnsNoise())
			grad := make([]float64, len(at))
			inside := make([]bool, len(at))
			value := func(l []float64) float64 {
				v, err := sys.evidence(fromLogs(l, 3, inside), nil)
				if err != nil {
					t.Fatal(err)
				}
				return v + s.penalty(l, nil)
			}
			if _, err := sys.evidence(fromLogs(at, 3, inside), grad); err != nil {
				t.Fatal(err)
			}
			s.penalty(at, grad)
			want := fd.Gradient(nil, value, at, &fd.Settings{Formula: fd.Central, Step: 1e-5})
			for i := range at {
				near(t, "slope", grad[i], want[i], 2e-7)
			}
		})
	}
}

// Means of replicates give the posterior and, with the scatter inside, the
// evidence of the single observations.
func TestMergedIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	x := points(rng, 6, 2)
	x = append(x, x[2], x[4], x[2])
	y := waves(x)
	for i := range y {
		y[i] += rng.NormFloat64()
	}
	noise := make([]float64, len(y))
	for i := range noise {
		noise[i] = 0.2 + rng.Float64()
	}
	h := Hyper{Lengths: []float64{0.4, 0.7}, Signal: 1.3, Noise: 0.4}
	for name, d := range map[string]Data{"learned": {X: x, Y: y}, "given": {X: x, Y: y, Noise: noise}} {
		t.Run(name, func(t *testing.T) {
			whole, merged := systemOf(t, d), systemOf(t, d.Merged())
			// Center and scale are those of what is passed: make them equal.
			for i, v := range d.Merged().Y {
				merged.y[i] = (v - whole.center) / whole.scale
			}
			merged.within *= merged.scale * merged.scale / (whole.scale * whole.scale)
			for i := range merged.noise {
				merged.noise[i] *= merged.scale * merged.scale / (whole.scale * whole.scale)
			}
			merged.center, merged.scale = whole.center, whole.scale
			g1, err1 := condition(whole, h)
			g2, err2 := condition(merged, h)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if g2.Len() != 6 {
				t.Fatalf("%d points, want 6", g2.Len())
			}
			for _, p := range points(rng, 10, 2) {
				m1, v1 := g1.Predict(p)
				m2, v2 := g2.Predict(p)
				near(t, "mean", m2, m1, 1e-6)
				near(t, "variance", v2, v1, 1e-6)
			}
			if name == "learned" {
				a, _ := whole.evidence(h, nil)
				b, _ := merged.evidence(h, nil)
				// log N over replicates has ½ log n_i more for each mean: 3 and 2.
				near(t, "evidence", b+math.Log(3)/2+math.Log(2)/2, a, 1e-6)
			}
		})
	}
}

func systemOf(t *testing.T, d Data) *system {
	t.Helper()
	s, err := standardize(d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return newSystem(s)
}

// In the coordinates of a search, with and without a metric, the gradient is
// that of the value, the origin is the start, and the metric makes the curvature
// about 1.
func TestSearchCoordinates(t *testing.T) {
	sys := systemOf(t, job(40))
	start := sys.localOptimumOf(t)
	metric := sys.metric(start, 1)
	if metric == nil {
		t.Fatal("no metric at an optimum")
	}
	want, _ := sys.posterior(start)
	p := slices.Repeat([]float64{0.1}, len(start))
	for _, l := range []*search{{system: sys, value: math.Inf(1), origin: start}, {system: sys, value: math.Inf(1), origin: start, metric: metric}} {
		value := func(p []float64) float64 { l.evaluate(p); return l.lastF }
		near(t, "value at the origin", value(make([]float64, len(start))), want, 0)
		slopes := fd.Gradient(nil, value, p, &fd.Settings{Formula: fd.Central, Step: 1e-5})
		l.evaluate(p)
		for i, v := range slopes {
			near(t, "slope", l.lastGrad[i], v, 1e-6)
			if l.metric != nil {
				near(t, "slope from the curvature", l.lastGrad[i], 0.1, 0.1)
			}
		}
	}
}

func (s *system) localOptimumOf(t *testing.T) []float64 {
	t.Helper()
	at, _ := s.localOptimum(Starts(6)[0].logs(true), nil)
	if at == nil {
		t.Fatal("no optimum")
	}
	return at
}
