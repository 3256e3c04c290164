package drill

import (
	"fmt"

	"rebound/internal/job"
)

// EventKind is what happened.
type EventKind string

// What is told of a drill, in this order.
const (
	Watching   EventKind = "watching"
	Waiting    EventKind = "waiting"
	Predicted  EventKind = "predicted"
	Injected   EventKind = "injected"
	PhaseEnded EventKind = "phase_ended"
	Lateness   EventKind = "lateness" // of the output, while it recovers
	Committed  EventKind = "committed"
	Visible    EventKind = "visible"
	Healing    EventKind = "healing"
	Auditing   EventKind = "auditing"
	Scored     EventKind = "scored"
)

// Event is something to show while it happens. A list of them is a recording.
type Event struct {
	Seconds float64   `json:"seconds"` // since the failure
	Kind    EventKind `json:"kind"`
	Phase   job.Phase `json:"phase,omitempty"` // that has ended
	Text    string    `json:"text,omitempty"`
	// LatenessSeconds of the newest output, of the subtask that is worst.
	LatenessSeconds *float64         `json:"lateness_seconds,omitempty"`
	Prediction      *Prediction      `json:"prediction,omitempty"`
	Measured        *job.Measurement `json:"measured,omitempty"`
}

// Words for the parameters of a drill.
//
//nolint:gochecknoglobals // tables of words, never written
var (
	moments = map[Moment]string{
		RandomMoment: "at a random moment",
		WorstMoment:  "right before the next checkpoint",
	}
	injected = map[job.Failure]string{
		job.TaskFailure:       "a task has thrown an exception",
		job.ProcessFailure:    "a TaskManager has been killed (SIGKILL)",
		job.NodeFailure:       "a TaskManager has been stopped (SIGSTOP): it holds its connections and says nothing",
		job.JobManagerFailure: "the JobManager has been killed (SIGKILL)",
	}
)

func describe(r job.Recovery) string {
	if r.MedianSeconds == nil {
		return "recovery: " + string(r.Outcome)
	}
	text := fmt.Sprintf("recovery in %.1f s", *r.MedianSeconds)
	if r.P05Seconds != nil && r.P95Seconds != nil {
		text += fmt.Sprintf(" (%.1f to %.1f)", *r.P05Seconds, *r.P95Seconds)
	}
	return text
}

func score(r job.Recovery, m job.Measurement) string {
	switch {
	case m.RecoverySeconds == nil:
		return fmt.Sprintf("not recovered within %.0f s", value(m.AtLeastSeconds))
	case r.MedianSeconds == nil:
		return fmt.Sprintf("recovered in %.1f s", *m.RecoverySeconds)
	}
	return fmt.Sprintf("recovered in %.1f s; the prediction was off by %+.0f %%", *m.RecoverySeconds, 100*(*r.MedianSeconds / *m.RecoverySeconds - 1))
}
