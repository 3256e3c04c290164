package store

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"
)

func TestScores(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, _ *time.Time) {
		p := made[string](t)(j.AddPrediction(t.Context(), prediction()))
		m := made[string](t)(j.AddMeasurement(t.Context(), ads, measurement()))
		for range 2 { // twice is once
			if err := j.Score(t.Context(), p, m); err != nil {
				t.Fatal(err)
			}
		}
		all := made[[]Score](t)(j.Scored(t.Context(), Query{Identity: &ads, Failure: job.ProcessFailure, Kind: Conditional}))
		if len(all) != 1 {
			t.Fatalf("%d scores, want 1", len(all))
		}
		s := all[0]
		// Predicted 20 s, measured 25 s: ln 1.25.
		if s.LogRatio == nil || math.Abs(*s.LogRatio-math.Log(1.25)) > 1e-15 || s.Inside == nil || !*s.Inside {
			t.Errorf("log ratio %v, inside %v", s.LogRatio, s.Inside)
		}
		if *s.P05Seconds != 10 || *s.MedianSeconds != 20 || *s.P95Seconds != 40 || *s.MeasuredSeconds != 25 || !s.At.Equal(measurement().At) {
			t.Errorf("got %+v", s)
		}
		if got := made[[]Score](t)(j.Scored(t.Context(), Query{Kind: Unconditional})); len(got) != 0 {
			t.Errorf("another kind has %d scores", len(got))
		}
	})
}

func TestScoreRefusesWhatDoesNotBelongTogether(t *testing.T) {
	j := opened(t, Memory)
	p := made[string](t)(j.AddPrediction(t.Context(), prediction()))
	node := measurement()
	node.Failure = job.NodeFailure
	for name, m := range map[string]string{
		"failure": made[string](t)(j.AddMeasurement(t.Context(), ads, node)),
		"job":     made[string](t)(j.AddMeasurement(t.Context(), job.Identity{Name: "other"}, measurement())),
		"nothing": "nothing",
	} {
		if err := j.Score(t.Context(), p, m); err == nil {
			t.Errorf("%s: scored", name)
		}
	}
}

func TestInside(t *testing.T) {
	at := func(p05, p95 *float64, end job.Outcome) job.Recovery {
		return job.Recovery{P05Seconds: p05, P95Seconds: p95, P95Outcome: end}
	}
	exact := func(s float64) job.Measurement { return job.Measurement{RecoverySeconds: &s} }
	least := func(s float64) job.Measurement { return job.Measurement{AtLeastSeconds: &s} }
	closed, open := at(new(10.0), new(40.0), ""), at(new(10.0), nil, job.Never)
	for name, tt := range map[string]struct {
		r    job.Recovery
		m    job.Measurement
		want *bool
	}{
		"lower end":                    {closed, exact(10), new(true)},
		"upper end":                    {closed, exact(40), new(true)},
		"below":                        {closed, exact(9.9), new(false)},
		"above":                        {closed, exact(40.1), new(false)},
		"infinite upper end":           {open, exact(1e6), new(true)},
		"below an infinite one":        {open, exact(5), new(false)},
		"given up within":              {closed, least(30), nil},
		"given up beyond":              {closed, least(41), new(false)},
		"given up, infinite upper end": {open, least(11), new(true)},
		"given up early":               {open, least(9), nil},
		"nothing predicted":            {job.Recovery{}, exact(10), nil},
		"upper end unknown":            {at(new(10.0), nil, ""), exact(20), nil},
		"nothing measured":             {closed, job.Measurement{}, nil},
	} {
		got := inside(tt.r, tt.m)
		if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}
