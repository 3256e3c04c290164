package control_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rebound/internal/control"
)

// A load that doubles and halves by turns every minute: a step ahead the error is
// ln 2 up or down by turns, so that 5 and 95 % are half and twice; three steps ahead
// it is the same. The mean is the last value.
func TestLastKnowsItsErrors(t *testing.T) {
	f := control.NewLast(time.Minute)
	for m := range 1440 {
		f.Observe([]float64{1e6, 2e6}[m%2])
	}
	l := f.Forecast(180)
	if len(l.Mean) != 3 || l.Now < 1.999e6 || l.Now > 2.001e6 || l.Mean[0] != l.Now || l.Mean[2] != l.Now {
		t.Fatalf("now %v, mean %v", l.Now, l.Mean)
	}
	for _, h := range []int{0, 2} {
		if low, high := l.Paths[0][h]/l.Now, l.Paths[4][h]/l.Now; math.Abs(low-0.5) > 1e-3 || math.Abs(high-2) > 1e-3 {
			t.Errorf("in %d min: %.3f to %.3f of now, want 0.5 to 2", h+1, low, high)
		}
	}
}

// On a random walk the quantiles hold what they promise: 9 in 10 values between 5
// and 95 %, at distances that are followed and between them. A day has but 24 hours
// that do not overlap, so an hour ahead it is some points less.
func TestLastCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := control.NewLast(time.Minute)
	x := math.Log(1e5)
	var walk []float64
	for range 6000 {
		x += 0.02 * rng.NormFloat64()
		walk = append(walk, math.Exp(x))
	}
	inside := map[int]int{}
	n := 0
	for m := range len(walk) - 120 {
		f.Observe(walk[m])
		if m < 1440 || m%10 != 0 {
			continue
		}
		n++
		l := f.Forecast(60 * 60)
		for _, h := range []int{1, 5, 30, 60} {
			if v := walk[m+h]; l.Paths[0][h-1] <= v && v <= l.Paths[4][h-1] {
				inside[h]++
			}
		}
	}
	for h, k := range inside {
		if share := float64(k) / float64(n); share < 0.82 || share > 0.96 {
			t.Errorf("in %d min: %.3f inside 5–95 %%", h, share)
		}
	}
}

// Quantiles do not cross, nothing is negative or no number, whatever is observed;
// what is stored resumes to the bit and goes on the same.
func TestLastLaws(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(0, 1e6), rapid.SampledFrom([]float64{0, 0, math.NaN(), math.Inf(1), -5}))
	rapid.Check(t, func(t *rapid.T) {
		f := control.NewLast(time.Minute)
		for _, v := range rapid.SliceOfN(value, 0, 300).Draw(t, "observed") {
			f.Observe(v)
		}
		l := f.Forecast(4 * 3600)
		for h := range l.Mean {
			for q := range l.Paths {
				v := l.Paths[q][h]
				if !(v >= 0) || math.IsInf(v, 0) || q > 0 && v < l.Paths[q-1][h] {
					t.Fatalf("quantile %v in %d steps: %v", l.Quantiles[q], h+1, v)
				}
			}
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		g := control.NewLast(time.Minute)
		if err := g.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		f.Observe(7)
		g.Observe(7)
		again, err := g.MarshalBinary()
		b, errF := f.MarshalBinary()
		if err != nil || errF != nil || !bytes.Equal(b, again) || !cmp.Equal(f.Forecast(1800), g.Forecast(1800)) {
			t.Fatalf("resumed, it says something else: %v %v", err, errF)
		}
	})
}

func TestLastRefusesOtherStates(t *testing.T) {
	b, err := control.NewLast(time.Hour).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range [][]byte{nil, []byte("nonsense"), b} {
		if control.NewLast(time.Minute).UnmarshalBinary(state) == nil {
			t.Errorf("%q is resumed", state)
		}
	}
}
