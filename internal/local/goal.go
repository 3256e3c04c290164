package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rebound/internal/kafka"
)

// startTimeout is for a goal of a start, on a machine that is busy with starting
// everything at once; each takes 1 to 15 s.
const startTimeout = 3 * time.Minute

// A goal is what a start waits for.
type goal string

const (
	brokerReady        goal = "Kafka"
	jobManagerReady    goal = "the JobManager"
	taskManagersReady  goal = "the TaskManagers"
	subtasksRun        goal = "all subtasks"
	supervisorReady    goal = "the supervisor"
	checkpointComplete goal = "a checkpoint"
)

// await waits until a goal is reached, unless a process dies meanwhile.
func (c *Cluster) await(ctx context.Context, w starter, g goal) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("no success within %v", startTimeout))
	defer cancel()
	var dead error
	err := until(ctx, 100*time.Millisecond, func(ctx context.Context) error {
		if dead = c.anyDead(); dead == nil {
			return w.reached(ctx, c, g)
		}
		return nil // ends the wait
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(context.Cause(ctx), err)
	}
	return errors.Join(dead, err)
}

// anyDead names a process that has ended, with the end of what it said: its
// files are about to be removed.
func (c *Cluster) anyDead() error {
	ps, err := c.Processes()
	if err != nil {
		return err
	}
	for _, p := range ps {
		if p.Alive() {
			continue
		}
		said := ""
		for _, file := range []string{c.Log(p), filepath.Join(c.logDir(), p.Name()+".out")} {
			if b, err := os.ReadFile(file); err == nil && len(b) > 0 {
				said = lastLines(string(b), 4)
			}
		}
		return fmt.Errorf("%s has ended: %s", p.Name(), said)
	}
	return nil
}

func reached(ctx context.Context, c *Cluster, g goal) error {
	switch g {
	case brokerReady:
		return c.makeTopics(ctx)
	case jobManagerReady:
		_, err := c.registered(ctx)
		return err
	case taskManagersReady:
		return c.allRegistered(ctx)
	case subtasksRun:
		return c.jobRuns(ctx)
	case supervisorReady:
		_, err := c.report()
		return err
	case checkpointComplete:
		if c.Interval == 0 {
			return nil
		}
		return c.takeCheckpoint(ctx)
	}
	return fmt.Errorf("unknown goal %q", g)
}

// makeTopics fails as long as the broker does not answer.
func (c *Cluster) makeTopics(ctx context.Context) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(c.Ports.Kafka))
	if err != nil {
		return err
	}
	_ = conn.Close()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return errors.Join(
		kafka.EnsureTopic(ctx, c.Brokers, c.Input, c.Partitions, nil),
		kafka.EnsureTopic(ctx, c.Brokers, c.Output, c.Partitions, nil))
}

// allRegistered fails with the names of TaskManagers that the JobManager does
// not have.
func (c *Cluster) allRegistered(ctx context.Context) error {
	ids, err := c.registered(ctx)
	if err != nil {
		return err
	}
	ps, err := c.Processes()
	if err != nil {
		return err
	}
	var missing []string
	for _, p := range ps {
		if p.Role == TaskManager && !ids[p.ResourceID] {
			missing = append(missing, p.Name())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("not registered: %s", strings.Join(missing, ", "))
	}
	return nil
}
