package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"rebound/internal/approve"
	"rebound/internal/control"
	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/plan"
	"rebound/internal/policy"
	"rebound/internal/store"
)

// Worlds that a loop can run in.
const (
	worldTwin  = "twin"
	worldFlink = "flink"
)

type runCmd struct {
	cluster  `embed:""`
	journal  `embed:""`
	Policy   string  `required:"" help:"What is wanted of the job (docs/policy.md)." placeholder:"FILE"`
	World    string  `help:"Where the job runs: twin, a simulation, or flink, a cluster." enum:"twin,flink" default:"flink"`
	Job      string  `help:"Only this job of a cluster, by name or ID. Default: all that the policy is about." placeholder:"NAME"`
	Scenario string  `help:"The simulated job: a built-in scenario or a file." placeholder:"NAME|FILE" default:"daily"`
	URL      string  `name:"url" help:"A simulation in another process, as rebound twin serve prints it, instead of one in this." placeholder:"URL"`
	Seed     uint64  `help:"Of the simulation and of all draws." default:"1"`
	Speed    float64 `help:"Simulated seconds in a real one; 0: as fast as possible." default:"0"`

	JournalLimit int64 `hidden:"" help:"Bytes beyond which the journal takes nothing more, as on a full disk."`
}

func (runCmd) Help() string {
	return `The loop: looks at a job, learns, finds outages and scores what it predicted of
them, plans, asks its guards, writes each decision down, acts, verifies, and takes
back what did not do as predicted. How far it goes is the policy's mode; a job on
a cluster is only observed, and changes are recommended.

Ctrl-C saves what was learned and ends; a decision that is under way stays open,
and the next start goes on with it. So it does after a crash.

  rebound run --policy policy.yaml --world flink --flink http://flink:8081
  rebound run --policy policy.yaml --world twin --scenario surge --journal j.db
  rebound history --journal j.db`
}

func (c *runCmd) Validate() error {
	if c.Speed < 0 {
		return fmt.Errorf("--speed=%v: want at least 0", c.Speed)
	}
	if c.World == worldFlink && c.URL != "" {
		return errors.New("--url is of a simulation: want --world twin, or --flink for a cluster")
	}
	return nil
}

func (c *runCmd) Run(e *env) error {
	p, err := policyFile(c.Policy)
	if err != nil {
		return err
	}
	places, err := c.places(e, &p)
	if err != nil {
		return err
	}
	return c.watch(e, p, places...)
}

// watch runs a loop in each place, until all are over or interrupted. They share
// the journal, and how many of them change their job at a time.
func (c *runCmd) watch(e *env, p policy.Policy, places ...place) (err error) {
	seen := make([]job.Observation, len(places))
	for i, w := range places {
		if seen[i], err = w.Observe(e.ctx); err != nil {
			return fmt.Errorf("look at the job: %w", err)
		}
		if err := fits(p, seen[i].Job); err != nil {
			return err
		}
	}
	j, err := c.write(e.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	j.Now = places[0].Now
	if c.JournalLimit > 0 {
		if err := j.LimitBytes(e.ctx, c.JournalLimit); err != nil {
			return err
		}
	}
	fleet := &control.Fleet{}
	runners := make([]*runner, len(places))
	for i, w := range places {
		release, err := c.alone(seen[i].Job)
		if err != nil {
			return err
		}
		defer release() //nolint:errcheck // the lock goes with the process anyway
		runners[i] = &runner{place: w, journal: j, fleet: fleet, log: e.log.With("job", seen[i].Job.String())}
	}
	var loops errgroup.Group
	for i, r := range runners {
		loops.Go(func() error {
			err := c.keep(e.ctx, r, p, seen[i])
			if err != nil && len(runners) > 1 { // the others go on, and with them the process
				r.log.Error("this job is no longer watched", "err", err)
			}
			return err
		})
	}
	return loops.Wait()
}

// keep runs the loop of one job.
func (c *runCmd) keep(ctx context.Context, r *runner, p policy.Policy, first job.Observation) (err error) {
	if err := notBefore(ctx, r.journal, first); err != nil {
		return err
	}
	if r.loop, err = c.loop(r, p, first.Job); err != nil {
		return err
	}
	if err := r.loop.Start(ctx); err != nil {
		return err
	}
	r.log.Info("started", "world", c.World, "mode", p.Mode, "target", p.RecoveryTime, "now", r.place.Now().UTC())
	return r.run(ctx)
}

// loop puts the parts together.
func (c *runCmd) loop(r *runner, p policy.Policy, id job.Identity) (*control.Loop, error) {
	f, err := newForecaster()
	if err != nil {
		return nil, err
	}
	o := control.Options{
		World: r.place, Planner: plan.Search{}, Forecaster: f, Journal: r.journal, Model: learn.New(id),
		Policy: p, Tell: r.tell, Seed: c.Seed, Fleet: r.fleet,
	}
	if a := p.Approval; len(a.Command) > 0 || a.URL != "" {
		o.Approver = approve.Hook{Command: a.Command, URL: a.URL, Timeout: a.Timeout}
	}
	return control.New(o)
}

// notBefore refuses a journal in which the job's time is later than it is now:
// what was learned would be of the future.
func notBefore(ctx context.Context, j *store.Journal, o job.Observation) error {
	last, err := j.Windows(ctx, store.Query{Identity: &o.Job, Limit: 1})
	if err != nil {
		return err
	}
	if len(last) > 0 && last[0].To.After(o.At.Add(clockSlack)) {
		return &exit{exitNoData, fmt.Errorf("the journal has seen %s at %s, and now it is %s there: name another by --journal, a simulation begins anew each time",
			o.Job, last[0].To.UTC().Format(time.RFC3339), o.At.UTC().Format(time.RFC3339))}
	}
	return nil
}

// clockSlack is by how much a clock may go back without a word: what NTP does.
const clockSlack = time.Minute
