package twin_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/twin"
)

func look(t *testing.T, w *twin.Twin) job.Observation {
	t.Helper()
	o, err := w.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func lacks(o job.Observation, quantity string) bool {
	for _, l := range o.Lacks {
		if strings.HasPrefix(l.Quantity, quantity) {
			return true
		}
	}
	return false
}

// calm is constant without failures of its own: λ = 60,000, μ = 100,000, interval
// 30 s, D = 2 s; p = 10 in 10 TaskManagers of one core.
func calm(t *testing.T) twin.Scenario {
	s := scenario(t, "constant")
	s.Failures = twin.Failures{}
	return s
}

func TestObserveInCalmRunning(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(10 * time.Minute)
	o := look(t, w)
	k, ok := o.Knobs()
	if want := (job.Knobs{IntervalSeconds: 30, Parallelism: 10, Slots: 1, CPUCores: 1, MemoryBytes: 2 << 30}); !ok || k != want {
		t.Errorf("knobs %v, want %v", k, want)
	}
	if r := o.InputRate(); r == nil || math.Abs(*r-60000) > 1 {
		t.Errorf("input rate %v, want 60,000", deref(r))
	}
	work := o.Vertices[1]
	if b := work.Subtasks[3].BusyRatio; b == nil || math.Abs(*b-0.6) > 1e-3 {
		t.Errorf("busy %v, want λ/μ = 0.6", deref(b))
	}
	if u := o.TaskManagers[0].CPUUsedCores; u == nil || math.Abs(*u-0.65) > 1e-3 {
		t.Errorf("%v cores in use, want 0.6 and 0.05 for the process", deref(u))
	}
	// Checkpoints are triggered at 30, 60, …, 600 s: 19 have completed, and the one of
	// 600 s has just begun or is about to.
	if c := o.Checkpointing; *c.Completed != 19 || len(c.History) < 16 || *c.History[1].DurationSeconds != 2 {
		t.Errorf("%d checkpoints completed, history of %d: %+v", *c.Completed, len(c.History), c.History[1])
	}
	if len(o.Lacks) != 0 || o.State != "RUNNING" || *o.Restarts != 0 || len(o.Exceptions) != 0 {
		t.Errorf("state %s, %d restarts, exceptions %v, lacks %v", o.State, *o.Restarts, o.Exceptions, o.Lacks)
	}
	if !o.At.Equal(twin.Epoch().Add(10 * time.Minute)) {
		t.Errorf("at %v, want 10 min after %v", o.At, twin.Epoch())
	}
}

func deref(v *float64) any {
	if v == nil {
		return "unknown"
	}
	return *v
}

// A process fails at 600 s: detected at 602, back-off until 603, a new process at 615,
// deployed by 616, running at 620. What is seen follows.
func TestObserveThroughAFailure(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(10 * time.Minute)
	before := look(t, w)
	w.Inject(job.ProcessFailure)
	for _, c := range []struct {
		after              time.Duration // since the failure
		job, task          string
		taskManagers, tell int // how many are known; exceptions
		attempt            int
	}{
		{1, "RUNNING", "RUNNING", 10, 0, 0},
		{2, "RESTARTING", "CANCELED", 9, 1, 1},
		{4, "RUNNING", "SCHEDULED", 9, 1, 1},
		{15, "RUNNING", "DEPLOYING", 10, 1, 1},
		{17, "RUNNING", "INITIALIZING", 10, 1, 1},
		{20, "RUNNING", "INITIALIZING", 10, 1, 1}, // it runs from the next step on
		{21, "RUNNING", "RUNNING", 10, 1, 1},
	} {
		w.Advance(c.after*time.Second - w.Now().Sub(before.At))
		o := look(t, w)
		last := "" // the state of the subtask that is behind the others
		for _, s := range o.Vertices[0].Subtasks {
			if last == "" || s.State != "RUNNING" {
				last = s.State
			}
			if s.Attempt != c.attempt {
				t.Errorf("after %d s: attempt %d, want %d", c.after, s.Attempt, c.attempt)
			}
		}
		if o.State != c.job || last != c.task || len(o.TaskManagers) != c.taskManagers || len(o.Exceptions) != c.tell || *o.Restarts != c.attempt {
			t.Errorf("after %d s: job %s, tasks %s, %d TaskManagers, %d exceptions, %d restarts; want %+v",
				c.after, o.State, last, len(o.TaskManagers), len(o.Exceptions), *o.Restarts, c)
		}
		if c.after >= 2 && o.InputRate() != nil {
			t.Errorf("after %d s: there is a rate, though no two readings can be compared", c.after)
		}
	}
	o := look(t, w)
	if !lacks(o, "rates") {
		t.Errorf("lacks %v, want the rates that are missing after a restart", o.Lacks)
	}
	if at := o.Exceptions[0].At.Sub(before.At); at != 2*time.Second {
		t.Errorf("the exception is stamped %v after the failure, want 2 s", at)
	}
	if up := o.StartedAt.Sub(before.At); up != 20*time.Second {
		t.Errorf("started %v after the failure, want 20 s", up)
	}
	restored := o.Checkpointing.Restored
	if last, ok := before.Checkpointing.LastCompleted(); !ok || restored == nil || restored.ID != last.ID {
		t.Errorf("restored %+v, want checkpoint %d", restored, last.ID)
	}
	w.Advance(15 * time.Second)
	o = look(t, w)
	if b := o.Vertices[1].Subtasks[0].BusyRatio; b == nil || *b < 0.999 {
		t.Errorf("busy %v in catch-up, want 1", deref(b))
	}
	slope := 0.0
	for _, s := range o.Vertices[0].Subtasks {
		slope += *s.PendingSlope
	}
	// The backlog shrinks by μ − λ = 40,000/s, and what is read is μ.
	if math.Abs(slope+40000) > 1 || math.Abs(*o.InputRate()-100000) > 1 {
		t.Errorf("the backlog grows by %v/s and %v/s are read, want −40,000 and 100,000", slope, *o.InputRate())
	}
}

// A lost TaskManager's subtask is the last that runs again.
func TestALostSubtaskRunsLast(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(10 * time.Minute)
	w.Inject(job.ProcessFailure)
	// Deployed at 16 s, running at 20: the others at 19.2.
	w.Advance(20 * time.Second)
	o, states := look(t, w), map[string]int{}
	for _, s := range o.Vertices[0].Subtasks {
		states[s.State]++
	}
	if states["RUNNING"] != 9 || states["INITIALIZING"] != 1 {
		t.Errorf("states %v, want one that is still INITIALIZING", states)
	}
	if _, ok := o.Settled(); ok {
		t.Error("the job counts as settled")
	}
}

func TestJobManagerFailureAnswersNothing(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(10 * time.Minute)
	w.Inject(job.TaskFailure)
	w.Advance(5 * time.Minute)
	w.Inject(job.JobManagerFailure)
	w.Advance(5 * time.Second)
	if _, err := w.Observe(t.Context()); err == nil {
		t.Error("a JobManager that is down answers")
	}
	w.Advance(time.Minute)
	if o := look(t, w); len(o.Exceptions) != 0 || *o.Restarts != 0 {
		t.Errorf("a new JobManager remembers %d exceptions and %d restarts, want none", len(o.Exceptions), *o.Restarts)
	}
}

func TestLies(t *testing.T) {
	for kind, c := range map[twin.LieKind]struct {
		lack string
		sees func(o job.Observation) bool // what must hold
	}{
		"gap":           {"subtask metrics", func(o job.Observation) bool { return o.InputRate() == nil }},
		"no_busy":       {"busy_ratio", func(o job.Observation) bool { return o.Vertices[1].Subtasks[0].BusyRatio == nil }},
		"no_pending":    {"pending_records", func(o job.Observation) bool { return o.Vertices[0].Subtasks[0].PendingRecords == nil }},
		"no_cpu":        {"cpu in use", func(o job.Observation) bool { return o.TaskManagers[0].CPUUsedCores == nil }},
		"counter_reset": {"rates", func(o job.Observation) bool { return o.InputRate() == nil }},
		"steers":        {"", func(o job.Observation) bool { return o.Steers == "somebody" }},
	} {
		s := calm(t)
		s.View.Lies = []twin.Lie{{Kind: kind, AtHours: 1, Minutes: 6, Every: 1, By: "somebody"}}
		w := start(t, s, 1)
		for hour := range 3 {
			w.Advance(time.Duration(hour+1)*time.Hour + 3*time.Minute - w.Now().Sub(twin.Epoch()))
			o := look(t, w)
			if !c.sees(o) || c.lack != "" && !lacks(o, c.lack) {
				t.Errorf("%s, hour %d: it does not show, or is not said: %v", kind, hour+1, o.Lacks)
			}
			w.Advance(20 * time.Minute)
			if o := look(t, w); c.sees(o) || len(o.Lacks) != 0 {
				t.Errorf("%s: it lasts, lacks %v", kind, o.Lacks)
			}
		}
	}
}

func TestUnreachableAndSkewed(t *testing.T) {
	s := calm(t)
	s.View.ClockSkewSeconds = 3
	s.View.Lies = []twin.Lie{{Kind: "unreachable", AtHours: 1, Minutes: 1}}
	w := start(t, s, 1)
	w.Advance(time.Hour)
	if _, err := w.Observe(t.Context()); err == nil {
		t.Error("it answers though it is unreachable")
	}
	w.Advance(time.Minute)
	o := look(t, w)
	if d := o.ServerTime.Sub(o.At); d != 3*time.Second || !lacks(o, "common clock") {
		t.Errorf("the server's clock is %v ahead, lacks %v; want 3 s, said", d, o.Lacks)
	}
}

// A frozen gauge shows the backlog of before, and nobody says so.
func TestFrozenGauges(t *testing.T) {
	s := calm(t)
	s.View.Lies = []twin.Lie{{Kind: "frozen", AtHours: 1, Minutes: 10}}
	w := start(t, s, 1)
	w.Advance(time.Hour + 10*time.Second)
	w.Inject(job.ProcessFailure)
	w.Advance(40 * time.Second)
	o := look(t, w)
	if p := o.Vertices[0].Subtasks[0].PendingRecords; p == nil || *p != 0 {
		t.Errorf("a backlog of %v is seen, want the 0 of before", deref(p))
	}
	if w.Truth().Waiting == 0 {
		t.Error("nothing waits: the test proves nothing")
	}
}

// Observing has no effect.
func TestObserveChangesNothing(t *testing.T) {
	a, b := start(t, scenario(t, "hostile"), 4), start(t, scenario(t, "hostile"), 4)
	for range 500 {
		a.Advance(15 * time.Second)
		b.Advance(15 * time.Second)
		_, _ = b.Observe(t.Context())
		_, _ = b.Observe(t.Context())
	}
	if x, y := a.Truth(), b.Truth(); x.Processed != y.Processed || x.Out != y.Out || len(x.Recoveries) != len(y.Recoveries) {
		t.Errorf("processed %d and %d, out %d and %d", x.Processed, y.Processed, x.Out, y.Out)
	}
}
