package flink

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

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
