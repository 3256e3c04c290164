package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// downTimeout bounds a stop; killed processes end within a second or two.
	downTimeout = 30 * time.Second
	// supervisorGrace lets the load generator deliver what it has begun.
	supervisorGrace = 5 * time.Second
)

// Down ends a cluster: no process, no cgroup and no file of it is left. It works
// on whatever a crash has left of one. There being none is no error: found is
// false then.
func (d Dirs) Down(ctx context.Context, name string) (found bool, err error) {
	if err := checkName(name); err != nil {
		return false, err
	}
	home := d.home(name)
	unlock, err := tryLockDir(home)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("cluster %s: %w", name, err)
	}
	defer unlock()
	c, err := readCluster(home)
	if errors.Is(err, fs.ErrNotExist) {
		c, err = nil, nil // ended before anything was started
	}
	if err != nil {
		return true, err
	}
	ctx, cancel := context.WithTimeout(ctx, downTimeout)
	defer cancel()
	return true, d.destroy(ctx, home, c)
}

// Names are the clusters of which there is anything left, whole or not.
func (d Dirs) Names() ([]string, error) { return d.names() }

// destroy ends the processes of c, which may be nil, and removes its folder. The
// caller holds the folder's lock. As long as a process may be left, its record
// stays.
func (d Dirs) destroy(ctx context.Context, home string, c *Cluster) error {
	if c != nil {
		if err := c.stop(ctx); err != nil {
			return fmt.Errorf("stop cluster %s: %w", c.Name, err)
		}
		if err := c.removeCgroups(ctx); err != nil {
			return fmt.Errorf("remove the cgroups of cluster %s: %w", c.Name, err)
		}
	}
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	// The folders above go too if nobody else has anything in them.
	_ = os.Remove(d.State)
	_ = os.Remove(filepath.Dir(d.State))
	return nil
}

// stop ends all processes of the cluster: the supervisor first, which would
// restart the others, then those on record, then any that bears its mark.
func (c *Cluster) stop(ctx context.Context) error {
	ps, err := c.Processes()
	if err != nil {
		return err
	}
	for _, p := range ps {
		if p.Role == Supervisor && p.Alive() {
			grace, cancel := context.WithTimeout(ctx, supervisorGrace)
			_ = p.signal(syscall.SIGTERM)
			_ = gone(grace, []Process{p}) // if not, it is killed with the rest
			cancel()
			_ = kill(ctx, []Process{p})
		}
	}
	if ps, err = c.Processes(); err != nil { // the supervisor may just have restarted one
		return err
	}
	if err := kill(ctx, ps); err != nil {
		return err
	}
	return c.stopStrays(ctx)
}

// kill sends SIGKILL to those that live, and waits for their end. Nothing of a
// local cluster is kept, so nothing needs to be closed in order.
func kill(ctx context.Context, ps []Process) error {
	var errs []error
	for _, p := range ps {
		if p.Alive() {
			if err := p.signal(syscall.SIGKILL); err != nil && p.Alive() {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(append(errs, gone(ctx, ps))...)
}

// stopStrays kills what bears the cluster's mark but is not on record: it was
// started in the instant before a crash.
func (c *Cluster) stopStrays(ctx context.Context) error {
	for {
		pids, err := realProc().withEnv(c.mark())
		if err != nil {
			return err
		}
		var strays []Process
		for _, pid := range pids {
			if s, ok := realProc().stat(pid); ok {
				strays = append(strays, Process{Role: "stray", PID: pid, Start: s.start})
			}
		}
		if len(strays) == 0 {
			return nil
		}
		if err := kill(ctx, strays); err != nil {
			return err
		}
	}
}
