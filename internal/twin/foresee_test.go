package twin_test

import (
	"math"
	"testing"
	"time"

	"rebound/internal/twin"
)

// What was foreseen is what comes, of each load that scenarios have, noise
// included, whatever was asked for before: the records of every quarter of an hour
// are those of the run with the same seed, but for rounding.
func TestForesee(t *testing.T) {
	for _, name := range twin.Names() {
		t.Run(name, func(t *testing.T) {
			s, err := twin.Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			run, err := twin.New(s, 7)
			if err != nil {
				t.Fatal(err)
			}
			f, err := s.Foresee(7)
			if err != nil {
				t.Fatal(err)
			}
			f.Mean(4*3600, 5*3600) // looked further ahead first
			before := int64(0)
			const quarter = 900
			for k := range 8 {
				run.Advance(quarter * time.Second)
				in := run.Truth().In
				got := f.Mean(float64(k)*quarter, float64(k+1)*quarter) * quarter
				if math.Abs(got-float64(in-before)) > 2 {
					t.Errorf("quarter %d: foreseen %.1f records, %d came", k, got, in-before)
				}
				before = in
			}
		})
	}
}

// Another seed is another future.
func TestForeseeSeeds(t *testing.T) {
	s, err := twin.Builtin("daily")
	if err != nil {
		t.Fatal(err)
	}
	a, errA := s.Foresee(1)
	b, errB := s.Foresee(2)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a.Mean(0, 60) == b.Mean(0, 60) {
		t.Error("two seeds, one load")
	}
}

// A load that is the same all the time is that rate, between any moments, even
// before the start.
func TestForeseeConstant(t *testing.T) {
	s, err := twin.Builtin("daily")
	if err != nil {
		t.Fatal(err)
	}
	s.Load = twin.Load{MeanPerSecond: 1000}
	f, err := s.Foresee(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range [][2]float64{{0, 60}, {-60, 0}, {12.5, 13.25}, {30, 30}, {1e5, 1e5 + 1}} {
		if got := f.Mean(span[0], span[1]); math.Abs(got-1000) > 1e-6 {
			t.Errorf("from %v to %v: %v, want 1000", span[0], span[1], got)
		}
	}
}

// The past follows the same law, with noise of its own, and knows no surge: of a load
// that is flat but for one, it is within the noise of the mean.
func TestPast(t *testing.T) {
	s, err := twin.Builtin("daily")
	if err != nil {
		t.Fatal(err)
	}
	s.Load = twin.Load{
		MeanPerSecond: 40000, Noise: twin.Noise{Ratio: 0.03, TimeSeconds: 300},
		Surges: []twin.Surge{{AtHours: 6, Factor: 2, RiseMinutes: 20, HoldHours: 3, FallMinutes: 60}},
	}
	past, err := s.Past(1)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Foresee(1)
	if err != nil {
		t.Fatal(err)
	}
	if past.Mean(0, 60) == run.Mean(0, 60) {
		t.Error("the past has the noise of the run")
	}
	for h := range 24 {
		from := float64(h) * 3600
		// An hour's mean of noise with 3 % and 300 s has 3·√(2·300/3600) = 1.2 %.
		if got := past.Mean(from, from+3600) / s.Load.MeanPerSecond; math.Abs(got-1) > 0.05 {
			t.Errorf("hour %d: %.3f of the mean", h, got)
		}
	}
	if run.Mean(7*3600, 8*3600) < 1.8*s.Load.MeanPerSecond {
		t.Error("the run has no surge: the test compares nothing")
	}
}
