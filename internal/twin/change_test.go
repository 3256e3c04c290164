package twin_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/twin"
)

func apply(t *testing.T, w *twin.Twin, c job.Change) {
	t.Helper()
	if err := w.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func inPlace(w *twin.Twin, id string, p int) job.Change {
	return job.Change{ID: id, Want: job.Settings{Parallelism: w.Parallelism(p)}, Way: job.InPlace}
}

func knobs(t *testing.T, w *twin.Twin) job.Knobs {
	t.Helper()
	k, ok := look(t, w).Knobs()
	if !ok {
		t.Fatal("the knobs are not known")
	}
	return k
}

// In place, 3 s + 5 s of restore without data: with A = 10 s and 12 instead of 10
// subtasks, ρ = 60,000/120,000 and R = (8 + 0.5·10)/0.5 = 26 s.
func TestAChangeInPlace(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(10*time.Minute + 10*time.Second)
	apply(t, w, inPlace(w, "one", 12))
	w.Advance(time.Minute)
	if k := knobs(t, w); k.Parallelism != 12 {
		t.Errorf("parallelism %d, want 12", k.Parallelism)
	}
	o := look(t, w)
	if o.LastChange != "one" || *o.Restarts != 1 {
		t.Errorf("last change %q, %d restarts; want one, 1", o.LastChange, *o.Restarts)
	}
	g := w.Truth()
	if len(g.Restarts) != 1 || len(g.Recoveries) != 0 || math.Abs(g.Restarts[0].Seconds-26) > 0.01 || math.Abs(g.Restarts[0].AgeSeconds-10) > 1e-6 {
		t.Errorf("restarts %+v, want one of 26 s with an age of 10 s", g.Restarts)
	}
	if g.Changes != (twin.Changes{InPlace: 1}) {
		t.Errorf("changes %+v", g.Changes)
	}
}

// The adaptive scheduler waits for the next checkpoint: asked for 30 s after one
// of every 10 min, it takes effect 9.5 min later when that completes; or at the
// greatest delay; or when a checkpoint is asked for.
func TestLateRescale(t *testing.T) {
	for name, c := range map[string]struct {
		maxDelay float64
		ask      bool
		want     time.Duration // until it takes effect
	}{
		"the next checkpoint": {3600, false, 9*time.Minute + 32*time.Second},
		"the greatest delay":  {120, false, 2 * time.Minute},
		"on request":          {3600, true, 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			s := calm(t)
			s.Start.IntervalSeconds, s.Change.WaitsForCheckpoint, s.Change.MaxDelaySeconds = 600, true, c.maxDelay
			w := start(t, s, 1)
			w.Advance(20*time.Minute + 30*time.Second)
			apply(t, w, inPlace(w, "late", 12))
			asked := w.Now()
			if c.ask {
				w.Advance(10 * time.Second)
				if err := w.Checkpoint(t.Context(), "now"); err != nil {
					t.Fatal(err)
				}
			}
			w.Advance(15 * time.Minute)
			got := w.Truth().Restarts
			if len(got) != 1 {
				t.Fatalf("%d restarts, want 1", len(got))
			}
			if d := got[0].At.Sub(asked); d < c.want || d > c.want+time.Second {
				t.Errorf("it took effect after %v, want %v", d, c.want)
			}
		})
	}
}

// With a savepoint nothing is replayed: ρ = 0.6, 25 s + 5 s, R = 30/0.4 = 75 s. It is
// another incarnation of the job, on other processes.
func TestARedeploymentWithASavepoint(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(10*time.Minute + 10*time.Second)
	before := look(t, w)
	apply(t, w, job.Change{ID: "two", Want: job.Settings{CheckpointIntervalSeconds: new(60.0)}, Way: job.Savepoint})
	w.Advance(10 * time.Second)
	if o := look(t, w); o.State != "INITIALIZING" || len(o.TaskManagers) != 0 {
		t.Errorf("state %s, %d TaskManagers while it is deployed", o.State, len(o.TaskManagers))
	}
	w.Advance(2 * time.Minute)
	o := look(t, w)
	if k := knobs(t, w); k.IntervalSeconds != 60 || k.Parallelism != 10 {
		t.Errorf("knobs %v", k)
	}
	// It runs since 640 s, with an interval of 60 s, and it is 740 s: one checkpoint of
	// this incarnation, which began with none.
	if c := o.Checkpointing; *c.Completed != 1 || len(c.History) != 1 || !c.History[0].TriggeredAt.Equal(twin.Epoch().Add(700*time.Second)) {
		t.Errorf("%d checkpoints completed, history %+v; want one, triggered at 700 s", *c.Completed, c.History)
	}
	if o.ID == before.ID || o.TaskManagers[0].ID == before.TaskManagers[0].ID || !o.Checkpointing.Restored.Savepoint {
		t.Errorf("ID %s after %s, TaskManager %s, restored %+v", o.ID, before.ID, o.TaskManagers[0].ID, o.Checkpointing.Restored)
	}
	g := w.Truth()
	if len(g.Restarts) != 1 || math.Abs(g.Restarts[0].Seconds-75) > 0.01 || g.Restarts[0].AgeSeconds != 0 {
		t.Errorf("restarts %+v, want one of 75 s with nothing to replay", g.Restarts)
	}
	if g.Changes != (twin.Changes{Redeploy: 1}) {
		t.Errorf("changes %+v", g.Changes)
	}
}

// Overload never gets out by a savepoint, but by the last state.
func TestASavepointUnderOverloadFails(t *testing.T) {
	s := calm(t)
	s.Load.MeanPerSecond = 120000 // over the capacity of 100,000
	w := start(t, s, 1)
	w.Advance(10 * time.Minute)
	want := job.Settings{SlotsPerTaskManager: new(2), Parallelism: w.Parallelism(20)}
	apply(t, w, job.Change{ID: "stuck", Want: want, Way: job.Savepoint})
	w.Advance(2 * time.Minute)
	g := w.Truth()
	if k := knobs(t, w); k.Parallelism != 10 || g.Changes.Failed != 1 || len(g.Restarts) != 0 {
		t.Fatalf("parallelism %d, changes %+v, %d restarts; want it to have failed, the job running on", k.Parallelism, g.Changes, len(g.Restarts))
	}
	failed := false
	for _, h := range look(t, w).Checkpointing.History {
		failed = failed || h.Savepoint && h.Status == "FAILED"
	}
	if !failed {
		t.Error("the history does not show the savepoint that failed")
	}
	apply(t, w, job.Change{ID: "free", Want: want, Way: job.LastState})
	w.Advance(time.Minute)
	if k := knobs(t, w); k.Parallelism != 20 {
		t.Errorf("parallelism %d from the last state, want 20", k.Parallelism)
	}
}

// Applying the same ID again does nothing, even after another change.
func TestApplyIsIdempotent(t *testing.T) {
	w := start(t, calm(t), 1)
	for _, id := range []string{"a", "a", "b", "a", "b"} {
		w.Advance(10 * time.Minute)
		p := 12
		if id == "b" {
			p = 14
		}
		apply(t, w, inPlace(w, id, p))
	}
	w.Advance(10 * time.Minute)
	g := w.Truth()
	if k := knobs(t, w); k.Parallelism != 14 || len(g.Restarts) != 2 || look(t, w).LastChange != "b" {
		t.Errorf("parallelism %d after %d restarts, last change %s; want 14 after 2, b", k.Parallelism, len(g.Restarts), look(t, w).LastChange)
	}
	apply(t, w, inPlace(w, "c", 14))
	w.Advance(time.Minute)
	if n := len(w.Truth().Restarts); n != 2 || look(t, w).LastChange != "c" {
		t.Errorf("settings that are in force already cause %d restarts, want 2 as before", n)
	}
}

func TestApplyRefuses(t *testing.T) {
	s := calm(t)
	s.Space = twin.Space{CPUCores: twin.Range{Min: 1, Max: 3}}
	s.Change.WaitsForCheckpoint = true
	w := start(t, s, 1)
	w.Advance(10 * time.Minute)
	cpu := func(c float64) job.Settings {
		return job.Settings{TaskManagerResources: job.TaskManagerResources{CPUCores: &c}}
	}
	for want, c := range map[string]job.Change{
		"needs an ID":                                inPlace(w, "", 12),
		"the input has 24 partitions":                inPlace(w, "x", 25),
		"the quota allows 1 to 3":                    {ID: "x", Want: cpu(4), Way: job.Savepoint},
		"only the parallelism can be changed":        {ID: "x", Want: cpu(2), Way: job.InPlace},
		"want more than 0":                           {ID: "x", Want: cpu(-2), Way: job.Savepoint},
		`there is no vertex "x"`:                     {ID: "x", Want: job.Settings{Parallelism: map[string]int{"x": 3}}, Way: job.InPlace},
		"there is no job other/job":                  {ID: "x", Job: job.Identity{Cluster: "other", Name: "job"}, Way: job.InPlace},
		"the vertices of this job are scaled togeth": {ID: "x", Want: job.Settings{Parallelism: uneven(w)}, Way: job.InPlace},
	} {
		if err := w.Apply(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", c, err, want)
		}
	}
	apply(t, w, inPlace(w, "first", 12)) // it waits for a checkpoint
	if err := w.Apply(t.Context(), inPlace(w, "second", 14)); err == nil || !strings.Contains(err.Error(), "first is not in force yet") {
		t.Errorf("a second change before the first is in force: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if w.Apply(ctx, inPlace(w, "x", 14)) == nil || w.Checkpoint(ctx, "x") == nil {
		t.Error("a canceled context is not heeded")
	}
}

func uneven(w *twin.Twin) map[string]int {
	m, n := w.Parallelism(12), 12
	for id := range m {
		m[id] = n
		n++
	}
	return m
}

// A deployment that does not work goes back to the settings from before.
func TestAFailedChangeGoesBack(t *testing.T) {
	for _, way := range []job.Way{job.InPlace, job.LastState} {
		s := calm(t)
		s.Change.FailProbability = 1
		w := start(t, s, 1)
		w.Advance(10*time.Minute + 10*time.Second)
		apply(t, w, job.Change{ID: "bad", Want: job.Settings{Parallelism: w.Parallelism(12)}, Way: way})
		w.Advance(5 * time.Minute)
		o, g := look(t, w), w.Truth()
		if k := knobs(t, w); k.Parallelism != 10 || g.Changes != (twin.Changes{Failed: 1}) || o.LastChange != "bad" || len(o.Exceptions) == 0 {
			t.Errorf("%s: parallelism %d, changes %+v, exceptions %v", way, k.Parallelism, g.Changes, o.Exceptions)
		}
		if n := len(o.TaskManagers); n != 10 {
			t.Errorf("%s: %d TaskManagers, want the 10 of before", way, n)
		}
		// From the last state: twice 25 + 5 s, A = 10: (60 + 6)/0.4 = 165 s.
		if way == job.LastState && (len(g.Restarts) != 1 || math.Abs(g.Restarts[0].Seconds-165) > 0.01) {
			t.Errorf("restarts %+v, want one of 165 s", g.Restarts)
		}
		if way == job.InPlace && len(g.Restarts) != 0 {
			t.Errorf("restarts %+v, want none", g.Restarts)
		}
	}
}

// A failure while a change in place waits brings the change about.
func TestAFailureBringsAWaitingChange(t *testing.T) {
	s := calm(t)
	s.Start.IntervalSeconds, s.Change.WaitsForCheckpoint = 600, true
	w := start(t, s, 1)
	w.Advance(20*time.Minute + 30*time.Second)
	apply(t, w, inPlace(w, "late", 12))
	w.Inject(job.TaskFailure)
	w.Advance(time.Minute)
	g := w.Truth()
	if k := knobs(t, w); k.Parallelism != 12 || len(g.Restarts) != 0 || len(g.Recoveries) != 1 {
		t.Errorf("parallelism %d, %d restarts, %d recoveries; want 12, 0, 1", k.Parallelism, len(g.Restarts), len(g.Recoveries))
	}
}

func TestCapabilities(t *testing.T) {
	c := start(t, calm(t), 1).Capabilities()
	from := job.Knobs{IntervalSeconds: 30, Parallelism: 8, Slots: 1, CPUCores: 1, MemoryBytes: 1}
	to := from
	to.Parallelism = 9
	if way, ok := c.WayFor(from, to); !ok || way != job.InPlace {
		t.Errorf("parallelism: %s, %v; want in place", way, ok)
	}
	to.IntervalSeconds = 20
	if way, ok := c.WayFor(from, to); !ok || way != job.Savepoint {
		t.Errorf("interval: %s, %v; want a savepoint", way, ok)
	}
}
