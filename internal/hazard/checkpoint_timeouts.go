package hazard

import (
	"fmt"
	"math"

	"rebound/internal/job"
)

const (
	nearTimeout   = 0.5 // of the timeout: what a doubling would reach
	roomyTimeouts = 3.0 // timeout over the 99 % quantile of durations
)

// checkpointTimeoutsNear: checkpoints expire, or are about to, where not one may
// fail; each that expires restarts the job.
func checkpointTimeoutsNear(s sight) []job.Hazard {
	c, t := s.Checkpointing, s.taken
	if !c.Enabled || c.TimeoutSeconds == nil || c.TolerableFailures == nil || *c.TolerableFailures > 0 || len(t.all) < leastCheckpoints {
		return nil
	}
	high := quantile(t.all, 0.99)
	if t.expired == 0 && high < nearTimeout**c.TimeoutSeconds {
		return nil
	}
	seen := fmt.Sprintf("%d of %d checkpoints expired", t.expired, len(t.all))
	if t.expired == 0 {
		seen = "checkpoints take up to " + say(high)
	}
	return one("checkpoint-timeouts-near", job.Medium,
		fmt.Sprintf("With a timeout of %s %s, and none may fail (tolerable-failed-checkpoints 0): each that expires restarts the job. p99 of all: %s.",
			say(*c.TimeoutSeconds), seen, say(high)),
		fmt.Sprintf("Set execution.checkpointing.timeout: %s or more (3 × p99), and execution.checkpointing.tolerable-failed-checkpoints: 3.",
			text(math.Ceil(roomyTimeouts*high))))
}
