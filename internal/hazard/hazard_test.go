package hazard

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"rebound/internal/job"
	"rebound/internal/setting"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// healthy is a job on a local cluster of Flink 2.3 with every option at its
// default but the address: two TaskManagers of two slots, one of them a spare.
func healthy() job.Observation {
	subtasks := func() []job.Subtask {
		return []job.Subtask{{TaskManager: "tm1", State: "RUNNING"}, {Index: 1, TaskManager: "tm1", State: "RUNNING"}}
	}
	o := job.Observation{
		FlinkVersion: "2.3.0", State: "RUNNING", Type: "STREAMING", Scheduler: "Default",
		ServerTime: noon, StartedAt: noon.Add(-time.Hour),
		Config: job.Options{"jobmanager.rpc.address": "127.0.0.1"},
		Checkpointing: job.Checkpointing{
			Enabled: true, Mode: "exactly_once", IntervalSeconds: new(10.0), MinPauseSeconds: new(0.0), TimeoutSeconds: new(600.0),
			MaxConcurrent: new(1), TolerableFailures: new(0), Unaligned: new(false), Externalized: new(true),
		},
		Vertices: []job.Vertex{
			{ID: "a", Name: "source", Parallelism: 2, MaxParallelism: 128, Subtasks: subtasks()},
			{ID: "b", Name: "work", Parallelism: 2, MaxParallelism: 128, Inputs: []string{"a"}, Subtasks: subtasks()},
		},
		TaskManagers: []job.TaskManager{{ID: "tm1", Slots: 2}, {ID: "tm2", Slots: 2, FreeSlots: 2}},
	}
	for i := range 10 {
		took(&o, time.Duration(i)*10*time.Second+5*time.Second, 0.1)
	}
	return o
}

// took adds an older checkpoint that completed.
func took(o *job.Observation, ago time.Duration, seconds float64) {
	o.Checkpointing.History = append(o.Checkpointing.History,
		job.Checkpoint{Status: "COMPLETED", TriggeredAt: noon.Add(-ago), DurationSeconds: &seconds})
}

// A row is a change to the healthy job, and what is to be found because of it.
type row struct {
	change   func(*job.Observation)
	facts    Facts
	severity job.Severity // "": nothing
	says     []string     // of why and fix together
}

func check(t *testing.T, id string, rows map[string]row) {
	t.Helper()
	for name, tt := range rows {
		t.Run(name, func(t *testing.T) {
			o := healthy()
			if tt.change != nil {
				tt.change(&o)
			}
			var got *job.Hazard
			for _, h := range Find(o, tt.facts) {
				if h.ID == id {
					got = &h
				}
				for _, text := range []string{h.Why, h.Fix} {
					if n := utf8.RuneCountInString(text); n > 205 || n == 0 {
						t.Errorf("%s: %d characters: %s", h.ID, n, text)
					}
				}
			}
			switch {
			case got == nil && tt.severity != "":
				t.Fatalf("not found")
			case got == nil:
				return
			case got.Severity != tt.severity:
				t.Fatalf("severity %q, want %q: %s", got.Severity, tt.severity, got.Why)
			}
			for _, w := range tt.says {
				if !strings.Contains(got.Why+"\n"+got.Fix, w) {
					t.Errorf("%q is not said:\n%s\n%s", w, got.Why, got.Fix)
				}
			}
		})
	}
}

func found(o job.Observation, f Facts) []string {
	ids := []string{}
	for _, h := range Find(o, f) {
		ids = append(ids, string(h.Severity)+" "+h.ID)
	}
	return ids
}

// With Flink's defaults the JobManager's death ends the job, and REST metrics can
// freeze; nothing else is wrong with this job.
func TestHealthyDefaultCluster(t *testing.T) {
	f := Facts{
		TargetSeconds: new(300.0), Risk: 0.01, Utilization: new(0.5),
		DowntimeSeconds: map[job.Failure]float64{job.ProcessFailure: 30, job.NodeFailure: 60},
		RecoverySeconds: map[job.Failure]float64{job.ProcessFailure: 80, job.NodeFailure: 150},
		ExactlyOnceSink: new(true), TransactionTimeoutSeconds: new(600.0), BrokerMaxTransactionTimeoutSeconds: new(900.0),
		RetentionSeconds: new(7 * 86400.0), Partitions: new(4),
	}
	want := []string{"high ha-missing", "low web-timeout"}
	if got := found(healthy(), f); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, v := range []string{"1.20.5", "1.18.1", "1.16.0", "", "unknown"} {
		o := healthy()
		o.FlinkVersion = v
		if got := found(o, f); !slices.Equal(got, want) {
			t.Errorf("Flink %q: got %v, want %v", v, got, want)
		}
	}
}

// As far as all is set as it should be, the list is empty, not nil.
func TestNothingFound(t *testing.T) {
	o := healthy()
	o.Config["high-availability.type"], o.Config["web.timeout"] = "zookeeper", "10 s"
	if got := Find(o, Facts{}); got == nil || len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// What could not be read has no default.
func TestUnknownIsNoHazard(t *testing.T) {
	unread := healthy()
	unread.Lacks = []job.Lack{{Quantity: "cluster configuration"}}
	empty := healthy()
	empty.Config = nil
	bare := job.Observation{Checkpointing: job.Checkpointing{Enabled: true}}
	batch := job.Observation{Type: "BATCH"}
	for name, o := range map[string]job.Observation{"unread": unread, "empty": empty, "bare": bare, "batch": batch} {
		if got := found(o, Facts{TargetSeconds: new(20.0)}); len(got) != 0 {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestOrder(t *testing.T) {
	o := healthy()
	o.Checkpointing.Externalized = new(false)
	o.Config["restart-strategy.type"] = "none"
	o.TaskManagers = o.TaskManagers[:1]
	want := []string{"high ha-missing", "high restart-strategy-missing", "medium no-spare-slots", "low externalized-retention", "low web-timeout"}
	if got := found(o, Facts{}); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Whatever is known, the rules neither panic nor say the same thing twice, and
// knowing no facts never finds more than knowing them.
func TestFindHoldsForAnything(t *testing.T) {
	seconds := rapid.Ptr(rapid.Float64Range(0, 1e5), true)
	count := rapid.Ptr(rapid.IntRange(-1, 200), true)
	flag := rapid.Ptr(rapid.Bool(), true)
	option := rapid.SampledFrom([]string{"", "1 s", "50 s", "10 min", "x", "-1", "3", "none", "fixed-delay", "failure-rate", "exponential-delay", "true"})
	rapid.Check(t, func(t *rapid.T) {
		o := healthy()
		o.FlinkVersion = rapid.SampledFrom([]string{"", "1.16", "1.20.5", "2.3.0", "3", "a.b"}).Draw(t, "version")
		c := &o.Checkpointing
		c.Enabled, c.Unaligned = rapid.Bool().Draw(t, "enabled"), flag.Draw(t, "unaligned")
		c.IntervalSeconds, c.MinPauseSeconds, c.TimeoutSeconds = seconds.Draw(t, "interval"), seconds.Draw(t, "pause"), seconds.Draw(t, "timeout")
		c.MaxConcurrent, c.TolerableFailures = count.Draw(t, "concurrent"), count.Draw(t, "tolerable")
		for i := range c.History {
			c.History[i].Status = rapid.SampledFrom([]string{"COMPLETED", "FAILED", "IN_PROGRESS"}).Draw(t, "status")
			c.History[i].Savepoint = rapid.Bool().Draw(t, "savepoint")
			c.History[i].DurationSeconds = seconds.Draw(t, "duration")
		}
		for _, key := range setting.Known() {
			if rapid.Bool().Draw(t, "set") {
				o.Config[key] = option.Draw(t, key)
			}
		}
		o.Config["restart-strategy.type"] = option.Draw(t, "strategy")
		for i := range o.Vertices {
			o.Vertices[i].Parallelism, o.Vertices[i].MaxParallelism = rapid.IntRange(0, 200).Draw(t, "p"), rapid.IntRange(0, 200).Draw(t, "max")
		}
		f := Facts{
			TargetSeconds: seconds.Draw(t, "target"), Utilization: rapid.Ptr(rapid.Float64Range(0, 1.5), true).Draw(t, "rho"),
			TransactionTimeoutSeconds: seconds.Draw(t, "transaction"), BrokerMaxTransactionTimeoutSeconds: seconds.Draw(t, "broker"),
			RetentionSeconds: seconds.Draw(t, "retention"), ExactlyOnceSink: flag.Draw(t, "sink"), Partitions: count.Draw(t, "partitions"),
			AlignmentMaxDriftSeconds: seconds.Draw(t, "drift"), AlignmentUpdateSeconds: seconds.Draw(t, "update"), BacklogSeconds: seconds.Draw(t, "backlog"),
			DowntimeSeconds: map[job.Failure]float64{job.NodeFailure: rapid.Float64Range(0, 1e4).Draw(t, "downtime")},
			Requirements:    map[string]int{"b": 5},
		}
		seen := map[string]bool{}
		for _, h := range Find(o, f) {
			if seen[h.ID] || h.Why == "" || h.Fix == "" || rank(h.Severity) < 0 {
				t.Fatalf("twice, or not whole: %+v", h)
			}
			if strings.Contains(h.Why+h.Fix, "NaN") || strings.Contains(h.Why+h.Fix, "Inf") || strings.Contains(h.Why+h.Fix, "%!") {
				t.Fatalf("no text for people: %+v", h)
			}
			seen[h.ID] = true
		}
		for _, h := range Find(o, Facts{}) {
			if !seen[h.ID] && h.ID != "back-off-level" { // which a target can also clear
				t.Fatalf("%s is found only without facts", h.ID)
			}
		}
	})
}
