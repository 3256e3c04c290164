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

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rebound/internal/job"
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

// The case "counter reset and gap": the subtask is restarted between the reads; it
// has no rate then, neither negative nor smeared over the gap.
func TestAttemptChangeHasNoRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		time.AfterFunc(8*time.Second, func() { f.restart("work", 0) })
		began := time.Now()
		o := observe(t, f, ObserveOptions{})
		if took, limit := time.Since(began), 2*f.interval+time.Second; took > limit {
			t.Errorf("took %v, want at most %v", took, limit)
		}
		// The third read has a window of the new attempt.
		near(t, "in", find(t, o, "work", 0).RecordsInPerSecond, 800)
		near(t, "in", find(t, o, "work", 1).RecordsInPerSecond, 700)
	})
}

func TestRestartInTheLastIntervalIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		var restart func()
		restart = func() { // a job that flaps
			f.restart("work", 0)
			time.AfterFunc(4*time.Second, restart)
		}
		restart()
		o := observe(t, f, ObserveOptions{})
		if s := find(t, o, "work", 0); s.RecordsInPerSecond != nil || s.BusyRatio != nil {
			t.Errorf("got %v records/s, busy %v of a subtask that was restarted in between", show(s.RecordsInPerSecond), show(s.BusyRatio))
		}
		if lack(o, "rates")+lack(o, "subtask metrics") == "" {
			t.Errorf("nothing said of it: %v", o.Lacks)
		}
	})
}

// The store still holds what the attempt before did when the new one is read: that
// is nobody's rate, backlog or lag now.
func TestOldAttemptsValuesAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		for i := range f.subtasks["src"] {
			f.subtasks["src"][i].backlog = func(time.Time) string { return "5" }
		}
		f.frozenAt = time.Now()
		f.restart("src", 0)
		f.restart("work", 0)
		time.Sleep(5 * time.Second)
		s := find(t, observe(t, f, ObserveOptions{Quick: true}), "src", 0)
		if s.PendingRecords != nil || s.EmitLagSeconds != nil || s.BusyRatio != nil || s.RecordsInPerSecond != nil {
			t.Errorf("the new attempt has the old one's values: %+v", s)
		}
	})
}

func TestCounterThatGoesBackHasNoRate(t *testing.T) {
	ten := number{10, true}
	if got := rate(number{450e3, true}, number{20e3, true}, ten); got != nil {
		t.Errorf("got %v, want nothing", *got)
	}
	near(t, "rate", rate(number{20e3, true}, number{170e3, true}, ten), 15e3)
	if got := rate(number{}, number{5, true}, ten); got != nil {
		t.Errorf("got %v of one value", *got)
	}
}

// A young attempt may be older than the one before ever was, with higher counters.
func TestWindowIsWithinOneAttempt(t *testing.T) {
	at := time.Unix(1000, 0)
	young := reading{running: true, began: at, task: clock{busy: number{1000, true}, idle: number{2000, true}, backPressured: number{0, true}}, in: number{300, true}}
	next := reading{running: true, attempt: 1, began: at.Add(4 * time.Second), task: clock{busy: number{5000, true}, idle: number{3000, true}, backPressured: number{0, true}}, in: number{900, true}}
	if w, ok := (history{young, next}).pair(); ok {
		t.Errorf("got a window across attempts: %+v", w)
	}
	// The adaptive scheduler may count attempts anew: the stamp tells.
	next.began, next.attempt = at, 1
	if w, ok := (history{young, next}).pair(); ok {
		t.Errorf("got a window across attempts: %+v", w)
	}
	next.began, next.attempt = at.Add(4*time.Second), 0
	if w, ok := (history{young, next}).pair(); ok {
		t.Errorf("got a window across restarts: %+v", w)
	}
	next.began = at
	if _, ok := (history{young, next}).pair(); !ok {
		t.Error("no window within one attempt")
	}
}

func TestLongerWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := observe(t, newFakeCluster(), ObserveOptions{Window: 25 * time.Second})
		if w := o.WindowSeconds; w == nil || *w < 25 || *w > 26 {
			t.Errorf("window %v, want 25 s", show(w))
		}
	})
}

// After a TaskManager's death the store may stand still for ten minutes: no rate of
// 0, but a word on web.timeout.
func TestFrozenMetrics(t *testing.T) {
	for _, quick := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeCluster()
			f.frozenAt = f.start
			began := time.Now()
			o := observe(t, f, ObserveOptions{Quick: quick})
			if took, limit := time.Since(began), 2*f.interval+time.Second; took > limit {
				t.Errorf("took %v, want at most %v", took, limit)
			}
			for _, v := range o.Vertices {
				for _, s := range v.Subtasks {
					if s.RecordsInPerSecond != nil || s.BusyRatio != nil || s.EmitLagSeconds != nil || s.WatermarkLag != nil && v.ID == "src" {
						t.Errorf("quick %v: %s %d has values from before: %+v", quick, v.ID, s.Index, s)
					}
				}
			}
			if o.TaskManagers[0].CPUUsedCores != nil {
				t.Errorf("CPU %v from frozen values", *o.TaskManagers[0].CPUUsedCores)
			}
			if why := lack(o, "subtask metrics"); !strings.Contains(why, "stand still: set web.timeout") {
				t.Errorf("quick %v: got %q, want the cure", quick, why)
			}
		})
	}
}

// A store that never got the job's metrics shows none, not zeros.
func TestEmptyMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		f.frozenAt, f.fetched = f.start, f.start
		o := observe(t, f, ObserveOptions{})
		if s := find(t, o, "src", 0); s.RecordsInPerSecond != nil || s.BusyRatio != nil {
			t.Errorf("values out of nothing: %+v", s)
		}
		if why := lack(o, "subtask metrics"); !strings.Contains(why, "has no values of 5 of 5") {
			t.Errorf("got %q", why)
		}
	})
}

func TestQuickReadsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		began := time.Now()
		o := observe(t, f, ObserveOptions{Quick: true})
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v, want less than a second", took)
		}
		// Flink's averages: the fake's are half of the truth, to tell them apart.
		near(t, "read", find(t, o, "src", 0).RecordsInPerSecond, 500)
		near(t, "in", find(t, o, "work", 0).RecordsInPerSecond, 400)
		near(t, "busy", find(t, o, "work", 0).BusyRatio, 0.375)
		if o.WindowSeconds != nil || !strings.Contains(lack(o, "window"), "averages over 60 s") {
			t.Errorf("window %v, lacks %v", o.WindowSeconds, o.Lacks)
		}
	})
}

// For a minute after a restart Flink's averages are wrong.
func TestQuickSoonAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		f.subtasks["work"][0].began = time.Now().Add(-50 * time.Second)
		f.fetched = time.Now().Add(-11 * time.Second)
		o := observe(t, f, ObserveOptions{Quick: true})
		if s := find(t, o, "work", 0); s.RecordsInPerSecond != nil || s.BusyRatio != nil {
			t.Errorf("got averages of a subtask that runs for 49 s: %+v", s)
		}
		near(t, "in", find(t, o, "work", 1).RecordsInPerSecond, 350)
		if lack(o, "rates") == "" {
			t.Errorf("nothing said: %v", o.Lacks)
		}
	})
}

// The case "missing values": a backlog of 0 in the first 30 s is not one; later it
// is; and the largest of the reads counts, since it falls to 0 between two fetches.
func TestPendingRecords(t *testing.T) {
	for name, test := range map[string]struct {
		age     time.Duration
		backlog func(time.Time) string
		want    any
	}{
		"0 early":        {15 * time.Second, func(time.Time) string { return "0" }, "nothing"},
		"0 later":        {5 * time.Minute, func(time.Time) string { return "0" }, 0.0},
		"4.2 M early":    {15 * time.Second, func(time.Time) string { return "4200000" }, 4.2e6},
		"never reported": {5 * time.Minute, func(time.Time) string { return "NaN" }, "nothing"},
		"-1":             {5 * time.Minute, func(time.Time) string { return "-1" }, "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeCluster()
				for i := range f.subtasks["src"] {
					f.subtasks["src"][i].began = time.Now().Add(-test.age)
					f.subtasks["src"][i].backlog = test.backlog
				}
				f.fetched = time.Now().Add(-11 * time.Second)
				o := observe(t, f, ObserveOptions{})
				got := find(t, o, "src", 0).PendingRecords
				if show(got) != test.want {
					t.Errorf("got %v, want %v", show(got), test.want)
				}
				if said := lack(o, "pending_records") != ""; said != (got == nil) {
					t.Errorf("pending %v, and of it %q", show(got), lack(o, "pending_records"))
				}
			})
		})
	}
}

func TestPendingGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		f.subtasks["src"][0].backlog = func(at time.Time) string { return fmt.Sprint(at.Sub(f.start).Seconds() * 40) }
		fallen := false
		f.subtasks["src"][1].backlog = func(time.Time) string {
			if fallen = !fallen; fallen {
				return "700"
			}
			return "0"
		}
		o := observe(t, f, ObserveOptions{})
		near(t, "slope", find(t, o, "src", 0).PendingSlope, 40)
		near(t, "the largest", find(t, o, "src", 1).PendingRecords, 700)
	})
}

// Sources of the old interface have no busy time, and so no clock of their own: the
// server's time does, and nobody invents a busy ratio.
func TestNoBusyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		for i := range f.subtasks["src"] {
			f.subtasks["src"][i].noBusy = true
		}
		o := observe(t, f, ObserveOptions{})
		s := find(t, o, "src", 0)
		if s.BusyRatio != nil {
			t.Errorf("busy %v out of NaN", *s.BusyRatio)
		}
		if s.RecordsInPerSecond == nil || math.Abs(*s.RecordsInPerSecond-1000) > 50 {
			t.Errorf("read %v, want about 1000", show(s.RecordsInPerSecond))
		}
		if !strings.Contains(lack(o, "busy_ratio of src"), "saturated") {
			t.Errorf("lacks %v", o.Lacks)
		}
	})
}

// The job and the vertex say RUNNING while a subtask still restores.
func TestRunningButNotRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		f.subtasks["work"][1].state = "INITIALIZING"
		o := observe(t, f, ObserveOptions{})
		if !o.StartedAt.IsZero() {
			t.Errorf("started at %v, though a subtask restores", o.StartedAt)
		}
		if s := find(t, o, "work", 1); s.RecordsInPerSecond != nil || s.RunningSince != nil {
			t.Errorf("a subtask that restores has %+v", s)
		}
		if !strings.Contains(lack(o, "rates of all subtasks"), "1 of 5 subtasks are not running") {
			t.Errorf("lacks %v", o.Lacks)
		}
	})
}

func TestClockDifferenceIsTold(t *testing.T) {
	for _, ahead := range []time.Duration{-5 * time.Second, 500 * time.Millisecond, 2 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeCluster()
			f.ahead = ahead
			o := observe(t, f, ObserveOptions{})
			if told := lack(o, "common clock") != ""; told != (ahead.Abs() > time.Second) {
				t.Errorf("%v ahead: told %v", ahead, told)
			}
			if got := o.ServerTime.Sub(o.At); (got - ahead).Abs() > time.Millisecond {
				t.Errorf("server is %v ahead, want %v", got, ahead)
			}
			near(t, "in", find(t, o, "work", 0).RecordsInPerSecond, 800)
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
