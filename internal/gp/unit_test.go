package gp

import (
	"math"
	"testing"
)

// In a unit of 0.25 and with a signal of 1, f is off its prior mean by 0.25: at the
// one observation, exact, it is known, and far away it is as before, where
// standardized outputs would have their mean, 2.5, and a deviation of 1.
func TestUnit(t *testing.T) {
	h := Hyper{Lengths: []float64{0.1}, Signal: 1}
	g, err := Fit(Data{X: [][]float64{{0}}, Y: []float64{2.5}, Noise: []float64{0}}, Options{
		Mean: func([]float64) float64 { return 2 }, Unit: 0.25, Fixed: &h,
	})
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := g.Predict([]float64{0})
	near(t, "mean at the observation", mean, 2.5, 1e-6)
	near(t, "variance at the observation", variance, 0, 1e-8)
	mean, variance = g.Predict([]float64{1e3})
	near(t, "mean far away", mean, 2, 1e-12)
	near(t, "variance far away", variance, 0.0625, 1e-12)
}

// Ten observations that hardly differ from the prior mean say that the signal is
// tiny; a prior that is sure of it keeps it near 1.
func TestPriorOfTheSignal(t *testing.T) {
	d := Data{Noise: make([]float64, 10)}
	for i := range 10 {
		d.X, d.Y = append(d.X, []float64{float64(i) / 10}), append(d.Y, 0.002*float64(i%3))
	}
	signal := func(p *Prior) float64 {
		g, err := Fit(d, Options{Unit: 1, Signal: p})
		if err != nil {
			t.Fatal(err)
		}
		return g.Hyper().Signal
	}
	if s := signal(nil); s > 0.01 {
		t.Errorf("learned signal %g, want next to nothing", s)
	}
	if s := signal(&Prior{Variance: 0.01}); s < 0.5 || s > 1.1 {
		t.Errorf("signal under a prior that is sure of 1: %g", s)
	}
}

func TestUnitMustBeANumber(t *testing.T) {
	d := Data{X: [][]float64{{0}}, Y: []float64{1}}
	for _, u := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := Fit(d, Options{Unit: u}); err == nil {
			t.Errorf("unit %g is taken", u)
		}
	}
	if _, err := Fit(d, Options{Signal: &Prior{}}); err == nil {
		t.Error("a prior without variance is taken")
	}
}
