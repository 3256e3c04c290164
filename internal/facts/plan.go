package facts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/plan"
	"rebound/internal/policy"
	"rebound/internal/recovery"
)

// Knobs are the settings as stated; the error names all that are not.
func (f Facts) Knobs() (job.Knobs, error) {
	var lacks []string
	for name, there := range map[string]bool{
		"checkpoint.interval": f.Checkpoint.Interval != nil, "parallelism": f.Parallelism > 0,
		"slots_per_taskmanager": f.Slots > 0, "taskmanager.cpu": f.TaskManager.CPUCores != nil,
		"taskmanager.memory": f.TaskManager.MemoryBytes != nil, "input_rate": f.Rate.Known(),
	} {
		if !there {
			lacks = append(lacks, name)
		}
	}
	if _, ok := f.rho(); !ok {
		lacks = append(lacks, "capacity or utilization")
	}
	slices.Sort(lacks)
	if len(lacks) > 0 {
		return job.Knobs{}, fmt.Errorf("%s: a plan needs %s", f.Name, strings.Join(lacks, ", "))
	}
	return job.Knobs{
		IntervalSeconds: *f.Checkpoint.Interval, Parallelism: f.Parallelism, Slots: f.Slots,
		CPUCores: *f.TaskManager.CPUCores, MemoryBytes: *f.TaskManager.MemoryBytes,
	}, nil
}

// Input is what a planner needs, for a load that starts now.
func (f Facts) Input(p policy.Policy, load plan.Load) (plan.Input, error) {
	now, err := f.Knobs()
	if err != nil {
		return plan.Input{}, err
	}
	return plan.Input{
		Job: job.Identity{Cluster: Cluster, Name: f.Name}, At: time.Unix(0, 0).UTC(), Now: now, Policy: p,
		Model: f.predictor(now), Load: load, World: Redeployed(),
		MinPauseSeconds: or(f.Checkpoint.MinPause, 0), MaxParallelism: f.MaxParallelism, Partitions: f.Partitions,
		TransactionTimeoutSeconds: f.Kafka.TransactionTimeout, Seed: 1,
	}, nil
}

// Redeployed is what can be done with a job that is not connected to: everything,
// by a redeploy.
func Redeployed() job.Capabilities {
	all := map[job.Knob]job.Way{}
	for _, k := range []job.Knob{job.KnobInterval, job.KnobParallelism, job.KnobSlots, job.KnobCPU, job.KnobMemory} {
		all[k] = job.Savepoint
	}
	return job.Capabilities{Ways: []job.Way{job.Savepoint, job.LastState}, Restart: all, Pacing: true}
}

// Load is the rate as it is stated, for so many seconds from now on: without a
// spread, since what is stated is exact.
func (f Facts) Load(horizon float64) plan.Load {
	l := plan.Load{Now: f.Rate.At(0), Step: step, Quantiles: []float64{0.5}, Members: []string{"as stated"}}
	for t := 0.0; t < horizon; t += step {
		l.Mean = append(l.Mean, f.Rate.At(t+step/2))
	}
	l.Paths = [][]float64{l.Mean}
	return l
}

const step = 60.0 // s

// predictor is what is believed of the job at other settings: what is stated, and
// for the rest what is believed of a job that has just been looked at.
type predictor struct {
	facts  Facts
	base   *learn.Job
	now    job.Knobs
	origin learn.Behavior // at now
}

func (f Facts) predictor(now job.Knobs) predictor {
	id := job.Identity{Cluster: Cluster, Name: f.Name}
	at := time.Unix(0, 0).UTC()
	p := predictor{facts: f, base: learn.New(id), now: now}
	p.base.Observe(f.Observation(at), learn.Calm)
	if mu, ok := f.capacity(); ok {
		p.base.Profiled(job.Profile{At: at, Knobs: now, Capacity: &mu})
	}
	p.origin = p.base.Behavior(now)
	return p
}

// Behavior takes the stated law over parallelism as exact; what cores and memory
// do to it is scaled as the base believes, and as uncertain.
func (p predictor) Behavior(k job.Knobs) learn.Behavior {
	b := p.base.Behavior(k)
	same := p.now
	same.Parallelism, same.IntervalSeconds = k.Parallelism, k.IntervalSeconds
	if mu, ok := p.law(k.Parallelism); ok {
		ratio, spread := 1.0, 0.0
		if k != same {
			there := p.base.Behavior(same).Capacity
			ratio, spread = b.Capacity.Median/there.Median, b.Capacity.Spread/b.Capacity.Median
		}
		b.Capacity = recovery.Uncertain{Median: mu * ratio, Spread: mu * ratio * spread}
		b.Loss = recovery.Exactly(0) // a stated capacity has checkpoints in it
		b.Cold, b.Warm = warm(), warm()
	}
	if d, ok := p.facts.Checkpoint.duration(); ok {
		b.Duration = recovery.Exactly(d * b.Duration.Median / p.origin.Duration.Median)
	}
	down := map[job.Failure]learn.Downtime{}
	for kind, d := range b.Down {
		down[kind] = p.downtime(kind, d)
	}
	b.Down = down
	return b
}

// law is the capacity that is stated for a parallelism: by the law, or in
// proportion from the utilization.
func (p predictor) law(parallelism int) (float64, bool) {
	if mu, ok := p.facts.Capacity.At(parallelism, p.facts.Parallelism); ok {
		return p.limited(mu), true
	}
	mu, ok := p.facts.capacity()
	return p.limited(mu * float64(parallelism) / float64(p.now.Parallelism)), ok
}

func (p predictor) limited(mu float64) float64 {
	if s := p.facts.SinkLimit; s != nil {
		mu = min(mu, *s)
	}
	return mu
}

// warm at once.
func warm() learn.Warmup {
	return learn.Warmup{Start: recovery.Exactly(1), Tau: recovery.Exactly(0)}
}

// downtime replaces the phases that are stated.
func (p predictor) downtime(kind job.Failure, d learn.Downtime) learn.Downtime {
	said := p.facts.Downtime
	if said.Total == nil && said.Detect == nil && said.BackOff == nil && said.Resources == nil && said.Restore == nil {
		return d
	}
	d.Phases = [4]recovery.Uncertain{}
	for _, phase := range p.facts.phases(kind) {
		i := map[job.Phase]int{job.Detect: 0, job.BackOff: 1, job.Resources: 2, job.Restore: 3}[phase.Phase]
		d.Phases[i] = recovery.Uncertain{Median: phase.Seconds, Spread: phase.Spread}
	}
	d.Source = job.Configured
	return d
}
