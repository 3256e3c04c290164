package api

import "rebound/internal/job"

// Profiles is what `rebound history --profiles` lists, newest first.
type Profiles struct {
	Header
	Profiles []JobProfile `json:"profiles"`
}

// JobProfile is a profile with the job that it is of.
type JobProfile struct {
	Job job.Identity `json:"job"`
	job.Profile
}

// Profiling is what `rebound profile` found out by copies of a job.
type Profiling struct {
	Header
	Job           job.Identity `json:"job"`
	TargetSeconds float64      `json:"target_seconds"`
	// RatePerSecond is planned for: the greatest that is forecast at the risk taken,
	// or what was asked for.
	RatePerSecond float64 `json:"rate_per_second"`

	Now    Choice  `json:"now"`
	Before *Choice `json:"before,omitempty"` // that would have been made without the copies
	After  *Choice `json:"after,omitempty"`  // that is made with what they have shown
	// Feasible: after keeps all limits, as far as is known.
	Feasible bool `json:"feasible"`

	SavesPerDay  float64       `json:"saves_per_day"` // of after, against now: money
	Copies       Copies        `json:"copies"`
	Cost         float64       `json:"cost"`                    // of the copies: money
	PaybackHours *float64      `json:"payback_hours,omitempty"` // in which the saving earns it; absent: never
	Profiles     []ProfileSeen `json:"profiles"`                // oldest first
	Stopped      string        `json:"stopped"`                 // why no further copy was started
	Plan         *job.Plan     `json:"plan,omitempty"`          // with what they have shown
}

// Choice is what a planner has chosen.
type Choice struct {
	Knobs       job.Knobs `json:"knobs"`
	CostPerHour float64   `json:"cost_per_hour"`
}

// ProfileSeen is a profile with what it means.
type ProfileSeen struct {
	job.Profile
	CostPerHour float64 `json:"cost_per_hour"` // of the job at these settings
	// SustainedPerSecond is the greatest rate that they recover from within the target
	// at the risk taken, as is believed now.
	SustainedPerSecond *float64 `json:"sustained_per_second,omitempty"`
}
