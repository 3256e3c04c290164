package twin

import "rebound/internal/job"

// Scenario states the laws of a simulated job. Fields that are left out have the
// values of the reference page, mostly "none". Times are in the unit that the
// field's name ends in.
type Scenario struct {
	APIVersion string `yaml:"apiVersion"` // rebound.dev/v1alpha1
	Kind       string `yaml:"kind"`       // Scenario
	Name       string `yaml:"name"`
	About      string `yaml:"about,omitempty"` // one line for people
	// Fit tells what the laws were fitted to and how far off they are.
	Fit string `yaml:"fit,omitempty"`

	Hours       float64 `yaml:"hours"`                  // how long a run is meant to last
	StepSeconds float64 `yaml:"step_seconds,omitempty"` // of processing; 1 by default, must divide 10

	Load       Load       `yaml:"load"`
	Kafka      Kafka      `yaml:"kafka"`
	Capacity   Capacity   `yaml:"capacity"`
	Latency    Latency    `yaml:"latency,omitempty"`
	State      State      `yaml:"state"`
	Checkpoint Checkpoint `yaml:"checkpoint"`
	Restart    Restart    `yaml:"restart"`
	Warmup     Warmup     `yaml:"warmup,omitempty"`
	Failures   Failures   `yaml:"failures,omitempty"`
	Change     Change     `yaml:"change,omitempty"`
	Profiles   Profiles   `yaml:"profiles,omitempty"`
	Start      Knobs      `yaml:"start"` // the settings that the job begins with
	Space      Space      `yaml:"space,omitempty"`
	JobManager Resources  `yaml:"jobmanager"`
	View       View       `yaml:"view,omitempty"`
}

// Load is the rate at which records arrive: a daily shape, surges, and noise; or a
// recorded series.
type Load struct {
	MeanPerSecond  float64 `yaml:"mean_per_second,omitempty"`
	PeakToMean     float64 `yaml:"peak_to_mean,omitempty"`    // 1 by default: flat
	PeriodHours    float64 `yaml:"period_hours,omitempty"`    // 24 by default
	PeakHour       float64 `yaml:"peak_hour,omitempty"`       // of the period
	SecondHarmonic float64 `yaml:"second_harmonic,omitempty"` // its amplitude over the first's, 0 to 1
	Surges         []Surge `yaml:"surges,omitempty"`
	Noise          Noise   `yaml:"noise,omitempty"`
	// File is a CSV with a header whose first column is time in seconds, evenly
	// spaced; Column names the rate, the second by default. It replaces the shape
	// and is repeated when it ends. ReadLoad reads it.
	File   string  `yaml:"file,omitempty"`
	Column string  `yaml:"column,omitempty"`
	Series *Series `yaml:"series,omitempty"`
}

// Surge multiplies the load for a while.
type Surge struct {
	AtHours     float64 `yaml:"at_hours"`
	Factor      float64 `yaml:"factor"`
	RiseMinutes float64 `yaml:"rise_minutes"`
	HoldHours   float64 `yaml:"hold_hours"`
	FallMinutes float64 `yaml:"fall_minutes"`
}

// Series is a recorded load.
type Series struct {
	StepSeconds float64   `yaml:"step_seconds"`
	PerSecond   []float64 `yaml:"per_second,flow"`
}

// Noise multiplies by 1 + x, with x autocorrelated (Ornstein–Uhlenbeck) around 0.
type Noise struct {
	Ratio       float64 `yaml:"ratio"`                  // standard deviation of x
	TimeSeconds float64 `yaml:"time_seconds,omitempty"` // after which its correlation is 1/e; 300 by default
}

// Kafka is the log that the job reads.
type Kafka struct {
	Partitions     int     `yaml:"partitions"`                // cap the parallelism
	RetentionHours float64 `yaml:"retention_hours,omitempty"` // 0: for ever
}

// Capacity is the rate at which the job can process, sustained, warm, while no
// checkpoint runs.
//
// By law taskmanagers: per_core · Σ c′^cpu_exponent · m/(m + memory_half_gib) ·
// taskmanager_efficiency^(n − 1), summed over the n TaskManagers, with c′ =
// min(cpu, cores_per_slot · slots in use) and m the GiB of one (of one slot, with
// memory_per_slot). By law power:
// per_core · p^parallelism_exponent · cpu^cpu_exponent · m/(m + memory_half_gib).
type Capacity struct {
	Law                 string  `yaml:"law,omitempty"` // taskmanagers (default) | power
	PerCore             float64 `yaml:"per_core"`      // records a second
	CPUExponent         float64 `yaml:"cpu_exponent,omitempty"`
	ParallelismExponent float64 `yaml:"parallelism_exponent,omitempty"` // of law power; 1 by default
	MemoryHalfGiB       float64 `yaml:"memory_half_gib,omitempty"`
	// MemoryPerSlot: m is the GiB of one slot, not of the whole TaskManager.
	MemoryPerSlot         bool    `yaml:"memory_per_slot,omitempty"`
	CoresPerSlot          float64 `yaml:"cores_per_slot,omitempty"`         // 0: no limit
	TaskManagerEfficiency float64 `yaml:"taskmanager_efficiency,omitempty"` // 1 by default
	// HotStateGiB throttles: where all TaskManagers together have less memory, the
	// capacity is multiplied by the square root of the share that fits.
	HotStateGiB float64 `yaml:"hot_state_gib,omitempty"`
	// Skew is by how much the busiest subtask has more to do than the mean: it
	// decides, and the capacity is divided by 1 + skew.
	Skew  float64 `yaml:"skew,omitempty"`
	Noise Noise   `yaml:"noise,omitempty"`
	// SinkLimit caps the rate (records/s); 0: none.
	SinkLimit float64 `yaml:"sink_limit_per_second,omitempty"`
	// AlignmentRatio caps the drain at this many times the rate of arrival, as
	// watermark alignment does: max-drift over update-interval. 0: none.
	AlignmentRatio float64 `yaml:"alignment_ratio,omitempty"`
}

// Latency of a record in calm running: base + queue·ρ/(1 − ρ) on average, the
// second part exponentially distributed.
type Latency struct {
	BaseSeconds  float64 `yaml:"base_seconds"`
	QueueSeconds float64 `yaml:"queue_seconds"`
}

// State of the job.
type State struct {
	GiB        float64 `yaml:"gib"`
	GiBPerHour float64 `yaml:"gib_per_hour,omitempty"` // growth with time
	// GiBPerBillion records is growth with the input.
	GiBPerBillion float64 `yaml:"gib_per_billion_records,omitempty"`
	// IncrementRatio is the share of the state that a checkpoint writes; 1 by
	// default, less where checkpoints are incremental.
	IncrementRatio float64 `yaml:"increment_ratio,omitempty"`
}

// Checkpoint is how checkpoints behave.
type Checkpoint struct {
	BaseSeconds   float64 `yaml:"base_seconds"`              // of the duration
	SecondsPerGiB float64 `yaml:"seconds_per_gib,omitempty"` // of state on one TaskManager
	Jitter        float64 `yaml:"jitter,omitempty"`          // standard deviation of the duration's logarithm
	Loss          float64 `yaml:"loss,omitempty"`            // β: share of capacity lost while one runs, 0 to 1
	// AlignmentSeconds are added while a backlog waits: barriers queue behind
	// buffers that are full, unless checkpoints are unaligned.
	AlignmentSeconds  float64 `yaml:"alignment_seconds,omitempty"`
	Unaligned         bool    `yaml:"unaligned,omitempty"`
	MinPauseSeconds   float64 `yaml:"min_pause_seconds,omitempty"`
	TimeoutSeconds    float64 `yaml:"timeout_seconds,omitempty"` // 600 by default
	TolerableFailures int     `yaml:"tolerable_failures,omitempty"`
	FailProbability   float64 `yaml:"fail_probability,omitempty"` // of each
}

// Restart is how the job comes back.
type Restart struct {
	// DetectSeconds by kind of failure: task, process, node, jobmanager.
	DetectSeconds map[job.Failure]float64 `yaml:"detect_seconds,omitempty"`
	BackOff       BackOff                 `yaml:"back_off,omitempty"`
	Spares        int                     `yaml:"spare_taskmanagers,omitempty"` // each saves a process start; a new one is started after
	// ProcessStartSeconds until a new TaskManager, or JobManager, is there.
	ProcessStartSeconds float64 `yaml:"process_start_seconds,omitempty"`
	RestoreSeconds      float64 `yaml:"restore_seconds,omitempty"` // beside reading the state
	// MiBPerSecond at which one TaskManager reads its state back; 0: at once.
	MiBPerSecond  float64 `yaml:"mib_per_second,omitempty"`
	LocalRecovery bool    `yaml:"local_recovery,omitempty"` // after a task failure no state is read
	Jitter        float64 `yaml:"jitter,omitempty"`         // standard deviation of the logarithm of each phase
}

// BackOff is the restart strategy. Multiplier over 1 makes it exponential-delay:
// its level is kept until the job has run for ResetSeconds.
type BackOff struct {
	InitialSeconds float64 `yaml:"initial_seconds,omitempty"`
	MaxSeconds     float64 `yaml:"max_seconds,omitempty"` // 60 by default
	Multiplier     float64 `yaml:"multiplier,omitempty"`
	ResetSeconds   float64 `yaml:"reset_seconds,omitempty"` // 3600 by default
}

// Warmup is how capacity grows after a restart, as job.Warmup.
type Warmup struct {
	StartRatio  float64 `yaml:"start_ratio,omitempty"` // 1 by default: none
	TimeSeconds float64 `yaml:"time_seconds,omitempty"`
}

// Failures says what fails when.
type Failures struct {
	// EveryMinutes between failures, 0 for none: an injector arms at each multiple
	// and fires when the age of what would be restored reaches 95 % of the greatest
	// of the last 15 min. Where Poisson is set, odd seeds have failures at random
	// moments of the same mean instead.
	EveryMinutes float64     `yaml:"every_minutes,omitempty"`
	Poisson      bool        `yaml:"poisson_on_odd_seeds,omitempty"`
	Kind         job.Failure `yaml:"kind,omitempty"` // process by default
	Planned      []Planned   `yaml:"planned,omitempty"`
}

// Planned is a failure at a fixed time, repeated Times (1 by default).
type Planned struct {
	AtHours      float64     `yaml:"at_hours"`
	Kind         job.Failure `yaml:"kind"`
	Times        int         `yaml:"times,omitempty"`
	EverySeconds float64     `yaml:"every_seconds,omitempty"`
}

// Change is what new settings take.
type Change struct {
	InPlaceSeconds  float64 `yaml:"in_place_seconds,omitempty"` // beside the restore
	RedeploySeconds float64 `yaml:"redeploy_seconds,omitempty"`
	// WaitsForCheckpoint: a change in place takes effect when the next checkpoint
	// completes, as the adaptive scheduler does, but after MaxDelaySeconds (600 by
	// default) at the latest.
	WaitsForCheckpoint bool    `yaml:"waits_for_checkpoint,omitempty"`
	MaxDelaySeconds    float64 `yaml:"max_delay_seconds,omitempty"`
	// SavepointTimeoutSeconds after which a savepoint that cannot complete, since
	// the job is overloaded, is given up; 60 by default.
	SavepointTimeoutSeconds float64 `yaml:"savepoint_timeout_seconds,omitempty"`
	FailProbability         float64 `yaml:"fail_probability,omitempty"`
}

// Knobs are the five settings.
type Knobs struct {
	IntervalSeconds float64 `yaml:"interval_seconds"`
	Parallelism     int     `yaml:"parallelism"`
	Slots           int     `yaml:"slots"`
	CPUCores        float64 `yaml:"cpu_cores"`
	MemoryGiB       float64 `yaml:"memory_gib"`
}

// Job gives the knobs in the vocabulary's form.
func (k Knobs) Job() job.Knobs {
	return job.Knobs{
		IntervalSeconds: k.IntervalSeconds, Parallelism: k.Parallelism, Slots: k.Slots,
		CPUCores: k.CPUCores, MemoryBytes: k.MemoryGiB * job.GiB,
	}
}

// Space is what the knobs may be turned to; a range that is left out is not bounded.
type Space struct {
	IntervalSeconds Range `yaml:"interval_seconds,omitempty"`
	Parallelism     Range `yaml:"parallelism,omitempty"`
	Slots           Range `yaml:"slots,omitempty"`
	CPUCores        Range `yaml:"cpu_cores,omitempty"`
	MemoryGiB       Range `yaml:"memory_gib,omitempty"`
}

// Range is from Min to Max.
type Range struct {
	Min float64 `yaml:"min"`
	Max float64 `yaml:"max"`
}

// Resources of one process.
type Resources struct {
	CPUCores  float64 `yaml:"cpu_cores"`
	MemoryGiB float64 `yaml:"memory_gib"`
}

// View is what can be seen of the job, and how well.
type View struct {
	ScrapeSeconds float64 `yaml:"scrape_seconds,omitempty"` // between samples of metrics; 5 by default
	WindowSeconds float64 `yaml:"window_seconds,omitempty"` // over which rates are taken; 10 by default
	DelaySeconds  float64 `yaml:"delay_seconds,omitempty"`  // by which samples are older than the look
	// ClockSkewSeconds is by how much the JobManager's clock is ahead of ours.
	ClockSkewSeconds float64 `yaml:"clock_skew_seconds,omitempty"`
	Lies             []Lie   `yaml:"lies,omitempty"`
}

// Lie is a fault of what is seen.
type Lie struct {
	Kind    LieKind `yaml:"kind"`
	AtHours float64 `yaml:"at_hours"`
	Minutes float64 `yaml:"minutes"`               // how long it lasts
	Every   float64 `yaml:"every_hours,omitempty"` // repeats it; 0: once
	By      string  `yaml:"by,omitempty"`          // of steers: who
}

// LieKind names a fault of what is seen.
type LieKind string

// The faults.
const (
	lieUnreachable LieKind = "unreachable"    // no answer at all
	lieGap         LieKind = "gap"            // no metrics
	lieNoBusy      LieKind = "no_busy"        // busy time is NaN
	lieNoPending   LieKind = "no_pending"     // the backlog is absent
	lieNoCPU       LieKind = "no_cpu"         // nobody tells the CPU in use
	lieReset       LieKind = "counter_reset"  // counters start anew
	lieFrozen      LieKind = "frozen"         // backlog and emit lag stand still
	lieZeroPending LieKind = "zero_pending"   // after a restart the backlog is unknown for 30 s
	lieSteers      LieKind = "steers"         // somebody else changes the settings
	lieNoChange    LieKind = "changes_fail"   // every change fails
	lieNoSnapshots LieKind = "snapshots_fail" // every checkpoint fails
)
