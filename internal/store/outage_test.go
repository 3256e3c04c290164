package store

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
)

func standing() job.Standing {
	p := prediction()
	p.Recovery.AgeSeconds = nil
	return job.Standing{
		Job: ads, Incarnation: p.Incarnation, At: noon, ServerAt: p.ServerAt, Recovery: p.Recovery, Settings: p.Settings,
		ModelVersion: "7", Seed: p.Seed, InputHash: p.InputHash,
	}
}

func TestStandingPredictionComesBackWhole(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, _ *time.Time) {
		a, b := standing(), standing()
		b.Recovery.Failure = job.TaskFailure
		ids := made[[]string](t)(j.AddPredictions(t.Context(), []job.Standing{a, b}))
		want := Prediction{
			ID: ids[1], Identity: ads, Incarnation: "f9b3", At: noon, ServerAt: noon.Add(-time.Second), Kind: Standing,
			Recovery: b.Recovery, Settings: b.Settings, ModelVersion: "7", Seed: 1<<64 - 1, InputHash: "ab12",
		}
		got := made[[]Prediction](t)(j.Predictions(t.Context(), Query{Kind: Standing, Failure: job.TaskFailure}))
		if diff := cmp.Diff([]Prediction{want}, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

// Measured 25 s; the standing prediction has 10 to 40 s, the one given the age
// 26 to 30 s: it counts, and missed.
func TestOutageIsScoredOnce(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, _ *time.Time) {
		stood := made[[]string](t)(j.AddPredictions(t.Context(), []job.Standing{standing()}))[0]
		given := prediction().Recovery
		given.P05Seconds, given.MedianSeconds, given.P95Seconds = new(26.0), new(28.0), new(30.0)
		m := measurement()
		for _, shift := range []time.Duration{0, 0, 900 * time.Millisecond, -900 * time.Millisecond} { // the same, found again
			again := m
			again.At = m.At.Add(shift)
			if err := j.AddOutage(t.Context(), ads, again, stood, &given); err != nil {
				t.Fatal(err)
			}
		}
		all := made[[]job.Scored](t)(j.Scores(t.Context(), ads, 0))
		if len(all) != 1 {
			t.Fatalf("%d scores, want 1", len(all))
		}
		want := job.Scored{
			PredictionID: all[0].PredictionID, At: m.At, Failure: job.ProcessFailure, P05Seconds: new(26.0), MedianSeconds: new(28.0),
			P95Seconds: new(30.0), MeasuredSeconds: new(25.0), Inside: new(false),
		}
		if diff := cmp.Diff(want, all[0]); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		both := made[[]Score](t)(j.Scored(t.Context(), Query{Identity: &ads}))
		if len(both) != 2 {
			t.Fatalf("%d comparisons, want the standing one's too", len(both))
		}
		for _, s := range both {
			if ratio := math.Log(25 / *s.MedianSeconds); s.ModelVersion != "7" || *s.LogRatio != ratio || *s.Inside != (s.PredictionID == stood) {
				t.Errorf("got %+v", s)
			}
		}
		if ms := made[[]Measured](t)(j.Measurements(t.Context(), Query{})); len(ms) != 1 {
			t.Errorf("%d measurements, want 1", len(ms))
		}
	})
}

func TestScoresOfOutages(t *testing.T) {
	j := opened(t, Memory)
	stood := made[[]string](t)(j.AddPredictions(t.Context(), []job.Standing{standing()}))[0]
	other := job.Identity{Cluster: "local", Name: "other"}
	add := func(of job.Identity, at time.Duration, prediction string) {
		t.Helper()
		m := measurement()
		m.At = noon.Add(at)
		if err := j.AddOutage(t.Context(), of, m, prediction, nil); err != nil {
			t.Fatal(err)
		}
	}
	add(ads, 0, stood)
	add(ads, 2*time.Hour, stood)
	add(ads, time.Hour, stood)
	add(ads, 3*time.Hour, "pruned")
	add(other, 4*time.Hour, "")
	times := func(n int) (at []string) {
		for _, s := range made[[]job.Scored](t)(j.Scores(t.Context(), ads, n)) {
			at = append(at, s.At.Sub(noon).String())
		}
		return at
	}
	if diff := cmp.Diff([]string{"2h0m0s", "1h0m0s", "0s"}, times(0)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"2h0m0s", "1h0m0s"}, times(2)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if ms := made[[]Measured](t)(j.Measurements(t.Context(), Query{})); len(ms) != 5 {
		t.Errorf("%d measurements, want 5: those without a score too", len(ms))
	}
}

// A drill of the same job is scored by what drills predict, which says nothing
// of the loop's.
func TestScoresLeaveDrillsOut(t *testing.T) {
	j := opened(t, Memory)
	p := made[string](t)(j.AddPrediction(t.Context(), prediction()))
	m := made[string](t)(j.AddMeasurement(t.Context(), ads, measurement()))
	if err := j.Score(t.Context(), p, m); err != nil {
		t.Fatal(err)
	}
	if all := made[[]job.Scored](t)(j.Scores(t.Context(), ads, 0)); len(all) != 0 {
		t.Errorf("got %+v", all)
	}
}

// A planned restart is an outage with a way and no failure.
func TestPlannedRestartIsScored(t *testing.T) {
	j := opened(t, Memory)
	s := standing()
	s.Recovery.Failure = ""
	stood := made[[]string](t)(j.AddPredictions(t.Context(), []job.Standing{s}))[0]
	m := measurement()
	m.Failure, m.Change = "", job.InPlace
	if err := j.AddOutage(t.Context(), ads, m, stood, nil); err != nil {
		t.Fatal(err)
	}
	if all := made[[]job.Scored](t)(j.Scores(t.Context(), ads, 0)); len(all) != 1 || all[0].Failure != "" || !*all[0].Inside {
		t.Errorf("got %+v", all)
	}
	if p := made[Prediction](t)(j.Prediction(t.Context(), stood)); p.Recovery.Failure != "" || *p.Recovery.MedianSeconds != 20 {
		t.Errorf("got %+v", p)
	}
}

func TestOutageIsWholeOrNothing(t *testing.T) {
	j := opened(t, Memory)
	stood := made[[]string](t)(j.AddPredictions(t.Context(), []job.Standing{standing()}))[0]
	m := measurement()
	m.Failure = job.NodeFailure // predicted was a process failure
	if err := j.AddOutage(t.Context(), ads, m, stood, nil); err == nil {
		t.Error("scored against another kind of failure")
	}
	if ms := made[[]Measured](t)(j.Measurements(t.Context(), Query{})); len(ms) != 0 {
		t.Errorf("left behind: %v", ms)
	}
}
