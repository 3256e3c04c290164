package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rebound/internal/api"
	"rebound/internal/flink"
	"rebound/internal/hazard"
	"rebound/internal/job"
	"rebound/internal/model"
)

// target is what a user wants of a job.
type target struct {
	Target  time.Duration `help:"Longest recovery that is fine, such as 60s. Without it nothing is judged." placeholder:"DURATION"`
	Risk    float64       `help:"Share of failures that may take longer." default:"0.01"`
	Failure []job.Failure `help:"Failures that the verdict is about: task, process, node, jobmanager." default:"task,process"`
}

func (t target) model() model.Target {
	return model.Target{Seconds: t.Target.Seconds(), Risk: t.Risk, Failures: t.Failure}
}

// Validate is called by the parser.
func (t target) Validate() error {
	if !(t.Risk > 0 && t.Risk < 1) {
		return fmt.Errorf("--risk=%v: want a share between 0 and 1, such as 0.01", t.Risk)
	}
	if t.Target < 0 {
		return fmt.Errorf("--target=%v: want more than 0, such as 60s", t.Target)
	}
	return nil
}

type checkCmd struct {
	cluster `embed:""`
	target  `embed:""`
	output  `embed:""`
	journal `embed:""`
	File    string   `short:"f" help:"Check what this file of facts states instead of a cluster (docs/facts.md); - for standard input." placeholder:"FILE"`
	Job     []string `help:"Only these jobs, by name or ID." placeholder:"NAME"`
	Quick   bool     `help:"Take one read instead of two: faster, with Flink's own one-minute averages."`
	Kafka   string   `help:"Brokers of the sink, HOST:PORT, to see the limits on transactions." placeholder:"BROKERS"`
	Prefix  string   `help:"Prefix of the sink's transactional IDs, where several jobs share the brokers."`
}

func (checkCmd) Help() string {
	return `How long would each running job need to recover from a failure, phase by phase?
Nothing is changed.

Exit code: 0 the target is met, or none was given; 3 it is missed or cannot be
met at the present capacity; 4 too little is known to say.

  rebound check
  rebound check --flink http://flink:8081 --target 60s
  rebound check -f facts.yaml
  rebound check -o json | jq '.jobs[].recovery'`
}

func (c *checkCmd) Run(e *env) error {
	if c.File != "" {
		return c.fromFile(e)
	}
	at, err := c.endpoint()
	if err != nil {
		return err
	}
	client, err := c.client(at)
	if err != nil {
		return err
	}
	broker := c.broker(e.ctx, at)
	p := newProgress(e.stderr)
	observed, err := client.Observe(e.ctx, flink.ObserveOptions{Cluster: at.name, Quick: c.Quick, Jobs: c.Job, Now: time.Now, Progress: p.step})
	p.clear()
	if err != nil {
		return err
	}
	if len(observed) == 0 {
		return c.nothing(at)
	}
	if err := twins(observed); err != nil {
		return &exit{exitNoData, err}
	}
	doc, err := c.document(e.ctx, observed, &surroundings{client: client, at: at, broker: <-broker})
	if err != nil {
		return err
	}
	v := view{doc: doc, table: func(w io.Writer) error { return checkTable(w, doc, observed) }, rows: func() [][]string { return checkRows(doc) }}
	if err := c.output.write(e.stdout, v); err != nil {
		return err
	}
	return c.exit(doc)
}

// document checks one job after the other, with what the journal knows.
func (c *checkCmd) document(ctx context.Context, observed []job.Observation, s *surroundings) (doc api.Check, err error) {
	doc = api.Check{Header: api.NewHeader("Check"), Jobs: []api.JobCheck{}}
	j, err := c.read(ctx)
	if err != nil {
		return doc, err
	}
	if j != nil {
		defer func() { err = errors.Join(err, j.Close()) }()
	}
	for _, o := range observed {
		ev, err := evidence(ctx, j, o.Job)
		if err != nil {
			return doc, err
		}
		ev.Now, ev.TransactionTimeoutSeconds = o, s.broker.timeout()
		doc.Jobs = append(doc.Jobs, c.check(ctx, model.New(ev), s))
	}
	return doc, nil
}

func (c *checkCmd) nothing(at endpoint) error {
	if len(c.Job) > 0 {
		return &exit{exitNoData, fmt.Errorf("no running job is called %s: look at %s", strings.Join(c.Job, " or "), at.url)}
	}
	return &exit{exitNoData, fmt.Errorf("no job is running at %s: start one, or name another cluster by --flink", at.url)}
}

// twins refuses two running jobs of one identity: what is learned of the one
// would be believed of the other.
func twins(observed []job.Observation) error {
	seen := map[job.Identity]string{}
	for _, o := range observed {
		if other, ok := seen[o.Job]; ok {
			return fmt.Errorf("two running jobs are called %s: %s and %s; rename one (pipeline.name), or name one ID by --job", o.Job, other, o.ID)
		}
		seen[o.Job] = o.ID
	}
	return nil
}

// check puts together what is known of one job.
func (c *checkCmd) check(ctx context.Context, m *model.Model, s *surroundings) api.JobCheck {
	o := m.Now
	out := api.JobCheck{
		Identity: o.Job, ID: o.ID, Type: o.Type, Risk: c.Risk, Verdict: job.Unknown, Quantities: m.Quantities(),
		Recovery: []job.Recovery{}, Advice: []job.Advice{}, Missing: append([]job.Lack{}, m.Missing()...),
	}
	if c.Target > 0 {
		out.TargetSeconds = new(c.Target.Seconds())
	}
	if o.Type == typeBatch {
		out.Quantities = []job.Quantity{}
		out.Missing = []job.Lack{{Quantity: "recovery", Why: "a batch job recovers by computing again what was lost", How: "Nothing to do: recovery time is a notion of streaming jobs"}}
		out.Hazards = []job.Hazard{}
		return out
	}
	for _, k := range job.Failures() {
		if r, ok := m.Predict(model.Question{Failure: k, Risk: c.Risk}); ok {
			out.Recovery = append(out.Recovery, r)
		}
	}
	out.Verdict, out.Advice = m.Verdict(c.model()), m.Advice(c.model())
	f, lacks := s.facts(ctx, m, out)
	out.Missing = append(out.Missing, lacks...)
	out.Hazards = hazard.Find(o, f)
	return out
}

// exit turns the verdicts into the exit code: could-not-decide is never 0, and a
// target that is missed somewhere is what matters most. Batch jobs have no
// verdict, and matter only where there is nothing else.
func (c *checkCmd) exit(doc api.Check) error {
	missed, decided, undecided := false, false, false
	for _, j := range doc.Jobs {
		known := slices.ContainsFunc(j.Recovery, func(r job.Recovery) bool { return slices.Contains(c.Failure, r.Failure) })
		switch {
		case j.Type == typeBatch:
		case !known || j.TargetSeconds != nil && j.Verdict == job.Unknown:
			undecided = true
		default:
			decided = true
			missed = missed || j.Verdict == job.Missed || j.Verdict == job.Infeasible
		}
	}
	switch {
	case missed:
		return &exit{code: exitMissed}
	case undecided || !decided:
		return &exit{code: exitNoData}
	}
	return nil
}

// typeBatch is Flink's word for a job that ends by itself.
const typeBatch = "BATCH"
