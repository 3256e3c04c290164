package flink

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rebound/internal/job"
)

// watched looks n times, so far apart, and returns what was seen.
func watched(t *testing.T, w *Watcher, n int, apart time.Duration) []job.Observation {
	t.Helper()
	var all []job.Observation
	for range n {
		o, err := w.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
		time.Sleep(apart) // in a bubble: free
	}
	return all
}

// Looks every five seconds at a metric store that moves every ten: rates are
// there from the second fetch on, and stay; nothing is taken for frozen.
func TestWatcherTakesRatesFromLookToLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := watched(t, &Watcher{Client: newClient(t, newFakeCluster())}, 12, 5*time.Second)
		if s := find(t, all[0], "src", 0); s.RecordsInPerSecond != nil {
			t.Errorf("a rate of %v from one look", *s.RecordsInPerSecond)
		}
		for i, o := range all[4:] {
			s := find(t, o, "src", 0)
			near(t, "rate", s.RecordsInPerSecond, 1000)
			near(t, "busy", s.BusyRatio, 0.25)
			near(t, "busy of work", find(t, o, "work", 0).BusyRatio, 0.75)
			if l := lack(o, "subtask metrics"); l != "" {
				t.Errorf("look %d: %s", i+4, l)
			}
			if w := o.WindowSeconds; w == nil || *w < 5 || *w > 25 {
				t.Errorf("look %d: window %v", i+4, show(w))
			}
		}
	})
}

// The newest look tells the backlog; a reader's 0 in between does not.
func TestWatcherFollowsTheBacklogDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, start := newFakeCluster(), time.Now()
		f.subtasks["src"][0].backlog = func(at time.Time) string {
			if at.Sub(start) > 45*time.Second && at.Sub(start) < 55*time.Second {
				return "0"
			}
			return whole(int64(100_000 - 1000*at.Sub(start).Seconds()))
		}
		last := 1e9
		for i, o := range watched(t, &Watcher{Client: newClient(t, f)}, 8, 11*time.Second) {
			p := find(t, o, "src", 0).PendingRecords
			if i < 2 {
				continue // from before we looked
			}
			if p == nil || *p <= 0 || *p > last {
				t.Errorf("look %d: backlog %v after %v", i, show(p), last)
				continue
			}
			last = *p
		}
	})
}

func TestWatcherSeesWhatStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		f.frozenAt = time.Now().Add(30 * time.Second)
		all := watched(t, &Watcher{Client: newClient(t, f)}, 12, 10*time.Second)
		o := all[len(all)-1]
		if s := find(t, o, "work", 0); s.BusyRatio != nil || lack(o, "subtask metrics") == "" {
			t.Errorf("frozen values are shown: %v, lacks %v", show(s.BusyRatio), o.Lacks)
		}
	})
}

// A new attempt begins anew, with nothing of the old one in its rates.
func TestWatcherThroughARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		w := &Watcher{Client: newClient(t, f)}
		watched(t, w, 4, 10*time.Second)
		f.restart("work", 0)
		for i, o := range watched(t, w, 6, 5*time.Second) {
			s := find(t, o, "work", 0)
			if s.Attempt != 1 {
				t.Fatalf("look %d: attempt %d", i, s.Attempt)
			}
			if s.RecordsInPerSecond != nil {
				near(t, "rate", s.RecordsInPerSecond, 800)
			}
			if i == 5 && s.RecordsInPerSecond == nil {
				t.Error("no rate half a minute after the restart")
			}
		}
	})
}

func TestWatcherWantsOneJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		f.extra["/jobs/overview"] = `{"jobs":[{"jid":"aaaa","name":"fake","state":"RUNNING"},{"jid":"bbbb","name":"fake","state":"RUNNING"}]}`
		w := &Watcher{Client: newClient(t, f), Options: ObserveOptions{Jobs: []string{"fake"}}}
		if _, err := w.Observe(t.Context()); err == nil || !strings.Contains(err.Error(), "aaaa") || !strings.Contains(err.Error(), "bbbb") {
			t.Errorf("two jobs: %v", err)
		}
	})
}

func TestWatcherKeepsFewReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Watcher{Client: newClient(t, newFakeCluster())}
		all := watched(t, w, 400, 100*time.Millisecond)
		near(t, "rate", find(t, all[399], "src", 0).RecordsInPerSecond, 1000)
		if n := len(w.reads); n > maxWatched {
			t.Errorf("%d reads are kept", n)
		}
	})
}

// The change, the JobManager's size and who else steers come from where Flink
// tells them.
func TestObservationOfWhoChangesTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		f.extra["/jobs/aaaa/config"] = `{"execution-config":{"user-config":{"rebound.change":"01kx"}}}`
		f.extra["/jobmanager/config"] = `[{"key":"jobmanager.memory.process.size","value":"2 gb"},{"key":"kubernetes.jobmanager.cpu","value":"0.5"},{"key":"kubernetes.operator.job.autoscaler.enabled","value":"true"}]`
		o := observe(t, f, ObserveOptions{Quick: true})
		near(t, "memory", o.JobManager.MemoryBytes, 2*job.GiB)
		near(t, "cpu", o.JobManager.CPUCores, 0.5)
		if o.LastChange != "01kx" || !strings.Contains(o.Steers, "autoscaler") {
			t.Errorf("change %q, steers %q", o.LastChange, o.Steers)
		}
		f.extra["/jobs/aaaa/config"] = `{"execution-config":{"user-config":[]}}`
		f.extra["/jobmanager/config"] = `[{"key":"job.autoscaler.enabled","value":"true"},{"key":"job.autoscaler.scaling.enabled","value":"false"}]`
		if o := observe(t, f, ObserveOptions{Quick: true}); o.LastChange != "" || o.Steers != "" {
			t.Errorf("change %q, steers %q", o.LastChange, o.Steers)
		}
	})
}
