package local

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"
)

// newSupervisor watches sleeping processes; nothing is generated.
func newSupervisor(t *testing.T, name string) (*supervisor, *Cluster) {
	t.Helper()
	_, c := newCluster(t, name)
	w := idle(t)
	for _, s := range c.stages(w) {
		if err := s.do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := &supervisor{c: c, log: slog.New(slog.DiscardHandler), dead: map[string]time.Time{}}
	s.restart = func(p Process) error { return c.start(w, p) }
	return s, c
}

func (s *supervisor) mustTick(t *testing.T, now time.Time) {
	t.Helper()
	ps, err := s.c.Processes()
	if err != nil {
		t.Fatal(err)
	}
	s.tick(now, ps)
}

func named(t *testing.T, c *Cluster, name string) Process {
	t.Helper()
	p, ok, err := c.process(func(p Process) bool { return p.Name() == name })
	if err != nil || !ok {
		t.Fatalf("%s: %v, %v", name, ok, err)
	}
	return p
}

func TestSupervisorRestartsAfterTheDelay(t *testing.T) {
	s, c := newSupervisor(t, "restarts")
	for _, name := range []string{"taskmanager-2", "jobmanager"} {
		old := named(t, c, name)
		if err := kill(t.Context(), []Process{old}); err != nil {
			t.Fatal(err)
		}
		seen := time.Now()
		s.mustTick(t, seen)
		s.mustTick(t, seen.Add(c.RestartDelay-time.Millisecond))
		if got := named(t, c, name); got.PID != old.PID {
			t.Fatalf("%s was restarted before its time", name)
		}
		s.mustTick(t, seen.Add(c.RestartDelay))
		got := named(t, c, name)
		if got.PID == old.PID || !got.Alive() || got.Starts != 2 {
			t.Errorf("%s is %+v, want a new process, started twice", name, got)
		}
		if got.Role == TaskManager && got.ResourceID == old.ResourceID {
			t.Errorf("%s keeps its resource id %s", name, got.ResourceID)
		}
		s.mustTick(t, seen.Add(3*c.RestartDelay))
		if again := named(t, c, name); again.PID != got.PID {
			t.Errorf("%s was restarted while it lives", name)
		}
	}
	if s.restarts != 2 {
		t.Errorf("%d restarts, want 2", s.restarts)
	}
}

// A stopped process is not dead, and Kafka is not restarted.
func TestSupervisorLeavesTheRestAlone(t *testing.T) {
	s, c := newSupervisor(t, "alone")
	s.restart = func(p Process) error { t.Errorf("restarts %s", p.Name()); return nil }
	if err := c.Signal(t.Context(), named(t, c, "taskmanager-1").ResourceID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := kill(t.Context(), []Process{named(t, c, "kafka"), named(t, c, "zookeeper")}); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	s.mustTick(t, now)
	s.mustTick(t, now.Add(time.Hour))
}

func TestSupervisorTriesAgain(t *testing.T) {
	s, c := newSupervisor(t, "again")
	if err := kill(t.Context(), []Process{named(t, c, "jobmanager")}); err != nil {
		t.Fatal(err)
	}
	tries := 0
	s.restart = func(Process) error { tries++; return errors.New("no memory") }
	now := time.Now()
	for i := range 5 { // at 0, ½, 1, 1½ and 2 delays: due at 1 and 2
		s.mustTick(t, now.Add(time.Duration(i)*c.RestartDelay/2))
	}
	if tries != 2 {
		t.Errorf("%d tries, want 2", tries)
	}
}

func TestSuperviseEndsWithItsCluster(t *testing.T) {
	_, c := newCluster(t, "removed")
	c.NoJob = true
	if err := c.save(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- Supervise(t.Context(), c.Home, slog.New(slog.DiscardHandler)) }()
	if err := until(t.Context(), time.Millisecond, func(context.Context) error { _, err := c.report(); return err }); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(c.Home); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("Supervise = %v, want none", err)
	}
}
