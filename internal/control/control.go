// Package control is the loop: it observes a job, learns, finds outages and scores
// what was predicted of them, plans, asks its guards, writes the decision down,
// acts, verifies, and takes back what did not do as predicted.
//
// Nothing is done that is not in the journal before. A crash at any point leaves
// an open decision; the next start compares it with the world and finishes it,
// takes it back or closes it.
package control

import (
	"context"
	"encoding"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/plan"
)

// A World shows a job and changes it. Time is read from observations.
type World interface {
	// Observe returns what can be seen now; it names what it lacks.
	Observe(ctx context.Context) (job.Observation, error)
	// Apply accepts a change and returns; progress is seen by Observe. Applying the
	// same ID again does nothing.
	Apply(ctx context.Context, c job.Change) error
	// Checkpoint asks for a checkpoint now.
	Checkpoint(ctx context.Context, id string) error
	Capabilities() job.Capabilities
}

// A Planner proposes settings.
type Planner interface {
	Plan(in plan.Input) job.Plan
}

// A Learner is what is learned of one job: a learn.Job.
type Learner interface {
	plan.Predictor
	// Observe takes each look, Measured each recovery and planned restart once it
	// is over.
	Observe(o job.Observation, s learn.Situation)
	Measured(m job.Measurement)
	// Profiled takes what copies of the job have shown, each once by its ID.
	Profiled(p job.Profile)
	// Quantities lists what is known, for people and the journal.
	Quantities(now time.Time) []job.Quantity
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// An Approver asks somebody whether a decision may be carried out. It returns
// before the policy's time-out: no answer is a no, and its reason says so.
type Approver interface {
	Approve(ctx context.Context, d job.Decision) (yes bool, reason string)
}

// A Forecaster learns the input rate, one value a step of the loop, and says what
// is to come.
type Forecaster interface {
	// Observe takes the mean rate of the step that has just ended; NaN: unknown.
	Observe(rate float64)
	// Forecast covers the horizon (s) from now.
	Forecast(horizon float64) plan.Load
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// A Journal keeps what must survive a crash. Each method has written all or
// nothing when it returns.
type Journal interface {
	// AddDecision stores a new decision, whose ID it returns; Update replaces what
	// is stored of a decision that is not closed yet.
	AddDecision(ctx context.Context, d job.Decision) (id string, err error)
	UpdateDecision(ctx context.Context, d job.Decision) error
	// OpenDecisions are those not closed, oldest first; Decisions the newest n.
	OpenDecisions(ctx context.Context, id job.Identity) ([]job.Decision, error)
	Decisions(ctx context.Context, id job.Identity, n int) ([]job.Decision, error)

	// AddPredictions stores predictions that a later outage is scored
	// against, and returns their IDs in order.
	AddPredictions(ctx context.Context, p []job.Standing) (ids []string, err error)
	// AddOutage stores a recovery as it was seen with the score of the prediction
	// that stood at the time; the same outage is stored once.
	AddOutage(ctx context.Context, id job.Identity, m job.Measurement, predictionID string, conditional *job.Recovery) error
	// Scores are the past predictions of the job with their outcomes, newest first.
	Scores(ctx context.Context, id job.Identity, n int) ([]job.Scored, error)

	// AddWindow stores a window of what was seen, in short.
	AddWindow(ctx context.Context, w job.Window) error

	// SaveState and LoadState keep what is learned, by kind and version.
	SaveState(ctx context.Context, id job.Identity, kind string, version int, state []byte) error
	LoadState(ctx context.Context, id job.Identity, kind string, version int) (state []byte, ok bool, err error)

	// Requests are what users ask for and nobody has answered, oldest first.
	Requests(ctx context.Context, id job.Identity) ([]job.Request, error)
	AnswerRequest(ctx context.Context, r job.Request) error
}
