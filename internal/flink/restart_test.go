package flink

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The phases of the recorded kills, from the files by hand: in 2.3 two attempts
// (the first restart went into the dead slot), the last subtask running at
// 198780 + 1277 + 4617; in 1.20 one, at 212855 + 4128 + 10340.
func TestRecordedRestarts(t *testing.T) {
	ids := versions(t)
	for v, test := range map[string]struct {
		failed int64
		want   Restart
	}{
		"2.3": {1796054196000, Restart{
			State: "RUNNING", SeenAt: stamp(1796054196380), Attempts: 2, ScheduledAt: stamp(1796054198546), Complete: true,
			LastRunningAt: stamp(1796054204674),
			Restored:      &RestoredFrom{ID: 5, At: stamp(1796054198547), TriggeredAt: stamp(1796054191363)},
		}},
		"1.20": {1796056210000, Restart{
			State: "RUNNING", SeenAt: stamp(1796056211622), Attempts: 1, ScheduledAt: stamp(1796056212660), Complete: true,
			LastRunningAt: stamp(1796056227323),
			Restored:      &RestoredFrom{ID: 4, At: stamp(1796056212677), TriggeredAt: stamp(1796056204823)},
		}},
	} {
		c := newClient(t, kafkaJob(t, v, ids[v]))
		got, err := c.Restart(t.Context(), ids[v], stamp(test.failed))
		if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(Restart{}, "Subtasks")); err != nil || diff != "" {
			t.Errorf("%s: %v -want +got:\n%s", v, err, diff)
		}
		for _, s := range got.Subtasks {
			if !s.Restarted || s.RunningAt.IsZero() || s.TaskManager == "" {
				t.Errorf("%s: subtask %+v", v, s)
			}
		}
	}
}

// Before the JobManager has noticed anything, all runs as it did: that is no
// restart.
func TestNoRestartYet(t *testing.T) {
	ids := versions(t)
	c := newClient(t, kafkaJob(t, "2.3", ids["2.3"]))
	got, err := c.Restart(t.Context(), ids["2.3"], stamp(1796054240000))
	if err != nil || got.Complete || !got.SeenAt.IsZero() || got.Attempts != 0 || !got.ScheduledAt.IsZero() || got.Restored != nil || !got.LastRunningAt.IsZero() {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestComplete(t *testing.T) {
	at := time.Unix(1000, 0)
	old := RestartSubtask{State: "RUNNING", DeployingAt: at.Add(-time.Hour), RunningAt: at.Add(-time.Hour + time.Second)}
	fresh := func(d time.Duration) RestartSubtask {
		return RestartSubtask{State: "RUNNING", Restarted: true, DeployingAt: at, RunningAt: at.Add(d)}
	}
	for name, test := range map[string]struct {
		subtasks []RestartSubtask
		want     bool
		last     time.Time
	}{
		"all anew":                       {[]RestartSubtask{fresh(2 * time.Second), fresh(time.Second)}, true, at.Add(2 * time.Second)},
		"one region only":                {[]RestartSubtask{old, fresh(time.Second)}, true, at.Add(time.Second)},
		"nothing has happened":           {[]RestartSubtask{old, old}, false, time.Time{}},
		"one deploys, the vertex runs":   {[]RestartSubtask{fresh(time.Second), {State: "DEPLOYING", Restarted: true, DeployingAt: at}}, false, time.Time{}},
		"one restores":                   {[]RestartSubtask{fresh(time.Second), {State: "INITIALIZING", Restarted: true, DeployingAt: at}}, false, time.Time{}},
		"one is canceled before restart": {[]RestartSubtask{old, {State: "CANCELED", DeployingAt: at.Add(-time.Hour)}}, false, time.Time{}},
		"a bounded source is through":    {[]RestartSubtask{fresh(time.Second), {State: "FINISHED", DeployingAt: at.Add(-time.Hour)}}, true, at.Add(time.Second)},
		"no subtasks":                    {nil, false, time.Time{}},
	} {
		if got, last := complete(test.subtasks); got != test.want || !last.Equal(test.last) {
			t.Errorf("%s: got %v, %v, want %v, %v", name, got, last, test.want, test.last)
		}
	}
}

// The adaptive scheduler leaves RESTARTING 0 and writes CREATED and RUNNING anew;
// the checkpoint restored from may have left the history.
func TestAdaptiveRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		failed := time.Now()
		time.Sleep(2 * time.Second)
		for id, subtasks := range f.subtasks {
			for i := range subtasks {
				f.restart(id, i)
			}
		}
		f.start = time.Now() // timestamps.RUNNING
		checkpoints := "/jobs/" + fakeID + "/checkpoints"
		f.extra[checkpoints] = fmt.Sprintf(`{"latest":{"restored":{"id":7,"restore_timestamp":%d}},"history":[]}`, f.start.UnixMilli())
		f.extra[checkpoints+"/details/7"] = fmt.Sprintf(`{"id":7,"trigger_timestamp":%d}`, failed.Add(-3*time.Second).UnixMilli())
		f.extra["/jobs/"+fakeID+"/exceptions"] = fmt.Sprintf(`{"exceptionHistory":{"entries":[{"timestamp":%d,"exceptionName":"x"}]}}`, failed.Add(time.Second).UnixMilli())
		time.Sleep(3 * time.Second)
		got, err := newClient(t, f).Restart(t.Context(), fakeID, failed)
		if err != nil || !got.Complete || got.SeenAt.Sub(failed) != time.Second || got.ScheduledAt.Sub(failed) != 2*time.Second {
			t.Errorf("got %+v, %v", got, err)
		}
		// 2 s until it began, 100 ms of deployment, 1 s of restore.
		if d := got.LastRunningAt.Sub(failed); d != 3100*time.Millisecond {
			t.Errorf("down for %v, want 3.1 s", d)
		}
		if got.Restored == nil || failed.Sub(got.Restored.TriggeredAt) != 3*time.Second {
			t.Errorf("restored %+v", got.Restored)
		}
	})
}

// A new JobManager knows nothing of the failure: its job begins after it.
func TestRestartByNewJobManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		failed := time.Now()
		time.Sleep(4 * time.Second)
		f.start = time.Now()
		for id, subtasks := range f.subtasks {
			for i := range subtasks {
				subtasks[i] = fakeSubtask{state: "RUNNING", began: time.Now()}
			}
			f.subtasks[id] = subtasks
		}
		f.extra["/jobs/"+fakeID] = fmt.Sprintf(`{"jid":%q,"state":"RUNNING","timestamps":{"INITIALIZING":%d},"vertices":[{"id":"src"},{"id":"work"}]}`, fakeID, f.start.UnixMilli())
		time.Sleep(2 * time.Second)
		got, err := newClient(t, f).Restart(t.Context(), fakeID, failed)
		if err != nil || !got.Complete || got.SeenAt.Sub(failed) != 4*time.Second || got.Attempts != 0 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// The vertices of one answer may be of two graphs: work as it was before the
// failure, src as it is after the restart. Only the second look sees both anew.
func TestRestartAcrossTheGraphCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		failed := time.Now()
		time.Sleep(time.Second)
		f.restart("src", 0)
		f.restart("src", 1)
		time.Sleep(2 * time.Second)
		looks := 0
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/jobs/"+fakeID+"/vertices/work" {
				if looks++; looks == 2 { // the cache has expired meanwhile
					f.restart("work", 0)
					f.mu.Lock()
					f.subtasks["work"][0].state = "INITIALIZING"
					f.mu.Unlock()
				}
			}
			f.ServeHTTP(w, r)
		})
		got, err := newClient(t, h).Restart(t.Context(), fakeID, failed)
		if err != nil || got.Complete || looks != 2 {
			t.Errorf("complete %v after %d looks, %v: work restores", got.Complete, looks, err)
		}
	})
}

func TestRestartWithoutCheckpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		got, err := newClient(t, f).Restart(t.Context(), fakeID, time.Now())
		if err != nil || got.Restored != nil || got.Complete {
			t.Errorf("got %+v, %v", got, err)
		}
		if _, err := newClient(t, f).Restart(t.Context(), "gone", time.Now()); !notFound(err) {
			t.Errorf("got %v, want that the job is not there", err)
		}
	})
}
