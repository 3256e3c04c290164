package policy

import (
	"time"

	"rebound/internal/job"
)

// Default is a policy that lacks only what nobody can guess: the target
// (RecoveryTime) and the knobs that are free. Every file of a policy starts from
// it.
func Default() Policy {
	return Policy{
		// One failure in a hundred may take longer: a calibrated 0.95 would allow
		// one miss in twenty, which nobody calls a target.
		Risk: 0.01,
		// A node's silence and the JobManager's death have times of their own
		// (heartbeat.timeout, leader's session) that no knob here changes.
		Failures: []job.Failure{job.TaskFailure, job.ProcessFailure},
		// A tenth stays free for what the rate does within a second.
		Utilization: 0.9,
		Mode:        job.ModeObserve,
		Prices:      job.DefaultPrices(),
		Limits:      Limits{StepRatio: 4},
		// Eight restarts a day follow a daily curve up and down; autoscalers that do
		// more are what people complain of.
		Budget: Budget{RestartsPerDay: 8, CheckpointsPerMinute: 6, JobsAtOnce: 1},
		// Ten times what the disturbance itself costs in resources stands for the
		// lateness that users see.
		DisruptionWeight: 10,
		Cooldown:         10 * time.Minute,
	}
}

// Time-outs of an approval, where none is given: a program or a URL answers at
// once or not at all, a person may be at lunch.
const (
	ApprovalTimeout       = time.Minute
	ManualApprovalTimeout = time.Hour
)
