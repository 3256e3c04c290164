package hazard

import (
	"fmt"
	"strings"

	"rebound/internal/job"
)

// unalignedExclusions: unaligned checkpoints with what they do not go with, by
// Flink's own documentation.
func unalignedExclusions(s sight) []job.Hazard {
	c := s.Checkpointing
	if !c.Enabled || c.Unaligned == nil || !*c.Unaligned {
		return nil
	}
	var with, fix []string
	if c.MaxConcurrent != nil && *c.MaxConcurrent > 1 {
		with = append(with, fmt.Sprintf("%d concurrent checkpoints", *c.MaxConcurrent))
		fix = append(fix, "execution.checkpointing.max-concurrent-checkpoints: 1")
	}
	if c.Mode == "at_least_once" {
		with = append(with, "at-least-once mode")
		fix = append(fix, "execution.checkpointing.mode: EXACTLY_ONCE")
	}
	if s.localRecovery() {
		with = append(with, "local recovery")
		fix = append(fix, s.Key(localRecoveryKey)+": false")
	}
	if len(with) == 0 {
		return nil
	}
	return one("unaligned-exclusions", job.Medium,
		"Unaligned checkpoints do not go with "+strings.Join(with, ", ")+": Flink ignores or refuses one of them, and in-flight data may not be restored.",
		"Set "+strings.Join(fix, ", ")+"; or "+s.Key("execution.checkpointing.unaligned.enabled")+": false.")
}

// recoveryCheckpointsAligned: checkpoints during recovery rest on unaligned ones;
// without them a failing job can restart without end (FLIP-547, FLINK-40518).
func recoveryCheckpointsAligned(s sight) []job.Hazard {
	const key = "execution.checkpointing.during-recovery.enabled"
	c := s.Checkpointing
	if !c.Enabled || !s.Config.Is(key, "true") || c.Unaligned == nil || *c.Unaligned {
		return nil
	}
	return one("recovery-checkpoints-aligned", job.High,
		key+" is on without unaligned checkpoints: the job can restart again and again and never come back.",
		"Set execution.checkpointing.unaligned.enabled: true, or "+key+": false.")
}
