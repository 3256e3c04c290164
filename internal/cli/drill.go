package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"rebound/internal/api"
	"rebound/internal/drill"
	"rebound/internal/job"
	"rebound/internal/live"
	"rebound/internal/local"
	"rebound/internal/store"
)

type drillCmd struct {
	output  `embed:""`
	journal `embed:""`
	Name    string        `help:"Local cluster whose job is to fail." default:"default"`
	Failure job.Failure   `help:"What to inject: process kills a TaskManager (SIGKILL), task throws an exception, node stops a TaskManager's heartbeats (SIGSTOP), jobmanager kills the JobManager." default:"process"`
	Moment  drill.Moment  `help:"When: random, or worst, right before the next checkpoint." enum:"random,worst" default:"random"`
	Repeat  int           `help:"How many, one after the other." default:"1"`
	Timeout time.Duration `help:"After which the job counts as not recovered; 0 for ten times what was predicted." default:"0s"`
	Risk    float64       `help:"Share of failures that may take longer than the last column says." default:"0.01"`
	Seed    uint64        `help:"Of the moments and of the model's draws." default:"1"`
	Record  string        `help:"Also write what happens to this file, as it happens, to be replayed by rebound demo." placeholder:"FILE"`
	Abandon bool          `help:"First close a drill that was cut off."`
}

func (drillCmd) Help() string {
	return `Injects a failure into the job of a local cluster, after predicting what will
happen, and measures what does: phase by phase, on the JobManager and on the
output itself, with an audit that every record was processed exactly once. Refuses
when it would do harm. What it learns makes the next prediction better.

  rebound local up && rebound drill
  rebound drill --failure node --moment worst
  rebound drill --repeat 5 -o json`
}

func (c *drillCmd) Validate() error {
	if c.Repeat < 1 {
		return fmt.Errorf("--repeat=%d: want at least 1", c.Repeat)
	}
	if !(c.Risk > 0 && c.Risk < 1) {
		return fmt.Errorf("--risk=%v: want a share between 0 and 1, such as 0.01", c.Risk)
	}
	return nil
}

func (c *drillCmd) Run(e *env) (err error) {
	l, err := local.Open(c.Name)
	if err != nil {
		return err
	}
	if !l.Ready || l.JobID == "" {
		return fmt.Errorf("cluster %s has no running job: rebound local status %s", l.Name, l.Name)
	}
	j, err := c.journal.write(e.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	w, err := live.Watch(e.ctx, l)
	if err != nil {
		return err
	}
	d, err := c.drill(e.ctx, l, w, j)
	if err == nil {
		err = c.series(e, d)
	}
	// What ended the watching explains what went wrong with a drill.
	return errors.Join(err, w.Close())
}

// drill puts together what one needs to know.
func (c *drillCmd) drill(ctx context.Context, l *local.Cluster, w *live.Job, j *store.Journal) (*drill.Drill, error) {
	limits := drill.Limits{HighAvailability: l.HA}
	timeout, err := w.TransactionTimeout(ctx)
	if err != nil {
		return nil, err
	}
	limits.TransactionTimeoutSeconds = timeout
	open, err := j.OpenDrills(ctx)
	if err != nil {
		return nil, err
	}
	for _, o := range open {
		if o.Identity.Cluster != live.Identity(l) {
			continue
		}
		if !c.Abandon {
			limits.OpenDrill = o.ID
			continue
		}
		if err := j.AbortDrill(ctx, o.ID, "abandoned by the user"); err != nil {
			return nil, err
		}
	}
	return &drill.Drill{
		World: w, Journal: drillJournal{j}, Failure: c.Failure, Moment: c.Moment, Limits: limits,
		Timeout: c.Timeout, Risk: c.Risk, Seed: c.Seed, Random: rand.New(rand.NewPCG(c.Seed, uint64(time.Now().UnixNano()))),
	}, nil
}

// series does the drills and prints them.
func (c *drillCmd) series(e *env, d *drill.Drill) error {
	shown := newStory(e.stderr)
	rec, err := newTape(c.Record)
	if err != nil {
		return err
	}
	d.Tell = func(ev drill.Event) {
		shown.event(ev)
		rec.event(ev)
	}
	doc := api.DrillReport{Header: api.NewHeader("DrillReport"), Drills: []api.Drill{}}
	for i := range c.Repeat {
		if c.Repeat > 1 {
			shown.title(fmt.Sprintf("drill %d of %d", i+1, c.Repeat))
		}
		r, runErr := d.Run(e.ctx)
		if runErr != nil {
			err = runErr
			break
		}
		doc.Drills = append(doc.Drills, apiDrill(r))
	}
	pairs := make([]drill.Pair, 0, len(doc.Drills))
	for _, one := range doc.Drills {
		pairs = append(pairs, one.Pair())
	}
	doc.Score = drill.Summarize(pairs)
	if len(doc.Drills) > 0 {
		v := view{doc: doc, table: func(w io.Writer) error { return drillTable(w, doc) }, rows: func() [][]string { return drillRows(doc) }}
		err = errors.Join(err, c.output.write(e.stdout, v))
	}
	err = errors.Join(err, rec.close())
	if _, ok := errors.AsType[*drill.Refusal](err); ok {
		return &exit{exitNoData, err}
	}
	if err != nil {
		return err
	}
	return proven(doc.Drills)
}

// proven turns what the drills showed into the exit code: records that were lost
// or doubled and a job that did not recover are failures, and an audit that could
// not be settled proves nothing.
func proven(drills []api.Drill) error {
	for _, d := range drills {
		switch a := d.Audit; {
		case a != nil && (a.Lost > 0 || a.Duplicated > 0):
			return &exit{exitFailed, fmt.Errorf("%d records were lost and %d doubled: the job does not process exactly once", a.Lost, a.Duplicated)}
		case d.Measured.RecoverySeconds == nil:
			return &exit{exitFailed, errors.New("the job had not recovered when the time was up")}
		case a == nil || a.Verdict == unsettled:
			return &exit{exitNoData, errors.New("the audit could not be settled: what became of the records is not known")}
		}
	}
	return nil
}

// unsettled is the verdict of an audit that could not see everything.
const unsettled = "unsettled"

func apiDrill(r drill.Result) api.Drill {
	return api.Drill{
		ID: r.ID, Job: r.Prediction.Observed.Job, Failure: r.Prediction.Failure, At: r.Measured.At.UTC().Format(time.RFC3339Nano),
		Predicted: r.Prediction.Conditional, Unconditional: r.Prediction.Unconditional, Measured: r.Measured, Audit: r.Measured.Audit,
	}
}
