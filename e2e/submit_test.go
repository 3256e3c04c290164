//go:build e2e

package e2e

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebound/internal/flink"
	"rebound/internal/local"
)

// submitter gives jobs to a session cluster.
type submitter struct {
	bed     *bed
	cluster *local.Cluster
	jar     string // of the benchmark job
}

func (s *submitter) client(t *testing.T) *flink.Client {
	t.Helper()
	c, err := flink.New(flink.Config{URL: s.cluster.REST, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// submit runs a program and waits until its job has a name and runs.
func (s *submitter) submit(t *testing.T, jar string, r flink.Run) (id string) {
	t.Helper()
	f, err := os.Open(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := s.client(t)
	uploaded, err := c.UploadJar(s.bed.ctx, "job.jar", f)
	if err != nil {
		t.Fatal(err)
	}
	if id, err = c.RunJar(s.bed.ctx, uploaded, r); err != nil {
		t.Fatal(err)
	}
	s.await(t, id, "RUNNING")
	return id
}

// ads runs the benchmark job with one subtask of each operator.
func (s *submitter) ads(t *testing.T, name, interval string) string {
	t.Helper()
	c := s.cluster
	return s.submit(t, s.jar, flink.Run{Arguments: []string{
		"--brokers", strings.Join(c.Brokers, ","), "--input", c.Input, "--output", c.Output,
		"--group", name, "--prefix", name, "--name", name, "--parallelism", "1",
		"--interval", interval, "--guarantee", "none",
	}})
}

func (s *submitter) cancel(t *testing.T, id string) {
	t.Helper()
	if err := s.client(t).Cancel(context.WithoutCancel(s.bed.ctx), id); err != nil {
		t.Error(err)
	}
	s.await(t, id, "CANCELED")
}

// await asks until the job is in this state and, if it runs, all its subtasks do.
func (s *submitter) await(t *testing.T, id, state string) {
	t.Helper()
	s.bed.eventually(t, time.Minute, func() (string, bool) {
		resp, err := http.Get(s.cluster.REST + "/jobs/" + id)
		if err != nil {
			return err.Error(), false
		}
		defer resp.Body.Close()
		var a struct {
			State    string
			Counts   map[string]int `json:"status-counts"`
			Vertices []struct{}
		}
		if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
			return err.Error(), false
		}
		ok := a.State == state && (state != "RUNNING" || a.Counts["RUNNING"] == len(a.Vertices))
		return fmt.Sprintf("job %s is %s %v, want %s", id, a.State, a.Counts, state), ok
	})
}

// batch compiles testdata/BatchJob.java against the cluster's Flink and runs it:
// the distribution brings no examples.
func (s *submitter) batch(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	jdk := filepath.Dir(s.cluster.Java) // of JAVA_HOME, or the PATH's
	javac := exec.CommandContext(s.bed.ctx, filepath.Join(jdk, "javac"), "-proc:none", "-d", dir,
		"-cp", filepath.Join(s.cluster.FlinkDist, "lib", "*"), filepath.Join("testdata", "BatchJob.java"))
	if out, err := javac.CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
	jar := filepath.Join(t.TempDir(), "batch.jar")
	f, err := os.Create(jar)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	if err := errors.Join(z.AddFS(os.DirFS(dir)), z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return s.submit(t, jar, flink.Run{EntryClass: "BatchJob"})
}
