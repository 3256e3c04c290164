// Package policy is what a user wants of a job: the target, how far Rebound may
// go, which knobs are free, and what it may cost. It holds plain values; package
// config reads them from files.
package policy

import (
	"time"

	"rebound/internal/job"
)

// Policy is one job's.
type Policy struct {
	Job Selector // which jobs; empty: every job of the cluster

	RecoveryTime      time.Duration // the target, more than 0
	Risk              float64       // share of failures that may take longer, in (0, 0.5); 0.01 by default
	Failures          []job.Failure // that the target holds for; task and process by default
	VisibilityLatency time.Duration // limit on I_e + D; 0: none
	Latency           time.Duration // limit on the p95 of latency in calm running; 0: none
	Utilization       float64       // limit on the upper bound of ρ; 0.9 by default

	Mode   job.Mode // observe by default
	Knobs  Knobs
	Limits Limits
	Prices job.Prices
	Budget Budget

	DisruptionWeight float64       // a change costs its disturbance × this; 10 by default
	QuietPeriods     []QuietPeriod // in which nothing is changed
	Cooldown         time.Duration // between two changes; 10 min by default
	Approval         Approval
}

// Selector names jobs. An empty field matches all.
type Selector struct{ Cluster, Namespace, Name string }

// Matches says whether id is one of the jobs meant.
func (s Selector) Matches(id job.Identity) bool {
	return (s.Cluster == "" || s.Cluster == id.Cluster) &&
		(s.Namespace == "" || s.Namespace == id.Namespace) && (s.Name == "" || s.Name == id.Name)
}

// Knobs are the ranges that each knob may be turned in. A range without values is
// a knob that stays as the job has it.
type Knobs struct {
	CheckpointInterval Range // seconds
	Parallelism        Range
	Slots              Range
	CPU                Range // cores of one TaskManager
	Memory             Range // bytes of one TaskManager
}

// Range is a set of values: a list, or all from Min to Max. Step is the distance
// between two values; 0: what suits the knob.
type Range struct {
	Min, Max, Step float64
	List           []float64
}

// Free says whether the knob may be turned at all.
func (r Range) Free() bool { return len(r.List) > 0 || r.Max > 0 }

// Limits are what a job may take as a whole. 0: no limit.
type Limits struct {
	CPUCores    float64 // the TaskManagers' and the JobManager's
	MemoryBytes float64
	CostPerHour float64
	// StepRatio bounds by how much one change may multiply or divide capacity; 4
	// by default: beyond that a model's extrapolation is not to be trusted.
	StepRatio float64
}

// Budget is how much disturbance and trial is allowed.
type Budget struct {
	RestartsPerDay       int     // 8 by default
	ProfilingCoreHours   float64 // a day; 0: no profiling
	CheckpointsPerMinute float64 // that pacing may ask for; 6 by default
	JobsAtOnce           int     // jobs of one daemon that change at a time; 1 by default
}

// Approval asks somebody before a change: a program, which gets the decision as
// JSON on stdin and says yes by exit code 0, or a URL, which says yes by 2xx. A
// time-out means no. Neither: nobody is asked. Manual: rebound approve.
type Approval struct {
	Command []string // argv, no shell
	URL     string
	Manual  bool
	Timeout time.Duration // 1 min by default; of Manual 1 h
}

// QuietPeriod is a time in which nothing is changed. Exactly one form is used.
type QuietPeriod struct {
	// Cron is five fields (minute hour day-of-month month day-of-week) that say
	// when it begins; For is how long it lasts.
	Cron string
	For  time.Duration
	// From and To are times of day, "22:00" to "06:00" passing midnight, on the
	// named days ("mon" … "sun"; none: every day, of its beginning).
	From, To string
	Days     []string
	Zone     string // IANA name; UTC by default
}
