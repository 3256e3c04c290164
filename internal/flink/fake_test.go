package flink

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// inProcess answers requests by h without a network, so that a test may run in a
// bubble of synctest, in which waiting costs nothing.
type inProcess struct{ h http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	p.h.ServeHTTP(w, r)
	return w.Result(), nil
}

// newClient talks to h in process.
func newClient(t *testing.T, h http.Handler) *Client {
	t.Helper()
	c, err := New(Config{URL: "http://flink:8081"})
	if err != nil {
		t.Fatal(err)
	}
	c.http.Transport = inProcess{h}
	return c
}

// recorded answers from files of testdata: path with query, to file.
func recorded(t *testing.T, version string, files map[string]string) *http.ServeMux {
	t.Helper()
	mux := http.NewServeMux()
	for path, file := range files {
		b, err := os.ReadFile(filepath.Join("testdata", version, file))
		if err != nil {
			t.Fatal(err)
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { w.Write(b) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"errors":["Unable to load requested file %s."]}`, r.URL.Path)
	})
	return mux
}

// versions of the recorded answers, with the ID of the job from Kafka to Kafka.
func versions(t *testing.T) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, v := range []string{"2.3", "1.20"} {
		b, err := os.ReadFile(filepath.Join("testdata", v, "job.json"))
		if err != nil {
			t.Fatal(err)
		}
		var j struct{ Jid string }
		if err := json.Unmarshal(b, &j); err != nil {
			t.Fatal(err)
		}
		ids[v] = j.Jid
	}
	return ids
}

const (
	srcID  = "f362c87ffabe89c8a91fa7d0a523ba6c"
	workID = "674df9b0384c0348e0b9d1034a44c46c"
)

// kafkaJob are the recorded answers about the job from Kafka to Kafka; the list of
// jobs is made up, since it was not recorded.
func kafkaJob(t *testing.T, version, id string) *http.ServeMux {
	t.Helper()
	j := "/jobs/" + id
	mux := recorded(t, version, map[string]string{
		"/config": "config.json", "/overview": "overview.json", "/jobmanager/config": "jobmanager_config.json",
		"/taskmanagers": "taskmanagers.json", j: "job.json", j + "/config": "job_config.json",
		j + "/vertices/" + srcID: "vertex_src.json", j + "/vertices/" + workID: "vertex_work.json",
		j + "/vertices/" + srcID + "/subtasks/metrics": "vertex_src_subtask_metrics_list.json",
		j + "/vertices/" + workID + "/watermarks":      "vertex_work_watermarks.json",
		j + "/checkpoints":                             "checkpoints.json", j + "/checkpoints/config": "checkpoints_config.json",
		j + "/exceptions": "exceptions.json", j + "/metrics": "job_metrics.json",
	})
	mux.HandleFunc("/jobs/overview", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"jobs":[{"jid":%q,"name":"job","state":"RUNNING","start-time":1796054166067}]}`, id)
	})
	return mux
}

// fakeCluster is a JobManager with one job, src → work → out, whose subtasks do
// known things. Its metric store is Flink's: refreshed by reading only, each
// interval, a little later than the read.
type fakeCluster struct {
	mu       sync.Mutex
	start    time.Time
	interval time.Duration
	fetched  time.Time // what is in the store was true then; zero for an empty store
	pending  time.Time // a fetch under way since
	subtasks map[string][]fakeSubtask
	jobState string
	jobType  string
	frozenAt time.Time // no fetch begins after it
	extra    map[string]string
	ahead    time.Duration // of the JobManager's clock
	requests []string
}

// fakeSubtask counts from its start.
type fakeSubtask struct {
	state      string
	attempt    int
	began      time.Time // of DEPLOYING; 100 ms later INITIALIZING, 1 s later RUNNING
	in, out    float64   // records a second
	busy, back float64   // shares
	noBusy     bool
	lag        string // currentEmitEventTimeLag, as Flink prints it
	backlog    func(at time.Time) string
	previous   *fakeSubtask // the attempt before, whose values the store may still hold
}

func (s fakeSubtask) running() time.Time { return s.began.Add(1100 * time.Millisecond) }

// restart begins a new attempt of a subtask.
func (f *fakeCluster) restart(vertex string, i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &f.subtasks[vertex][i]
	old := *s
	s.previous, s.began = &old, time.Now()
	s.attempt++
}

// stored is the attempt whose values the last fetch brought, and its age then.
func (f *fakeCluster) stored(s fakeSubtask) (fakeSubtask, time.Duration) {
	age := f.fetched.Sub(s.running())
	if age < 0 && s.previous != nil && f.fetched.Before(s.began) {
		return f.stored(*s.previous)
	}
	return s, age
}

func newFakeCluster() *fakeCluster {
	now := time.Now()
	old := now.Add(-10 * time.Minute)
	return &fakeCluster{
		start: old, interval: 10 * time.Second, jobState: "RUNNING", jobType: "STREAMING", extra: map[string]string{},
		fetched: now.Add(-5 * time.Minute), // somebody looked then
		subtasks: map[string][]fakeSubtask{
			"src": {
				{state: "RUNNING", began: old, in: 1000, out: 1000, busy: 0.25, back: 0.5, lag: "20"},
				{state: "RUNNING", began: old, in: 500, out: 500, busy: 0.125, lag: "-1"},
			},
			"work": {
				{state: "RUNNING", began: old, in: 800, out: 80, busy: 0.75},
				{state: "RUNNING", began: old, in: 700, out: 70, busy: 0.5},
			},
			"out": {{state: "RUNNING", began: old, in: 150, busy: 0.5}},
		},
	}
}

const fakeID = "aaaa"

func (f *fakeCluster) now() time.Time { return time.Now().Add(f.ahead) }

// fetch does what a read of metrics does in the JobManager.
func (f *fakeCluster) fetch() {
	now := time.Now()
	if !f.pending.IsZero() && now.Sub(f.pending) >= 50*time.Millisecond {
		f.fetched, f.pending = f.pending, time.Time{}
	}
	late := f.fetched
	if !f.pending.IsZero() {
		late = f.pending
	}
	frozen := !f.frozenAt.IsZero() && !now.Before(f.frozenAt)
	if !frozen && now.Sub(late) > f.interval {
		f.pending = now
	}
}

func (f *fakeCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI())
	if answer, ok := f.extra[r.URL.Path]; ok {
		fmt.Fprint(w, answer)
		return
	}
	if r.URL.Path == "/jobmanager/metrics" || strings.Contains(r.URL.Path, "/vertices/") || strings.HasSuffix(r.URL.Path, "/metrics") {
		f.fetch()
	}
	answer := f.answer(strings.Split(strings.Trim(r.URL.Path, "/"), "/"), r.URL.Query().Get("get"))
	if answer == nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"errors":["not found"]}`)
		return
	}
	json.NewEncoder(w).Encode(answer)
}

type object map[string]any

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func (f *fakeCluster) answer(path []string, get string) any {
	switch {
	case path[0] == "config":
		return object{"flink-version": "2.3.0"}
	case path[0] == "taskmanagers" && len(path) == 1:
		return object{"taskmanagers": []object{{"id": "tm1", "slotsNumber": 3, "timeSinceLastHeartbeat": f.now().UnixMilli(), "totalResource": object{"cpuCores": 1.5}, "memoryConfiguration": object{"totalProcessMemory": 1 << 30}}}}
	case path[0] == "taskmanagers":
		// A quarter of a core.
		return []object{{"id": "Status.JVM.CPU.Time", "value": whole(int64(f.fetched.Sub(f.start)) / 4)}}
	case path[0] == "jobmanager" && path[1] == "config":
		return []object{{"key": "metrics.fetcher.update-interval", "value": f.interval.String()}, {"key": "state.backend", "value": "hashmap"}}
	case path[0] == "jobmanager":
		return []object{}
	case len(path) == 2 && path[1] == "overview":
		return object{"jobs": []object{{"jid": fakeID, "name": "fake", "state": f.jobState, "start-time": f.start.UnixMilli()}}}
	case len(path) == 2 && path[1] == fakeID:
		return f.details()
	case len(path) > 3 && path[2] == "vertices":
		return f.vertex(path[3], path[4:], get)
	case len(path) == 3 && path[2] == "config":
		return object{"execution-config": object{"restart-strategy": "Restart with fixed delay (PT1M30S). #3 restart attempts."}}
	case len(path) == 3 && path[2] == "metrics":
		return []object{{"id": "numRestarts", "value": "2"}}
	case len(path) == 3 && path[2] == "exceptions":
		return object{"exceptionHistory": object{"entries": []object{}}}
	}
	return nil
}

func (f *fakeCluster) details() any {
	vertices := []object{}
	for _, id := range []string{"work", "src", "out"} { // sources are not always first
		vertices = append(vertices, object{"id": id, "parallelism": len(f.subtasks[id])})
	}
	return object{
		"jid": fakeID, "name": "fake", "state": f.jobState, "job-type": f.jobType, "schedulerType": "Adaptive",
		"now": f.now().UnixMilli(), "timestamps": object{"RUNNING": f.start.UnixMilli()}, "vertices": vertices,
		"plan": object{"nodes": []object{
			{"id": "out", "inputs": []object{{"id": "work"}}}, {"id": "work", "inputs": []object{{"id": "src"}}}, {"id": "src"},
		}},
	}
}

func (f *fakeCluster) vertex(id string, rest []string, get string) any {
	subtasks := f.subtasks[id]
	switch strings.Join(rest, "/") {
	case "":
		all := []object{}
		for i, s := range subtasks {
			all = append(all, f.subtask(i, s))
		}
		return object{"id": id, "name": id, "parallelism": len(subtasks), "maxParallelism": 128, "now": f.now().UnixMilli(), "subtasks": all}
	case "watermarks":
		return []object{{"id": "0.currentInputWatermark", "value": whole(f.fetched.Add(f.ahead - 3*time.Second).UnixMilli())}}
	case "subtasks/metrics":
		names := []object{{"id": "numRecordsIn"}}
		for _, m := range []string{"numRecordsIn", "numRecordsOut", "numRecordsOutPerSecond", "pendingRecords", "currentEmitEventTimeLag"} {
			names = append(names, object{"id": "Source__src." + m})
		}
		return names
	case "metrics":
		values := []object{}
		for i, s := range subtasks {
			for name, v := range f.values(s) {
				if full := fmt.Sprintf("%d.%s", i, name); strings.Contains(","+get+",", ","+full+",") {
					values = append(values, object{"id": full, "value": v})
				}
			}
		}
		return values
	}
	return nil
}

// values are those of the last fetch, as text.
func (f *fakeCluster) values(s fakeSubtask) map[string]string {
	s, age := f.stored(s)
	if age < 0 {
		return nil
	}
	ms := float64(age.Milliseconds())
	m := map[string]string{
		"accumulateBusyTimeMs": fmt.Sprint(ms * s.busy), "accumulateBackPressuredTimeMs": fmt.Sprint(ms * s.back),
		"accumulateIdleTimeMs":     fmt.Sprint(ms * (1 - s.busy - s.back)),
		"Source__src.numRecordsIn": "0", "Source__src.numRecordsOut": whole(int64(ms * s.in / 1e3)),
		"Source__src.numRecordsOutPerSecond": fmt.Sprint(s.in / 2), "busyTimeMsPerSecond": fmt.Sprint(s.busy * 500),
		"numRecordsInPerSecond": fmt.Sprint(s.in / 2), "numRecordsOutPerSecond": fmt.Sprint(s.out / 2),
		"Source__src.currentEmitEventTimeLag": s.lag,
	}
	if s.noBusy {
		m["accumulateBusyTimeMs"], m["busyTimeMsPerSecond"] = "NaN", "NaN"
	}
	if s.backlog != nil {
		m["Source__src.pendingRecords"] = s.backlog(f.fetched)
	}
	return m
}

func (f *fakeCluster) subtask(i int, s fakeSubtask) object {
	now := s
	s, age := f.stored(s)
	complete := age >= 0
	ms := max(0, float64(age.Milliseconds()))
	var busy any = ms * s.busy
	if s.noBusy {
		busy = "NaN"
	}
	m := object{
		"read-records": int64(ms * s.in / 1e3), "read-records-complete": complete,
		"write-records": int64(ms * s.out / 1e3), "write-records-complete": complete,
		"accumulated-busy-time": busy, "accumulated-backpressured-time": ms * s.back,
		"accumulated-idle-time": ms * (1 - s.busy - s.back),
	}
	return object{
		"subtask": i, "status": now.state, "attempt": now.attempt, "taskmanager-id": "tm1", "metrics": m,
		"start-time":      now.began.Add(f.ahead).UnixMilli(),
		"status-duration": object{"DEPLOYING": 100, "INITIALIZING": 1000, "RUNNING": time.Since(now.running()).Milliseconds()},
	}
}
