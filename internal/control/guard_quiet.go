package control

import (
	"time"

	"rebound/internal/job"
)

// quietGuard respects a user's pause and the policy's quiet periods.
type quietGuard struct{}

func (quietGuard) name() string { return "quiet" }

func (quietGuard) ask(a *asking) (job.Word, string) {
	if a.ledger.paused(a.now()) {
		if a.ledger.Until.IsZero() {
			return job.No, "paused until resumed"
		}
		return job.No, "paused until " + a.ledger.Until.Format(time.RFC3339)
	}
	for _, q := range a.policy.QuietPeriods {
		in, err := Quiet(q, a.now())
		if err != nil { // config has checked it; in doubt nothing is changed
			return job.No, "quiet period cannot be read: " + err.Error()
		}
		if in {
			return job.No, "in a quiet period (" + describe(q) + ")"
		}
	}
	return job.Yes, "no pause, no quiet period"
}
