package job

import (
	"fmt"
	"slices"
	"strings"
)

// Failure is what goes wrong.
type Failure string

// The kinds of failure that Rebound tells apart, since each is detected and
// repaired on its own path.
const (
	TaskFailure       Failure = "task"       // user code throws; the TaskManager lives
	ProcessFailure    Failure = "process"    // a TaskManager process dies; its host answers
	NodeFailure       Failure = "node"       // a TaskManager falls silent: only heartbeats tell
	JobManagerFailure Failure = "jobmanager" // the JobManager process dies
)

// Failures are all kinds, in the order in which they are shown.
func Failures() []Failure {
	return []Failure{TaskFailure, ProcessFailure, NodeFailure, JobManagerFailure}
}

// UnmarshalText accepts the names of Failures.
func (f *Failure) UnmarshalText(b []byte) error {
	if !slices.Contains(Failures(), Failure(b)) {
		names := make([]string, 0, 4)
		for _, k := range Failures() {
			names = append(names, string(k))
		}
		return fmt.Errorf("failure %q: want one of %s", b, strings.Join(names, ", "))
	}
	*f = Failure(b)
	return nil
}

// Phase is one part of a recovery.
type Phase string

// The phases in the order in which they happen.
const (
	Detect    Phase = "detect"    // failure → the JobManager knows
	BackOff   Phase = "back_off"  // known → the restart begins
	Resources Phase = "resources" // → all slots are there
	Restore   Phase = "restore"   // → every subtask is RUNNING; the end of the downtime
	Replay    Phase = "replay"    // → the offsets of the failure are passed
	CatchUp   Phase = "catch_up"  // → the job is where it would have been
)

// Phases are all phases in order.
func Phases() []Phase { return []Phase{Detect, BackOff, Resources, Restore, Replay, CatchUp} }

// PhaseTime is the length of one phase.
type PhaseTime struct {
	Phase   Phase   `json:"phase"`
	Seconds float64 `json:"seconds"`
	Spread  float64 `json:"spread_seconds"` // half of (95 % − 5 %); of a measured phase ± its resolution
	Source  Source  `json:"source"`
	Samples int     `json:"samples"`
	Note    string  `json:"note,omitempty"`
}

// Outcome tells a number from its absence for good.
type Outcome string

// What can become of a job after a failure.
const (
	Recovers      Outcome = "recovers"
	Never         Outcome = "never"          // the backlog grows, or does while the peak lasts
	BeyondHorizon Outcome = "beyond_horizon" // not within the time looked at
)
