package trace

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// One subtask counts 10 000/s at TaskManager a, is not read from 60 to 90 s, and
// counts again from zero at b. A difference across the reset would be −28 667/s
// per usual step, and one from zero over the gap a smeared 5 167/s.
func resetAndGap() []Reading {
	s := Subtask{"job", "source", "0"}
	out := []Reading{}
	for _, r := range []struct {
		at, value float64
		holder    string
	}{{0, 0, "a"}, {15, 150e3, "a"}, {30, 300e3, "a"}, {45, 450e3, "a"}, {60, nan, "a"}, {75, nan, ""}, {90, nan, ""}, {105, 20e3, "b"}, {120, 170e3, "b"}} {
		out = append(out, Reading{r.at, s, r.holder, r.value})
	}
	return out
}

func TestRatesAcrossResetAndGap(t *testing.T) {
	want := map[Subtask][]Rate{{"job", "source", "0"}: {{0, 15, 10e3}, {15, 30, 10e3}, {30, 45, 10e3}, {105, 120, 10e3}}}
	if diff := cmp.Diff(want, Rates(resetAndGap())); diff != "" {
		t.Errorf("with holders (-want +got):\n%s", diff)
	}
	anonymous := resetAndGap()
	for i := range anonymous {
		anonymous[i].Holder = ""
	}
	if diff := cmp.Diff(want, Rates(anonymous)); diff != "" {
		t.Errorf("without holders (-want +got):\n%s", diff)
	}
}

func TestRates(t *testing.T) {
	s := Subtask{Subtask: "0"}
	tests := map[string]struct {
		in   []Reading
		want []Rate
	}{
		"one scrape failed":   {[]Reading{{0, s, "", 0}, {10, s, "", 50}, {20, s, "", nan}, {30, s, "", 150}, {40, s, "", 200}}, []Rate{{0, 10, 5}, {10, 30, 5}, {30, 40, 5}}},
		"new holder is ahead": {[]Reading{{0, s, "a", 10}, {10, s, "a", 20}, {20, s, "b", 90}, {30, s, "b", 100}}, []Rate{{0, 10, 1}, {20, 30, 1}}},
		"reset in a step":     {[]Reading{{0, s, "", 10}, {10, s, "", 20}, {20, s, "", 5}, {30, s, "", 15}}, []Rate{{0, 10, 1}, {20, 30, 1}}},
		"out of order":        {[]Reading{{10, s, "", 20}, {0, s, "", 10}}, []Rate{{0, 10, 1}}},
		"read twice":          {[]Reading{{0, s, "", 10}, {0, s, "", 10}, {10, s, "", 20}}, []Rate{{0, 10, 1}}},
		"single":              {[]Reading{{0, s, "", 10}}, []Rate{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Rates(tt.in)[s]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The reset shows at 105 s, told by the holder or by the count.
func TestRestarts(t *testing.T) {
	at := []float64{0, 45, 60, 105, 120}
	readings := resetAndGap()
	for range 2 {
		if diff := cmp.Diff([]float64{0, 0, 0, 1, 1}, Restarts(readings, at)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		for i := range readings {
			readings[i].Holder = ""
		}
	}
}

// A second subtask that lives on does not fill the hole of the first; before a
// subtask's first reading and after its last it is not part of the job.
func TestTotals(t *testing.T) {
	other := Subtask{"job", "source", "1"}
	readings := resetAndGap()
	for at := 30.0; at <= 120; at += 15 {
		readings = append(readings, Reading{at, other, "c", 1000 * at})
	}
	at := []float64{0, 15, 30, 45, 60, 75, 90, 105, 120, 135}
	want := []float64{nan, 10e3, 10e3, 11e3, nan, nan, nan, nan, 11e3, nan}
	if diff := cmp.Diff(want, TotalRate(readings, at), nanEqual); diff != "" {
		t.Errorf("rate (-want +got):\n%s", diff)
	}
	want = []float64{0, 150e3, 330e3, 495e3, nan, nan, nan, 125e3, 290e3, nan}
	if diff := cmp.Diff(want, Total(readings, at), nanEqual); diff != "" {
		t.Errorf("gauge (-want +got):\n%s", diff)
	}
	want = []float64{0, 150e3, 300e3, 450e3, nan, nan, nan, 105e3, 170e3, nan}
	if diff := cmp.Diff(want, Worst(readings, at), nanEqual); diff != "" {
		t.Errorf("worst (-want +got):\n%s", diff)
	}
}

// However counters are reset and lost, a rate that is told is the true one.
func TestRatesAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0, 1e6).Draw(t, "rate")
		value, holder := 0.0, 0
		var in []Reading
		for i := range rapid.IntRange(1, 60).Draw(t, "readings") {
			at := 15 * float64(i)
			switch rapid.IntRange(0, 5).Draw(t, "event") {
			case 0: // restarted within this step: counts from zero, at another holder
				value, holder = rate*rapid.Float64Range(0, 15).Draw(t, "since"), holder+1
			default:
				value += rate * 15
			}
			seen := value
			if rapid.IntRange(0, 4).Draw(t, "scrape") == 0 {
				seen = math.NaN()
			}
			in = append(in, Reading{At: at, Holder: string(rune('a' + holder)), Value: seen})
		}
		for _, rs := range Rates(in) {
			for _, r := range rs {
				if math.Abs(r.PerSecond-rate) > 1e-6*(1+rate) {
					t.Fatalf("%+v, want %v", r, rate)
				}
			}
		}
	})
}
