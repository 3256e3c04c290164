package forecast_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rebound/internal/forecast"
)

// plus forecasts the last value plus its step number, with intervals of ±2, and keeps
// what it has seen.
type plus struct{ seen []float64 }

func (p *plus) Fit(history []float64) { p.seen = slices.Clone(history) }
func (p *plus) Observe(v float64)     { p.seen = append(p.seen, v) }

func (p *plus) Forecast(horizon int, _ []float64) forecast.Forecast {
	f := forecast.Forecast{Quantiles: make([][]float64, 2)}
	for h := range horizon {
		v := p.seen[len(p.seen)-1] + float64(h+1)
		f.Mean = append(f.Mean, v)
		f.Quantiles[0] = append(f.Quantiles[0], v-2)
		f.Quantiles[1] = append(f.Quantiles[1], v+2)
	}
	return f
}

// By hand, on 10 20 | 21 30 with two steps ahead: from 20 the forecasts are 21 and 22,
// from 21 it is 22. The first is right, the others miss 30 by 8: sMAPE 0 and 200·8/52
// twice. For 30 both forecasts were 22, so their mean is too. History errs by 10 a step.
func TestRolling(t *testing.T) {
	got := forecast.Rolling{Start: 2, Horizon: 2}.Run(&plus{}, []float64{10, 20, 21, 30}, 1)
	miss := 200 * 8.0 / 52
	want := forecast.Score{
		Origins: 2, SMAPE: 2 * miss / 3, MASE: 16.0 / 3 / 10,
		AverageOrigins: miss / 2, AverageWAPE: 100 * 8 / 51.0,
		ByHorizon: []float64{miss / 2, miss}, Coverage: 1.0 / 3, Width: 12 / (21 + 30 + 30.0), Scored: 3,
	}
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })); d != "" {
		t.Error(d)
	}
}

// Every second origin: only the one at 20 forecasts, and 21 is still learned.
func TestRollingStride(t *testing.T) {
	m := &plus{}
	got := forecast.Rolling{Start: 2, Horizon: 1, Stride: 2}.Run(m, []float64{10, 20, 21, 30}, 1)
	if got.Origins != 1 || got.SMAPE != 0 {
		t.Errorf("%d origins, sMAPE %v; want 1 and 0", got.Origins, got.SMAPE)
	}
	if want := []float64{10, 20, 21, 30}; !slices.Equal(m.seen, want) {
		t.Errorf("seen %v, want %v", m.seen, want)
	}
}

// A change of what comes changes no forecast that was made before.
func TestNoLookAhead(t *testing.T) {
	y := daily(700, 24, 1)
	other := slices.Clone(y)
	const change = 600
	for i := change; i < len(other); i++ {
		other[i] *= 3
	}
	paths := func(y []float64) [][]float64 {
		f := must(t, forecast.Options{Step: 3600, Horizon: 12})
		f.Fit(y[:500])
		var all [][]float64
		for _, v := range y[500:change] {
			got := f.Forecast(12, []float64{0.1, 0.9})
			all = append(all, got.Mean, got.Quantiles[0], got.Quantiles[1])
			f.Observe(v)
		}
		return all
	}
	if d := cmp.Diff(paths(y), paths(other)); d != "" {
		t.Error("the future was seen:", d)
	}
}

// Simple methods by hand: the last value; the value two steps before; and, on a season
// of 10 and 20 around nothing else, Holt-Winters' season.
func TestBaselines(t *testing.T) {
	y := []float64{10, 20, 10, 20, 10, 20, 10}
	for name, c := range map[string]struct {
		m    *forecast.Baseline
		want []float64
	}{
		"last value":     {forecast.LastValue(), []float64{10, 10, 10}},
		"seasonal naive": {forecast.SeasonalNaive(2), []float64{20, 10, 20}},
		"holt-winters":   {forecast.HoltWinters(2), []float64{20, 10, 20}},
	} {
		c.m.Fit(y[:5])
		c.m.Observe(20)
		c.m.Observe(math.NaN()) // a gap is bridged by the forecast, which is 10 but for the last value
		if name == "last value" {
			c.m.Observe(10)
		}
		got := c.m.Forecast(3, nil).Mean
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-6 {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				break
			}
		}
	}
}
