package api

import "rebound/internal/job"

// Plan is what `rebound plan` would do with one job.
type Plan struct {
	Header
	job.Plan
}

// Decisions is what `rebound history` lists, newest first.
type Decisions struct {
	Header
	Decisions []job.Decision `json:"decisions"`
}

// Decision is one decision with what was predicted of it, and what came of it.
type Decision struct {
	Header
	Decision    job.Decision `json:"decision"`
	Predictions []Predicted  `json:"predictions"`
}

// Predicted is a prediction that a decision rests on.
type Predicted struct {
	ID       string       `json:"id"`
	Recovery job.Recovery `json:"recovery"`
	// Scored is what came of it; absent where nothing has happened yet that it
	// could be compared with.
	Scored *job.Scored `json:"scored,omitempty"`
}

// Request is what was asked of a running daemon, with its answer once there is
// one.
type Request struct {
	Header
	job.Request
}
