package gp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// Two predictions 1 ± 2 and 5 ± 4: the mean is 3, the variance (4 + 16)/2 of
// themselves and ((1-3)² + (5-3)²)/2 between them, 10 + 4.
func TestMix(t *testing.T) {
	mean, variance := Mix([][]float64{{1}, {5}}, [][]float64{{4}, {16}})
	near(t, "mean", mean[0], 3, 0)
	near(t, "variance", variance[0], 14, 0)
	if mean, variance := Mix(nil, nil); mean != nil || variance != nil {
		t.Error("nothing is mixed to something")
	}
}

// The hyper-parameters of alternatives have the mean and, where the posterior is
// close to normal, the covariance that the curvature says: in the coordinates of
// the metric they are standard normal.
func TestAlternatives(t *testing.T) {
	g := fit(t, job(60), Options{})
	alternatives, err := g.Alternatives(rand.New(rand.NewPCG(1, 1)), 257)
	if err != nil {
		t.Fatal(err)
	}
	if len(alternatives) != 257 {
		t.Fatalf("%d alternatives, want 257", len(alternatives))
	}
	x := []float64{0.5, 0.4, 0.3, 0.2, 0.1, 0}
	m1, v1 := g.Predict(x)
	m2, v2 := alternatives[0].Predict(x)
	if m1 != m2 || v1 != v2 {
		t.Error("the first is not the process itself")
	}
	best := g.hyper.logs(true)
	metric := newSystem(g.from).metric(best, 1)
	var first []float64
	for _, a := range alternatives[1:] {
		z := a.hyper.logs(true)
		sum := 0.0 // coordinate 0 of L'(t - best)
		for i := range z {
			sum += metric.At(i, 0) * (z[i] - best[i])
		}
		first = append(first, sum)
	}
	near(t, "mean", stat.Mean(first, nil), 0, 0.1)
	near(t, "standard deviation", stat.StdDev(first, nil), 1, 0.1)
}

// Ten observations of a function of four inputs: how often is the truth within
// the 90 % interval? The best hyper-parameters alone say 90 and hold 60 or so.
func TestAlternativesAreLessCertain(t *testing.T) {
	alone, mixed, count := 0.0, 0.0, 0.0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		x := points(rng, 10, 4)
		g := fit(t, Data{X: x, Y: waves(x), Noise: make([]float64, 10)}, Options{})
		alternatives, err := g.Alternatives(rng, 16)
		if err != nil {
			t.Fatal(err)
		}
		at := points(rng, 50, 4)
		var means, variances [][]float64
		for _, a := range alternatives {
			m, v := a.PredictAll(at)
			means, variances = append(means, m), append(variances, v)
		}
		m, v := Mix(means, variances)
		for i, p := range at {
			held := func(mean, variance float64) float64 {
				if math.Abs(wave(p)-mean) < 1.645*math.Sqrt(variance) {
					return 1
				}
				return 0
			}
			alone, mixed, count = alone+held(means[0][i], variances[0][i]), mixed+held(m[i], v[i]), count+1
		}
	}
	if alone/count > 0.8 || mixed/count < alone/count+0.05 {
		t.Errorf("90 %% intervals hold %.0f %% alone and %.0f %% mixed", 100*alone/count, 100*mixed/count)
	}
}

// A tight prior decides where data do not.
func TestPrior(t *testing.T) {
	d := Data{X: [][]float64{{0.2}, {0.8}}, Y: []float64{1, 2}}
	g := fit(t, d, Options{Prior: &Prior{Mean: math.Log(0.1), Variance: 1e-4}})
	near(t, "length", g.Hyper().Lengths[0], 0.1, 0.01)
	for _, p := range []Prior{{}, {Mean: math.NaN(), Variance: 1}, {Variance: -1}} {
		if _, err := Fit(d, Options{Prior: &p}); err == nil {
			t.Errorf("prior %v is taken", p)
		}
	}
	if got := slices.Clone(fit(t, d, Options{Prior: new(DefaultPrior(1))}).Hyper().Lengths); got[0] != fit(t, d, Options{}).Hyper().Lengths[0] {
		t.Error("the default prior is not the default")
	}
}
