package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// idle is a starter whose processes sleep and whose waits are over at once.
func idle(t *testing.T) starter {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skipf("needs sleep: %v", err)
	}
	return starter{
		fetch:   func(context.Context, *Cluster) error { return nil },
		format:  func(context.Context, *Cluster) error { return nil },
		command: func(*Cluster, Process) (command, error) { return command{args: []string{sleep, "600"}}, nil },
		reached: func(context.Context, *Cluster, goal) error { return nil },
		submit:  func(context.Context, *Cluster) (string, error) { return "0123", nil },
	}
}

// newCluster is one whose folder is there and locked by nobody. At the end of
// the test nothing of it may be left.
func newCluster(t *testing.T, name string) (Dirs, *Cluster) {
	t.Helper()
	root := t.TempDir()
	d := Dirs{Cache: filepath.Join(root, "cache"), State: filepath.Join(root, "rebound", "local")}
	s := testSettings()
	s.HA = true
	c := testCluster(s)
	c.Name, c.ID, c.Home = name, strconv.Itoa(os.Getpid()), d.home(name)
	if err := os.MkdirAll(c.Home, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // also if the test fails
		ctx, cancel := context.WithTimeout(context.Background(), downTimeout)
		defer cancel()
		c.stopStrays(ctx)
	})
	return d, c
}

func wantNothingLeft(t *testing.T, d Dirs, c *Cluster) {
	t.Helper()
	if left, err := realProc().withEnv(c.mark()); err != nil || len(left) > 0 {
		t.Errorf("processes %v are left, %v", left, err)
	}
	if _, err := os.Stat(filepath.Dir(d.State)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", filepath.Dir(d.State), err)
	}
}

// Up may be killed between any two stages: down then finds everything.
func TestDownCleansAfterACrashAtEachStage(t *testing.T) {
	_, c := newCluster(t, "stages")
	names := []string{"nothing"}
	for _, s := range c.stages(idle(t)) {
		names = append(names, s.name)
	}
	for i, name := range names {
		t.Run("after "+name, func(t *testing.T) {
			d, c := newCluster(t, fmt.Sprintf("crash-%d", i))
			for _, s := range c.stages(idle(t))[:i] {
				if err := s.do(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			found, err := d.Down(t.Context(), c.Name)
			if err != nil || !found {
				t.Fatalf("Down = %v, %v, want true", found, err)
			}
			wantNothingLeft(t, d, c)
			if found, err := d.Down(t.Context(), c.Name); err != nil || found {
				t.Errorf("Down again = %v, %v, want false", found, err)
			}
		})
	}
}

// Up may be killed after a process has begun and before its pid is recorded.
// The record then says that it was to be started, and no more.
func TestDownFindsAProcessThatWasNotRecorded(t *testing.T) {
	d, c := newCluster(t, "unrecorded")
	w := idle(t)
	for _, s := range c.stages(w) {
		if err := s.do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ps, err := c.Processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		p.PID, p.Start = 0, 0
		if err := c.saveProcess(p); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := realProc().withEnv(c.mark()); len(left) != 7 { // Kafka, ZooKeeper, JobManager, 3 TaskManagers, supervisor
		t.Fatalf("%d processes, want 7", len(left))
	}
	if _, err := d.Down(t.Context(), c.Name); err != nil {
		t.Fatal(err)
	}
	wantNothingLeft(t, d, c)
}

// A record may be older than the machine's last start: its pid is somebody
// else's now.
func TestDownSparesOthers(t *testing.T) {
	d, c := newCluster(t, "reused")
	if err := c.save(); err != nil {
		t.Fatal(err)
	}
	other := sleeper(t)
	if err := c.saveProcess(Process{Role: TaskManager, Index: 1, PID: other.PID, Start: other.Start + 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Down(t.Context(), c.Name); err != nil {
		t.Fatal(err)
	}
	if !other.Alive() {
		t.Error("down has killed a process of somebody else")
	}
	wantNothingLeft(t, d, c)
}

// An error, or Ctrl-C, at any stage: what was started is stopped again.
func TestBootUndoes(t *testing.T) {
	for _, at := range []goal{brokerReady, taskManagersReady, checkpointComplete} {
		t.Run(string(at), func(t *testing.T) {
			d, c := newCluster(t, "undo")
			w := idle(t)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			w.reached = func(ctx context.Context, _ *Cluster, g goal) error {
				if g == at {
					interrupt()
				}
				return ctx.Err()
			}
			u := Up{Dirs: d, Name: c.Name}
			err := u.boot(ctx, c, w)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("boot = %v, want %v", err, context.Canceled)
			}
			if err := u.undo(ctx, c.Home, c); err != nil {
				t.Fatal(err)
			}
			wantNothingLeft(t, d, c)
		})
	}
}

func TestBootNamesTheProcessThatDied(t *testing.T) {
	d, c := newCluster(t, "dies")
	w := idle(t)
	w.command = func(_ *Cluster, p Process) (command, error) {
		if p.Role == JobManager {
			return command{args: []string{"sh", "-c", "echo no such option; exit 1"}}, nil
		}
		return idle(t).command(nil, p)
	}
	w.reached = func(context.Context, *Cluster, goal) error { return errors.New("no answer") }
	u := Up{Dirs: d, Name: c.Name}
	wantError(t, u.boot(t.Context(), c, w), "jobmanager has ended: no such option")
	if err := u.undo(t.Context(), c.Home, c); err != nil {
		t.Fatal(err)
	}
	wantNothingLeft(t, d, c)
}

func TestDownWaitsForNobody(t *testing.T) {
	d, c := newCluster(t, "busy")
	unlock, err := tryLockDir(c.Home) // as a running up holds it
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Down(t.Context(), c.Name)
	if !errors.Is(err, errBusy) {
		t.Errorf("Down = %v, want %v", err, errBusy)
	}
	unlock()
	if _, err := d.Down(t.Context(), c.Name); err != nil {
		t.Fatal(err)
	}
	wantNothingLeft(t, d, c)
}

func TestCompare(t *testing.T) {
	d, c := newCluster(t, "same")
	w := idle(t)
	u := Up{Dirs: d, Name: c.Name, Settings: c.Settings}
	if err := u.boot(t.Context(), c, w); err != nil {
		t.Fatal(err)
	}
	again, err := u.Run(t.Context())
	if !errors.Is(err, ErrRunning) || again == nil || again.ID != c.ID {
		t.Errorf("the same settings: %v, want %v", err, ErrRunning)
	}
	u.Settings.Interval *= 2
	_, err = u.Run(t.Context())
	wantError(t, err, "runs already with other settings")
	u.Settings = c.Settings
	supervisor, _, err := c.process(func(p Process) bool { return p.Role == Supervisor })
	if err != nil {
		t.Fatal(err)
	}
	if err := kill(t.Context(), []Process{supervisor}); err != nil {
		t.Fatal(err)
	}
	_, err = u.Run(t.Context())
	wantError(t, err, "has lost its supervisor")
	if _, err := d.Down(t.Context(), c.Name); err != nil {
		t.Fatal(err)
	}
}
