package control_test

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rebound/internal/control"
)

// A day that repeats is forecast by the day before: after two of them the mean is
// within 1.5 % of what comes, an hour ahead.
func TestSimpleRepeatsTheDay(t *testing.T) {
	rate := func(minute int) float64 { return 1000 + 800*math.Sin(2*math.Pi*float64(minute)/1440) }
	f := control.NewSimple(time.Minute)
	now := 2*1440 + 300
	for m := range now {
		f.Observe(rate(m))
	}
	l := f.Forecast(3600)
	if len(l.Mean) != 60 || l.Step != 60 {
		t.Fatalf("%d steps of %v s", len(l.Mean), l.Step)
	}
	for i, got := range l.Mean {
		if want := rate(now + i); math.Abs(got-want) > 0.015*want {
			t.Errorf("in %d min: %.1f, want %.1f", i+1, got, want)
		}
	}
}

// A steady growth is followed, and fades.
func TestSimpleTrend(t *testing.T) {
	f := control.NewSimple(time.Minute)
	for m := range 240 {
		f.Observe(100 * math.Exp(0.01*float64(m)))
	}
	last := 100 * math.Exp(0.01*239)
	l := f.Forecast(600)
	if got := l.Mean[9]; got < 1.03*last || got > 1.1*last {
		t.Errorf("in 10 min %.1f, now %.1f: want 3 to 10 %% more", got, last)
	}
}

// Quantiles do not cross, hold the mean, and nothing is negative or no number,
// whatever is observed; what is stored resumes to the bit.
func TestSimpleLaws(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(0, 1e6), rapid.SampledFrom([]float64{0, 0, math.NaN(), math.Inf(1), -5}))
	rapid.Check(t, func(t *rapid.T) {
		f := control.NewSimple(time.Minute)
		for _, v := range rapid.SliceOfN(value, 0, 300).Draw(t, "observed") {
			f.Observe(v)
		}
		l := f.Forecast(1800)
		for h := range l.Mean {
			for q := range l.Paths {
				v := l.Paths[q][h]
				if !(v >= 0) || math.IsInf(v, 0) || q > 0 && v < l.Paths[q-1][h] {
					t.Fatalf("quantile %v in %d steps: %v", l.Quantiles[q], h+1, v)
				}
			}
			if m := l.Mean[h]; m < l.Paths[0][h] || m > l.Paths[len(l.Paths)-1][h] {
				t.Fatalf("mean %v outside of its quantiles", m)
			}
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		g := control.NewSimple(time.Minute)
		if err := g.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		again, err := g.MarshalBinary()
		if err != nil || !bytes.Equal(b, again) || !cmp.Equal(l, g.Forecast(1800)) {
			t.Fatalf("resumed, it says something else: %v", err)
		}
	})
}

func TestForecasterResumes(t *testing.T) {
	f, err := control.NewForecaster(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for m := range 600 {
		f.Observe(1000 + 100*math.Sin(float64(m)/50))
	}
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	g, err := control.NewForecaster(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	want := f.Forecast(3600)
	got := g.Forecast(3600)
	want.Now, got.Now = 0, 0 // the last value is not part of what is stored
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("resumed, it says something else (-want +got):\n%s", d)
	}
	if err := g.UnmarshalBinary([]byte("nonsense")); err == nil {
		t.Error("nonsense is resumed")
	}
	if err := control.NewSimple(time.Minute).UnmarshalBinary([]byte("nonsense")); err == nil {
		t.Error("nonsense is resumed")
	}
}
