package forecast_test

import (
	"testing"

	"rebound/internal/forecast"
)

// Goal: at most 200 µs.
func BenchmarkUpdateAndForecast48(b *testing.B) {
	y := daily(8000, 288, 1)
	f := must(b, forecast.Options{Step: 300, Horizon: 48})
	f.Fit(y[:6000])
	levels := []float64{0.05, 0.5, 0.95}
	i := 6000
	for b.Loop() {
		f.Observe(y[i])
		f.Forecast(48, levels)
		if i++; i == len(y) {
			i = 6000
		}
	}
}

// Goal: at most 50 ms.
func BenchmarkFirstFit6000(b *testing.B) {
	y := daily(6000, 288, 1)
	for b.Loop() {
		must(b, forecast.Options{Step: 300, Horizon: 48}).Fit(y)
	}
}

// An hourly series of 40 days, two days ahead, with intervals and without. Goal: 38 ms
// and 9 ms, so that two cores do 414 of them in 8 s and 2 s.
func BenchmarkFitHourly(b *testing.B) {
	y := daily(960, 24, 1)
	for name, o := range map[string]forecast.Options{
		"intervals": {Step: 3600, Horizon: 48},
		"means":     {Step: 3600, Horizon: 48, Scored: 100},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f := must(b, o)
				f.Fit(y)
				f.Forecast(48, []float64{0.025, 0.975})
			}
		})
	}
}

// A second, a day's season: sums of 300 s carry the day.
func BenchmarkUpdateSeconds(b *testing.B) {
	y := daily(86400*3, 86400, 1)
	f := must(b, forecast.Options{Step: 1, Season: []float64{86400}, Horizon: 600})
	f.Fit(y)
	i := 0
	for b.Loop() {
		f.Observe(y[i])
		if i++; i == len(y) {
			i = 0
		}
	}
}
