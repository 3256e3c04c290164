// Package plan chooses settings: the cheapest that recover within the target at
// the risk that the user takes, at the worst moment of what is forecast, and only
// if going there pays.
package plan

import (
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/policy"
)

// A Predictor says what is believed of a job at other settings. The interval of
// the knobs does not matter to it.
type Predictor interface {
	Behavior(k job.Knobs) learn.Behavior
}

// A Planner proposes. It is pure: the same input gives the same proposal.
type Planner interface {
	Plan(in Input) job.Plan
}

// Input is all that a proposal rests on.
type Input struct {
	Job    job.Identity
	At     time.Time // our clock
	Now    job.Knobs
	Policy policy.Policy
	Model  Predictor
	Load   Load
	World  job.Capabilities

	JobManager job.TaskManagerResources
	// PaceSeconds is the pace in force; nil: the configured interval rules.
	PaceSeconds *float64
	// MinPauseSeconds between two checkpoints.
	MinPauseSeconds float64
	// LagRecords wait now beyond what is usual; 0 in calm running.
	LagRecords float64
	// MaxParallelism and Partitions cap the parallelism; 0: unknown.
	MaxParallelism, Partitions int
	// TransactionTimeoutSeconds of an exactly-once sink; nil: unknown or none.
	TransactionTimeoutSeconds *float64
	// StandsSeconds is how long a choice has stood lately, on average: over which
	// a saving has to earn what the change costs; 0: unknown.
	StandsSeconds float64
	// SinceSeconds is how long the present settings have stood; 0: unknown.
	SinceSeconds float64
	// Proven are settings known to do; nil for none.
	Proven []job.Knobs
	// HeldOff are directions that failed lately and are not tried again yet.
	HeldOff []job.Knobs
	// Refused are changes that the world would not make lately, as beyond a quota.
	Refused []Refusal
	// Scale is the factor on the log of the width of recoveries that scores of
	// earlier predictions ask for (recovery.HonestScale); 0 means 1.
	Scale float64
	Seed  uint64

	// Restarts are the planned ones of the last 24 hours, which use up the budget.
	Restarts int
	// CPUUtilization is the share of the CPU reserved for TaskManagers that they
	// used lately; nil: unknown. Only Reactive looks at it.
	CPUUtilization *float64
}

// Load is a forecast of the input rate. Row q of Paths is a path of the quantile
// Quantiles[q], ascending; column i holds from i·Step to (i+1)·Step seconds from
// now. Errors of a forecast persist, so a path of one rank is taken as a whole.
type Load struct {
	Now       float64 // records/s at present
	Step      float64 // s
	Mean      []float64
	Quantiles []float64
	Paths     [][]float64
	Members   []string
	// Unseasoned: no season of the load is known yet, so that hours ahead cannot be
	// told.
	Unseasoned bool
}
