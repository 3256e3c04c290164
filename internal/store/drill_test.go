package store

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
)

func TestDrillFromBeginToClose(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, clock *time.Time) {
		b := made[string](t)(j.AddPrediction(t.Context(), prediction()))
		a := made[string](t)(j.AddPrediction(t.Context(), prediction()))
		want := Drill{
			Identity: ads, Incarnation: "f9b3", Failure: job.ProcessFailure, State: DrillOpen,
			OpenedAt: noon, ServerAt: noon.Add(-time.Second), PredictionIDs: []string{b, a},
		}
		want.ID = made[string](t)(j.BeginDrill(t.Context(), want))
		if diff := cmp.Diff([]Drill{want}, made[[]Drill](t)(j.OpenDrills(t.Context()))); diff != "" {
			t.Errorf("open: -want +got\n%s", diff)
		}

		*clock = noon.Add(time.Minute)
		m := made[string](t)(j.AddMeasurement(t.Context(), ads, measurement()))
		audit := &job.Audit{Sent: 7, Seen: 7, Verdict: "exactly_once", Detail: []string{}}
		if err := j.CloseDrill(t.Context(), want.ID, m, audit); err != nil {
			t.Fatal(err)
		}
		want.State, want.ClosedAt, want.MeasurementID, want.Audit = DrillClosed, *clock, m, audit
		if diff := cmp.Diff(want, made[Drill](t)(j.Drill(t.Context(), want.ID))); diff != "" {
			t.Errorf("closed: -want +got\n%s", diff)
		}
		if err := j.AbortDrill(t.Context(), want.ID, "late"); !errors.Is(err, ErrNotFound) {
			t.Errorf("a closed drill is aborted: %v", err)
		}
		if open := made[[]Drill](t)(j.OpenDrills(t.Context())); len(open) != 0 {
			t.Errorf("still open: %v", open)
		}
	})
}

func TestOneOpenDrillAJob(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	first, second := opened(t, path), opened(t, path)
	d := Drill{Identity: ads, Failure: job.TaskFailure}
	id := made[string](t)(first.BeginDrill(t.Context(), d))
	if _, err := second.BeginDrill(t.Context(), d); !errors.Is(err, ErrDrillOpen) {
		t.Fatalf("a second drill: %v, want %v", err, ErrDrillOpen)
	}
	made[string](t)(second.BeginDrill(t.Context(), Drill{Identity: job.Identity{Name: "other"}}))
	if err := second.AbortDrill(t.Context(), id, "its process is gone"); err != nil {
		t.Fatal(err)
	}
	made[string](t)(second.BeginDrill(t.Context(), d))
	if got := made[Drill](t)(first.Drill(t.Context(), id)); got.State != DrillAborted || got.Reason != "its process is gone" {
		t.Errorf("got %+v", got)
	}
}

// A drill that names a prediction that is not there leaves nothing behind.
func TestBeginDrillIsWholeOrNothing(t *testing.T) {
	j := opened(t, Memory)
	if _, err := j.BeginDrill(t.Context(), Drill{Identity: ads, PredictionIDs: []string{"nothing"}}); err == nil {
		t.Error("begun")
	}
	if open := made[[]Drill](t)(j.OpenDrills(t.Context())); len(open) != 0 {
		t.Errorf("left open: %v", open)
	}
}
