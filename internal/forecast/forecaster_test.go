package forecast_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"rebound/internal/forecast"
)

// must makes a Forecaster of sound options.
func must(t testing.TB, o forecast.Options) *forecast.Forecaster {
	t.Helper()
	f, err := forecast.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// daily is a load with a day of the given number of steps and noise of a twentieth.
func daily(n, day int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	y := make([]float64, n)
	for t := range y {
		y[t] = 1000 * (1 + 0.5*math.Sin(2*math.Pi*float64(t)/float64(day))) * (1 + 0.05*rng.NormFloat64())
	}
	return y
}

func TestThreePoints(t *testing.T) {
	f := must(t, forecast.Options{Step: 60})
	for n, v := range []float64{100, 110, 105} {
		f.Observe(v)
		got := f.Forecast(10, []float64{0.05, 0.95})
		for h, m := range got.Mean {
			if m < 80 || m > 130 {
				t.Errorf("after %d points, step %d: %v, want near 100", n+1, h+1, m)
			}
			if got.Quantiles[0][h] > m || got.Quantiles[1][h] < m {
				t.Errorf("after %d points, step %d: %v is outside [%v, %v]", n+1, h+1, m, got.Quantiles[0][h], got.Quantiles[1][h])
			}
		}
	}
	got := f.Forecast(10, []float64{0.05, 0.95})
	if w := got.Quantiles[1][9] - got.Quantiles[0][9]; w < 10 {
		t.Errorf("ten steps ahead the interval is %v wide, want more than the steps seen", w)
	}
}

// A state that is written and read goes on bit for bit.
func TestStateResumes(t *testing.T) {
	for name, o := range map[string]forecast.Options{
		"direct": {Step: 3600, Horizon: 24}, "sums": {Step: 60, Season: []float64{86400}, Horizon: 90},
	} {
		t.Run(name, func(t *testing.T) {
			y := daily(3500, int(86400/o.Step), 3)
			for i := 3230; i < 3300; i++ { // a surge, which hangs on more of the state
				y[i] *= 3
			}
			a := must(t, o)
			a.Fit(y[:3000])
			for _, v := range y[3000:3203] {
				a.Observe(v)
			}
			state, err := a.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			b := &forecast.Forecaster{}
			if err := b.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
			for _, v := range y[3203:] {
				a.Observe(v)
				b.Observe(v)
			}
			want, _ := a.MarshalBinary()
			got, _ := b.MarshalBinary()
			if !bytes.Equal(got, want) {
				t.Error("the two went apart")
			}
		})
	}
}
