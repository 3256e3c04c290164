package api

import (
	"time"

	"rebound/internal/job"
)

// Simulation is one run of a policy on a simulated job, judged by what really
// happened there and not by what was seen of it.
type Simulation struct {
	Header
	Policy        string    `json:"policy"`
	Scenario      string    `json:"scenario"`
	Seed          uint64    `json:"seed"`
	Hours         float64   `json:"hours"` // simulated
	TargetSeconds float64   `json:"target_seconds"`
	StartedAt     time.Time `json:"started_at"` // on the simulation's clock

	Failures   int `json:"failures"`
	Violations int `json:"violations"` // recoveries longer than the target, planned restarts among them
	Changes    int `json:"changes"`    // restarts for other settings

	ChangesByWay map[string]int `json:"changes_by_way"`
	Recoveries   []SimRecovery  `json:"recoveries"`

	Latency LatencySummary `json:"latency_seconds"` // of a record, from its arrival to its processing
	// LateShare is the share of records later than the target.
	LateShare float64 `json:"late_share"`

	CPUCoreHours   float64 `json:"cpu_core_hours"` // TaskManagers, JobManager, profiling
	MemoryGiBHours float64 `json:"memory_gib_hours"`
	Cost           float64 `json:"cost"`
	Profiling      Copies  `json:"profiling"`

	// Coverage90 is the share of recoveries inside the 5–95 % that had been
	// predicted, given the age of the checkpoint at the failure; absent where
	// nothing was predicted.
	Coverage90  *float64   `json:"coverage_90,omitempty"`
	Scored      int        `json:"scored"` // recoveries that had a prediction
	Records     SimRecords `json:"records"`
	Checkpoints int        `json:"checkpoints"` // completed
	// MeanRecoverySeconds is over the failures that ended.
	MeanRecoverySeconds  *float64  `json:"mean_recovery_seconds,omitempty"`
	WorstRecoverySeconds *float64  `json:"worst_recovery_seconds,omitempty"`
	Refused              int       `json:"refused"`  // proposals that a guard stopped
	Settings             job.Knobs `json:"settings"` // at the end
}

// SimRecovery is one recovery in a simulation. Of a planned restart the failure is
// empty and the way is there. One that the next failure interrupts has no end of
// its own: the next is judged, from its own time.
type SimRecovery struct {
	AtSeconds       float64     `json:"at_seconds"` // since the start
	Failure         job.Failure `json:"failure,omitempty"`
	Change          job.Way     `json:"change,omitempty"`
	AgeSeconds      *float64    `json:"age_seconds,omitempty"`
	AtRiskSeconds   *float64    `json:"at_risk_seconds,omitempty"` // predicted, given the age
	P05Seconds      *float64    `json:"p05_seconds,omitempty"`
	P95Seconds      *float64    `json:"p95_seconds,omitempty"`
	MeasuredSeconds *float64    `json:"measured_seconds,omitempty"` // absent: not by the end
	Interrupted     bool        `json:"interrupted,omitempty"`      // by the next failure
	DuringCatchUp   bool        `json:"during_catch_up,omitempty"`  // of an earlier one
	Outcome         job.Outcome `json:"outcome"`
	Met             bool        `json:"met"`
	InsideInterval  *bool       `json:"inside_90,omitempty"`
}

// LatencySummary is the latency of records, weighted by record. Calm is outside
// of recoveries, failed and planned.
type LatencySummary struct {
	Mean    float64 `json:"mean"`
	P50     float64 `json:"p50"`
	P95     float64 `json:"p95"`
	P99     float64 `json:"p99"`
	CalmP95 float64 `json:"calm_p95"`
}

// Copies is what copies of the job have cost, within the totals.
type Copies struct {
	Runs           int     `json:"runs"` // that were started, lost ones and those that run among them
	CPUCoreHours   float64 `json:"cpu_core_hours"`
	MemoryGiBHours float64 `json:"memory_gib_hours"`
}

// SimRecords counts records from end to end.
type SimRecords struct {
	In         int64 `json:"in"`
	Out        int64 `json:"out"`
	Waiting    int64 `json:"waiting"`
	Lost       int64 `json:"lost"`
	Duplicated int64 `json:"duplicated"`
}

// Simulations are several runs with what they come to together.
type Simulations struct {
	Header
	Runs    []Simulation        `json:"runs"`
	Summary []SimulationSummary `json:"summary"` // a policy each, in the order asked for
}

// SimulationSummary is one policy over all its seeds.
type SimulationSummary struct {
	Policy               string     `json:"policy"`
	Scenario             string     `json:"scenario"`
	Runs                 int        `json:"runs"`
	Failures             int        `json:"failures"`
	Violations           int        `json:"violations"`
	ViolationShare       float64    `json:"violation_share"`
	ChangesPerDay        float64    `json:"changes_per_day"`
	MeanRecoverySeconds  *float64   `json:"mean_recovery_seconds,omitempty"`
	WorstRecoverySeconds *float64   `json:"worst_recovery_seconds,omitempty"`
	CPUCoreHours         float64    `json:"cpu_core_hours"`
	MemoryGiBHours       float64    `json:"memory_gib_hours"`
	Cost                 float64    `json:"cost"`
	Profiling            Copies     `json:"profiling"`
	CalmP95Seconds       float64    `json:"calm_p95_seconds"` // mean over the runs
	LateShare            float64    `json:"late_share"`
	Coverage90           *float64   `json:"coverage_90,omitempty"`
	Checkpoints          int        `json:"checkpoints"`
	Settings             *job.Knobs `json:"settings,omitempty"` // of a fixed policy
}
