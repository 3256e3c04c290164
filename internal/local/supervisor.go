package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"rebound/internal/kafka"
)

const (
	// watchEvery bounds how late a death is seen; it adds to RestartDelay.
	watchEvery  = 100 * time.Millisecond
	reportEvery = time.Second
	reportFile  = "supervisor.json"
)

// Report is what the supervisor last said of itself.
type Report struct {
	At        time.Time    `json:"at"`
	Generator *kafka.Stats `json:"generator,omitempty"` // nil without a job
	// GeneratorError is why the load generator ended, if it did.
	GeneratorError string `json:"generator_error,omitempty"`
	Restarts       int    `json:"restarts"` // of processes
	Ended          bool   `json:"ended"`    // stopped as it was asked to; Generator is final
}

// report reads what the supervisor last said.
func (c *Cluster) report() (Report, error) {
	var r Report
	err := readJSON(c.path(reportFile), &r)
	return r, err
}

// Report is what the supervisor said last; ok is false if it has not yet.
func (c *Cluster) Report() (r Report, ok bool, err error) {
	r, err = c.report()
	if errors.Is(err, fs.ErrNotExist) {
		return Report{}, false, nil
	}
	return r, err == nil, err
}

// supervisorCommand is this program again.
func (c *Cluster) supervisorCommand() (command, error) {
	program, err := os.Executable()
	if err != nil {
		return command{}, err
	}
	return command{args: []string{program, "local", "supervise", c.Home}}, nil
}

// Supervise runs the load generator of the cluster in a folder and restarts
// TaskManagers and the JobManager when they die, RestartDelay after. It returns
// when ctx ends, or the cluster's folder is gone.
func Supervise(ctx context.Context, home string, log *slog.Logger) error {
	c, err := readCluster(home)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &supervisor{c: c, log: log, dead: map[string]time.Time{}}
	s.restart = func(p Process) error { return c.start(starter{command: (*Cluster).command}, p) }
	var wait sync.WaitGroup
	if !c.NoJob {
		if s.generator, err = c.generator(); err != nil {
			return err
		}
		wait.Go(func() { s.generate(ctx) })
	}
	err = s.watch(ctx)
	stop()
	wait.Wait()
	return errors.Join(err, s.write(time.Now(), true))
}

// generator sends the load that the settings ask for.
func (c *Cluster) generator() (*kafka.Generator, error) {
	load, err := kafka.ParseLoad(c.Load, nil)
	if err != nil {
		return nil, err
	}
	return &kafka.Generator{
		Brokers: c.Brokers, Topic: c.Input, Load: load, RecordBytes: c.RecordBytes,
		Stream:       kafka.Stream{Seed: c.Seed, Campaigns: c.Campaigns, AdsPerCampaign: c.AdsPerCampaign},
		FlushTimeout: 3 * time.Second,
	}, nil
}

// supervisor watches one cluster. The generator runs beside it.
type supervisor struct {
	c         *Cluster
	log       *slog.Logger
	generator *kafka.Generator
	restart   func(Process) error
	dead      map[string]time.Time // since when, by name
	restarts  int

	mu     sync.Mutex // guards failed
	failed string     // why the generator ended
}

func (s *supervisor) generate(ctx context.Context) {
	_, err := s.generator.Run(ctx)
	if err == nil {
		return
	}
	s.log.Error("load generator ended", "err", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = err.Error()
}

func (s *supervisor) watch(ctx context.Context) error {
	var reported time.Time
	for {
		now := time.Now()
		if _, err := os.Stat(s.c.path(clusterFile)); errors.Is(err, fs.ErrNotExist) {
			return nil // somebody has removed the cluster under us
		}
		ps, err := s.c.Processes()
		if err != nil {
			return err
		}
		s.tick(now, ps)
		if now.Sub(reported) >= reportEvery {
			if err := s.write(now, false); err != nil {
				return err
			}
			reported = now
		}
		if pause(ctx, watchEvery) != nil {
			return nil //nolint:nilerr // being stopped is how it ends
		}
	}
}

// tick restarts what has been dead for long enough. Kafka and ZooKeeper are not
// restarted: a drill does not kill them, and what they had is lost.
func (s *supervisor) tick(now time.Time, ps []Process) {
	for _, p := range ps {
		name := p.Name()
		if p.Role != TaskManager && p.Role != JobManager || p.Alive() {
			delete(s.dead, name)
			continue
		}
		p.reap()
		since, known := s.dead[name]
		if !known {
			s.dead[name] = now
			s.log.Info("process died", "process", name, "pid", p.PID)
			since = now
		}
		if now.Sub(since) < s.c.RestartDelay {
			continue
		}
		if err := s.restart(p); err != nil {
			s.log.Error("process not restarted", "process", name, "err", err)
			s.dead[name] = now // wait as long again
			continue
		}
		s.log.Info("process restarted", "process", name)
		s.restarts++
		delete(s.dead, name)
	}
}

func (s *supervisor) write(now time.Time, ended bool) error {
	if _, err := os.Stat(s.c.Home); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r := Report{At: now, Restarts: s.restarts, Ended: ended}
	if s.generator != nil {
		stats := s.generator.Stats()
		r.Generator = &stats
	}
	s.mu.Lock()
	r.GeneratorError = s.failed
	s.mu.Unlock()
	if err := writeJSON(s.c.path(reportFile), r); err != nil {
		return fmt.Errorf("write the supervisor's report: %w", err)
	}
	return nil
}
