package job

import "time"

// Observation is what a world shows of one job at one moment, with what it
// cannot show in Lacks.
type Observation struct {
	Job        Identity  `json:"job"`
	ID         string    `json:"id"`          // Flink's job ID: the incarnation
	At         time.Time `json:"at"`          // our clock
	ServerTime time.Time `json:"server_time"` // the JobManager's

	FlinkVersion string `json:"flink_version,omitempty"`
	State        string `json:"state"`               // Flink's word: RUNNING, RESTARTING, …
	Type         string `json:"type,omitempty"`      // STREAMING | BATCH
	Scheduler    string `json:"scheduler,omitempty"` // Default | Adaptive | AdaptiveBatch

	Settings Settings `json:"settings"`
	// Config holds options of Flink in force, by Flink's present keys and with
	// Flink's text; an option that is not there has its default.
	Config        Options       `json:"config"`
	Checkpointing Checkpointing `json:"checkpointing"`
	Vertices      []Vertex      `json:"vertices"` // sources first
	TaskManagers  []TaskManager `json:"taskmanagers"`
	Exceptions    []Exception   `json:"exceptions"` // newest first
	Restarts      *int          `json:"restarts,omitempty"`
	// StartedAt is when the present run of the job began, after the last
	// restart if there was one.
	StartedAt time.Time `json:"started_at,omitzero"`
	// WindowSeconds is the span over which rates and shares of time were taken:
	// absent after a single read, where they come from Flink's own averages.
	WindowSeconds *float64 `json:"window_seconds,omitempty"`
	Lacks         []Lack   `json:"lacks"`
	// JobManager is what that process has, where it is known.
	JobManager TaskManagerResources `json:"jobmanager,omitzero"`
	// LastChange is the ID of the change that the job has been given last.
	LastChange string `json:"last_change,omitempty"`
	// Steers names who else changes the settings of this job, such as Flink's own
	// autoscaler; empty: nobody known.
	Steers string `json:"steers,omitempty"`
}

// Vertex is one chain of operators.
type Vertex struct {
	ID             string    `json:"id"`
	Name           string    `json:"name"`
	Parallelism    int       `json:"parallelism"`
	MaxParallelism int       `json:"max_parallelism,omitempty"`
	Inputs         []string  `json:"inputs"` // IDs of the vertices that feed it; a source has none
	Subtasks       []Subtask `json:"subtasks"`
}

// Subtask is one parallel instance, at one moment or over the window.
type Subtask struct {
	Index        int        `json:"index"`
	Attempt      int        `json:"attempt"`
	TaskManager  string     `json:"taskmanager,omitempty"` // its ID
	State        string     `json:"state"`                 // CREATED … DEPLOYING, INITIALIZING, RUNNING, …
	RunningSince *time.Time `json:"running_since,omitempty"`

	RecordsInPerSecond  *float64 `json:"records_in_per_second,omitempty"` // of a source: records read
	RecordsOutPerSecond *float64 `json:"records_out_per_second,omitempty"`
	BusyRatio           *float64 `json:"busy_ratio,omitempty"`
	BackPressuredRatio  *float64 `json:"back_pressured_ratio,omitempty"`
	IdleRatio           *float64 `json:"idle_ratio,omitempty"`

	PendingRecords *float64 `json:"pending_records,omitempty"`  // of a source
	PendingSlope   *float64 `json:"pending_slope,omitempty"`    // records/s by which pending grew over the window
	EmitLagSeconds *float64 `json:"emit_lag_seconds,omitempty"` // of a source: age of what it emits
	WatermarkLag   *float64 `json:"watermark_lag_seconds,omitempty"`
}

// Checkpointing is the configuration and the record of checkpoints.
type Checkpointing struct {
	Enabled           bool     `json:"enabled"`
	Mode              string   `json:"mode,omitempty"` // exactly_once | at_least_once
	IntervalSeconds   *float64 `json:"interval_seconds,omitempty"`
	MinPauseSeconds   *float64 `json:"min_pause_seconds,omitempty"`
	TimeoutSeconds    *float64 `json:"timeout_seconds,omitempty"`
	MaxConcurrent     *int     `json:"max_concurrent,omitempty"`
	TolerableFailures *int     `json:"tolerable_failures,omitempty"`
	Unaligned         *bool    `json:"unaligned,omitempty"`
	Externalized      *bool    `json:"externalized,omitempty"` // kept on cancellation
	Backend           string   `json:"backend,omitempty"`
	Storage           string   `json:"storage,omitempty"`

	Completed  *int         `json:"completed,omitempty"`
	Failed     *int         `json:"failed,omitempty"`
	InProgress *int         `json:"in_progress,omitempty"`
	History    []Checkpoint `json:"history"` // newest first
	Restored   *Restored    `json:"restored,omitempty"`
}

// Checkpoint is one snapshot of a job.
type Checkpoint struct {
	ID              int64     `json:"id"`
	Status          string    `json:"status"` // IN_PROGRESS | COMPLETED | FAILED
	TriggeredAt     time.Time `json:"triggered_at"`
	DurationSeconds *float64  `json:"duration_seconds,omitempty"` // trigger to complete
	StateBytes      *float64  `json:"state_bytes,omitempty"`
	WrittenBytes    *float64  `json:"written_bytes,omitempty"` // less than StateBytes where incremental
	Savepoint       bool      `json:"savepoint,omitempty"`
	Failure         string    `json:"failure,omitempty"`
}

// Restored is the checkpoint that the present run began from.
type Restored struct {
	ID        int64     `json:"id"`
	At        time.Time `json:"at"`
	Savepoint bool      `json:"savepoint,omitempty"`
}

// TaskManager is one worker process.
type TaskManager struct {
	ID            string     `json:"id"`
	Slots         int        `json:"slots"`
	FreeSlots     int        `json:"free_slots"`
	CPUCores      *float64   `json:"cpu_cores,omitempty"`
	MemoryBytes   *float64   `json:"memory_bytes,omitempty"`
	LastHeartbeat *time.Time `json:"last_heartbeat,omitempty"`
	// CPUUsedCores is CPU time over wall time in the window.
	CPUUsedCores *float64 `json:"cpu_used_cores,omitempty"`
}

// Exception is an entry of Flink's exception history.
type Exception struct {
	At          time.Time `json:"at"`
	Name        string    `json:"name"`
	Task        string    `json:"task,omitempty"`
	TaskManager string    `json:"taskmanager,omitempty"`
}
