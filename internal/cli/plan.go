package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"rebound/internal/api"
	"rebound/internal/config"
	"rebound/internal/control"
	"rebound/internal/explore"
	"rebound/internal/facts"
	"rebound/internal/flink"
	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/model"
	"rebound/internal/plan"
	"rebound/internal/policy"
)

type planCmd struct {
	cluster          `embed:""`
	journal          `embed:""`
	Policy           string `required:"" help:"What is wanted of the job (docs/policy.md); - for standard input." placeholder:"FILE"`
	File             string `short:"f" help:"Plan for what this file of facts states instead of a cluster (docs/facts.md)." placeholder:"FILE"`
	Job              string `help:"Which running job, by name or ID. Default: the policy's, or the only one." placeholder:"NAME"`
	Output           string `short:"o" help:"Form of the result: table, json, yaml, csv, or patch, a merge patch of a FlinkDeployment." enum:"table,json,yaml,csv,patch" default:"table"`
	DetailedExitcode bool   `help:"Exit with 2 where a change is proposed."`
}

func (planCmd) Help() string {
	return `Which settings would keep the target at the least cost, what they would bring, what
binds, and which cheaper ones were passed over and why. Changes nothing.

Exit code: 0 a plan was made, be it to stay; 2 a change is proposed, with
--detailed-exitcode; 3 no settings meet all limits; 4 too little is known.

  rebound plan --policy policy.yaml
  rebound plan --policy policy.yaml -f facts.yaml -o json | jq .want
  rebound plan --policy policy.yaml -o patch > change.yaml`
}

func (c *planCmd) Run(e *env) error {
	p, err := policyFile(c.Policy)
	if err != nil {
		return err
	}
	in, err := c.input(e, p)
	if err != nil {
		return err
	}
	doc := api.Plan{Header: api.NewHeader("Plan"), Plan: plan.Search{}.Plan(in.Input)}
	if budget := p.Budget.ProfilingCoreHours; budget > 0 {
		in.CoreHours = budget - explore.Spent(in.History, in.At.Add(-24*time.Hour))
		if x, ok, _ := explore.Next(in); ok {
			doc.Explore = &x
		}
	}
	v := view{
		doc:   doc,
		table: func(w io.Writer) error { return planTable(w, doc.Plan, p.RecoveryTime.Seconds()) },
		rows:  func() [][]string { return planRows(doc.Plan) },
	}
	if c.Output == "patch" {
		err = writePatch(e.stdout, doc.Plan)
	} else {
		err = output{c.Output}.write(e.stdout, v)
	}
	if err != nil {
		return err
	}
	return c.exit(doc.Plan)
}

// exitChange is what --detailed-exitcode asks for.
const exitChange = 2

func (c *planCmd) exit(p job.Plan) error {
	switch {
	case p.Considered == 0:
		return &exit{code: exitNoData}
	case !p.Feasible:
		return &exit{code: exitMissed}
	case c.DetailedExitcode && (changes(p) || p.PaceSeconds != nil):
		return &exit{code: exitChange}
	}
	return nil
}

// policyFile reads a policy.
func policyFile(path string) (policy.Policy, error) {
	name, b, err := readFile(path)
	if err != nil {
		return policy.Policy{}, err
	}
	return config.Policy(name, b)
}

func (c *planCmd) input(e *env, p policy.Policy) (explore.Input, error) {
	if c.File == "" {
		return c.running(e, p)
	}
	f, err := readFacts(c.File)
	if err != nil {
		return explore.Input{}, err
	}
	load, err := factsLoad(f)
	if err != nil {
		return explore.Input{}, err
	}
	in, err := f.Input(p, load)
	if err != nil {
		return explore.Input{}, &exit{exitNoData, err}
	}
	return explore.Input{Input: in}, nil
}

// factsLoad is the rate as stated, or, of samples, what is forecast from them.
func factsLoad(f facts.Facts) (plan.Load, error) {
	r := f.Rate
	if len(r.Times) < leastSamples {
		return f.Load(plan.Horizon), nil
	}
	s, err := newForecaster()
	if err != nil {
		return plan.Load{}, err
	}
	end, i := r.Times[len(r.Times)-1], 0
	for t := r.Times[0]; t <= end; t += forecastStep {
		sum, n := 0.0, 0
		for ; i < len(r.Times) && r.Times[i] < t+forecastStep; i++ {
			sum, n = sum+r.Values[i], n+1
		}
		v := math.NaN()
		if n > 0 {
			v = sum / float64(n)
		}
		s.Observe(v)
	}
	return s.Forecast(planHorizon), nil
}

const (
	forecastStep = 60.0 // s, of newForecaster
	leastSamples = 10   // from which on a forecast is worth its name
	planHorizon  = 3 * 3600.0
)

// running is what is known of a job on a cluster: what is seen, and what a loop has
// learned of it.
func (c *planCmd) running(e *env, p policy.Policy) (explore.Input, error) {
	o, err := c.observe(e, p)
	if err != nil {
		return explore.Input{}, err
	}
	now, ok := o.Knobs()
	if !ok {
		return explore.Input{}, &exit{exitNoData, fmt.Errorf("%s: its interval, parallelism, slots, cores or memory cannot be read; rebound check says what is missing, and -f FILE takes what you know", o.Job)}
	}
	if at, ok := o.Settled(); !ok {
		return explore.Input{}, &exit{exitNoData, fmt.Errorf("%s is not running calmly, %s has a subtask that does not run yet: try again", o.Job, vertexName(at.Vertex))}
	}
	learned := learn.New(o.Job)
	forecaster, err := newForecaster()
	if err != nil {
		return explore.Input{}, err
	}
	known, history, err := c.recall(e.ctx, o.Job, learned, forecaster)
	if err != nil {
		return explore.Input{}, err
	}
	learned.Observe(o, learn.Calm)
	if !known {
		firstSight(learned, o, now)
	}
	in := plan.Input{
		Job: o.Job, At: o.At, Now: now, Policy: p, Model: learned, World: facts.Redeployed(), JobManager: o.JobManager,
		Load: flat(o.InputRate()), Seed: 1,
	}
	if known {
		in.Load = next(o.InputRate(), forecaster)
	}
	if v := o.Checkpointing.MinPauseSeconds; v != nil {
		in.MinPauseSeconds = *v
	}
	for _, v := range o.Vertices {
		if v.MaxParallelism > 0 && (in.MaxParallelism == 0 || v.MaxParallelism < in.MaxParallelism) {
			in.MaxParallelism = v.MaxParallelism
		}
	}
	return explore.Input{Input: in, History: history}, nil
}

// observe looks at the job that is meant, twice, so that rates are its own.
func (c *planCmd) observe(e *env, p policy.Policy) (job.Observation, error) {
	at, err := c.endpoint()
	if err != nil {
		return job.Observation{}, err
	}
	client, err := c.client(at)
	if err != nil {
		return job.Observation{}, err
	}
	var jobs []string
	for _, name := range []string{c.Job, p.Job.Name} {
		if name != "" {
			jobs = []string{name}
			break
		}
	}
	line := newProgress(e.stderr)
	all, err := client.Observe(e.ctx, flink.ObserveOptions{Cluster: at.name, Jobs: jobs, Now: time.Now, Progress: line.step})
	line.clear()
	switch {
	case err != nil:
		return job.Observation{}, err
	case len(all) == 0:
		return job.Observation{}, &exit{exitNoData, fmt.Errorf("no running job to plan for at %s", at.url)}
	case len(all) > 1:
		return job.Observation{}, &exit{exitUsage, fmt.Errorf("%d jobs run at %s, name one by --job", len(all), at.url)}
	}
	return all[0], nil
}

// recall resumes what a loop has learned, and what copies have shown, where there is a
// journal.
func (c *planCmd) recall(ctx context.Context, id job.Identity, m *learn.Job, f control.Forecaster) (known bool, history []job.Profile, err error) {
	j, err := c.read(ctx)
	if err != nil || j == nil {
		return false, nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if known, err = control.Recall(ctx, j, id, m, f); err != nil {
		return false, nil, err
	}
	history, err = j.Profiles(ctx, id, mostHistory)
	slices.Reverse(history)
	for _, p := range history { // what the loop has not learned of yet, or nobody has
		m.Profiled(p)
	}
	return known, history, err
}

// mostHistory is how many copies are gone by.
const mostHistory = 256

// next is the forecast of a loop that has watched the job until now.
func next(rate *float64, f control.Forecaster) plan.Load {
	if rate != nil {
		f.Observe(*rate)
	}
	return f.Forecast(planHorizon)
}

// flat is a load of which only the present is known: it is taken to stay.
func flat(rate *float64) plan.Load {
	if rate == nil {
		return plan.Load{}
	}
	return plan.Load{
		Now: *rate, Step: forecastStep, Mean: slices.Repeat([]float64{*rate}, planHorizon/forecastStep),
		Members: []string{"what it is now"},
	}
}

// firstSight takes what a job shows at once for a measurement of its capacity: a
// loop would watch it for a while first.
func firstSight(m *learn.Job, o job.Observation, now job.Knobs) {
	rate := o.InputRate()
	rho, ok := model.New(model.Evidence{Now: o}).Utilization()
	if rate == nil || !ok || !(rho.Median > 0) || rho.Median >= 1 {
		return
	}
	m.Profiled(job.Profile{At: o.ServerTime, Knobs: now, RatePerSecond: *rate, Capacity: new(*rate / rho.Median)})
}
