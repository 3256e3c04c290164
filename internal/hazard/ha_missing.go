package hazard

import (
	"strings"

	"rebound/internal/job"
)

// haMissing: without high availability the job is known to its JobManager alone.
func haMissing(s sight) []job.Hazard {
	const key = "high-availability.type"
	kind, ok := s.Option(key)
	if !ok || !strings.EqualFold(kind, "NONE") && kind != "" {
		return nil
	}
	return one("ha-missing", job.High,
		s.Key(key)+" is NONE: when the JobManager dies, the job is gone and does not come back by itself.",
		"Set "+s.Key(key)+": zookeeper or kubernetes, with high-availability.storageDir, and run a JobManager that takes over.")
}
