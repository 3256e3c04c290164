package flink

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// observe looks at the one job of f.
func observe(t *testing.T, f *fakeCluster, o ObserveOptions) job.Observation {
	t.Helper()
	all, err := newClient(t, f).Observe(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("got %d jobs, want 1", len(all))
	}
	return all[0]
}

// find is a subtask by the vertex's ID.
func find(t *testing.T, o job.Observation, vertex string, i int) job.Subtask {
	t.Helper()
	for _, v := range o.Vertices {
		if v.ID == vertex {
			return v.Subtasks[i]
		}
	}
	t.Fatalf("no vertex %s", vertex)
	return job.Subtask{}
}

// lack is what the observation says of a quantity, or "".
func lack(o job.Observation, quantity string) string {
	for _, l := range o.Lacks {
		if strings.HasPrefix(l.Quantity, quantity) {
			return l.Why + ": " + l.How
		}
	}
	return ""
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-3*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, show(got), want)
	}
}

func show(v *float64) any {
	if v == nil {
		return "nothing"
	}
	return *v
}

// The metric store is five minutes old when it is first read; still the rates are
// exact, since each subtask brings its own clock.
func TestRatesAreDifferences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		began := time.Now()
		o := observe(t, f, ObserveOptions{Cluster: "local"})
		if took, limit := time.Since(began), 2*f.interval+time.Second; took > limit {
			t.Errorf("took %v, want at most %v", took, limit)
		}
		s := find(t, o, "src", 0)
		near(t, "read", s.RecordsInPerSecond, 1000)
		near(t, "emitted", s.RecordsOutPerSecond, 1000)
		near(t, "busy", s.BusyRatio, 0.25)
		near(t, "back-pressured", s.BackPressuredRatio, 0.5)
		near(t, "idle", s.IdleRatio, 0.25)
		near(t, "emit lag", s.EmitLagSeconds, 0.020)
		s = find(t, o, "src", 1)
		near(t, "read", s.RecordsInPerSecond, 500)
		if s.EmitLagSeconds != nil {
			t.Errorf("emit lag -1 became %v", *s.EmitLagSeconds)
		}
		s = find(t, o, "work", 0)
		near(t, "in", s.RecordsInPerSecond, 800)
		near(t, "out", s.RecordsOutPerSecond, 80)
		near(t, "busy", s.BusyRatio, 0.75)
		near(t, "watermark lag", s.WatermarkLag, 3) // whatever the age of the value
		if s = find(t, o, "out", 0); s.RecordsOutPerSecond != nil {
			t.Errorf("a sink emits %v: what leaves Flink is not counted", *s.RecordsOutPerSecond)
		}
		near(t, "CPU", o.TaskManagers[0].CPUUsedCores, 0.25)
	})
}

func TestObservationIsComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		o := observe(t, f, ObserveOptions{Cluster: "local"})
		if want := (job.Identity{Cluster: "local", Name: "fake"}); o.Job != want || o.ID != fakeID {
			t.Errorf("got %v %v, want %v", o.Job, o.ID, want)
		}
		ids := []string{}
		for _, v := range o.Vertices {
			ids = append(ids, v.ID)
		}
		if want := []string{"src", "work", "out"}; !slices.Equal(ids, want) {
			t.Errorf("vertices %v, want %v: sources first", ids, want)
		}
		if got := o.Vertices[1].Inputs; !slices.Equal(got, []string{"src"}) {
			t.Errorf("inputs of work %v", got)
		}
		one := func(v float64) *float64 { return &v }
		slots := 3
		want := job.Settings{
			Parallelism: map[string]int{"src": 2, "work": 2, "out": 1}, SlotsPerTaskManager: &slots,
			TaskManagerResources: job.TaskManagerResources{CPUCores: one(1.5), MemoryBytes: one(1 << 30)},
		}
		if diff := cmp.Diff(want, o.Settings); diff != "" {
			t.Errorf("settings -want +got:\n%s", diff)
		}
		for key, want := range map[string]string{
			"state.backend.type": "hashmap", "restart-strategy.type": "fixed-delay",
			"restart-strategy.fixed-delay.delay": "90000 ms", "restart-strategy.fixed-delay.attempts": "3",
		} {
			if got := o.Config[key]; got != want {
				t.Errorf("%s: got %q, want %q", key, got, want)
			}
		}
		if o.Restarts == nil || *o.Restarts != 2 || o.Scheduler != "Adaptive" || o.Type != "STREAMING" {
			t.Errorf("restarts %v, scheduler %s, type %s", o.Restarts, o.Scheduler, o.Type)
		}
		if want := f.start.Add(1100 * time.Millisecond); !o.StartedAt.Equal(want) {
			t.Errorf("started at %v, want %v", o.StartedAt, want)
		}
		if o.Checkpointing.Enabled || lack(o, "checkpoints") == "" {
			t.Error("a job without checkpoints, and nothing said of it")
		}
	})
}

// A streaming job without checkpoints does not answer 404, but with an interval of
// Java's Long.MAX_VALUE, as Flink 2.3.0 was seen to; a batch job has none to miss.
func TestCheckpointsOffAreTold(t *testing.T) {
	for name, test := range map[string]struct {
		completed int
		batch     bool
		told      bool
	}{
		"none": {0, false, true}, "on request": {4, false, false}, "batch": {0, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeCluster()
			p := "/jobs/" + fakeID + "/checkpoints"
			f.extra[p+"/config"] = `{"mode":"at_least_once","interval":9223372036854775807,"timeout":600000}`
			f.extra[p] = fmt.Sprintf(`{"counts":{"completed":%d},"latest":{},"history":[]}`, test.completed)
			if test.batch {
				f.jobType = "BATCH"
			}
			o := observe(t, f, ObserveOptions{Quick: true})
			if o.Checkpointing.Enabled || o.Settings.CheckpointIntervalSeconds != nil || o.Config["execution.checkpointing.interval"] != "" {
				t.Errorf("%s: an endless interval became %+v", name, o.Checkpointing)
			}
			if told := lack(o, "checkpoints") != ""; told != test.told {
				t.Errorf("%s: told %v, want %v", name, told, test.told)
			}
		})
	}
}

// A job that does not run is observed with its state, without waiting.
func TestNotRunning(t *testing.T) {
	for _, state := range []string{"RESTARTING", "CREATED", "FAILING"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeCluster()
			f.jobState = state
			for id := range f.subtasks {
				for i := range f.subtasks[id] {
					f.subtasks[id][i].state = "CANCELED"
				}
			}
			began := time.Now()
			o := observe(t, f, ObserveOptions{})
			if o.State != state || time.Since(began) > time.Second {
				t.Errorf("state %s after %v, want %s", o.State, time.Since(began), state)
			}
		})
	}
}

func TestPick(t *testing.T) {
	at := time.Unix(1000, 0)
	jobs := []JobSummary{
		{ID: "1", Name: "a", State: "FINISHED", StartedAt: at},
		{ID: "2", Name: "a", State: "RUNNING", StartedAt: at.Add(1)},
		{ID: "3", Name: "b", State: "FAILED", StartedAt: at.Add(2)},
		{ID: "4", Name: "b", State: "CANCELED", StartedAt: at.Add(3)},
		{ID: "5", Name: "c", State: "RESTARTING", StartedAt: at.Add(4)},
		{ID: "6", Name: "c", State: "RUNNING", StartedAt: at.Add(5)},
	}
	for name, test := range map[string]struct{ want, got []string }{
		"none: all that live":      {nil, []string{"6", "5", "2"}},
		"a name: the one alive":    {[]string{"a"}, []string{"2"}},
		"ended: the latest":        {[]string{"b"}, []string{"4"}},
		"two of one name: both":    {[]string{"c"}, []string{"6", "5"}},
		"an ID, though ended":      {[]string{"3"}, []string{"3"}},
		"none twice":               {[]string{"2", "a"}, []string{"2"}},
		"in the order of the call": {[]string{"c", "a"}, []string{"6", "5", "2"}},
	} {
		picked, err := pick(slices.Clone(jobs), test.want)
		got := []string{}
		for _, j := range picked {
			got = append(got, j.ID)
		}
		if err != nil || !slices.Equal(got, test.got) {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, test.got)
		}
	}
	_, err := pick(jobs, []string{"d"})
	if want := `job "d" is not there: the cluster has "c", "b", "a"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := pick(nil, []string{"d"}); err == nil || !strings.Contains(err.Error(), "no jobs") {
		t.Errorf("got %v", err)
	}
}

func TestEmptyCluster(t *testing.T) {
	f := &fakeCluster{interval: time.Second, extra: map[string]string{"/jobs/overview": `{"jobs":[]}`}}
	all, err := newClient(t, f).Observe(t.Context(), ObserveOptions{})
	if err != nil || all == nil || len(all) != 0 {
		t.Errorf("got %v, %v, want an empty list", all, err)
	}
}

// Observing changes nothing: it sends reads only.
func TestObserveOnlyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		observe(t, f, ObserveOptions{})
		for _, r := range f.requests {
			if !strings.HasPrefix(r, http.MethodGet+" ") {
				t.Errorf("sent %s", r)
			}
			if len(r) > 4000 {
				t.Errorf("a request line of %d bytes, more than Flink's server takes", len(r))
			}
		}
	})
}

// Whatever a subtask does and whoever else reads the metrics, a rate is the true
// one or absent.
func TestRatesAreTrueOrAbsent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeCluster()
			f.interval = time.Duration(rapid.IntRange(500, 20000).Draw(rt, "interval")) * time.Millisecond
			f.fetched = time.Now().Add(-time.Duration(rapid.IntRange(0, 60000).Draw(rt, "age")) * time.Millisecond)
			for _, id := range slices.Sorted(maps.Keys(f.subtasks)) {
				for i := range f.subtasks[id] {
					s := &f.subtasks[id][i]
					s.in = float64(rapid.IntRange(10, 100000).Draw(rt, "rate"))
					s.busy = rapid.Float64Range(0, 0.5).Draw(rt, "busy")
					s.began = time.Now().Add(-time.Duration(rapid.IntRange(0, 300000).Draw(rt, "began")) * time.Millisecond)
					if again := rapid.IntRange(0, 60000).Draw(rt, "restart after"); again < 30000 {
						time.AfterFunc(time.Duration(again)*time.Millisecond, func() { f.restart(id, i) })
					}
				}
			}
			other := time.NewTicker(time.Duration(rapid.IntRange(300, 9000).Draw(rt, "other reader")) * time.Millisecond)
			defer other.Stop()
			done := make(chan struct{})
			defer close(done)
			go func() {
				for {
					select {
					case <-other.C:
						f.mu.Lock()
						f.fetch()
						f.mu.Unlock()
					case <-done:
						return
					}
				}
			}()
			o := observe(t, f, ObserveOptions{})
			for _, v := range o.Vertices {
				for i, s := range v.Subtasks {
					want := f.subtasks[v.ID][i] // every attempt does the same
					// A counter is whole records, a clock whole milliseconds.
					if r := s.RecordsInPerSecond; r != nil && math.Abs(*r-want.in) > 10+want.in*0.01 {
						rt.Errorf("%s %d: %v records/s, want %v", v.ID, i, *r, want.in)
					}
					if r := s.BusyRatio; r != nil && math.Abs(*r-want.busy) > 0.01 {
						rt.Errorf("%s %d: busy %v, want %v", v.ID, i, *r, want.busy)
					}
				}
			}
		})
	})
}
