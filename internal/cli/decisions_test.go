package cli

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"rebound/internal/job"
	"rebound/internal/store"
)

// noon is on the clock of the loop that has written the journal.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func views() job.Identity { return job.Identity{Cluster: "prod", Namespace: "ads", Name: "views"} }

func seconds(at float64) job.Recovery {
	return job.Recovery{
		Failure: job.ProcessFailure, Outcome: job.Recovers, Phases: []job.PhaseTime{},
		P05Seconds: new(at * 0.5), MedianSeconds: new(at * 0.7), P95Seconds: new(at * 0.9), AtRiskSeconds: &at,
	}
}

// grow is a plan to go from 8 to 12: the load rises.
func grow() job.Plan {
	now := job.Knobs{IntervalSeconds: 30, Parallelism: 8, Slots: 2, CPUCores: 2, MemoryBytes: 4 * job.GiB}
	want, cheaper := now, now
	want.Parallelism, want.IntervalSeconds, cheaper.Parallelism = 12, 20, 10
	return job.Plan{
		Job: views(), Now: now, Want: want, Way: job.InPlace, Feasible: true,
		Present: job.Predicted{CostPerHour: 0.41, Recovery: []job.Recovery{seconds(214)}, Utilization: new(0.88), Capacity: new(80000.0)},
		Predicted: job.Predicted{
			CostPerHour: 0.61, Recovery: []job.Recovery{seconds(162)}, Utilization: new(0.61),
			Capacity: new(116000.0), ChangeSeconds: new(46.0), ChangeCost: new(0.05),
		},
		Binding: []job.Binding{{Limit: "recovery_time", Value: 162, Bound: 180, Unit: job.Seconds, Detail: "at p 11 it is 183 s"}},
		Alternatives: []job.Alternative{{
			Knobs: cheaper, CostPerHour: 0.51,
			Violates: []job.Binding{{Limit: "recovery_time", Value: 191, Bound: 180, Unit: job.Seconds}},
		}},
		Front: []job.FrontPoint{}, Considered: 1792,
		Reason:   "The load is about to rise from 62,000 to 70,000 records/s, at which recovery would take 214 s of 180 s.",
		Forecast: job.LoadSummary{NowPerSecond: 62000, PeakPerSecond: 70000, UpperPerSecond: 74000, HorizonSeconds: 3600, Members: []string{"seasonal"}},
	}
}

func grown(at time.Time) job.Decision {
	p := grow()
	return job.Decision{
		Job: views(), At: at, ServerAt: at, Kind: job.Reconfigure, Mode: job.ModeApply, State: job.Open,
		Seen: job.Seen{
			Knobs: p.Now, RatePerSecond: new(62000.0), Utilization: new(0.78), InputHash: "5bc1", Seed: 1,
			Quantities: []job.Quantity{{Name: "capacity", Value: 80000, Unit: job.PerSecond, Spread: 1600, Source: job.Measured, Samples: 14}},
			Lacks:      []job.Lack{},
		},
		Proposed: p, PredictionIDs: []string{},
		Guards: []job.GuardWord{
			{Guard: "data", Word: job.Yes, Reason: "4 s old"}, {Guard: "budget", Word: job.Yes, Reason: "2 of 8 restarts today"},
		},
		Previous: job.Settings{CheckpointIntervalSeconds: new(30.0), Parallelism: map[string]int{"a": 8}},
	}
}

// lived is a journal of a morning: one change that did as predicted, one that was
// refused, and one that waits.
func lived(ctx context.Context, path string) error {
	j, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer j.Close()
	at := noon()
	j.Now, j.Entropy = func() time.Time { return at }, rand.NewChaCha8([32]byte{})
	ids, err := j.AddPredictions(ctx, []job.Standing{{Job: views(), At: at, ServerAt: at, Recovery: seconds(46), ModelVersion: "1"}})
	if err != nil {
		return err
	}
	d := grown(at)
	d.ID, d.PredictionIDs = "01hq3v8k2b7d5ma", ids
	d.Applied = &job.Change{ID: d.ID, Job: views(), Want: d.Previous, Way: job.InPlace}
	d.State, d.Outcome, d.ClosedAt = job.Verified, "caught up after 31 s, rate and latency as before", at.Add(2*time.Minute)
	if _, err := j.AddDecision(ctx, d); err != nil {
		return err
	}
	m := job.Measurement{
		Failure: job.ProcessFailure, At: at.Add(time.Minute), Outcome: job.Recovers, Phases: []job.PhaseTime{},
		RecoverySeconds: new(31.0), Configured: []job.PhaseTime{}, Subtasks: []job.SubtaskMeasurement{},
	}
	if err := j.AddOutage(ctx, views(), m, ids[0], nil); err != nil {
		return err
	}
	refused := grown(at.Add(time.Hour))
	refused.ID, refused.State, refused.ClosedAt = "01hq3zb8c0r4k2x", job.Refused, at.Add(time.Hour)
	refused.Guards = append(refused.Guards, job.GuardWord{Guard: "quiet period", Word: job.No, Reason: "22:00 to 06:00 (UTC)"})
	refused.Outcome = "refused by the quiet period"
	if _, err := j.AddDecision(ctx, refused); err != nil {
		return err
	}
	waiting := grown(at.Add(2 * time.Hour))
	waiting.ID, waiting.State = "01hq42yvw6n9tqe", job.Waiting
	_, err = j.AddDecision(ctx, waiting)
	return err
}

// lives is the command of the scripts that makes that journal.
func lives(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: lives FILE")
	}
	ts.Check(lived(context.Background(), ts.MkAbs(args[0])))
}
