package hazard

import "rebound/internal/job"

// checkpointingOff: after a failure the state is empty and the input is read
// from wherever the source starts.
func checkpointingOff(s sight) []job.Hazard {
	if s.Checkpointing.Enabled {
		return nil
	}
	return one("checkpointing-off", job.High,
		"Checkpointing is off: after any failure the state is lost and the input starts where its source does, not where the job was.",
		"Set execution.checkpointing.interval, for example 10 s, and execution.checkpointing.dir to a place that outlives the processes.")
}
