package recovery

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// made is a grid of recoveries by a known model, each off by normal noise in its
// logarithm.
func made(m Model, intervals, utilizations []float64, noise float64) []Observed {
	rng := seeded(9)
	var rows []Observed
	for _, i := range intervals {
		for _, rho := range utilizations {
			t := m.Predict(i, rho*m.Capacity)
			rows = append(rows, Observed{i, rho * m.Capacity, t.Seconds * math.Exp(noise*rng.NormFloat64())})
		}
	}
	return rows
}

// By hand: T_d 60, μ 100, k 1, I 30, λ 50: (60 + 15)/0.5 = 150.
func TestPredict(t *testing.T) {
	m := Model{Downtime: 60, Capacity: 100, AgeFactor: 1}
	if got := m.Predict(30, 50); got.Seconds != 150 {
		t.Errorf("%+v, want 150", got)
	}
	if got := m.Predict(30, 100); got.Outcome != Never {
		t.Errorf("%+v, want never", got)
	}
}

// Recoveries without noise give their three numbers back, whatever these are, and
// are predicted exactly though nothing at their interval was seen.
func TestFitFindsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := Model{
			Downtime:  rapid.Float64Range(5, 200).Draw(t, "T_d"),
			Capacity:  math.Exp(rapid.Float64Range(0, 16).Draw(t, "ln μ")),
			AgeFactor: rapid.Float64Range(0.3, 1.3).Draw(t, "k"),
		}
		got, err := Fit(made(truth, []float64{20, 60, 180}, []float64{0.2, 0.4, 0.6, 0.8}, 0))
		if err != nil {
			t.Fatal(err)
		}
		if !near(got.Downtime/truth.Downtime, 1, 0.01) || !near(got.Capacity/truth.Capacity, 1, 0.01) || math.Abs(got.AgeFactor-truth.AgeFactor) > 0.02 {
			t.Errorf("%+v, want %+v", got, truth)
		}
	})
	truth := Model{Downtime: 30, Capacity: 5, AgeFactor: 1.1}
	v, err := Validate(made(truth, []float64{20, 60, 180}, []float64{0.2, 0.4, 0.6, 0.8}, 0))
	if err != nil {
		t.Fatal(err)
	}
	if v.InSample > 0.001 || *v.LeaveInterval > 0.02 || *v.LeaveBand > 0.02 {
		t.Errorf("errors %v, %v, %v, want next to none", v.InSample, *v.LeaveInterval, *v.LeaveBand)
	}
}

// Three wild rows in thirty move the prediction little.
func TestFitSurvivesOutliers(t *testing.T) {
	truth := Model{Downtime: 60, Capacity: 100, AgeFactor: 0.8}
	rows := made(truth, []float64{10, 30, 60, 90, 120}, []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8}, 0.05)
	rows[3].Seconds *= 10
	rows[14].Seconds *= 6
	rows[22].Seconds /= 8
	m, err := Fit(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		got, want := m.Predict(r.Interval, r.Rate).Seconds, truth.Predict(r.Interval, r.Rate).Seconds
		if math.Abs(got/want-1) > 0.12 {
			t.Errorf("%+v at %v s and %v/s: %v, want %v", m, r.Interval, r.Rate, got, want)
		}
	}
}

// The unit of a record does not matter, nor the order of the rows.
func TestFitIsInvariant(t *testing.T) {
	rows := made(Model{60, 100, 0.8, 0}, []float64{10, 60, 120}, []float64{0.3, 0.5, 0.7, 0.8}, 0.1)
	a, err := Validate(rows)
	if err != nil {
		t.Fatal(err)
	}
	other := make([]Observed, len(rows))
	for i, r := range rows {
		r.Rate *= 1e6
		other[len(rows)-1-i] = r
	}
	b, err := Validate(other)
	if err != nil {
		t.Fatal(err)
	}
	b.Model.Capacity /= 1e6
	for i, j := 0, len(b.Rows)-1; i < j; i, j = i+1, j-1 {
		b.Rows[i], b.Rows[j] = b.Rows[j], b.Rows[i]
	}
	close := cmp.Comparer(func(x, y float64) bool { return near(x, y, 1e-4) })
	if diff := cmp.Diff(a, b, close); diff != "" {
		t.Errorf("in millionths and reversed (-want +got):\n%s", diff)
	}
}

// The prediction and the interval of a held-out row owe nothing to its own
// interval: whatever is measured there, they stay the same to the last bit.
func TestHeldOutRowsAreNotSeen(t *testing.T) {
	rows := made(Model{60, 100, 0.8, 0}, []float64{10, 30, 60, 120}, []float64{0.3, 0.5, 0.7, 0.8}, 0.1)
	before, err := Validate(rows)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if rows[i].Interval == 60 {
			rows[i].Seconds *= 1 + float64(i)
		}
	}
	after, err := Validate(rows)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i, r := range rows {
		switch same := before.Rows[i] == after.Rows[i]; {
		case r.Interval == 60 && !same:
			t.Errorf("row %d: %+v, before its own interval changed %+v", i, after.Rows[i], before.Rows[i])
		case r.Interval != 60 && !same:
			changed++
		}
	}
	if changed == 0 {
		t.Error("no other row depends on the interval that changed")
	}
}

// With errors of one kind for all, intervals hold about nine in ten.
func TestIntervalsAreHonest(t *testing.T) {
	utilizations := []float64{0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8}
	rows := made(Model{60, 100, 0.8, 0}, []float64{10, 30, 60, 90, 120, 180}, utilizations, 0.15)
	v, err := Validate(rows)
	if err != nil {
		t.Fatal(err)
	}
	if *v.Coverage < 0.85 || *v.Coverage > 0.97 {
		t.Errorf("intervals hold %v, want 0.9 or so", *v.Coverage)
	}
}

func TestFitRefuses(t *testing.T) {
	m := Model{60, 100, 0.8, 0}
	many := []float64{0.2, 0.4, 0.6, 0.8}
	wild := made(m, []float64{10, 60}, many, 0)
	wild[2].Rate *= 1000
	for name, c := range map[string]struct {
		rows []Observed
		want string
	}{
		"nothing":      {nil, "0 recoveries, want at least 4"},
		"three":        {made(m, []float64{10, 20, 30}, []float64{0.5}, 0), "3 recoveries, want at least 4"},
		"one interval": {made(m, []float64{60}, many, 0), "all recoveries are at one interval, 60 s"},
		"one rate":     {made(m, []float64{10, 20, 30, 40}, []float64{0.5}, 0), "all recoveries are at about one rate, 50 records/s"},
		"no slope": {[]Observed{
			{10, 1, 110}, {10, 2, 110}, {10, 4, 110}, {60, 1, 160}, {60, 2, 160}, {60, 4, 160},
		}, "does not get longer as the rate grows"},
		"hardly a slope": {[]Observed{
			{10, 1, 100}, {10, 2, 100}, {10, 4, 100}, {60, 1, 100}, {60, 2, 100}, {60, 4, 100.1},
		}, "hardly gets longer as the rate grows"},
		"a rate in another unit": {wild, "if that rate is a mistake"},
	} {
		got, err := Fit(c.rows)
		if !errors.Is(err, ErrUndetermined) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v, want %q", name, got, err, c.want)
		}
	}
}

// Two intervals: each is predicted from the other with what is known of k before
// any data. Too few rows for intervals: none are given.
func TestValidateFewRows(t *testing.T) {
	v, err := Validate(made(Model{60, 100, 0.75, 0}, []float64{30, 60}, []float64{0.2, 0.4, 0.6, 0.8}, 0))
	if err != nil {
		t.Fatal(err)
	}
	if v.LeaveInterval == nil || *v.LeaveInterval > 0.1 {
		t.Errorf("interval left out: %v, want a small error", v.LeaveInterval)
	}
	if v.Coverage != nil {
		t.Errorf("coverage %v of intervals from 4 rows", *v.Coverage)
	}
	v, err = Validate(made(Model{60, 100, 0.75, 0}, []float64{30, 60}, []float64{0.3, 0.6}, 0))
	if err != nil {
		t.Fatal(err)
	}
	if v.LeaveInterval != nil || v.Rows[0].Known {
		t.Errorf("%+v: two rows predict two", v)
	}
}

// No rows, however odd, make a model that is not one.
func TestFitAlwaysMakesSense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := make([]Observed, rapid.IntRange(0, 12).Draw(t, "n"))
		for i := range rows {
			rows[i] = Observed{
				rapid.SampledFrom([]float64{1, 10, 30, 600}).Draw(t, "I"),
				math.Exp(rapid.Float64Range(-3, 12).Draw(t, "ln λ")),
				math.Exp(rapid.Float64Range(-3, 9).Draw(t, "ln R")),
			}
		}
		v, err := Validate(rows)
		if err != nil {
			if !errors.Is(err, ErrUndetermined) {
				t.Fatal(err)
			}
			return
		}
		m := v.Model
		if !(m.Downtime >= 0) || !(m.AgeFactor >= 0) || !(m.Capacity > highest(rows)) || math.IsInf(m.Capacity+m.Downtime+m.AgeFactor, 0) {
			t.Errorf("%+v", m)
		}
		for i, h := range v.Rows {
			if h.Bounded && !(h.Low <= h.Predicted.Seconds && h.Predicted.Seconds <= h.High) {
				t.Errorf("row %d: %+v", i, h)
			}
		}
	})
}
