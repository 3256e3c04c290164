package twinserve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rebound/internal/flink"
	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// near compares what went through counters and milliseconds.
func near() cmp.Options {
	return cmp.Options{
		cmpopts.EquateApprox(1e-6, 1e-9),
		cmpopts.IgnoreMapEntries(func(k, _ string) bool { // said by the dialect in a place of its own
			return k == "metrics.fetcher.update-interval" || strings.HasPrefix(k, "jobmanager.memory") || strings.HasPrefix(k, "kubernetes.jobmanager") ||
				strings.HasPrefix(k, "execution.checkpointing") || k == "state.backend.type"
		}),
	}
}

// What a reader makes of the dialect is what the world shows.
func TestReadersSeeWhatTheWorldShows(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm()}
	s := &Server{World: w, Clock: w}
	url, c := served(t, s)
	watch := flink.Watcher{
		Client: c, Options: flink.ObserveOptions{Cluster: "twin", Now: func() time.Time { return w.now }},
		Settle: func(context.Context) error { return nil },
	}
	var got job.Observation
	for range 2 {
		var err error
		if got, err = watch.Observe(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(w.asked)+len(w.applied) > 0 {
			t.Fatal("looking acts")
		}
		if w.now.Equal(monday) {
			post(t, url+"/rebound/wait", WaitRequest{10})
		}
	}
	want, _ := w.Observe(t.Context())
	if diff := cmp.Diff(want, got, near()); diff != "" {
		t.Errorf("-world +reader\n%s", diff)
	}
}

// The one-off reader of rebound check needs real time between its two reads.
func TestCheckSeesWhatTheWorldShows(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm()}
	s := &Server{World: w, Clock: w, Speed: 100}
	_, c := served(t, s)
	all, err := c.Observe(t.Context(), flink.ObserveOptions{Cluster: "twin", Now: s.due})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d jobs, %v", len(all), err)
	}
	got, want := all[0], calm()
	ignore := cmpopts.IgnoreFields(job.Observation{}, "At", "ServerTime", "WindowSeconds")
	loose := cmpopts.IgnoreFields(job.Subtask{}, "WatermarkLag") // time passes between the requests
	if diff := cmp.Diff(want, got, near(), ignore, loose); diff != "" {
		t.Errorf("-world +reader\n%s", diff)
	}
}

func TestUnknownStaysUnknown(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm()}
	for i := range w.obs.Vertices {
		for j := range w.obs.Vertices[i].Subtasks {
			s := &w.obs.Vertices[i].Subtasks[j]
			*s = job.Subtask{Index: s.Index, Attempt: s.Attempt, TaskManager: s.TaskManager, State: s.State, RunningSince: s.RunningSince}
		}
	}
	for i := range w.obs.TaskManagers {
		w.obs.TaskManagers[i].CPUUsedCores = nil
	}
	w.obs.Restarts = nil
	_, c := served(t, &Server{World: w, Clock: w})
	watch := flink.Watcher{Client: c, Options: flink.ObserveOptions{Now: func() time.Time { return w.now }}, Settle: func(context.Context) error { return nil }}
	for range 3 {
		o, err := watch.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := o.Vertices[0].Subtasks[0]
		if s.RecordsInPerSecond != nil || s.BusyRatio != nil || s.PendingRecords != nil || o.TaskManagers[0].CPUUsedCores != nil || o.Restarts != nil {
			t.Errorf("got %+v", s)
		}
		if len(o.Lacks) == 0 {
			t.Error("nothing is said to lack")
		}
	}
}

// A subtask without a busy time, as of an old source, keeps its rates.
func TestRatesWithoutBusyTime(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm()}
	for j := range 2 {
		w.obs.Vertices[1].Subtasks[j].BusyRatio = nil
	}
	url, c := served(t, &Server{World: w, Clock: w})
	watch := flink.Watcher{Client: c, Options: flink.ObserveOptions{Now: func() time.Time { return w.now }}, Settle: func(context.Context) error { return nil }}
	var o job.Observation
	for range 2 {
		var err error
		if o, err = watch.Observe(t.Context()); err != nil {
			t.Fatal(err)
		}
		post(t, url+"/rebound/wait", WaitRequest{10})
	}
	if s := o.Vertices[1].Subtasks[0]; s.BusyRatio != nil || s.RecordsInPerSecond == nil || *s.RecordsInPerSecond != 20_000 {
		t.Errorf("got %+v", s)
	}
}

func TestDownJobManager(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm(), broken: true}
	url, c := served(t, &Server{World: w, Clock: w})
	if _, err := c.Jobs(t.Context()); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("got %v", err)
	}
	post(t, url+"/rebound/wait", WaitRequest{60}) // time goes on
	w.broken = false
	post(t, url+"/rebound/wait", WaitRequest{1})
	if _, err := c.Jobs(t.Context()); err != nil {
		t.Error(err)
	}
}

func post(t *testing.T, url string, body any) string {
	t.Helper()
	return send(t, http.MethodPost, url, body, http.StatusOK)
}

func send(t *testing.T, method, url string, body any, want int) string {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		t.Fatalf("%s %s: %d, %s, %v; want %d", method, url, resp.StatusCode, answer, err, want)
	}
	return string(answer)
}

func TestActs(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm()}
	url, c := served(t, &Server{World: w, Clock: w})
	if err := c.SetRequirements(t.Context(), jobID, map[string]flink.Bounds{source: {Lower: 1, Upper: 4}, work: {Lower: 1, Upper: 6}}); err != nil {
		t.Fatal(err)
	}
	if b, err := c.Requirements(t.Context(), jobID); err != nil || b[work].Upper != 2 {
		t.Errorf("bounds %v, %v", b, err)
	}
	want := job.Change{ID: "d1", Job: w.obs.Job, Want: job.Settings{SlotsPerTaskManager: new(2)}, Way: job.LastState}
	asked := want
	asked.Job.Cluster = "what the reader calls it"
	post(t, url+"/rebound/change", asked)
	if len(w.applied) != 2 || w.applied[0].Way != job.InPlace || w.applied[0].Want.Parallelism[work] != 6 || *w.applied[0].Want.SlotsPerTaskManager != 1 {
		t.Fatalf("applied %+v", w.applied)
	}
	if diff := cmp.Diff(want, w.applied[1]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for range 2 { // the same ID asks once
		if err := c.TriggerCheckpoint(t.Context(), jobID, strings.Repeat("ab", 16)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.TriggerCheckpoint(t.Context(), jobID, strings.Repeat("cd", 16)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{strings.Repeat("ab", 16), strings.Repeat("cd", 16)}, w.asked); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Flink's client waits for a checkpoint that it has asked for.
func TestCheckpointIsWaitedFor(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm()}
	url, c := served(t, &Server{World: w, Clock: w})
	w.obs.Checkpointing.History = append([]job.Checkpoint{{ID: 44, Status: "COMPLETED", TriggeredAt: monday}}, w.obs.Checkpointing.History...)
	answer := post(t, url+"/jobs/"+jobID+"/checkpoints", map[string]string{"triggerId": "t1"})
	if !strings.Contains(answer, "t1") {
		t.Errorf("got %s", answer)
	}
	status := func() string {
		return send(t, http.MethodGet, url+"/jobs/"+jobID+"/checkpoints/t1", nil, http.StatusOK)
	}
	if s := status(); !strings.Contains(s, "IN_PROGRESS") {
		t.Errorf("got %s", s)
	}
	w.obs.Checkpointing.History = append([]job.Checkpoint{{ID: 45, Status: "FAILED", Failure: "declined"}}, w.obs.Checkpointing.History...)
	w.now = w.now.Add(time.Second)
	if s := status(); !strings.Contains(s, "declined") {
		t.Errorf("got %s", s)
	}
	w.obs.Checkpointing.History[0].Status = "COMPLETED"
	w.now = w.now.Add(time.Second)
	if s := status(); !strings.Contains(s, `"checkpointId":45`) {
		t.Errorf("got %s", s)
	}
	// The client's own wait, for one that has begun and ended by the time it looks.
	w.onAsk = func() {
		w.obs.Checkpointing.History = append([]job.Checkpoint{{ID: 46, Status: "COMPLETED", TriggeredAt: w.now}}, w.obs.Checkpointing.History...)
	}
	if id, err := c.Checkpoint(t.Context(), jobID); err != nil || id != 46 {
		t.Errorf("checkpoint %d, %v", id, err)
	}
}

func TestRefusals(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm()}
	url, _ := served(t, &Server{World: w, Clock: w})
	for name, tt := range map[string]struct {
		method, path string
		body         any
		code         int
		says         string
	}{
		"unknown path":      {"GET", "/none", nil, 404, "Unable to load"},
		"another job":       {"GET", "/jobs/abc", nil, 404, "abc not found"},
		"another vertex":    {"GET", "/jobs/" + jobID + "/vertices/abc", nil, 404, "abc not found"},
		"another process":   {"GET", "/taskmanagers/abc/metrics", nil, 404, "abc not found"},
		"no checkpoint":     {"GET", "/jobs/" + jobID + "/checkpoints/details/1", nil, 404, "checkpoint 1"},
		"no trigger":        {"GET", "/jobs/" + jobID + "/checkpoints/abc", nil, 404, "triggerId=abc"},
		"a vertex missing":  {"PUT", "/jobs/" + jobID + "/resource-requirements", map[string]any{source: bounds{}}, 400, "all vertices"},
		"no JSON":           {"POST", "/rebound/change", "text", 400, "Bad request"},
		"change without ID": {"POST", "/rebound/change", job.Change{Way: job.InPlace}, 400, "id: want one"},
		"senseless change":  {"POST", "/rebound/change", job.Change{ID: "x", Way: job.InPlace, Want: job.Settings{SlotsPerTaskManager: new(0)}}, 400, "slots_per_taskmanager"},
		"another's change":  {"POST", "/rebound/change", job.Change{ID: "x", Way: job.InPlace, Job: job.Identity{Name: "other"}}, 404, "daily"},
		"world says no":     {"POST", "/rebound/change", job.Change{ID: "x", Way: job.InPlace, Job: w.obs.Job, Want: job.Settings{SlotsPerTaskManager: new(9)}}, 409, "so many slots"},
		"back in time":      {"POST", "/rebound/wait", WaitRequest{-1}, 400, "0 to 86400"},
		"no failures":       {"POST", "/rebound/fail", FailRequest{job.TaskFailure}, 404, "not injected"},
		"no truth":          {"GET", "/rebound/truth", nil, 404, "not told"},
		"no copies":         {"POST", "/rebound/profiles", job.Trial{ID: "x"}, 404, "no copies"},
		"no such copy":      {"GET", "/rebound/profiles/x", nil, 404, "no copies"},
	} {
		if answer := send(t, tt.method, url+tt.path, tt.body, tt.code); !strings.Contains(answer, tt.says) || !strings.Contains(answer, `"errors":[`) {
			t.Errorf("%s: %s", name, answer)
		}
	}
	if len(w.applied) != 0 {
		t.Errorf("applied %+v", w.applied)
	}
}

func TestClockStandsUntilItIsWaitedFor(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm()}
	var injected []job.Failure
	s := &Server{World: w, Clock: w, Truth: func() any { return map[string]int{"records": 7} }, Fail: func(f job.Failure) { injected = append(injected, f) }}
	url, _ := served(t, s)
	for range 2 {
		if got := send(t, "GET", url+"/rebound/clock", nil, 200); got != `{"now":"2026-01-05T00:00:00Z","speed":0}` {
			t.Errorf("got %s", got)
		}
	}
	if got := post(t, url+"/rebound/wait", WaitRequest{90.5}); got != `{"now":"2026-01-05T00:01:30.5Z","speed":0}` {
		t.Errorf("got %s", got)
	}
	if got := send(t, "GET", url+"/rebound/truth", nil, 200); got != `{"records":7}` {
		t.Errorf("got %s", got)
	}
	if post(t, url+"/rebound/fail", FailRequest{job.NodeFailure}); len(injected) != 1 || injected[0] != job.NodeFailure {
		t.Errorf("injected %v", injected)
	}
	if got := send(t, "GET", url+"/rebound/capabilities", nil, 200); got != `{"ways":["in_place","last_state"],"pacing":true,"drills":false,"profiles":false,"restart":{"parallelism":"in_place"}}` {
		t.Errorf("got %s", got)
	}
}

// At 60 times real time, a real second is a simulated minute.
func TestClockRunsAtItsSpeed(t *testing.T) {
	w, real := &fakeWorld{now: monday, obs: calm()}, time.Now()
	s := &Server{World: w, Clock: w, Speed: 60, Real: func() time.Time { return real }}
	url, _ := served(t, s)
	send(t, "GET", url+"/rebound/clock", nil, 200)
	real = real.Add(time.Second)
	if got := send(t, "GET", url+"/rebound/clock", nil, 200); got != `{"now":"2026-01-05T00:01:00Z","speed":60}` {
		t.Errorf("got %s", got)
	}
	if w.looks < 6 || w.looks > 8 { // at each end of a window, and no more
		t.Errorf("%d looks in a minute", w.looks)
	}
}

// A reader that goes away, as one that is killed, does not make others blind.
func TestReaderThatGoesAway(t *testing.T) {
	w := &fakeWorld{now: monday, obs: calm()}
	h := (&Server{World: w, Clock: w}).Handler()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{gone, t.Context()} {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "/jobs/overview", nil))
		if answer.Code != http.StatusOK {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
	}
}
