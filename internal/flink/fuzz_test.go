package flink

import (
	"encoding/json"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rebound/internal/job"
)

// seeds are recorded answers, whole.
func seeds(f *testing.F, names ...string) {
	f.Helper()
	for _, v := range []string{"2.3", "1.20"} {
		for _, n := range names {
			b, err := os.ReadFile(filepath.Join("testdata", v, n))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Add([]byte(`{"now":"NaN","vertices":[{}],"plan":"odd","subtasks":[{"start-time":-1,"status-duration":{"DEPLOYING":1e300}}]}`))
	f.Add([]byte(`null`))
}

// answering talks to a server that answers everything with b.
func answering(b []byte) *Client {
	c, err := New(Config{URL: "http://flink"})
	if err != nil {
		panic(err)
	}
	c.http.Transport = inProcess{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(b) })}
	return c
}

func FuzzJob(f *testing.F) {
	seeds(f, "job.json", "adaptive_job.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		var j wireJob
		if json.Unmarshal(b, &j) == nil {
			if _, err := json.Marshal([]any{j.Plan.inputs(), j.jobType(), j.Now.time()}); err != nil {
				t.Error(err)
			}
		}
	})
}

// Whatever a vertex is said to be, no value is infinite, and no ratio above 1.
func FuzzVertex(f *testing.F) {
	seeds(f, "vertex_src.json", "vertex_work.json", "numbers_vertex.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		var v wireVertex
		if json.Unmarshal(b, &v) != nil {
			return
		}
		s := &snapshot{vertices: []wireVertex{v}, job: wireJob{ID: "j", State: "RUNNING"}}
		o := &observer{fetch: time.Second}
		bd := newBuilder(o, JobSummary{ID: "j"}, []read{{jobs: map[string]*snapshot{"j": s}}, {jobs: map[string]*snapshot{"j": s}}})
		for _, vertex := range bd.vertices() {
			for _, sub := range vertex.Subtasks {
				checkValues(t, sub)
			}
		}
	})
}

func checkValues(t *testing.T, s job.Subtask) {
	t.Helper()
	for _, v := range []*float64{s.RecordsInPerSecond, s.RecordsOutPerSecond, s.BusyRatio, s.IdleRatio, s.BackPressuredRatio, s.PendingRecords, s.EmitLagSeconds} {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0) || *v < 0) {
			t.Errorf("%+v has %v", s, *v)
		}
	}
	for _, v := range []*float64{s.BusyRatio, s.IdleRatio, s.BackPressuredRatio} {
		if v != nil && *v > 1 {
			t.Errorf("%+v has a ratio of %v", s, *v)
		}
	}
}

func FuzzCheckpoints(f *testing.F) {
	seeds(f, "checkpoints.json", "adaptive_checkpoints.json", "checkpoints_config.json", "checkpoint_details.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		var w wireCheckpoints
		var config wireCheckpointConfig
		if json.Unmarshal(b, &w) != nil || json.Unmarshal(b, &config) != nil {
			return
		}
		c := checkpointing(&w, &config)
		if c.History == nil || c.Enabled != (c.IntervalSeconds != nil) {
			t.Errorf("got %+v", c)
		}
		config.options(map[string]string{})
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
	})
}

// Every other answer: no panic, and an error or a value that can be written.
func FuzzAnswers(f *testing.F) {
	seeds(f, "config.json", "overview.json", "exceptions.json", "job_metrics.json", "job_config.json", "jobmanager_config.json",
		"taskmanagers.json", "vertex_work_watermarks.json", "jobs_overview.json", "jars.json", "resource_requirements_adaptive.json",
		"savepoint_status.json", "savepoint_failed.json", "job_not_found.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		c, ctx := answering(b), t.Context()
		check := func(v any, err error) {
			if err != nil {
				return
			}
			if _, err := json.Marshal(v); err != nil {
				t.Error(err)
			}
		}
		overview, err := c.Overview(ctx)
		check(overview, err)
		jobs, err := c.Jobs(ctx)
		check(jobs, err)
		exceptions, err := c.exceptions(ctx, "j")
		check(exceptions, err)
		config, err := c.clusterConfig(ctx)
		check(config, err)
		bounds, err := c.Requirements(ctx, "j")
		check(bounds, err)
		jars, err := c.Jars(ctx)
		check(jars, err)
		c.taskManagers(ctx)
		c.watermarks(ctx, "j", "v")
		c.metrics(ctx, "/m", []string{"a"})
		c.executionConfig(ctx, "j")
		message(b)
		telling(string(b))
		restartOptions(string(b), map[string]string{})
	})
}
