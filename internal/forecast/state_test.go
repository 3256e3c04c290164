package forecast_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"rebound/internal/forecast"
)

// The state is as long after many observations as after the window is full.
func TestStateIsBounded(t *testing.T) {
	y := daily(13_000, 24, 2)
	f := must(t, forecast.Options{Step: 3600, Horizon: 4})
	f.Fit(y[:7000])
	var sizes []int
	for i, v := range y[7000:] {
		f.Observe(v)
		if i%2000 == 1999 {
			state, err := f.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(state))
		}
	}
	if slices.Max(sizes)-slices.Min(sizes) > 1000 || slices.Max(sizes) > 1<<20 {
		t.Errorf("bytes of state over time: %v", sizes)
	}
}

func TestStateOfAnotherVersion(t *testing.T) {
	f := must(t, forecast.Options{Step: 60})
	f.Observe(7)
	state, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(state, 99)
	g := must(t, forecast.Options{Step: 60})
	g.Observe(5)
	if err := g.UnmarshalBinary(state); err == nil {
		t.Error("a state of version 99 was read")
	}
	if got := g.Forecast(1, nil).Mean[0]; got != 5 {
		t.Errorf("a state that was refused changed the forecast to %v", got)
	}
}

// Whatever bytes come, they are refused or make a Forecaster that works.
func FuzzUnmarshal(f *testing.F) {
	for _, o := range []forecast.Options{{Step: 3600, Horizon: 3}, {Step: 60, Season: []float64{86400}, Horizon: 2}} {
		g := must(f, o)
		for _, n := range []int{0, 1, 60} {
			g.Fit(daily(100, 24, 1)[:n])
			state, err := g.MarshalBinary()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(state)
			f.Add(state[:len(state)/2])
		}
	}
	f.Fuzz(func(_ *testing.T, state []byte) {
		var g forecast.Forecaster
		if err := g.UnmarshalBinary(state); err != nil {
			return
		}
		for _, v := range []float64{1, 2, 3} {
			g.Observe(v)
		}
		g.Forecast(5, []float64{0.1, 0.9})
		g.Peak(1, 3, 0.9)
	})
}
