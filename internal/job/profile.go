package job

import "time"

// Trial asks a world for a profile: a copy of the job that runs on the same input
// at other settings for a while, and fails once. Its ID makes it idempotent: a
// world that has accepted it once does nothing the second time.
type Trial struct {
	ID      string   `json:"id"`
	Job     Identity `json:"job"`
	Knobs   Knobs    `json:"knobs"`
	Seconds float64  `json:"seconds"` // how long the copy runs
}

// ProfileState is how far a profile has come.
type ProfileState string

// States of a profile.
const (
	ProfileRunning ProfileState = "running"
	ProfileDone    ProfileState = "done"
	ProfileLost    ProfileState = "lost" // ended without showing anything: the reason says why
)

// Profile is what a copy of a job showed at some settings. What could not be
// measured is absent.
type Profile struct {
	ID            string       `json:"id"`
	State         ProfileState `json:"state"`
	StartedAt     time.Time    `json:"started_at"`
	At            time.Time    `json:"at,omitzero"` // of its end; zero while it runs
	Seconds       float64      `json:"seconds"`     // for which it is to run
	Knobs         Knobs        `json:"knobs"`
	RatePerSecond float64      `json:"rate_per_second"` // offered
	// Capacity is that of a copy that works off a backlog.
	Capacity       *float64 `json:"capacity_per_second,omitempty"`
	CheckpointSecs *float64 `json:"checkpoint_seconds,omitempty"`
	LatencySeconds *float64 `json:"latency_seconds,omitempty"` // p95
	// Failure is what it was struck by; DowntimeSeconds and RecoverySeconds, from
	// the failure until it runs and until it has caught up, at the greatest age.
	Failure         Failure     `json:"failure,omitempty"`
	DowntimeSeconds *float64    `json:"downtime_seconds,omitempty"`
	RecoverySeconds *float64    `json:"recovery_seconds,omitempty"`
	Phases          []PhaseTime `json:"phases,omitempty"` // of the downtime, as far as they were told apart
	// AtLeastSeconds bounds a recovery that did not end in time.
	AtLeastSeconds *float64 `json:"at_least_seconds,omitempty"`
	CPUCoreHours   float64  `json:"cpu_core_hours"` // what the copy cost
	GiBHours       float64  `json:"memory_gib_hours"`
	// Reason is why these settings were tried, and of one that was lost, why.
	Reason string `json:"reason,omitempty"`
}

// Exploration is a profile that would pay for itself.
type Exploration struct {
	Knobs     Knobs   `json:"knobs"`
	Seconds   float64 `json:"seconds"`    // how long the copy would run
	CoreHours float64 `json:"core_hours"` // that it would take
	Price     float64 `json:"price"`      // money that it would cost
	// SavesPerHour is by how much the profile is expected to lower the cost of the
	// job at RatePerSecond, in money per hour.
	SavesPerHour  float64 `json:"saves_per_hour"`
	RatePerSecond float64 `json:"rate_per_second"` // that is planned for
	// Met is the probability that these settings recover in time at that rate, and
	// Copes that a copy keeps up with the present one.
	Met    float64 `json:"met"`
	Copes  float64 `json:"copes"`
	Reason string  `json:"reason"`
}
