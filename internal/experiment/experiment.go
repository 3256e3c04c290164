// Package experiment runs policies on simulated jobs and judges them by what
// really happened there: the loop and the planner are those that run in
// production, and see what they would see of a cluster.
package experiment

import (
	"context"
	"fmt"
	"math"
	"time"

	"rebound/internal/api"
	"rebound/internal/control"
	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/plan"
	"rebound/internal/policy"
	"rebound/internal/report"
	"rebound/internal/twin"
)

// Contender is a way to run a job.
type Contender struct {
	Name   string
	Policy policy.Policy
	// Planner decides in a loop, a fresh one each run; nil: the settings stay as
	// they are, and nobody looks.
	Planner func() plan.Planner
	// Forecaster of the loop, a fresh one each run.
	Forecaster func() (control.Forecaster, error)
	// Foresight: the loop is told the load that will come, and Forecaster is not
	// asked.
	Foresight bool
	// Start are the settings at the beginning; nil: the scenario's.
	Start *job.Knobs
}

// Case is one simulation to run.
type Case struct {
	Scenario  twin.Scenario
	Contender Contender
	Seed      uint64
	Hours     float64 // 0: as long as the scenario says
	// PastDays is how many days of load before the start the forecaster has learned
	// from; the rest of what the loop knows begins with the run.
	PastDays int
	// Tell gets what happens as it happens; Progress the share that is done. Both
	// may be nil.
	Tell     func(control.Event)
	Progress func(share float64)
}

// chunk is how long a job runs that nobody looks at, until the next interrupt is
// noticed.
const chunk = 30 * time.Minute

// Run runs a case. What it returns depends on nothing but the case.
func (c Case) Run(ctx context.Context) (report.Run, error) {
	if c.Hours > 0 {
		c.Scenario.Hours = c.Hours
	}
	if k := c.Contender.Start; k != nil {
		c.Scenario.Start = twin.Knobs{
			IntervalSeconds: k.IntervalSeconds, Parallelism: k.Parallelism, Slots: k.Slots,
			CPUCores: k.CPUCores, MemoryGiB: k.MemoryBytes / job.GiB,
		}
	}
	t, err := twin.New(c.Scenario, c.Seed)
	if err != nil {
		return report.Run{}, fmt.Errorf("begin %s: %w", c.Scenario.Name, err)
	}
	rec := newRecorder()
	if c.Contender.Planner == nil {
		err = c.alone(ctx, t)
	} else {
		err = c.steered(ctx, t, rec)
	}
	if err != nil {
		return report.Run{}, fmt.Errorf("%s on %s, seed %d: %w", c.Contender.Name, c.Scenario.Name, c.Seed, err)
	}
	return c.judge(ctx, t, rec)
}

// alone lets the job run as it is set.
func (c Case) alone(ctx context.Context, t *twin.Twin) error {
	for end := c.end(); t.Now().Before(end); {
		t.Advance(min(chunk, end.Sub(t.Now())))
		c.progress(t)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// steered runs the production loop on the job.
func (c Case) steered(ctx context.Context, t *twin.Twin, rec *recorder) error {
	forecaster, err := c.forecaster(t)
	if err != nil {
		return err
	}
	first, err := t.Observe(ctx)
	if err != nil {
		return fmt.Errorf("look for the first time: %w", err)
	}
	l, err := control.New(control.Options{
		World: t, Planner: rec.watch(c.Contender.Planner()), Forecaster: forecaster, Journal: rec, Model: learn.New(first.Job),
		Policy: c.Contender.Policy, Tell: c.Tell, Seed: c.Seed,
	})
	if err != nil {
		return err
	}
	if err := l.Start(ctx); err != nil {
		return err
	}
	for end := c.end(); t.Now().Before(end); {
		next, err := l.Step(ctx)
		if err != nil {
			return err
		}
		t.Advance(min(next, end.Sub(t.Now())))
		c.progress(t)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return l.Save(ctx)
}

func (c Case) forecaster(t *twin.Twin) (control.Forecaster, error) {
	if !c.Contender.Foresight {
		f, err := c.Contender.Forecaster()
		if err != nil {
			return nil, err
		}
		return f, c.teach(f)
	}
	load, err := c.Scenario.Foresee(c.Seed)
	if err != nil {
		return nil, err
	}
	return &perfect{load: load, now: t.Now}, nil
}

// teach shows a forecaster the load of the days before.
func (c Case) teach(f control.Forecaster) error {
	past, err := c.Scenario.Past(c.Seed)
	if err != nil {
		return err
	}
	for i := range c.PastDays * int(24*time.Hour/step) {
		at := float64(i) * step.Seconds()
		f.Observe(past.Mean(at, at+step.Seconds()))
	}
	return nil
}

func (c Case) end() time.Time {
	return twin.Epoch().Add(time.Duration(c.Scenario.Hours * float64(time.Hour)))
}

func (c Case) progress(t *twin.Twin) {
	if c.Progress != nil {
		c.Progress(math.Min(1, t.Now().Sub(twin.Epoch()).Hours()/c.Scenario.Hours))
	}
}

// Summary adds up the runs of one contender.
func Summary(runs []api.Simulation) api.SimulationSummary {
	if len(runs) == 0 {
		return api.SimulationSummary{}
	}
	s := api.SimulationSummary{Policy: runs[0].Policy, Scenario: runs[0].Scenario, Runs: len(runs)}
	days, inside, recovered, n := 0.0, 0.0, 0.0, 0
	for _, r := range runs {
		days += r.Hours / 24
		s.Failures += r.Failures
		s.Violations += r.Violations
		s.ChangesPerDay += float64(r.Changes)
		s.CPUCoreHours += r.CPUCoreHours
		s.MemoryGiBHours += r.MemoryGiBHours
		s.Cost += r.Cost
		s.Profiling.Runs += r.Profiling.Runs
		s.Profiling.CPUCoreHours += r.Profiling.CPUCoreHours
		s.Profiling.MemoryGiBHours += r.Profiling.MemoryGiBHours
		s.CalmP95Seconds += r.Latency.CalmP95 / float64(len(runs))
		s.LateShare += r.LateShare / float64(len(runs))
		s.Checkpoints += r.Checkpoints
		for _, rec := range r.Recoveries {
			if rec.InsideInterval != nil {
				n++
				if *rec.InsideInterval {
					inside++
				}
			}
		}
		if r.MeanRecoverySeconds != nil {
			recovered += *r.MeanRecoverySeconds / float64(len(runs))
			s.MeanRecoverySeconds = new(recovered)
		}
		if w := r.WorstRecoverySeconds; w != nil && (s.WorstRecoverySeconds == nil || *w > *s.WorstRecoverySeconds) {
			s.WorstRecoverySeconds = new(*w)
		}
	}
	if s.Failures > 0 {
		s.ViolationShare = float64(s.Violations) / float64(s.Failures)
	}
	if n > 0 {
		s.Coverage90 = new(inside / float64(n))
	}
	s.ChangesPerDay /= days
	return s
}
