package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Role is what a process is for.
type Role string

// The processes of a cluster.
const (
	Kafka       Role = "kafka"
	ZooKeeper   Role = "zookeeper"
	JobManager  Role = "jobmanager"
	TaskManager Role = "taskmanager"
	Supervisor  Role = "supervisor"
)

// Process is one process of a cluster, as it was started last. Pid and start
// time together name it: a pid that the system has given to somebody else since
// is never signaled.
type Process struct {
	Role   Role   `json:"role"`
	Index  int    `json:"index"`            // 1, 2, … among those of its role
	PID    int    `json:"pid,omitempty"`    // 0 while it is being started
	Start  uint64 `json:"start,omitempty"`  // clock ticks since boot
	Starts int    `json:"starts"`           // how often it has been started
	Cgroup string `json:"cgroup,omitempty"` // the folder that limits its CPU
	// ResourceID is Flink's name of a TaskManager, another one at each start.
	ResourceID string    `json:"resource_id,omitempty"`
	StartedAt  time.Time `json:"started_at"`
}

// Name is such as taskmanager-2; there is one of every other role.
func (p Process) Name() string {
	if p.Role == TaskManager {
		return fmt.Sprintf("%s-%d", p.Role, p.Index)
	}
	return string(p.Role)
}

// Alive tells whether the process runs, or would if it were not stopped.
func (p Process) Alive() bool { return realProc().lives(p.PID, p.Start) }

// A command is how to start a process.
type command struct {
	args []string
	env  []string // beside the environment that we have
}

// launch starts p detached, in a session of its own, and records it: first that
// it will be started, so that a crash at any point leaves enough to find it by
// its environment, then its pid and start time.
func (c *Cluster) launch(p Process, cmd command) (Process, error) {
	p.PID, p.Start, p.StartedAt = 0, 0, time.Now()
	p.Starts++
	if err := c.saveProcess(p); err != nil {
		return p, err
	}
	log, err := os.OpenFile(filepath.Join(c.logDir(), p.Name()+".out"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return p, err
	}
	defer func() { _ = log.Close() }()
	child := exec.Command(cmd.args[0], cmd.args[1:]...)
	child.Dir = c.Home
	child.Env = append(append(os.Environ(), cmd.env...), c.mark())
	child.Stdout, child.Stderr = log, log
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return p, fmt.Errorf("start %s: %w", p.Name(), err)
	}
	p.PID = child.Process.Pid
	s, ok := realProc().stat(p.PID)
	if !ok {
		return p, fmt.Errorf("start %s: it is gone at once", p.Name())
	}
	p.Start = s.start
	if p.Cgroup != "" {
		// All its threads move, so it does not matter that it has begun to run.
		if err := os.WriteFile(filepath.Join(p.Cgroup, "cgroup.procs"), []byte(strconv.Itoa(p.PID)), 0o644); err != nil {
			return p, fmt.Errorf("limit the CPU of %s: %w", p.Name(), err)
		}
	}
	return p, c.saveProcess(p)
}

// mark is the environment entry that all processes of a cluster have.
func (c *Cluster) mark() string { return "REBOUND_CLUSTER=" + c.Name + "/" + c.ID }

// signal sends sig to a process if it is still the one that was started.
func (p Process) signal(sig syscall.Signal) error {
	h, err := os.FindProcess(p.PID) // a pidfd: it stays with the process it names now
	if err != nil {
		return fmt.Errorf("signal %s: %w", p.Name(), err)
	}
	defer func() { _ = h.Release() }()
	if !p.Alive() {
		return fmt.Errorf("signal %s: it does not run", p.Name())
	}
	if err := h.Signal(sig); err != nil {
		return fmt.Errorf("signal %s: %w", p.Name(), err)
	}
	return nil
}

// reap takes the exit status of a process that was our child, so that it does
// not stay a zombie as long as we live.
func (p Process) reap() {
	var status syscall.WaitStatus
	_, _ = syscall.Wait4(p.PID, &status, syscall.WNOHANG, nil) // ECHILD: it was not ours
}

// gone waits until none of the processes lives.
func gone(ctx context.Context, ps []Process) error {
	for {
		var left []string
		for _, p := range ps {
			if p.Alive() {
				left = append(left, fmt.Sprintf("%s (pid %d)", p.Name(), p.PID))
			}
			p.reap()
		}
		if len(left) == 0 {
			return nil
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return errors.Join(err, fmt.Errorf("still there: %s", strings.Join(left, ", ")))
		}
	}
}
