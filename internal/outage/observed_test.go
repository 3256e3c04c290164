package outage

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"
)

// The failure is at 09:59:10. The job says RUNNING from 10:00:05, but 6 of 24
// subtasks are INITIALIZING until 10:03:40, and the lag is back at 10:09:10:
// the restore ends 270 s after the failure and the recovery takes 600 s.
func TestObservedRunningButNotRunning(t *testing.T) {
	failed := time.Date(2026, 3, 1, 9, 59, 10, 0, time.UTC)
	var obs []job.Observation
	for after := -600; after <= 900; after += 5 {
		o := job.Observation{State: "RUNNING", ServerTime: failed.Add(time.Duration(after) * time.Second), Restarts: new(0)}
		source := job.Vertex{ID: "a"}
		for i := range 24 {
			s := job.Subtask{Index: i, State: "RUNNING", PendingRecords: new(waiting(after)), RunningSince: new(failed.Add(-time.Hour))}
			if after >= 270 {
				s.RunningSince = new(failed.Add(270 * time.Second))
			}
			if after >= 55 && after < 270 && i >= 18 {
				s.State, s.RunningSince, s.PendingRecords = "INITIALIZING", nil, nil
			}
			source.Subtasks = append(source.Subtasks, s)
		}
		o.Vertices = []job.Vertex{source, {ID: "b", Inputs: []string{"a"}, Subtasks: []job.Subtask{{State: "RUNNING"}}}}
		if after >= 0 && after < 55 {
			o.State = "RESTARTING"
		}
		if after >= 0 {
			o.Restarts = new(1)
			o.Exceptions = []job.Exception{{At: failed, Name: "gone"}}
		}
		obs = append(obs, o, o) // each answer twice, as a cache gives it
	}
	out, err := Find(Observed(obs), Params{})
	if err != nil || len(out) != 1 {
		t.Fatalf("found %d, err %v, want one", len(out), err)
	}
	o, at := out[0], unix(failed)
	if *o.FailedAt != at || *o.RestoredAt != at+270 || math.Abs(*o.RecoverySeconds-600) > 5 {
		t.Errorf("failed %v, restored %v, recovery %v; want 0, 270, 600", *o.FailedAt-at, *o.RestoredAt-at, *o.RecoverySeconds)
	}
}

// waiting is the backlog of one subtask: usually 40 records, 27 000 at the most.
func waiting(after int) float64 {
	switch {
	case after < 0 || after >= 600:
		return 40
	case after < 270:
		return 40 + 100*float64(after)
	}
	return 40 + 27_000*float64(600-after)/330
}

// What no subtask tells is unknown; what some do not tell has no sum.
func TestObservedUnknown(t *testing.T) {
	at := time.Unix(1000, 0)
	source := func(subtasks ...job.Subtask) []job.Vertex { return []job.Vertex{{ID: "a", Subtasks: subtasks}} }
	s := Observed([]job.Observation{
		{At: at},
		{At: at.Add(time.Second), Vertices: source(job.Subtask{State: "RUNNING", EmitLagSeconds: new(-2.0)}, job.Subtask{State: "DEPLOYING", EmitLagSeconds: new(-3.0)})},
		{At: at.Add(2 * time.Second), Vertices: source(job.Subtask{State: "RUNNING", EmitLagSeconds: new(4.0)}, job.Subtask{State: "RUNNING"})},
		{At: at, State: "RUNNING"}, // set back
	})
	if len(s.Times) != 3 || s.LagUnit != Seconds {
		t.Fatalf("got %d times in unit %v, want 3 in seconds", len(s.Times), s.LagUnit)
	}
	nan := math.IsNaN
	if !nan(s.Lag[0]) || s.Lag[1] != -2 || !nan(s.Lag[2]) || !nan(s.Running[0]) || s.Running[1] != 0.5 || s.Running[2] != 1 || !nan(s.Rate[1]) || !nan(s.Restarts[0]) {
		t.Errorf("got lag %v, running %v, rate %v", s.Lag, s.Running, s.Rate)
	}
}
