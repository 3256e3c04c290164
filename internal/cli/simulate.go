package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"rebound/internal/api"
	"rebound/internal/config"
	"rebound/internal/control"
	"rebound/internal/experiment"
	"rebound/internal/job"
	"rebound/internal/policy"
	"rebound/internal/report"
	"rebound/internal/twin"
)

type simulateCmd struct {
	output
	Scenario  string        `default:"daily" help:"The simulated job: ${scenarios}, or a file." placeholder:"NAME|FILE"`
	Policy    []string      `default:"rebound,best-fixed" help:"What runs the job: ${contenders}, or a policy's file. Several are compared." placeholder:"NAME|FILE,…"`
	Seed      uint64        `help:"One seed." default:"1"`
	Seeds     string        `help:"Several seeds, FROM:TO, both included, instead of --seed." placeholder:"1:20"`
	Target    time.Duration `help:"Recovery time to keep; a policy's file has its own." default:"180s"`
	Risk      float64       `help:"Share of failures that may take longer." default:"0.01"`
	Hours     float64       `help:"How long to simulate; 0: as long as the scenario says."`
	PastDays  int           `help:"Days of load before the start that the forecast has learned from." default:"0"`
	Profiling float64       `help:"Core-hours a day for copies of the job that measure settings; a policy's file has its own." default:"0" placeholder:"CORE-HOURS"`
	Fixed     string        `help:"Settings of best-fixed, if they are known: interval,parallelism,slots,cores,GiB. Otherwise they are searched." placeholder:"I,P,S,C,M"`
	Workers   int           `help:"Simulations at a time; 0: one for each CPU."`
	Story     bool          `help:"Tell what the loop does, as it does it, on standard error. Best with one seed."`
	Report    string        `help:"Write a page with charts of the first seed." placeholder:"FILE.html" type:"path"`
}

// mostPastDays is how far back a load may reach: a year.
const mostPastDays = 366

// Help is the text and the example of --help.
func (simulateCmd) Help() string {
	return `Example:
  rebound simulate --scenario daily --seeds 1:20 --report daily.html

Runs the production planner and loop on a simulated job, and judges what really
happened there. Policies besides a file of one's own: rebound (all knobs, pacing),
pacing (checkpoints on request alone), fixed (the scenario's settings), best-fixed
(the cheapest fixed settings without a violation over all seeds, found in
hindsight), reactive (follows the CPU), and as rebound with another forecast:
rebound-last (the last value) and rebound-perfect (the load that will come). The same
seed gives the same bytes.`
}

func (c *simulateCmd) Run(e *env) error {
	scenario, err := loadScenario(c.Scenario)
	if err != nil {
		return err
	}
	if c.Hours > 0 {
		scenario.Hours = c.Hours
	}
	seeds, err := c.seeds()
	if err != nil {
		return &exit{exitUsage, err}
	}
	if c.PastDays < 0 || c.PastDays > mostPastDays {
		return &exit{exitUsage, fmt.Errorf("--past-days %d: want 0 to %d", c.PastDays, mostPastDays)}
	}
	line := newProgress(e.stderr)
	defer line.clear()
	contenders, err := c.contenders(e.ctx, scenario, seeds, line)
	if err != nil {
		return err
	}
	doc := api.Simulations{Header: api.NewHeader("Simulations"), Runs: []api.Simulation{}, Summary: []api.SimulationSummary{}}
	page := report.Simulation{Title: "Simulation of " + scenario.Name, Lead: leadOf(scenario, seeds)}
	for _, k := range contenders {
		runs, err := c.all(e.ctx, scenario, k, seeds, line)
		if err != nil {
			return err
		}
		var docs []api.Simulation
		for _, r := range runs {
			docs = append(docs, r.Doc)
			if err := experiment.Check(r.Doc); err != nil {
				return err
			}
		}
		doc.Runs = append(doc.Runs, docs...)
		sum := experiment.Summary(docs)
		if k.Planner == nil {
			sum.Settings = new(docs[0].Settings)
		}
		doc.Summary = append(doc.Summary, sum)
		page.Runs = append(page.Runs, runs[0])
	}
	line.clear()
	if c.Report != "" {
		page.Summary = doc.Summary
		if err := writePage(c.Report, page); err != nil {
			return err
		}
		fmt.Fprintf(e.stderr, "report: %s\n", c.Report)
	}
	if len(doc.Runs) == 1 {
		return c.write(e.stdout, view{doc: doc.Runs[0], table: func(w io.Writer) error { return simulationTable(w, scenario, doc) }, rows: func() [][]string { return simulationRows(doc) }})
	}
	return c.write(e.stdout, view{doc: doc, table: func(w io.Writer) error { return simulationTable(w, scenario, doc) }, rows: func() [][]string { return simulationRows(doc) }})
}

// loadScenario takes one that comes with the program, or a file.
func loadScenario(name string) (twin.Scenario, error) {
	if slices.Contains(twin.Names(), name) {
		return twin.Builtin(name)
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return twin.Scenario{}, &exit{exitUsage, fmt.Errorf("--scenario %s: no file, and no scenario of that name; there are %s", name, strings.Join(twin.Names(), ", "))}
	}
	if err != nil {
		return twin.Scenario{}, fmt.Errorf("read scenario: %w", err)
	}
	s, err := twin.Parse(b)
	if err != nil {
		return twin.Scenario{}, &exit{exitUsage, fmt.Errorf("%s: %w", name, err)}
	}
	if s.Load.File == "" {
		return s, nil
	}
	f, err := os.Open(filepath.Join(filepath.Dir(name), s.Load.File))
	if err != nil {
		return twin.Scenario{}, fmt.Errorf("read the load of %s: %w", name, err)
	}
	defer f.Close() // it was only read
	if err := s.ReadLoad(f); err != nil {
		return twin.Scenario{}, fmt.Errorf("%s: %w", s.Load.File, err)
	}
	return s, nil
}

func (c *simulateCmd) seeds() ([]uint64, error) {
	if c.Seeds == "" {
		return []uint64{c.Seed}, nil
	}
	from, to, ok := strings.Cut(c.Seeds, ":")
	a, errA := strconv.ParseUint(from, 10, 32)
	b, errB := strconv.ParseUint(to, 10, 32)
	if !ok || errA != nil || errB != nil || b < a || b-a >= 1000 {
		return nil, fmt.Errorf("--seeds %s: want FROM:TO, at most 1000 of them", c.Seeds)
	}
	var out []uint64
	for s := a; s <= b; s++ {
		out = append(out, s)
	}
	return out, nil
}

// contenders are what the job is run by, in the order asked for.
func (c *simulateCmd) contenders(ctx context.Context, s twin.Scenario, seeds []uint64, line *progress) ([]experiment.Contender, error) {
	p := experiment.PolicyOf(s, c.Target)
	p.Risk, p.Budget.ProfilingCoreHours = c.Risk, c.Profiling
	var out []experiment.Contender
	for _, name := range c.Policy {
		k, ok := experiment.New(name, p, newForecaster)
		switch {
		case ok:
		case name == experiment.Hindsight:
			k = experiment.Contender{Name: name, Policy: p}
			best, err := c.bestFixed(ctx, s, k, seeds, line)
			if err != nil {
				return nil, err
			}
			k.Start = &best
		default:
			own, err := readPolicy(name)
			if err != nil {
				return nil, err
			}
			k, _ = experiment.New(experiment.Rebound, own, newForecaster)
			k.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		}
		out = append(out, k)
	}
	return out, nil
}

// readPolicy reads a policy's file. One that only looks on is simulated as if it
// were applied: nothing real is touched, and what it would do is the question.
func readPolicy(file string) (policy.Policy, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return policy.Policy{}, &exit{exitUsage, fmt.Errorf("--policy %s: no file, and no policy of that name; there are %s", file, strings.Join(experiment.Names(), ", "))}
	}
	if err != nil {
		return policy.Policy{}, fmt.Errorf("read policy: %w", err)
	}
	p, err := config.Policy(file, b)
	if err != nil {
		return policy.Policy{}, &exit{exitUsage, err}
	}
	if p.Mode == job.ModeObserve || p.Mode == job.ModeRecommend {
		p.Mode = job.ModeApply
	}
	return p, nil
}

func (c *simulateCmd) bestFixed(ctx context.Context, s twin.Scenario, k experiment.Contender, seeds []uint64, line *progress) (best knobsOf, err error) {
	if c.Fixed != "" {
		return parseKnobs(c.Fixed)
	}
	return experiment.BestFixed(ctx, s, k, seeds, func(tried int, k knobsOf) {
		line.step(fmt.Sprintf("searching the best fixed settings: %d tried, now %s", tried, k))
	})
}

// all runs the seeds of a contender, as many at a time as there are CPUs.
func (c *simulateCmd) all(ctx context.Context, s twin.Scenario, k experiment.Contender, seeds []uint64, line *progress) ([]report.Run, error) {
	out := make([]report.Run, len(seeds))
	shares := make([]float64, len(seeds))
	var mu sync.Mutex
	var tell func(control.Event)
	if c.Story {
		tell = func(ev control.Event) {
			if ev.Kind != control.Observed && ev.Kind != control.Checkpoint {
				line.clear()
				fmt.Fprintf(line.w, "%s  %-12s %s\n", ev.At.Format("Mon 15:04"), ev.Kind, ev.Text)
			}
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(c.workers())
	for i, seed := range seeds {
		g.Go(func() error {
			r, err := experiment.Case{Scenario: s, Contender: k, Seed: seed, PastDays: c.PastDays, Tell: tell, Progress: func(share float64) {
				mu.Lock()
				defer mu.Unlock()
				shares[i] = share
				sum := 0.0
				for _, v := range shares {
					sum += v
				}
				line.step(fmt.Sprintf("%s on %s: %.0f %% of %d", k.Name, s.Name, 100*sum/float64(len(seeds)), len(seeds)))
			}}.Run(ctx)
			out[i] = r
			return err
		})
	}
	return out, g.Wait()
}

func (c *simulateCmd) workers() int {
	if c.Workers > 0 {
		return c.Workers
	}
	return runtime.NumCPU()
}

func writePage(file string, page report.Simulation) error {
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return errors.Join(page.Write(f), f.Close())
}

// newForecaster is what the loop learns the input rate with.
func newForecaster() (control.Forecaster, error) { return control.NewForecaster(time.Minute) }
