// Package api holds the documents that Rebound prints and serves: what is on the
// wire, made of the vocabulary in package job.
package api

import (
	"rebound/internal/drill"
	"rebound/internal/job"
)

// Version is the apiVersion of every document.
const Version = "rebound.dev/v1alpha1"

// Header opens every document.
type Header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// NewHeader returns the header of a document of this kind.
func NewHeader(kind string) Header { return Header{Version, kind} }

// Check is what `rebound check` found, a job each.
type Check struct {
	Header
	Jobs []JobCheck `json:"jobs"`
}

// JobCheck is what is known of one job's recovery.
type JobCheck struct {
	Identity      job.Identity   `json:"identity"`
	ID            string         `json:"id"`             // Flink's job ID
	Type          string         `json:"type,omitempty"` // STREAMING or BATCH
	Verdict       job.Verdict    `json:"verdict"`
	TargetSeconds *float64       `json:"target_seconds,omitempty"`
	Risk          float64        `json:"risk"`
	Quantities    []job.Quantity `json:"quantities"`
	Recovery      []job.Recovery `json:"recovery"`
	Advice        []job.Advice   `json:"advice"`
	Hazards       []job.Hazard   `json:"hazards"`
	Missing       []job.Lack     `json:"missing"`
}

// Outages is what `rebound incidents` found.
type Outages struct {
	Header
	TargetSeconds *float64     `json:"target_seconds,omitempty"`
	Outages       []job.Outage `json:"outages"`
	// Dated: times are seconds since the epoch, and written as RFC 3339. Else the
	// recording has an axis of its own, and they are written as seconds on it.
	Dated bool `json:"-"`
}

// Fit is the three-number model fitted to measured recoveries.
type Fit struct {
	Header
	N                    int      `json:"n"`
	DowntimeSeconds      float64  `json:"downtime_seconds"`    // T_d
	CapacityPerSecond    float64  `json:"capacity_per_second"` // μ
	AgeFactor            float64  `json:"age_factor"`          // A = factor × interval
	MAPEInSample         float64  `json:"mape_in_sample"`
	MAPELeaveOneInterval *float64 `json:"mape_leave_one_interval_out,omitempty"`
	MAPELeaveOneBand     *float64 `json:"mape_leave_one_band_out,omitempty"`
	Coverage90           *float64 `json:"coverage_90,omitempty"` // of the out-of-sample 90 % intervals
	Rows                 []FitRow `json:"rows"`
}

// FitRow is one measured recovery with its prediction by a model that has not
// seen any recovery at its interval.
type FitRow struct {
	IntervalSeconds  float64     `json:"interval_seconds"`
	RatePerSecond    float64     `json:"rate_per_second"`
	RecoverySeconds  float64     `json:"recovery_seconds"`  // measured
	Outcome          job.Outcome `json:"outcome,omitempty"` // of the prediction; absent: the other rows do not suffice for one
	PredictedSeconds *float64    `json:"predicted_seconds,omitempty"`
	P05Seconds       *float64    `json:"p05_seconds,omitempty"`
	P95Seconds       *float64    `json:"p95_seconds,omitempty"`
}

// DrillReport is a series of drills on one job.
type DrillReport struct {
	Header
	Drills []Drill       `json:"drills"`
	Score  drill.Summary `json:"score"`
}

// Drill is one injected failure: what was predicted, and what was seen.
type Drill struct {
	ID            string          `json:"id"`
	Job           job.Identity    `json:"job"`
	Failure       job.Failure     `json:"failure"`
	At            string          `json:"at"`            // RFC 3339
	Predicted     job.Recovery    `json:"predicted"`     // given the checkpoint's age at that instant
	Unconditional job.Recovery    `json:"unconditional"` // for a failure at a random moment
	Measured      job.Measurement `json:"measured"`
	Audit         *job.Audit      `json:"audit,omitempty"`
}

// Pair is the drill as it is scored.
func (d Drill) Pair() drill.Pair { return drill.Pair{Predicted: d.Predicted, Measured: d.Measured} }
