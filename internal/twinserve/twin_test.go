package twinserve

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rebound/internal/flink"
	"rebound/internal/job"
	"rebound/internal/twin"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// simulated is a twin behind the dialect, and a reader of it.
func simulated(t *testing.T, scenario string, seed uint64) (*twin.Twin, string, *flink.Watcher) {
	t.Helper()
	s, err := twin.Builtin(scenario)
	if err != nil {
		t.Fatal(err)
	}
	w, err := twin.New(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	url, c := served(t, &Server{World: w, Clock: w, Fail: w.Inject})
	return w, url, &flink.Watcher{
		Client: c, Options: flink.ObserveOptions{Cluster: "twin", Now: w.Now}, Settle: func(context.Context) error { return nil },
	}
}

// A look each ten simulated seconds, the window of the twin's rates, through
// failures and changes: whoever reads the dialect sees what the twin shows, but
// for what takes a reader two looks (the first ones of a run) or half a minute
// (the backlog after a restart), and for how it is said that something lacks.
func TestReadersSeeTheTwin(t *testing.T) {
	w, url, watch := simulated(t, "daily", 1)
	differences, compared := 0, 0
	for i := range 130 {
		got, err := watch.Observe(t.Context())
		want, werr := w.Observe(t.Context())
		if (err == nil) != (werr == nil) {
			t.Fatalf("%v: reader %v, twin %v", w.Now(), err, werr)
		}
		if i > 2 && err == nil {
			compared++
			if diff := cmp.Diff(want, got, sameButFor(want)); diff != "" && differences < 2 {
				differences++
				t.Errorf("%v: -twin +reader\n%s", w.Now(), diff)
			}
		}
		if i == 30 {
			post(t, url+"/rebound/fail", FailRequest{job.ProcessFailure})
		}
		if i == 80 {
			post(t, url+"/rebound/change", job.Change{ID: "d1", Job: want.Job, Way: job.LastState, Want: job.Settings{SlotsPerTaskManager: new(1)}})
		}
		post(t, url+"/rebound/wait", WaitRequest{10})
	}
	if compared < 100 {
		t.Errorf("only %d looks were compared", compared)
	}
	if o, err := w.Observe(t.Context()); err != nil || o.LastChange != "d1" || *o.Settings.SlotsPerTaskManager != 1 {
		t.Errorf("the change is not in force: %+v, %v", o.Settings, err)
	}
}

// sameButFor leaves out what cannot be the same.
func sameButFor(want job.Observation) cmp.Options {
	young := time.Duration(0)
	if !want.StartedAt.IsZero() {
		young = want.ServerTime.Sub(want.StartedAt)
	}
	o := cmp.Options{
		cmpopts.EquateApprox(1e-3, 1e-3),
		cmpopts.SortSlices(func(a, b job.TaskManager) bool { return a.ID < b.ID }),
		cmpopts.EquateApproxTime(time.Millisecond),
		cmpopts.IgnoreFields(job.Observation{}, "Lacks", "WindowSeconds"),
		// The reader takes the slope of what it has seen itself, and levels that are
		// 0 from the look before.
		cmpopts.IgnoreFields(job.Subtask{}, "PendingSlope"),
		cmpopts.IgnoreMapEntries(func(k, _ string) bool {
			return k == "metrics.fetcher.update-interval" || strings.HasPrefix(k, "jobmanager.memory") || strings.HasPrefix(k, "kubernetes.jobmanager") ||
				strings.HasPrefix(k, "execution.checkpointing")
		}),
	}
	if young < time.Minute { // also while it is down
		o = append(o, cmpopts.IgnoreFields(job.Subtask{}, "RecordsInPerSecond", "RecordsOutPerSecond", "BusyRatio", "BackPressuredRatio",
			"IdleRatio", "PendingRecords", "EmitLagSeconds", "WatermarkLag"),
			cmpopts.IgnoreFields(job.TaskManager{}, "CPUUsedCores"))
	}
	return o
}

// A look through the dialect, on both sides of it.
func BenchmarkLook(b *testing.B) {
	s, err := twin.Builtin("daily")
	if err != nil {
		b.Fatal(err)
	}
	w, err := twin.New(s, 1)
	if err != nil {
		b.Fatal(err)
	}
	server := &Server{World: w, Clock: w}
	web := httptest.NewServer(server.Handler())
	defer web.Close()
	c, err := flink.New(flink.Config{URL: web.URL})
	if err != nil {
		b.Fatal(err)
	}
	watch := &flink.Watcher{Client: c, Options: flink.ObserveOptions{Now: w.Now}, Settle: func(context.Context) error { return nil }}
	for b.Loop() {
		server.mu.Lock()
		server.catchUp(b.Context())
		server.advance(b.Context(), w.Now().Add(15*time.Second))
		server.mu.Unlock()
		if _, err := watch.Observe(b.Context()); err != nil && !strings.Contains(err.Error(), "503") {
			b.Fatal(err)
		}
	}
}

// Through gaps and lies: who reads the dialect is blind when the twin shows
// nothing, and sees no value that it does not show.
func TestReadersOfAHostileTwin(t *testing.T) {
	w, url, watch := simulated(t, "hostile", 1)
	blind, without := 0, 0
	for i := range 60 {
		got, err := watch.Observe(t.Context())
		want, werr := w.Observe(t.Context())
		if (err == nil) != (werr == nil) {
			t.Fatalf("%v: reader %v, twin %v", w.Now(), err, werr)
		}
		if err != nil {
			blind++
		} else if got.State != want.State || len(got.Vertices) != len(want.Vertices) || len(got.Exceptions) != len(want.Exceptions) {
			t.Errorf("%v: %s, the twin is %s", w.Now(), got.State, want.State)
		}
		for i, v := range got.Vertices {
			for j, s := range v.Subtasks {
				shown := want.Vertices[i].Subtasks[j]
				if shown.BusyRatio == nil {
					without++
				}
				if s.PendingRecords != nil && shown.PendingRecords == nil || s.BusyRatio != nil && shown.BusyRatio == nil {
					t.Fatalf("%v: subtask %d of %s shows %+v, the twin %+v", w.Now(), j, v.Name, s, shown)
				}
			}
		}
		switch i {
		case 0: // the first minutes in which nothing answers begin after an hour
			post(t, url+"/rebound/wait", WaitRequest{3500})
		case 30: // and those without busy time after five
			post(t, url+"/rebound/wait", WaitRequest{4 * 3600})
		default:
			post(t, url+"/rebound/wait", WaitRequest{20})
		}
	}
	if blind == 0 || without == 0 {
		t.Errorf("blind %d times, without a value %d times: nothing was tested", blind, without)
	}
}
