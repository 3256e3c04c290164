package job

import (
	"errors"
	"time"
)

// ErrBlind says that the output of a job is no longer followed: what it shows
// stands still.
var ErrBlind = errors.New("the output of the job can no longer be read")

// Restart is what the JobManager tells of a restart, as far as it has come.
type Restart struct {
	State       string           `json:"state"`                  // of the job
	SeenAt      *time.Time       `json:"seen_at,omitempty"`      // the JobManager knew of the failure
	Attempts    int              `json:"attempts"`               // restarts that it took, failed ones included
	ScheduledAt *time.Time       `json:"scheduled_at,omitempty"` // of the attempt that came through
	Subtasks    []SubtaskRestart `json:"subtasks"`               // those that restarted
	Restored    *Checkpoint      `json:"restored,omitempty"`
	// Complete: every subtask is RUNNING, and those that had to restart have.
	Complete bool `json:"complete"`
}

// SubtaskRestart is one subtask's way back. A time is absent until it has come.
type SubtaskRestart struct {
	SubtaskRef
	Attempt        int        `json:"attempt"`
	TaskManager    string     `json:"taskmanager,omitempty"`
	DeployingAt    *time.Time `json:"deploying_at,omitempty"`
	InitializingAt *time.Time `json:"initializing_at,omitempty"`
	RunningAt      *time.Time `json:"running_at,omitempty"`
}

// Output is what a job's output tells of a recovery, as far as it has come:
// the ground truth where the records can be followed from end to end.
type Output struct {
	// Subtasks of the operator that writes, with their times since the failure.
	Subtasks []SubtaskMeasurement `json:"subtasks"`
	// LatenessSeconds of the newest output, the worst over the subtasks.
	LatenessSeconds *float64 `json:"lateness_seconds,omitempty"`
	// For a read-committed reader, since the failure.
	FirstCommitSeconds *float64 `json:"first_commit_seconds,omitempty"`
	VisibleSeconds     *float64 `json:"visible_seconds,omitempty"`
	// Calm: before the failure every subtask's lateness was in a steady band.
	Calm     bool `json:"calm"`
	CaughtUp bool `json:"caught_up"` // every subtask, for a while
	Visible  bool `json:"visible"`   // to the read-committed reader, too
}
