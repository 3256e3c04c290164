package hazard

import (
	"fmt"
	"strings"

	"rebound/internal/job"
)

// adaptiveParallelismBelow: the adaptive scheduler has come back with fewer
// slots than were asked for. Capacity is short, and a rescale will cost a
// second downtime.
func adaptiveParallelismBelow(s sight) []job.Hazard {
	if !strings.EqualFold(s.Scheduler, "Adaptive") {
		return nil
	}
	for _, v := range s.Vertices {
		want, known := s.facts.Requirements[v.ID]
		if !known || v.Parallelism >= want {
			continue
		}
		return one("adaptive-parallelism-below", job.Medium,
			fmt.Sprintf("%s runs with parallelism %d, asked for are up to %d: capacity is short, and the rescale to come is a second downtime.", clip(v.Name), v.Parallelism, want),
			"Start TaskManagers until enough slots are free; keep spare ones, so that a restart finds all at once.")
	}
	return nil
}

// clip keeps names of long operator chains short.
func clip(name string) string {
	const most = 40
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}
