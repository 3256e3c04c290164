package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// killTimeout is for the kernel to take down a JVM.
const killTimeout = 5 * time.Second

// Signal sends a signal to the TaskManager with this Flink resource id. After
// SIGKILL it waits until the process is gone, a few milliseconds, so that Whole
// does not take it for living.
func (c *Cluster) Signal(ctx context.Context, resourceID string, sig syscall.Signal) error {
	p, ok, err := c.process(func(p Process) bool { return p.Role == TaskManager && p.ResourceID == resourceID })
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("cluster %s has no TaskManager %s now", c.Name, resourceID)
	}
	return p.hit(ctx, sig)
}

// SignalJobManager sends a signal to the JobManager, as Signal does.
func (c *Cluster) SignalJobManager(ctx context.Context, sig syscall.Signal) error {
	p, ok, err := c.process(func(p Process) bool { return p.Role == JobManager })
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("cluster %s has no JobManager", c.Name)
	}
	return p.hit(ctx, sig)
}

func (p Process) hit(ctx context.Context, sig syscall.Signal) error {
	if err := p.signal(sig); err != nil || sig != syscall.SIGKILL {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	return gone(ctx, []Process{p})
}

// FailTask makes one task of the job throw an exception. The first subtask of
// the keyed operator that sees the token removes it and fails; they look at most
// 100 ms apart, while records come in.
func (c *Cluster) FailTask() error {
	return os.WriteFile(c.path(failToken), nil, 0o600)
}

// ClearFaults takes back what was injected and may still be there: a TaskManager
// that is stopped (SIGSTOP) is killed, so that the supervisor starts another, and
// a failure that no task has picked up is withdrawn.
func (c *Cluster) ClearFaults(ctx context.Context) error {
	if err := os.Remove(c.path(failToken)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ps, err := c.Processes()
	if err != nil {
		return err
	}
	for _, p := range ps {
		if p.Role == TaskManager && p.Alive() && realProc().stopped(p.PID) {
			if err := p.hit(ctx, syscall.SIGKILL); err != nil {
				return err
			}
		}
	}
	return nil
}

// Whole waits until all processes live, every TaskManager is registered under
// its present resource id and every subtask of the job runs. When ctx ends, the
// error says what was missing. A process that is stopped (SIGSTOP) is never
// whole: continue it or kill it first.
func (c *Cluster) Whole(ctx context.Context) error {
	return until(ctx, 200*time.Millisecond, c.whole)
}

func (c *Cluster) whole(ctx context.Context) error {
	ps, err := c.Processes()
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range ps {
		switch {
		case !p.Alive():
			errs = append(errs, fmt.Errorf("%s does not run", p.Name()))
		case realProc().stopped(p.PID):
			errs = append(errs, fmt.Errorf("%s is stopped", p.Name()))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if err := c.allRegistered(ctx); err != nil || c.JobID == "" {
		return err
	}
	return c.jobRuns(ctx)
}
