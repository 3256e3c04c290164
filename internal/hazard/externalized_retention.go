package hazard

import "rebound/internal/job"

// externalizedRetention: when the job ends for good, its checkpoints go too.
func externalizedRetention(s sight) []job.Hazard {
	e := s.Checkpointing.Externalized
	if !s.Checkpointing.Enabled || e == nil || *e {
		return nil
	}
	const key = "execution.checkpointing.externalized-checkpoint-retention"
	why := "Checkpoints are deleted when the job ends, also when it has failed for good: nothing is left to start it from."
	if s.Config.Is(key, "DELETE_ON_CANCELLATION") {
		why = "Checkpoints are deleted when the job is cancelled: one cancelled by mistake cannot be started from where it was."
	}
	return one("externalized-retention", job.Low, why, "Set "+key+": RETAIN_ON_CANCELLATION.")
}
