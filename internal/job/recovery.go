package job

import "time"

// SubtaskRef names one parallel instance of a vertex.
type SubtaskRef struct {
	Vertex  string `json:"vertex"` // the vertex's name
	ID      string `json:"id"`     // the vertex's ID
	Subtask int    `json:"subtask"`
}

// Recovery is a prediction of the recovery from one kind of failure: the time
// from the failure until the job is, at every subtask, where it would have been
// without it. Seconds are there only where the outcome that they belong to is
// Recovers.
type Recovery struct {
	Failure Failure `json:"failure"`
	Outcome Outcome `json:"outcome"` // of the median

	// The distribution for a failure at a random moment, or, of a drill, for the
	// age of the checkpoint at the instant of the failure.
	P05Seconds    *float64 `json:"p05_seconds,omitempty"`
	MedianSeconds *float64 `json:"median_seconds,omitempty"`
	P95Seconds    *float64 `json:"p95_seconds,omitempty"`
	P95Outcome    Outcome  `json:"p95_outcome,omitempty"` // only where it is not Recovers
	// AtRiskSeconds is the (1 − risk) quantile, which is compared with the target.
	AtRiskSeconds *float64 `json:"at_risk_seconds,omitempty"`
	AtRiskOutcome Outcome  `json:"at_risk_outcome,omitempty"` // only where it is not Recovers
	// WorstSeconds is the median at the greatest age of the restored offsets.
	WorstSeconds *float64 `json:"worst_seconds,omitempty"`

	// For a read-committed reader of the output, of an exactly-once sink:
	// FirstCommitSeconds from the failure to the first commit after it,
	// VisibleSeconds until its lateness is back in its band.
	FirstCommitSeconds *float64 `json:"first_commit_seconds,omitempty"`
	VisibleSeconds     *float64 `json:"visible_seconds,omitempty"`

	AgeSeconds *float64 `json:"age_seconds,omitempty"` // of the restored offsets, where it is given
	// IntervalScale is by how much earlier predictions have shown that the interval
	// must be wider than the quantities say, on the logarithm; absent: not at all.
	IntervalScale *float64    `json:"interval_scale,omitempty"`
	Phases        []PhaseTime `json:"phases"`             // add up to the median
	Decisive      *SubtaskRef `json:"decisive,omitempty"` // the subtask that is done last
}

// Outage is one interruption found in what was recorded. Times are absolute, or
// seconds on the input's own axis where it has no date.
type Outage struct {
	FailedAt      *float64 `json:"failed_at,omitempty"` // where something tells of the failure itself
	FirstImpactAt *float64 `json:"first_impact_at,omitempty"`
	RestoredAt    *float64 `json:"restored_at,omitempty"`
	CaughtUpAt    *float64 `json:"caught_up_at,omitempty"`
	// RecoverySeconds runs from FailedAt, else from FirstImpactAt, to CaughtUpAt.
	RecoverySeconds   *float64 `json:"recovery_seconds,omitempty"`
	ResolutionSeconds float64  `json:"resolution_seconds"` // each time is known ± this
	// Censored: the recording or the time-out ended before the job had caught up;
	// RecoverySeconds is then absent and AtLeastSeconds a bound.
	Censored       bool     `json:"censored"`
	AtLeastSeconds *float64 `json:"at_least_seconds,omitempty"`
	// Met compares with the target, where one was given; absent for a censored
	// outage that may or may not have met it.
	Met    *bool       `json:"met,omitempty"`
	Phases []PhaseTime `json:"phases"`
}

// Measurement is one recovery as it was seen, which the model learns from and
// predictions are scored against.
type Measurement struct {
	Failure  Failure     `json:"failure,omitempty"`
	Change   Way         `json:"change,omitempty"` // of a planned restart, which has no Failure
	At       time.Time   `json:"at"`
	Topology Topology    `json:"topology"`
	Process  Start       `json:"process"` // of the process that takes over
	Outcome  Outcome     `json:"outcome"`
	Phases   []PhaseTime `json:"phases"`
	// Disturbed says what else happened meanwhile or before, so that no prediction is held
	// against it; empty: nothing.
	Disturbed string `json:"disturbed,omitempty"`

	AgeSeconds      *float64 `json:"age_seconds,omitempty"`      // A: failure − trigger of the restored checkpoint
	DowntimeSeconds *float64 `json:"downtime_seconds,omitempty"` // T_d: failure → last subtask RUNNING
	RecoverySeconds *float64 `json:"recovery_seconds,omitempty"` // R, the slowest subtask's
	AtLeastSeconds  *float64 `json:"at_least_seconds,omitempty"` // where it had not recovered in time

	FirstCommitSeconds *float64 `json:"first_commit_seconds,omitempty"`
	VisibleSeconds     *float64 `json:"visible_seconds,omitempty"`

	RatePerSecond *float64 `json:"rate_per_second,omitempty"` // λ before the failure, the whole job
	// Utilization is the busy time of the busiest subtask before the failure.
	Utilization *float64 `json:"utilization,omitempty"`
	// CatchUpUtilization is ρ as the catch-up showed it: λ over the capacity
	// once warm, of the subtask that decided.
	CatchUpUtilization *float64 `json:"catch_up_utilization,omitempty"`
	Warmup             *Warmup  `json:"warmup,omitempty"`

	// Configured is what the configuration alone said of the downtime's phases
	// just before: what is learned is the difference, so that it outlives a
	// change of heartbeat or back-off.
	Configured []PhaseTime          `json:"configured"`
	Settings   Settings             `json:"settings"`
	Subtasks   []SubtaskMeasurement `json:"subtasks"`
	// StarvedRatio is run-queue wait over wall time of the job's processes
	// during the recovery, in threads: a busy machine, not the job.
	StarvedRatio *float64 `json:"starved_ratio,omitempty"`
	Audit        *Audit   `json:"audit,omitempty"`
}

// SubtaskMeasurement is one subtask's part in a recovery, all from the failure.
type SubtaskMeasurement struct {
	SubtaskRef
	RunningSeconds *float64 `json:"running_seconds,omitempty"`     // → RUNNING
	OutputSeconds  *float64 `json:"output_seconds,omitempty"`      // → first output
	PassedSeconds  *float64 `json:"passed_seconds,omitempty"`      // → the failure's offsets are passed: the end of its replay
	CaughtUp       *float64 `json:"caught_up_seconds,omitempty"`   // → where it would have been
	RatePerSecond  *float64 `json:"rate_per_second,omitempty"`     // before
	Capacity       *float64 `json:"capacity_per_second,omitempty"` // in catch-up, once warm
	Warmup         *Warmup  `json:"warmup,omitempty"`
}

// Warmup is how capacity grows after a restart:
// μ(t) = μ·(1 − (1 − Start)·e^(−t/τ)).
type Warmup struct {
	StartRatio          float64 `json:"start_ratio"` // μ(0)/μ, in (0, 1]
	TimeConstantSeconds float64 `json:"time_constant_seconds"`
}

// Topology tells how the death of a process is noticed.
type Topology string

// Whether records cross the border of the process that dies.
const (
	Spread         Topology = "spread"          // exchanged with it: the connection closes
	OneTaskManager Topology = "one_taskmanager" // the whole job inside: only heartbeats tell
)

// Start tells whether the process that takes over has run the job before.
type Start string

// Cold processes have class loading and compilation before them.
const (
	Cold Start = "cold"
	Warm Start = "warm"
)

// Audit is what became of the records: sent by the generator against seen by a
// read-committed reader.
type Audit struct {
	Sent       int64    `json:"sent"`
	Seen       int64    `json:"seen"`
	Lost       int64    `json:"lost"`
	Duplicated int64    `json:"duplicated"`
	Late       int64    `json:"late"`
	Open       int64    `json:"open_transactions"`
	Verdict    string   `json:"verdict"` // exactly_once | lost | duplicated | lost_and_duplicated | unsettled
	Confidence string   `json:"confidence"`
	Detail     []string `json:"detail"`
}
