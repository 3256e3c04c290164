package flink

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
)

func stamp(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// Values of the recorded files, read off by hand.
func TestRecordedOverview(t *testing.T) {
	for v, want := range map[string]Overview{
		"2.3":  {FlinkVersion: "2.3.0", TaskManagers: 2, Slots: 2},
		"1.20": {FlinkVersion: "1.20.5", TaskManagers: 1, Slots: 1},
	} {
		c := newClient(t, recorded(t, v, map[string]string{"/overview": "overview.json"}))
		got, err := c.Overview(t.Context())
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", v, got, err, want)
		}
	}
}

func TestRecordedJobs(t *testing.T) {
	for v, want := range map[string]JobSummary{
		"2.3":  {ID: "5c6522e6417bacc50ec09232e4eb1ab4", Name: "numbers", State: "RUNNING", Type: "STREAMING", Scheduler: "Default", StartedAt: stamp(1796061933380)},
		"1.20": {ID: "3130d6a5df077b45d1ceb362c0722204", Name: "numbers", State: "RUNNING", StartedAt: stamp(1796062736023)},
	} {
		c := newClient(t, recorded(t, v, map[string]string{"/jobs/overview": "jobs_overview.json"}))
		got, err := c.Jobs(t.Context())
		if diff := cmp.Diff([]JobSummary{want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v -want +got:\n%s", v, err, diff)
		}
	}
}

func TestRecordedKeysAreThePresentOnes(t *testing.T) {
	for _, v := range []string{"2.3", "1.20"} {
		c := newClient(t, recorded(t, v, map[string]string{"/jobmanager/config": "jobmanager_config.json"}))
		got, err := c.clusterConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{
			"execution.checkpointing.dir": "file:///flink/cp", "execution.checkpointing.savepoint-dir": "file:///flink/sp",
			"metrics.fetcher.update-interval": "1000", "restart-strategy.type": "fixed-delay",
		} {
			if got[key] != want {
				t.Errorf("%s: %s is %q, want %q", v, key, got[key], want)
			}
		}
		if _, old := got["state.checkpoints.dir"]; old {
			t.Errorf("%s: keeps an old name", v)
		}
	}
}

func TestPresentKeyIsStable(t *testing.T) {
	for old, want := range map[string]string{
		"jobmanager.adaptive-scheduler.resource-wait-timeout":             "jobmanager.adaptive-scheduler.submission.resource-wait-timeout",
		"jobmanager.adaptive-scheduler.resource-stabilization-timeout":    "jobmanager.adaptive-scheduler.submission.resource-stabilization-timeout",
		"jobmanager.adaptive-scheduler.scaling-interval.min":              "jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling",
		"jobmanager.adaptive-scheduler.scaling-interval.max":              "jobmanager.adaptive-scheduler.executing.resource-stabilization-timeout",
		"jobmanager.adaptive-scheduler.max-delay-for-scale-trigger":       "jobmanager.adaptive-scheduler.rescale-trigger.max-delay",
		"jobmanager.adaptive-scheduler.scale-on-failed-checkpoints-count": "jobmanager.adaptive-scheduler.rescale-trigger.max-checkpoint-failures",
		"execution.checkpointing.unaligned":                               "execution.checkpointing.unaligned.enabled",
		"state.backend.local-recovery":                                    "execution.state-recovery.from-local",
		"restart-strategy":                                                "restart-strategy.type",
		"kubernetes.operator.job.autoscaler.enabled":                      "job.autoscaler.enabled",
		"heartbeat.timeout":                                               "heartbeat.timeout",
	} {
		if got := presentKey(old); got != want || presentKey(got) != got {
			t.Errorf("%s: got %s, want %s", old, got, want)
		}
	}
}

func TestRestartSentences(t *testing.T) {
	for sentence, want := range map[string]map[string]string{
		"Cluster level default restart strategy": {"restart-strategy.type": "x"},
		"Something that a later version says":    {"restart-strategy.type": "x"},
		"Restart deactivated.":                   {"restart-strategy.type": "disable"},
		"Restart with fixed delay (PT1S). #1000000 restart attempts.": {
			"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "1000 ms", "restart-strategy.fixed-delay.attempts": "1000000",
		},
		"Restart with exponential delay: starting at PT1S, increasing by 1.500000, with maximum PT1M. Delay resets after PT1H with jitter 0.100000": {
			"restart-strategy.type": "exponential-delay", "restart-strategy.exponential-delay.initial-backoff": "1000 ms",
			"restart-strategy.exponential-delay.backoff-multiplier": "1.5", "restart-strategy.exponential-delay.max-backoff": "60000 ms",
			"restart-strategy.exponential-delay.reset-backoff-threshold": "3600000 ms", "restart-strategy.exponential-delay.jitter-factor": "0.1",
		},
		"Failure rate restart with maximum of 3 failures within interval PT5M and fixed delay PT10S.": {
			"restart-strategy.type": "failure-rate", "restart-strategy.failure-rate.max-failures-per-interval": "3",
			"restart-strategy.failure-rate.failure-rate-interval": "300000 ms", "restart-strategy.failure-rate.delay": "10000 ms",
		},
	} {
		got := map[string]string{"restart-strategy.type": "x"}
		restartOptions(sentence, got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s -want +got:\n%s", sentence, diff)
		}
	}
}

// 198779 + DEPLOYING 135 + INITIALIZING 1074 = 199988, and so on by hand.
func TestRecordedSubtasks(t *testing.T) {
	ids := versions(t)
	c := newClient(t, kafkaJob(t, "2.3", ids["2.3"]))
	v, err := c.vertex(t.Context(), ids["2.3"], workID)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ deploying, initializing, running int64 }{
		{1796054198779, 1796054198914, 1796054199988},
		{1796054198780, 1796054200057, 1796054204674},
	} {
		s := v.Subtasks[i]
		if !s.deploying().Equal(stamp(want.deploying)) || !s.initializing().Equal(stamp(want.initializing)) || !s.running().Equal(stamp(want.running)) {
			t.Errorf("subtask %d: got %v, %v, %v", i, s.deploying(), s.initializing(), s.running())
		}
		s.Status = "INITIALIZING"
		if !s.running().IsZero() {
			t.Errorf("subtask %d runs while it restores", i)
		}
	}
}

// The subtask's three times add up to its age: 2.3/numbers_vertex.json was taken
// less than the interval of 2 s after its values.
func TestRecordedClocks(t *testing.T) {
	for _, version := range []string{"2.3", "1.20"} {
		c := newClient(t, recorded(t, version, map[string]string{"/jobs/j/vertices/v": "numbers_vertex.json"}))
		v, err := c.vertex(t.Context(), "j", "v")
		if err != nil {
			t.Fatal(err)
		}
		s := &snapshot{vertices: []wireVertex{v}}
		for _, w := range v.Subtasks {
			late, known := s.reading(v, w).lateness()
			if !known || late > 4*time.Second {
				t.Errorf("%s: values of subtask %v are %v old (known: %v)", version, w.Index.v, late, known)
			}
		}
	}
}

func TestRecordedSourceMetrics(t *testing.T) {
	ids := versions(t)
	for v, id := range ids {
		c := newClient(t, kafkaJob(t, v, id))
		names, err := c.metricNames(t.Context(), jobPath(id, "vertices", srcID, "subtasks", "metrics"))
		if err != nil {
			t.Fatal(err)
		}
		if got := sourceOperators(names); !cmp.Equal(got, []string{"Source__src"}) {
			t.Errorf("%s: source operators %v", v, got)
		}
	}
	for _, v := range []string{"2.3", "1.20"} {
		c := newClient(t, recorded(t, v, map[string]string{"/m": "numbers_vertex_metrics.json"}))
		m, err := c.metrics(t.Context(), "/m", []string{"0.nonsense", "1.accumulateBusyTimeMs"})
		if _, there := m["0.nonsense"]; err != nil || there || m["1.accumulateBusyTimeMs"].v < 1000 {
			t.Errorf("%s: got %v, %v", v, m, err)
		}
	}
}

func TestRecordedCheckpoints(t *testing.T) {
	ids := versions(t)
	c := newClient(t, kafkaJob(t, "2.3", ids["2.3"]))
	stats, config, err := c.checkpoints(t.Context(), ids["2.3"])
	if err != nil {
		t.Fatal(err)
	}
	got := checkpointing(stats, config)
	history := got.History
	got.History = nil
	want := job.Checkpointing{
		Enabled: true, Mode: "exactly_once", IntervalSeconds: new(5.0), MinPauseSeconds: new(0.0), TimeoutSeconds: new(120.0),
		MaxConcurrent: new(1), TolerableFailures: new(0), Unaligned: new(false), Externalized: new(true),
		Backend: "hashmap", Storage: "filesystem", Completed: new(12), Failed: new(3), InProgress: new(0),
		Restored: &job.Restored{ID: 5, At: stamp(1796054198547)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	first := job.Checkpoint{
		ID: 12, Status: "COMPLETED", TriggeredAt: stamp(1796054239198), DurationSeconds: new(0.060),
		StateBytes: new(25908.0), WrittenBytes: new(25908.0),
	}
	if diff := cmp.Diff(first, history[0]); diff != "" {
		t.Errorf("newest checkpoint -want +got:\n%s", diff)
	}
	last, err := c.LastCompleted(t.Context(), ids["2.3"])
	if diff := cmp.Diff(&first, last); err != nil || diff != "" {
		t.Errorf("last completed: %v -want +got:\n%s", err, diff)
	}
}

// Java's Long.MAX_VALUE is how a job says that it is checkpointed on request only.
func TestCheckpointsOddValues(t *testing.T) {
	for text, enabled := range map[string]bool{
		`{"interval":9223372036854775807}`: false, `{"interval":-1}`: false, `{}`: false,
		`{"interval":"5000"}`: true, `{"interval":10000,"tolerable_failed_checkpoints":-1,"timeout":"NaN"}`: true,
	} {
		var w wireCheckpointConfig
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			t.Fatal(err)
		}
		got := checkpointing(nil, &w)
		if got.Enabled != enabled || (got.IntervalSeconds != nil) != enabled || got.TolerableFailures != nil || got.TimeoutSeconds != nil {
			t.Errorf("%s: got %+v", text, got)
		}
	}
}

func TestRecordedExceptions(t *testing.T) {
	ids := versions(t)
	c := newClient(t, kafkaJob(t, "2.3", ids["2.3"]))
	got, err := c.exceptions(t.Context(), ids["2.3"])
	want := []job.Exception{
		{
			At: stamp(1796054197544), Name: "org.apache.flink.runtime.rpc.exceptions.RecipientUnreachableException",
			Task: "Source: src (1/2) - execution #1", TaskManager: "tm1-1796054152",
		},
		{
			At: stamp(1796054196380), Name: "org.apache.flink.runtime.io.network.netty.exception.RemoteTransportException",
			Task: "work -> sink: Writer -> sink: Committer (2/2) - execution #0", TaskManager: "tm3-1796054152",
		},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
}

// The recorded 2.3 job was seen 40 s after a kill that froze its metrics: nothing
// in them is of the present run, and the observation says so.
func TestRecordedFrozenMetrics(t *testing.T) {
	ids := versions(t)
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, kafkaJob(t, "2.3", ids["2.3"]))
		all, err := c.Observe(t.Context(), ObserveOptions{Cluster: "recorded"})
		if err != nil {
			t.Fatal(err)
		}
		o := all[0]
		if o.Restarts != nil {
			t.Errorf("%d restarts, from before the restart", *o.Restarts)
		}
		for _, v := range o.Vertices {
			for _, s := range v.Subtasks {
				if s.RecordsInPerSecond != nil || s.BusyRatio != nil || s.IdleRatio != nil {
					t.Errorf("%s %d: got rates of incomplete metrics: %+v", v.Name, s.Index, s)
				}
				if s.RunningSince == nil || s.Attempt != 2 {
					t.Errorf("%s %d: running since %v, attempt %d", v.Name, s.Index, s.RunningSince, s.Attempt)
				}
			}
		}
		if want := stamp(1796054204674); !o.StartedAt.Equal(want) {
			t.Errorf("started at %v, want %v, when the last subtask came to run", o.StartedAt, want)
		}
		for _, q := range []string{"restarts", "subtask metrics"} {
			if !strings.Contains(lack(o, q), "web.timeout: 3000") {
				t.Errorf("%s: got %q, want the cure", q, lack(o, q))
			}
		}
		if got := o.TaskManagers; len(got) != 2 || got[0].LastHeartbeat == nil || !got[0].LastHeartbeat.Equal(stamp(1796054243837)) {
			t.Errorf("TaskManagers %+v: the heartbeat is a time, not an age", got)
		}
	})
}

func TestRecordedSchedulers(t *testing.T) {
	for v, id := range versions(t) {
		synctest.Test(t, func(t *testing.T) {
			all, err := newClient(t, kafkaJob(t, v, id)).Observe(t.Context(), ObserveOptions{Quick: true})
			if err != nil {
				t.Fatal(err)
			}
			if o := all[0]; o.Scheduler != "Default" || o.Type != "STREAMING" || !strings.HasPrefix(o.FlinkVersion, v) {
				t.Errorf("%s: got %s, %s, %s", v, o.Scheduler, o.Type, o.FlinkVersion)
			}
		})
	}
}

func TestStatusErrorIsOneTellingLine(t *testing.T) {
	for _, v := range []string{"2.3", "1.20"} {
		body, err := os.ReadFile(filepath.Join("testdata", v, "resource_requirements_default_scheduler_error.txt"))
		if err != nil {
			t.Fatal(err)
		}
		// The file begins with the status and was cut: close what it opened.
		text := strings.TrimPrefix(string(body), "HTTP 500 ")
		text = text[:strings.LastIndex(text, "\\n\\tat")] + `"]}`
		missing, err := os.ReadFile(filepath.Join("testdata", v, "job_not_found.json"))
		if err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		mux.HandleFunc("GET /jobs/x/resource-requirements", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, text)
		})
		mux.HandleFunc("GET /jobs/x", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			w.Write(missing)
		})
		c := newClient(t, mux)
		_, err = c.Requirements(t.Context(), "x")
		want := "flink: GET /jobs/x/resource-requirements: 500 UnsupportedOperationException: The DefaultScheduler does not support changing the parallelism without a job restart. This feature is currently only expected to work with the AdaptiveScheduler."
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", v, err, want)
		}
		_, err = c.job(t.Context(), "x")
		if want := "flink: GET /jobs/x: 404 NotFoundException: Job 00000000000000000000000000000000 not found"; err == nil || err.Error() != want || !notFound(err) {
			t.Errorf("%s: got %v, want %s", v, err, want)
		}
	}
}

// acts answers what acting needs from recorded files, and keeps what it was sent.
func acts(t *testing.T, version string) (*Client, map[string]string) {
	t.Helper()
	var trigger struct{ Post, Get json.RawMessage }
	b, err := os.ReadFile(filepath.Join("testdata", version, "checkpoint_trigger.json"))
	if err == nil {
		err = json.Unmarshal(b, &trigger)
	}
	if err != nil {
		t.Fatal(err)
	}
	sent, polls := map[string]string{}, 0
	mux := recorded(t, version, map[string]string{
		"GET /jobs/x/savepoints/{id}": "savepoint_status.json", "GET /jobs/bad/savepoints/{id}": "savepoint_failed.json",
		"GET /jobs/x/resource-requirements": "resource_requirements_adaptive.json", "GET /jars": "jars.json",
	})
	keep := func(path, answer string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent[path] = string(body)
			io.WriteString(w, answer)
		})
	}
	keep("POST /jobs/x/checkpoints", string(trigger.Post))
	keep("POST /jobs/{id}/stop", `{"request-id":"r1"}`)
	keep("PUT /jobs/x/resource-requirements", `{}`)
	keep("PATCH /jobs/x", `{}`)
	keep("POST /jars/upload", `{"filename":"/tmp/flink-web/flink-web-upload/2c9f_job.jar","status":"success"}`)
	keep("POST /jars/2c9f_job.jar/run", `{"jobid":"5c65"}`)
	mux.HandleFunc("GET /jobs/x/checkpoints/{id}", func(w http.ResponseWriter, _ *http.Request) {
		if polls++; polls < 3 {
			io.WriteString(w, `{"status":{"id":"IN_PROGRESS"},"operation":null}`)
			return
		}
		w.Write(trigger.Get)
	})
	return newClient(t, mux), sent
}

func TestActs(t *testing.T) {
	for _, version := range []string{"2.3", "1.20"} {
		synctest.Test(t, func(t *testing.T) {
			c, sent := acts(t, version)
			id, err := c.Checkpoint(t.Context(), "x")
			if err != nil || id < 1 || sent["POST /jobs/x/checkpoints"] != `{"checkpointType":"CONFIGURED"}` {
				t.Errorf("checkpoint %d, %v, sent %v", id, err, sent)
			}
			path, err := c.StopWithSavepoint(t.Context(), "x", "file:///flink/sp")
			if err != nil || !strings.HasPrefix(path, "file:/flink/sp/savepoint-") || sent["POST /jobs/{id}/stop"] != `{"drain":false,"targetDirectory":"file:///flink/sp"}` {
				t.Errorf("savepoint %s, %v, sent %v", path, err, sent)
			}
			_, err = c.StopWithSavepoint(t.Context(), "bad", "file:///proc/none")
			if want := "stop with a savepoint: flink: IOException: Failed to create savepoint directory at file:/proc/none"; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			bounds, err := c.Requirements(t.Context(), "x")
			if err != nil || bounds[workID] != (Bounds{1, 2}) || len(bounds) != 2 {
				t.Errorf("bounds %v, %v", bounds, err)
			}
			if err := c.SetRequirements(t.Context(), "x", map[string]Bounds{"v": {1, 3}}); err != nil || sent["PUT /jobs/x/resource-requirements"] != `{"v":{"parallelism":{"lowerBound":1,"upperBound":3}}}` {
				t.Errorf("%v, sent %v", err, sent)
			}
			if err := c.Cancel(t.Context(), "x"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestJars(t *testing.T) {
	c, sent := acts(t, "2.3")
	id, err := c.UploadJar(t.Context(), "job.jar", strings.NewReader("PK!"))
	if err != nil || id != "2c9f_job.jar" || !strings.Contains(sent["POST /jars/upload"], "PK!") || !strings.Contains(sent["POST /jars/upload"], `name="jarfile"; filename="job.jar"`) {
		t.Errorf("got %s, %v, sent %v", id, err, sent)
	}
	jobID, err := c.RunJar(t.Context(), id, Run{EntryClass: "J", Arguments: []string{"--name", "a b"}, Savepoint: "file:/sp"})
	want := `{"entryClass":"J","programArgsList":["--name","a b"],"savepointPath":"file:/sp"}`
	if err != nil || jobID != "5c65" || sent["POST /jars/2c9f_job.jar/run"] != want {
		t.Errorf("got %s, %v, sent %v", jobID, err, sent)
	}
	jars, err := c.Jars(t.Context())
	if err != nil || len(jars) != 1 || jars[0].Name != "job.jar" || jars[0].UploadedAt.IsZero() {
		t.Errorf("got %v, %v", jars, err)
	}
}

// Long lists of names are asked for in pieces that fit a request line.
func TestMetricsInPieces(t *testing.T) {
	longest, asked := 0, 0
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		longest = max(longest, len(r.URL.RequestURI()))
		parts := []object{}
		for n := range strings.SplitSeq(r.URL.Query().Get("get"), ",") {
			asked++
			parts = append(parts, object{"id": n, "value": "1"})
		}
		json.NewEncoder(w).Encode(parts)
	}))
	names := indexed(256, []string{"Source__orders[7].numRecordsOut", "accumulateBusyTimeMs"})
	got, err := c.metrics(t.Context(), "/m", names)
	if err != nil || len(got) != len(names) || asked != len(names) || longest > 4000 {
		t.Errorf("%d of %d names, %d asked, lines up to %d bytes, %v", len(got), len(names), asked, longest, err)
	}
}
