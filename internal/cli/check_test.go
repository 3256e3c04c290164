package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/model"
)

// seen is a job of two vertices on two TaskManagers, with a spare.
func seen(busy float64) job.Observation {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o := job.Observation{
		Job: job.Identity{Cluster: "flink:8081", Name: "ads"}, ID: "a1", At: noon, ServerTime: noon, StartedAt: noon.Add(-time.Hour),
		FlinkVersion: "2.3.0", State: "RUNNING", Type: "STREAMING", WindowSeconds: new(10.0),
		Config:        job.Options{"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "1 s"},
		Checkpointing: job.Checkpointing{Enabled: true, Mode: "exactly_once", IntervalSeconds: new(10.0)},
		TaskManagers: []job.TaskManager{
			{ID: "tm1", Slots: 1}, {ID: "tm2", Slots: 1}, {ID: "tm3", Slots: 1, FreeSlots: 1},
		},
	}
	o.Checkpointing.History = []job.Checkpoint{{ID: 9, Status: "COMPLETED", TriggeredAt: noon.Add(-3 * time.Second), DurationSeconds: new(0.1)}}
	for i, v := range []string{"Source: events -> views -> join with campaigns", "window -> sink: Writer -> sink: Committer"} {
		vertex := job.Vertex{ID: v[:3], Name: v, Parallelism: 2, Inputs: []string{"Sou"}[:i]}
		for s, tm := range []string{"tm1", "tm2"} {
			vertex.Subtasks = append(vertex.Subtasks, job.Subtask{Index: s, State: "RUNNING", TaskManager: tm, BusyRatio: new(busy), RecordsInPerSecond: new(12345.6)})
		}
		o.Vertices = append(o.Vertices, vertex)
	}
	return o
}

func checked(t *testing.T, c checkCmd, o job.Observation) api.JobCheck {
	t.Helper()
	return c.check(context.WithoutCancel(t.Context()), model.New(model.Evidence{Now: o}), &surroundings{})
}

// Whatever there is to say, it fits a terminal of 80 columns.
func TestCheckTableFits(t *testing.T) {
	for _, busy := range []float64{0.2, 0.6, 0.97, 1} {
		for _, target := range []time.Duration{0, 5 * time.Second, time.Minute, time.Hour} {
			c := checkCmd{}
			c.Target, c.Risk, c.Failure = target, 0.01, job.Failures()
			o := seen(busy)
			o.Lacks = []job.Lack{{Quantity: "pending records of a source with a long name", Why: strings.Repeat("long ", 30), How: "ask again"}}
			b := new(strings.Builder)
			if err := checkTable(b, api.Check{Jobs: []api.JobCheck{checked(t, c, o)}}, []job.Observation{o}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("busy %v, target %v: %d columns: %q", busy, target, n, line)
				}
			}
		}
	}
}

// The exit code tells what was decided, and never 0 of what could not be.
func TestCheckExitCode(t *testing.T) {
	batch, blind, off := seen(0.5), seen(0.5), seen(0.5)
	batch.Type = "BATCH"
	off.Checkpointing = job.Checkpointing{}
	for v := range blind.Vertices {
		for s := range blind.Vertices[v].Subtasks {
			blind.Vertices[v].Subtasks[s].BusyRatio = nil
		}
	}
	tests := map[string]struct {
		seen   job.Observation
		target time.Duration
		code   int
	}{
		"met":             {seen(0.3), time.Hour, exitOK},
		"no target":       {seen(0.3), 0, exitOK},
		"missed":          {seen(0.5), 25 * time.Second, exitMissed},
		"infeasible":      {seen(0.5), time.Second, exitMissed},
		"overload":        {seen(1), time.Hour, exitMissed},
		"batch":           {batch, time.Hour, exitNoData},
		"busy is unknown": {blind, 0, exitNoData},
		"no checkpoints":  {off, time.Hour, exitNoData},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := checkCmd{}
			c.Target, c.Risk, c.Failure = tt.target, 0.01, []job.Failure{job.TaskFailure, job.ProcessFailure}
			err := c.exit(api.Check{Jobs: []api.JobCheck{checked(t, c, tt.seen)}})
			code := exitOK
			if e, ok := errors.AsType[*exit](err); ok {
				code = e.code
			}
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
		})
	}
}

// Two running jobs of one name are told apart by nothing that lasts.
func TestTwins(t *testing.T) {
	a, b := seen(0.5), seen(0.5)
	b.ID = "b2"
	err := twins([]job.Observation{a, b})
	if err == nil || !strings.Contains(err.Error(), "a1") || !strings.Contains(err.Error(), "b2") {
		t.Errorf("got %v, want both IDs", err)
	}
	b.Job.Name = "other"
	if err := twins([]job.Observation{a, b}); err != nil {
		t.Error(err)
	}
}
