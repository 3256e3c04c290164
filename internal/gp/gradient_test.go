package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
)

// The gradient is what differences of the prediction are.
func TestPredictGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	x := points(rng, 12, 3)
	prior := func(x []float64) float64 { return math.Exp(x[0]) - 2*x[2] }
	h := Hyper{Lengths: []float64{0.5, 0.9, 1.4}, Signal: 1.3, Noise: 0.02}
	g := fit(t, Data{X: x, Y: waves(x)}, Options{Fixed: &h, Mean: prior})
	if err := g.Append([]float64{0.3, 0.2, 0.9}, 1, g.Noise()); err != nil {
		t.Fatal(err)
	}
	central := &fd.Settings{Formula: fd.Central, Step: 1e-5}
	for _, p := range append(points(rng, 10, 3), x[0]) {
		mean, variance := g.Gradient(p)
		wantMean := fd.Gradient(nil, func(x []float64) float64 { m, _ := g.Predict(x); return m }, p, central)
		wantVariance := fd.Gradient(nil, func(x []float64) float64 { _, v := g.Predict(x); return v }, p, central)
		for j := range p {
			near(t, "slope of the mean", mean[j], wantMean[j], 1e-7)
			near(t, "slope of the variance", variance[j], wantVariance[j], 1e-7)
		}
	}
}
