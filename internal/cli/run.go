package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

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
	Job      string  `help:"Which job of a cluster, by name or ID. Default: the policy's, or the only one." placeholder:"NAME"`
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
	w, err := c.place(e, &p)
	if err != nil {
		return err
	}
	return c.watch(e, p, w)
}

// watch runs the loop in w until it is over or interrupted.
func (c *runCmd) watch(e *env, p policy.Policy, w place) (err error) {
	first, err := w.Observe(e.ctx)
	if err != nil {
		return fmt.Errorf("look at the job: %w", err)
	}
	if err := fits(p, first.Job); err != nil {
		return err
	}
	j, err := c.write(e.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	release, err := c.alone(first.Job)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	j.Now = w.Now
	if c.JournalLimit > 0 {
		if err := j.LimitBytes(e.ctx, c.JournalLimit); err != nil {
			return err
		}
	}
	if err := notBefore(e.ctx, j, first); err != nil {
		return err
	}
	r := &runner{place: w, journal: j, log: e.log.With("job", first.Job.String())}
	if r.loop, err = c.loop(r, p, first.Job); err != nil {
		return err
	}
	if err := r.loop.Start(e.ctx); err != nil {
		return err
	}
	r.log.Info("started", "world", c.World, "mode", p.Mode, "target", p.RecoveryTime, "now", w.Now().UTC())
	return r.run(e.ctx)
}

// loop puts the parts together.
func (c *runCmd) loop(r *runner, p policy.Policy, id job.Identity) (*control.Loop, error) {
	f, err := newForecaster()
	if err != nil {
		return nil, err
	}
	o := control.Options{
		World: r.place, Planner: plan.Search{}, Forecaster: f, Journal: r.journal, Model: learn.New(id),
		Policy: p, Tell: r.tell, Seed: c.Seed,
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

// runner drives a loop by the clock of its place.
type runner struct {
	place   place
	journal *store.Journal
	loop    *control.Loop
	log     *slog.Logger

	said   string    // the last error that was logged, so that it is said once
	pruned time.Time // when old rows were last removed
}

// What the journal keeps, and how often old rows are removed.
const (
	keepAge      = 90 * 24 * time.Hour
	keepBytes    = 512 << 20
	keepUnscored = 24 * time.Hour
	pruneEvery   = time.Hour
)

// lostAfter is how many waits in a row may fail: then nobody is there any more.
const lostAfter = 30

// run steps until it is told to end, or the simulation is over.
func (r *runner) run(ctx context.Context) error {
	lost := 0
	for ctx.Err() == nil {
		next, err := r.loop.Step(ctx)
		r.report(ctx, err)
		err = r.place.Wait(ctx, next)
		switch {
		case err == nil:
			lost = 0
			r.prune(ctx)
			continue
		case errors.Is(err, errOver):
			r.log.Info("the simulation is over", "now", r.place.Now().UTC())
			return r.end(ctx)
		case ctx.Err() != nil:
		default:
			if lost++; lost > lostAfter {
				return errors.Join(err, r.end(ctx))
			}
			r.report(ctx, err)
			pause(ctx, time.Second)
		}
	}
	r.log.Info("ended, open decisions stay open")
	return r.end(ctx)
}

// end saves what was learned, also after an interrupt.
func (r *runner) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), savingTime)
	defer cancel()
	return r.loop.Save(ctx)
}

// savingTime bounds the end: longer than a lock of the journal is waited for.
const savingTime = 10 * time.Second

// report logs an error when it is new, and that it is over.
func (r *runner) report(ctx context.Context, err error) {
	text := ""
	if err != nil && ctx.Err() == nil {
		text = err.Error()
	}
	if text == r.said {
		return
	}
	if text == "" {
		r.log.Info("all well again")
	} else {
		r.log.Warn("a look went wrong, the next one tries again", "err", err)
	}
	r.said = text
}

// prune bounds the journal.
func (r *runner) prune(ctx context.Context) {
	now := r.place.Now()
	if now.Sub(r.pruned) < pruneEvery {
		return
	}
	r.pruned = now
	if _, err := r.journal.Prune(ctx, store.Keep{Age: keepAge, Bytes: keepBytes, Unscored: keepUnscored}); err != nil {
		r.log.Warn("old rows stay in the journal", "err", err)
	}
}

// tell logs what the loop says. The minutes are for those who look closely.
func (r *runner) tell(e control.Event) {
	level := slog.LevelInfo
	switch e.Kind { //nolint:exhaustive // the others are worth a line each
	case control.Observed, control.Checkpoint:
		level = slog.LevelDebug
	case control.Warned, control.RolledBack, control.Unsuccessful:
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("what", string(e.Kind)), slog.String("text", e.Text), slog.Time("at", e.At.UTC())}
	if e.Decision != "" {
		attrs = append(attrs, slog.String("decision", e.Decision))
	}
	r.log.LogAttrs(context.Background(), level, "event", attrs...)
}

// pause waits, unless it is interrupted.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
