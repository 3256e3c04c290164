//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rebound/internal/local"
)

// cleanupTime is left of the time of go test for stopping what was started.
const cleanupTime = time.Minute

// bed is the program with a state folder of its own: neither clusters nor the
// journal of the user are seen. The cache of downloads is shared.
type bed struct {
	program string
	state   string // XDG_STATE_HOME
	// ctx ends a little before go test gives up, and when it is interrupted, so
	// that there is time to clean up.
	ctx context.Context
}

func newBed(t *testing.T) *bed {
	t.Helper()
	program := os.Getenv("REBOUND")
	if program == "" {
		t.Fatal("REBOUND is not set: want the path of the program; make e2e sets it")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	t.Cleanup(stop)
	if end, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-cleanupTime))
		t.Cleanup(cancel)
	}
	b := &bed{program: program, state: t.TempDir(), ctx: ctx}
	t.Cleanup(func() { b.downAll(t) })
	return b
}

// outcome is what a command left behind.
type outcome struct {
	stdout, stderr string
	code           int
}

// command is the program with these arguments, in this bed.
func (b *bed) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+b.state, "FLINK_REST_URL=")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = cleanupTime / 2
	return cmd
}

// run waits for the program and logs how it went.
func (b *bed) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return b.runIn(t, b.ctx, args...)
}

func (b *bed) runIn(t *testing.T, ctx context.Context, args ...string) outcome { //nolint:revive // a test comes first
	t.Helper()
	began := time.Now()
	o := b.quietly(t, ctx, args...)
	t.Logf("%5.1f s  rebound %s → %d", time.Since(began).Seconds(), strings.Join(args, " "), o.code)
	return o
}

// quietly runs the program without a word in the log, for what is asked again
// and again.
func (b *bed) quietly(t *testing.T, ctx context.Context, args ...string) outcome { //nolint:revive // a test comes first
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := b.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("rebound %s: %v", strings.Join(args, " "), err)
	}
	o := outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	if strings.Contains(o.stderr, "goroutine ") || strings.Contains(o.stdout, "goroutine ") {
		t.Errorf("a stack trace:\n%s%s", o.stdout, o.stderr)
	}
	return o
}

// want runs the program and ends the test unless the exit code is this one.
func (b *bed) want(t *testing.T, code int, args ...string) outcome {
	t.Helper()
	o := b.run(t, args...)
	if o.code != code {
		t.Fatalf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", o.code, code, o.stdout, o.stderr)
	}
	return o
}

// up starts a cluster and returns what the program has recorded of it.
func (b *bed) up(t *testing.T, name string, args ...string) *local.Cluster {
	t.Helper()
	o := b.want(t, 0, append([]string{"local", "up", "--name", name}, args...)...)
	t.Logf("%s%s", o.stderr, o.stdout)
	c, err := b.dirs().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (b *bed) dirs() local.Dirs {
	return local.Dirs{State: filepath.Join(b.state, "rebound", "local")}
}

// down stops a cluster and sees that nothing of it is left.
func (b *bed) down(t *testing.T, c *local.Cluster) {
	t.Helper()
	b.want(t, 0, "local", "down", c.Name)
	wantGone(t, c)
}

// downAll is the last resort: it also cleans up after what failed half way.
func (b *bed) downAll(t *testing.T) {
	t.Helper()
	names, err := b.dirs().Names()
	if err != nil {
		t.Error(err)
	}
	for _, name := range names {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTime)
		if o := b.runIn(t, ctx, "local", "down", name); o.code != 0 {
			t.Errorf("cluster %s may have left something: %s", name, o.stderr)
		}
		cancel()
	}
}

// decode reads a document from stdout; fields that its type does not have are
// an error.
func decode[T any](t *testing.T, o outcome) T {
	t.Helper()
	var doc T
	d := json.NewDecoder(strings.NewReader(o.stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		t.Fatalf("%v in\n%s", err, o.stdout)
	}
	return doc
}

// loose reads the fields of a document that a test is about.
func loose[T any](t *testing.T, o outcome) T {
	t.Helper()
	var doc T
	if err := json.Unmarshal([]byte(o.stdout), &doc); err != nil {
		t.Fatalf("%v in\n%s", err, o.stdout)
	}
	return doc
}

// eventually asks again until ok, and fails after the limit with what was missing.
func (b *bed) eventually(t *testing.T, limit time.Duration, ask func() (missing string, ok bool)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	tick := time.NewTicker(time.Second / 2)
	defer tick.Stop()
	for {
		missing, ok := ask()
		if ok {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("after %v: %s", limit, missing)
		case <-tick.C:
		}
	}
}
