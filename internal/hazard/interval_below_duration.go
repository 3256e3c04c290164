package hazard

import (
	"fmt"
	"math"

	"rebound/internal/job"
)

const (
	// allowedDuty is the share of time that checkpoints may take before they
	// cost noticeable capacity.
	allowedDuty = 0.1
	// leastCheckpoints have to be seen before their durations are judged.
	leastCheckpoints = 3
)

// intervalBelowDuration: checkpoints take longer than their interval, so that
// one is always running and the interval is not what bounds the replay.
func intervalBelowDuration(s sight) []job.Hazard {
	c := s.Checkpointing
	if !c.Enabled || c.IntervalSeconds == nil || len(s.taken.all) < leastCheckpoints {
		return nil
	}
	interval, m := *c.IntervalSeconds, median(s.taken.all)
	if m <= interval {
		return nil
	}
	pause := s.pause()
	bias := ""
	if s.taken.expired > 0 && len(s.taken.completed) > 0 {
		bias = fmt.Sprintf(" (%s of completed ones only)", say(median(s.taken.completed)))
	}
	return one("interval-below-duration", job.Medium,
		fmt.Sprintf("Interval %s, but a checkpoint takes %s%s: one runs %.0f %% of the time and the real period is %s; the interval does not bound the replay.",
			say(interval), say(m), bias, 100*m/(m+pause), say(m+pause)),
		fmt.Sprintf("Set execution.checkpointing.interval: %s or more (duration / %g) and execution.checkpointing.min-pause, or make checkpoints faster: incremental, unaligned, less state.",
			text(math.Ceil(m/allowedDuty)), allowedDuty))
}
