package experiment

import (
	"slices"
	"time"

	"rebound/internal/control"
	"rebound/internal/job"
	"rebound/internal/plan"
	"rebound/internal/policy"
	"rebound/internal/twin"
)

// Target is the recovery time of the reference scenarios.
const Target = 180 * time.Second

// Names of the contenders that come with the program.
const (
	Rebound   = "rebound"    // all knobs free, pacing
	Pacing    = "pacing"     // checkpoints on request, no restart
	Fixed     = "fixed"      // the scenario's own settings
	Hindsight = "best-fixed" // found in hindsight
	Reactive  = "reactive"   // follows the CPU, as a horizontal autoscaler

	// As rebound, but with another forecast: what a good one is worth lies between.
	ReboundLast    = "rebound-last"    // that the load stays as it is
	ReboundPerfect = "rebound-perfect" // the load that will come
)

// Names are all contenders by name.
func Names() []string {
	return []string{Rebound, Pacing, Fixed, Hindsight, Reactive, ReboundLast, ReboundPerfect}
}

// PolicyOf is the policy that fits a scenario: its whole space, the failures that
// happen in it, and everything else as policies have it by default.
func PolicyOf(s twin.Scenario, target time.Duration) policy.Policy {
	p := policy.Default()
	p.RecoveryTime, p.Mode = target, job.ModeApply
	p.Knobs = policy.Knobs{
		CheckpointInterval: span(s.Space.IntervalSeconds, 1), Parallelism: span(s.Space.Parallelism, 1),
		Slots: span(s.Space.Slots, 1), CPU: span(s.Space.CPUCores, 1), Memory: span(s.Space.MemoryGiB, job.GiB),
	}
	if k := s.Failures.Kind; k != "" && !slices.Contains(p.Failures, k) {
		p.Failures = append(p.Failures, k)
	}
	return p
}

func searching() plan.Planner { return plan.Search{} }

func span(r twin.Range, unit float64) policy.Range {
	return policy.Range{Min: r.Min * unit, Max: r.Max * unit}
}

// New makes a contender by name, except for best-fixed, which has to be searched.
func New(name string, p policy.Policy, forecaster func() (control.Forecaster, error)) (Contender, bool) {
	c := Contender{Name: name, Policy: p, Forecaster: forecaster}
	switch name {
	case Rebound:
		c.Planner = searching
	case ReboundLast:
		c.Planner, c.Forecaster = searching, lastValue
	case ReboundPerfect:
		c.Planner, c.Foresight = searching, true
	case Pacing:
		c.Planner = searching
		c.Policy.Mode = job.ModePace
	case Reactive:
		c.Planner = func() plan.Planner { return &plan.Reactive{} }
		c.Policy = unguarded(p)
	case Fixed:
	default:
		return Contender{}, false
	}
	return c, true
}

// unguarded lets a rival do what it does: its own rules are all that holds it
// back.
func unguarded(p policy.Policy) policy.Policy {
	p.Mode = job.ModeApply
	p.Cooldown = time.Minute
	p.Budget.RestartsPerDay = 1000
	p.Limits = policy.Limits{StepRatio: 1000}
	return p
}
