package job

import "time"

// Window is a stretch of observations in short form, as the journal keeps it: a
// summary of a minute or so, not every answer of a server.
type Window struct {
	Job      Identity  `json:"job"`
	From     time.Time `json:"from"` // our clock
	To       time.Time `json:"to"`
	ServerTo time.Time `json:"server_to"`
	Count    int       `json:"count"` // observations
	// Means over the window; absent: unknown.
	RatePerSecond      *float64 `json:"rate_per_second,omitempty"`
	ProcessedPerSecond *float64 `json:"processed_per_second,omitempty"`
	LagRecords         *float64 `json:"lag_records,omitempty"` // at its end
	Utilization        *float64 `json:"utilization,omitempty"`
	LatencySeconds     *float64 `json:"latency_seconds,omitempty"`
	CPUUsedCores       *float64 `json:"cpu_used_cores,omitempty"`
	Knobs              *Knobs   `json:"knobs,omitempty"`
	Situation          string   `json:"situation"`                     // calm, down, catching_up, changing, blind
	ForecastPerSecond  *float64 `json:"forecast_per_second,omitempty"` // mean of what had been forecast for it a while before
	Lacks              []Lack   `json:"lacks"`
	Hash               string   `json:"hash"` // of the observations
}

// Standing is a prediction that holds until the next one: what an outage is
// scored against.
type Standing struct {
	Job          Identity  `json:"job"`
	Incarnation  string    `json:"incarnation"`
	At           time.Time `json:"at"`
	ServerAt     time.Time `json:"server_at"`
	Recovery     Recovery  `json:"recovery"`
	Settings     Settings  `json:"settings"`
	ModelVersion string    `json:"model_version"`
	Seed         uint64    `json:"seed"`
	InputHash    string    `json:"input_hash"`
}

// Scored is a prediction and what came of it.
type Scored struct {
	PredictionID    string    `json:"prediction_id"`
	At              time.Time `json:"at"` // of the failure
	Failure         Failure   `json:"failure"`
	P05Seconds      *float64  `json:"p05_seconds,omitempty"`
	MedianSeconds   *float64  `json:"median_seconds,omitempty"`
	P95Seconds      *float64  `json:"p95_seconds,omitempty"`
	MeasuredSeconds *float64  `json:"measured_seconds,omitempty"` // absent: did not recover in the time looked at
	Inside          *bool     `json:"inside,omitempty"`
}
