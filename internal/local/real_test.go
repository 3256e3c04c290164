package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"rebound/jobs"
)

// TestMain lets the test binary be its own supervisor.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "local" && os.Args[2] == "supervise" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err := Supervise(ctx, os.Args[3], slog.New(slog.NewTextHandler(os.Stderr, nil)))
		stop()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A real cluster with high availability survives the death of a TaskManager,
// of its JobManager, and a failed task; then it goes without a trace.
func TestRealCluster(t *testing.T) {
	version := os.Getenv("REBOUND_TEST_LOCAL")
	if version == "" {
		t.Skip("starts a real Flink and Kafka; set REBOUND_TEST_LOCAL to 2.3 or 1.20 to run it")
	}
	d, err := DefaultDirs()
	if err != nil {
		t.Fatal(err)
	}
	d.State = filepath.Join(t.TempDir(), "rebound", "local")
	s := testSettings()
	s.Flink, s.HA, s.CPU, s.Interval = pinned(version), true, 2, 3*time.Second
	u := Up{Dirs: d, Name: "real-test", Settings: s, Source: jobs.Source(), Progress: func(s Step) {
		if s.Done {
			t.Logf("%6.1f s %s", s.Took.Seconds(), s.Name)
		}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	c, err := u.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := d.Down(context.WithoutCancel(ctx), c.Name); err != nil {
			t.Error(err)
		}
		wantNothingLeft(t, d, c)
		if _, err := os.Stat(c.Cgroup); c.Cgroup != "" && err == nil {
			t.Errorf("cgroup %s is left", c.Cgroup)
		}
	}()
	failures := []struct {
		name string
		do   func() error
		gone string // the process that must be another one afterwards
	}{
		{"TaskManager", func() error {
			return c.Signal(t.Context(), named(t, c, "taskmanager-1").ResourceID, syscall.SIGKILL)
		}, "taskmanager-1"},
		{"JobManager", func() error { return c.SignalJobManager(t.Context(), syscall.SIGKILL) }, "jobmanager"},
		{"task", c.FailTask, ""},
	}
	for _, f := range failures {
		before := map[string]int{}
		if f.gone != "" {
			before[f.gone] = named(t, c, f.gone).PID
		}
		if err := f.do(); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if f.gone == "" { // the token is taken by the task that fails
			err = until(ctx, 50*time.Millisecond, func(context.Context) error {
				if _, err := os.Stat(c.path(failToken)); err == nil {
					return errors.New("no task has failed")
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Whole(ctx); err != nil {
			t.Fatalf("after the loss of a %s: %v", f.name, err)
		}
		if f.gone != "" && named(t, c, f.gone).PID == before[f.gone] {
			t.Errorf("%s is the same process", f.gone)
		}
	}
	r, ok, err := c.Report()
	if err != nil || !ok || r.Restarts != 2 || r.GeneratorError != "" || r.Generator.Records == 0 {
		t.Errorf("report %+v, %v, %v, want 2 restarts and a load", r, ok, err)
	}
}
