package forecast_test

import (
	"math"
	"testing"

	"rebound/internal/forecast"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// By hand: 200·10/210 = 9.5238, both zero is 0, zero against 5 is 200, NaN is left out.
func TestSMAPE(t *testing.T) {
	nan := math.NaN()
	got, ok := forecast.SMAPE([]float64{100, 0, 0, nan, 7}, []float64{110, 0, 5, 3, nan})
	near(t, "smape", got, (200*10.0/210+0+200)/3)
	if !ok {
		t.Error("three terms are not nothing")
	}
	if _, ok := forecast.SMAPE([]float64{nan}, []float64{1}); ok {
		t.Error("nothing was scored")
	}
}

// The history 1 3 2 6 at season 2 errs by |2 − 1| = 1 and |6 − 3| = 3: 2 on average. The
// forecast errs by 1 and 3, 2 on average: as good as naive.
func TestMASE(t *testing.T) {
	got, ok := forecast.MASE([]float64{1, 3, 2, 6}, []float64{10, 10}, []float64{11, 7}, 2)
	near(t, "mase", got, 1)
	if !ok {
		t.Error("it is known")
	}
	if _, ok := forecast.MASE([]float64{5, 5, 5}, []float64{5}, []float64{5}, 1); ok {
		t.Error("a constant history has no scale")
	}
}

// In the same unit 2: the first lies inside, width 4; the second 1 below, width 4 and
// 2/0.1·1 = 20 more. (4 + 24)/2/2 = 7. Half of them are covered.
func TestIntervals(t *testing.T) {
	in := forecast.Interval{Low: []float64{8, 8}, High: []float64{12, 12}, Alpha: 0.1}
	got, _ := forecast.MSIS([]float64{1, 3, 2, 6}, []float64{10, 7}, in, 2)
	near(t, "msis", got, 7)
	share, ok := in.Coverage([]float64{12, 7, math.NaN()})
	near(t, "coverage", share, 0.5)
	if !ok {
		t.Error("two values are not nothing")
	}
}

// Half the sMAPE and the same MASE as the reference: 0.75.
func TestOWA(t *testing.T) {
	near(t, "owa", forecast.OWA(5, 2, 10, 2), 0.75)
}
