package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"rebound/internal/api"
	"rebound/internal/control"
	"rebound/internal/experiment"
	"rebound/internal/explore"
	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/live"
	"rebound/internal/plan"
	"rebound/internal/policy"
	"rebound/internal/report"
	"rebound/internal/store"
)

type profileCmd struct {
	output    `embed:""`
	journal   `embed:""`
	Policy    string  `required:"" help:"What is wanted of the job (docs/policy.md)." placeholder:"FILE"`
	URL       string  `name:"url" help:"A simulation in another process, as rebound twin serve prints it, instead of one in this." placeholder:"URL"`
	Scenario  string  `help:"The simulated job: a built-in scenario or a file." placeholder:"NAME|FILE" default:"ads"`
	Seed      uint64  `help:"Of the simulation and of all draws." default:"1"`
	Speed     float64 `help:"Simulated seconds in a real one; 0: as fast as possible." default:"0"`
	CoreHours float64 `help:"That copies may take in 24 hours; 0: the policy's budget.profilingCoreHours." default:"0"`
	Rate      float64 `help:"Records a second to plan for; 0: the greatest that is forecast." default:"0"`
}

func (profileCmd) Help() string {
	return `Runs copies of a job on the same input, one after the other, at settings of which
what they would show is expected to save more than they cost; each fails once. None
is run where it would not keep up with the input. It looks at the job for ten minutes
first, ends by itself, and says what the copies found out, what they cost, and which
settings are chosen with it. The job itself is not touched. What copies have shown is
in the journal, and whatever uses that knows it from then on.

Ctrl-C ends it; a copy that runs is gone on with by the next rebound profile or run.
Copies of a job on a cluster cannot be run yet: each would need input, state and
names of its own there.

  rebound profile --policy policy.yaml --scenario ads --journal ads.db
  rebound profile --policy policy.yaml --url http://127.0.0.1:8081 --core-hours 20`
}

func (c *profileCmd) Validate() error {
	for name, v := range map[string]float64{"speed": c.Speed, "core-hours": c.CoreHours, "rate": c.Rate} {
		if !(v >= 0) {
			return fmt.Errorf("--%s=%v: want at least 0", name, v)
		}
	}
	return nil
}

func (c *profileCmd) Run(e *env) (err error) {
	p, err := policyFile(c.Policy)
	if err != nil {
		return err
	}
	if c.CoreHours > 0 {
		p.Budget.ProfilingCoreHours = c.CoreHours
	}
	if !(p.Budget.ProfilingCoreHours > 0) {
		return &exit{exitUsage, errors.New("no copies may be run: give --core-hours, or budget.profilingCoreHours in the policy")}
	}
	w, err := c.place(e)
	if err != nil {
		return err
	}
	first, err := w.Observe(e.ctx)
	if err != nil {
		return fmt.Errorf("look at the job: %w", err)
	}
	if err := fits(p, first.Job); err != nil {
		return err
	}
	j, err := c.journal.write(e.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	j.Now = w.Now
	release, err := c.alone(first.Job)
	if err != nil {
		return err
	}
	defer release() //nolint:errcheck // the lock goes with the process anyway
	if err := notBefore(e.ctx, j, first); err != nil {
		return err
	}
	s := &profiling{policy: p, rate: c.Rate, progress: newProgress(e.stderr), began: first.At, end: first.At}
	if err := s.run(e.ctx, w, j, first.Job, c.Seed, e.log); err != nil {
		return err
	}
	doc, seen := s.document(e.ctx, j, first.Job)
	return c.show(e.stdout, doc, seen, s.began)
}

// place is the simulation.
func (c *profileCmd) place(e *env) (place, error) {
	if c.URL != "" {
		return live.DialTwin(e.ctx, c.URL, twinCluster)
	}
	return newLockStep(c.Scenario, c.Seed, c.Speed)
}

// profiling is a loop that only looks on and profiles, until nothing is worth it.
type profiling struct {
	policy   policy.Policy // the user's
	rate     float64
	progress *progress

	began, end time.Time
	before     *job.Plan // made without the copies
	last       *explore.Input
	stopped    string
}

// explore asks what to profile, and keeps what the answer rests on.
func (s *profiling) explore(in explore.Input) (job.Exploration, bool, string) {
	in.Policy.Mode = s.policy.Mode
	if s.rate > 0 {
		in.Rate = s.rate
		now := in.Load.Now
		in.Load = flat(&s.rate)
		in.Load.Now = now
	}
	if s.before == nil {
		s.before = new(plan.Search{}.Plan(in.Input))
	}
	s.last = &in
	x, ok, why := explore.Next(in)
	if !ok {
		s.stopped = why
	}
	return x, ok, why
}

func (s *profiling) tell(e control.Event) {
	s.end = e.At
	switch e.Kind { //nolint:exhaustive // the others are not what this is about
	case control.Profiled:
		if e.Text == s.stopped { // it is in the result
			return
		}
		s.progress.clear()
		wrap(s.progress.w, fmt.Sprintf("%s  %s", e.At.UTC().Format("15:04"), e.Text), "")
	case control.Observed:
		s.progress.step(fmt.Sprintf("%s  %s", e.At.UTC().Format("15:04"), e.Text))
	}
}

func (s *profiling) run(ctx context.Context, w place, j *store.Journal, id job.Identity, seed uint64, log *slog.Logger) error {
	f, err := newForecaster()
	if err != nil {
		return err
	}
	looking := s.policy
	looking.Mode = job.ModeRecommend
	l, err := control.New(control.Options{
		World: w, Planner: plan.Search{}, Forecaster: f, Journal: j, Model: learn.New(id),
		Policy: looking, Tell: s.tell, Explore: s.explore, Seed: seed,
	})
	if err != nil {
		return err
	}
	if err := l.Start(ctx); err != nil {
		return err
	}
	defer s.progress.clear()
	for s.stopped == "" && ctx.Err() == nil {
		next, err := l.Step(ctx)
		if err != nil && ctx.Err() == nil {
			log.Warn("a look went wrong, the next one tries again", "err", err)
		}
		if err := w.Wait(ctx, next); errors.Is(err, errOver) {
			s.stopped = "the simulation is over"
		} else if err != nil && ctx.Err() == nil {
			return errors.Join(err, l.Save(context.WithoutCancel(ctx)))
		}
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), savingTime)
	defer cancel()
	return errors.Join(ctx.Err(), l.Save(saving))
}

// document is what came of it, and what the chart of it shows.
func (s *profiling) document(ctx context.Context, j *store.Journal, id job.Identity) (api.Profiling, []report.Profile) {
	doc := api.Profiling{
		Header: api.NewHeader("Profiling"), Job: id, TargetSeconds: s.policy.RecoveryTime.Seconds(),
		Profiles: []api.ProfileSeen{}, Stopped: s.stopped,
	}
	if s.last == nil {
		return doc, nil
	}
	in := s.last.Input
	price := func(k job.Knobs) float64 { return k.PerHour(in.JobManager, s.policy.Prices) }
	choice := func(k job.Knobs) *api.Choice { return &api.Choice{Knobs: k, CostPerHour: price(k)} }
	after := plan.Search{}.Plan(in)
	doc.Plan, doc.Feasible, doc.Now = &after, after.Feasible, *choice(in.Now)
	doc.Before, doc.After = choice(s.before.Want), choice(after.Want)
	doc.SavesPerDay = 24 * (doc.Now.CostPerHour - doc.After.CostPerHour)

	sustained, ok := plan.NewSustained(in)
	if !ok {
		return doc, nil
	}
	if doc.RatePerSecond = s.rate; s.rate == 0 {
		doc.RatePerSecond = sustained.Peak()
	}
	all, err := j.Profiles(ctx, id, mostHistory)
	if err != nil { // what is known is told
		all = slices.Clone(s.last.History)
		slices.Reverse(all)
	}
	var seen []report.Profile
	for _, p := range slices.Backward(all) {
		if p.State != job.ProfileRunning && p.At.Before(s.began) {
			continue
		}
		shown := experiment.Shown(p, sustained, in)
		seen = append(seen, shown)
		one := api.ProfileSeen{Profile: p, CostPerHour: shown.CostPerHour}
		if p.State == job.ProfileDone {
			one.SustainedPerSecond = &shown.Sustained
		}
		doc.Profiles = append(doc.Profiles, one)
		doc.Copies.Runs++
		doc.Copies.CPUCoreHours += p.CPUCoreHours
		doc.Copies.MemoryGiBHours += p.GiBHours
	}
	doc.Cost = s.policy.Prices.CPUHour*doc.Copies.CPUCoreHours + s.policy.Prices.GiBHour*doc.Copies.MemoryGiBHours
	if doc.SavesPerDay > 0 && doc.Copies.Runs > 0 {
		doc.PaybackHours = new(24 * doc.Cost / doc.SavesPerDay)
	}
	return doc, seen
}
