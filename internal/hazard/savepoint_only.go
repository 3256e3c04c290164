package hazard

import (
	"fmt"

	"rebound/internal/job"
)

// savepointOnly: the only points to restore from are those that somebody asked
// for.
func savepointOnly(s sight) []job.Hazard {
	t := s.taken
	if t.saved == 0 || t.saved < t.done || s.ServerTime.IsZero() {
		return nil
	}
	return one("savepoint-only", job.Medium,
		fmt.Sprintf("All %s in the history are savepoints; the newest was begun %s ago, and all since then would be replayed.",
			plural(t.saved, "completed checkpoint"), say(s.ServerTime.Sub(t.newest).Seconds())),
		"Set execution.checkpointing.interval, so that checkpoints are taken by themselves, and see why none completes.")
}
