//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/local"
)

// Two clusters side by side: one whose sink promises too little, which the audit
// must find out, and one without a job, to which odd ones are submitted.
func TestSideBySide(t *testing.T) {
	b := newBed(t)
	least := b.up(t, "e2e-least", "--guarantee", "at-least-once", "--interval", "5s")
	session := b.up(t, "e2e-session", "--no-job")
	if least.REST == session.REST || slices.Equal(least.Brokers, session.Brokers) {
		t.Fatalf("both are at %s and %s", least.REST, least.Brokers)
	}
	s := &submitter{bed: b, cluster: session, jar: least.JobJar}
	t.Run("name one of two", func(t *testing.T) {
		wantSentence(t, b.want(t, 64, "check"), least.Name, session.Name)
	})
	t.Run("second up", func(t *testing.T) { secondUp(t, b, session) })
	t.Run("interrupted up", func(t *testing.T) { interruptedUp(t, b) })
	t.Run("no server", func(t *testing.T) {
		wantSentence(t, b.want(t, 1, "check", "--flink", "http://127.0.0.1:1"), "127.0.0.1:1")
	})
	t.Run("no job", func(t *testing.T) {
		wantSentence(t, b.want(t, 4, "check", "--flink", session.REST), "no job is running", session.REST)
	})
	t.Run("batch job", func(t *testing.T) { batchJob(t, s) })
	t.Run("no checkpoints", func(t *testing.T) { noCheckpoints(t, s) })
	t.Run("two of one name", func(t *testing.T) { twoOfOneName(t, s) })
	b.down(t, session) // the other goes on
	t.Run("audit finds duplicates", func(t *testing.T) { duplicates(t, b, least) })
	b.down(t, least)
}

func secondUp(t *testing.T, b *bed, c *local.Cluster) {
	before := marked(t, c.Name)
	if o := b.want(t, 0, "local", "up", "--name", c.Name, "--no-job"); !strings.Contains(o.stdout, "runs already") || !strings.Contains(o.stdout, c.REST) {
		t.Errorf("a second up with the same settings:\n%s", o.stdout)
	}
	wantSentence(t, b.want(t, 1, "local", "up", "--name", c.Name, "--no-job", "--slots", "2"), "other settings", "rebound local down "+c.Name)
	if after := marked(t, c.Name); !slices.Equal(before, after) {
		t.Errorf("a second up has changed the processes from %v to %v", before, after)
	}
}

// Ctrl-C once the first process runs.
func interruptedUp(t *testing.T, b *bed) {
	const name = "e2e-interrupted"
	ctx, interrupt := context.WithCancel(b.ctx)
	defer interrupt()
	var out bytes.Buffer
	cmd := b.command(ctx, "local", "up", "--name", name, "--no-job")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b.eventually(t, time.Minute, func() (string, bool) { return "up has started no process", len(marked(t, name)) > 0 })
	interrupt()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, out.String())
	}
	wantGone(t, &local.Cluster{Name: name, Home: filepath.Join(b.dirs().State, name)})
}

func batchJob(t *testing.T, s *submitter) {
	id := s.batch(t)
	defer s.cancel(t, id)
	j := s.bed.checkOne(t, 4, s.cluster)
	i := slices.IndexFunc(j.Missing, func(l job.Lack) bool { return l.Quantity == "recovery" })
	if i < 0 || !strings.Contains(j.Missing[i].Why, "batch") || len(j.Recovery) != 0 || j.Verdict != job.Unknown {
		t.Errorf("verdict %s, recovery %+v, missing %+v, want words on a batch job", j.Verdict, j.Recovery, j.Missing)
	}
}

func noCheckpoints(t *testing.T, s *submitter) {
	id := s.ads(t, "unprotected", "0")
	defer s.cancel(t, id)
	j := s.bed.checkOne(t, 4, s.cluster)
	if !slices.ContainsFunc(j.Hazards, func(h job.Hazard) bool { return h.ID == "checkpointing-off" && h.Fix != "" }) {
		t.Errorf("hazards %+v, want checkpointing-off", j.Hazards)
	}
}

func twoOfOneName(t *testing.T, s *submitter) {
	one := s.ads(t, "same", "5000ms")
	defer s.cancel(t, one)
	other := s.ads(t, "same", "5000ms")
	defer s.cancel(t, other)
	wantSentence(t, s.bed.want(t, 4, "check", "--flink", s.cluster.REST), one, other, "same")
}

// An at-least-once sink repeats what it has written since the last checkpoint, and
// the drill fails for it.
func duplicates(t *testing.T, b *bed, c *local.Cluster) {
	for _, d := range b.drillEnding(t, 1, c, job.ProcessFailure, "--moment", "worst") {
		if a := d.Audit; a == nil || a.Duplicated == 0 || a.Lost != 0 || a.Verdict != "duplicated" {
			t.Errorf("audit %+v, want duplicates", a)
		}
	}
}
