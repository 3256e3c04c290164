package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A starter is what the stages of a start need of the world; in tests it starts
// processes that do nothing.
type starter struct {
	fetch   func(ctx context.Context, c *Cluster) error // fills in FlinkDist, KafkaLibs, JobJar
	format  func(ctx context.Context, c *Cluster) error // Kafka's data folder
	command func(c *Cluster, p Process) (command, error)
	reached func(ctx context.Context, c *Cluster, g goal) error // nil once it is
	submit  func(ctx context.Context, c *Cluster) (id string, err error)
}

// stage is one step of a start.
type stage struct {
	name string
	do   func(ctx context.Context) error
}

// boot goes through the stages. It records the cluster before the first.
func (u Up) boot(ctx context.Context, c *Cluster, w starter) error {
	for _, s := range c.stages(w) {
		began := time.Now()
		u.progress(Step{Name: s.name})
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		u.progress(Step{Name: s.name, Done: true, Took: time.Since(began)})
	}
	c.Ready = true
	return c.save()
}

func (u Up) progress(s Step) {
	if u.Progress != nil {
		u.Progress(s)
	}
}

// stages are all steps in order. The processes start side by side, since each
// of them mostly waits for the others or for the disk.
func (c *Cluster) stages(w starter) []stage {
	wait := func(g goal) func(context.Context) error {
		return func(ctx context.Context) error { return c.await(ctx, w, g) }
	}
	stages := []stage{
		{"record the cluster", func(context.Context) error { return c.save() }},
		{"fetch what is not in the cache", func(ctx context.Context) error {
			return errors.Join(w.fetch(ctx, c), c.save())
		}},
		{"write the configuration", func(context.Context) error { return c.configure() }},
		{"start Flink", func(context.Context) error { return c.startFlink(w) }},
		{"start Kafka", func(ctx context.Context) error {
			if err := w.format(ctx, c); err != nil {
				return err
			}
			return c.start(w, Process{Role: Kafka, Index: 1})
		}},
		{"wait for Kafka and make the topics", wait(brokerReady)},
		{"wait for the JobManager", wait(jobManagerReady)},
		{"wait for the TaskManagers", wait(taskManagersReady)},
	}
	if c.NoJob {
		return append(stages, stage{"start the supervisor", c.startSupervisor(w)})
	}
	return append(stages,
		stage{"submit the job", func(ctx context.Context) (err error) {
			if c.JobID, err = w.submit(ctx, c); err != nil {
				return err
			}
			return c.save()
		}},
		stage{"wait for all subtasks", wait(subtasksRun)},
		stage{"start the supervisor and the load", c.startSupervisor(w)},
		stage{"wait for a checkpoint", wait(checkpointComplete)})
}

// startFlink starts ZooKeeper if there is one, the JobManager and all
// TaskManagers.
func (c *Cluster) startFlink(w starter) error {
	if c.CPU > 0 {
		if err := c.limitAll(); err != nil {
			return err
		}
	}
	ps := []Process{{Role: JobManager, Index: 1}}
	if c.HA {
		ps = append([]Process{{Role: ZooKeeper, Index: 1}}, ps...)
	}
	for i := range c.allTaskManagers() {
		p := Process{Role: TaskManager, Index: i + 1}
		if c.Cgroup != "" {
			p.Cgroup = filepath.Join(c.Cgroup, p.Name())
		}
		ps = append(ps, p)
	}
	for _, p := range ps {
		if err := c.start(w, p); err != nil {
			return err
		}
	}
	return nil
}

// start starts a process, under a new name if it is a TaskManager: Flink must
// not take it for the one before.
func (c *Cluster) start(w starter, p Process) error {
	if p.Role == TaskManager {
		p.ResourceID = fmt.Sprintf("tm%d-%s-%d", p.Index, c.ID, p.Starts+1)
	}
	cmd, err := w.command(c, p)
	if err != nil {
		return err
	}
	_, err = c.launch(p, cmd)
	return err
}

func (c *Cluster) startSupervisor(w starter) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := c.start(w, Process{Role: Supervisor, Index: 1}); err != nil {
			return err
		}
		return c.await(ctx, w, supervisorReady)
	}
}

func (c *Cluster) configure() error {
	var errs []error
	for _, dir := range []string{"conf", "log", "tmp", "upload", "processes", "kafka", "zookeeper", "ha", "checkpoints", "savepoints"} {
		errs = append(errs, os.MkdirAll(c.path(dir), 0o700))
	}
	for name, text := range map[string][]byte{
		"config.yaml":       flinkYAML(c.flinkOptions()),
		"log4j2.properties": []byte(log4j2),
		"server.properties": c.serverProperties(),
		"zoo.cfg":           c.zooCFG(),
	} {
		errs = append(errs, os.WriteFile(c.path("conf", name), text, 0o600))
	}
	return errors.Join(errs...)
}
