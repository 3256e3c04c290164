package hazard

import (
	"rebound/internal/job"
)

// atLeastOnce: what is replayed after a failure is seen twice.
func atLeastOnce(s sight) []job.Hazard {
	if !s.Checkpointing.Enabled {
		return nil // worse, and said by another rule
	}
	if s.Checkpointing.Mode == "at_least_once" {
		return one("at-least-once", job.Medium,
			"Checkpoints are at-least-once: after a failure, records since the last checkpoint change the state a second time.",
			"Set execution.checkpointing.mode: EXACTLY_ONCE, unless all updates of state are idempotent.")
	}
	if e := s.facts.ExactlyOnceSink; e != nil && !*e {
		return one("at-least-once", job.Low,
			"The sink is not exactly-once: after a failure, output since the last checkpoint is written a second time.",
			"Set the sink's delivery guarantee to EXACTLY_ONCE with a transactional ID prefix of its own, or let readers drop duplicates.")
	}
	return nil
}
