package plan

import (
	"math"

	"rebound/internal/job"
)

// EffectAfter is how long a change waits until it begins (s). The adaptive scheduler
// rescales in place only when a checkpoint has completed
// (jobmanager.adaptive-scheduler.rescale-trigger), the last one having been
// triggered since seconds ago, or after the longest wait (most; 0: none), so that
// what-ifs must not assume "now"; asking for a checkpoint ends the wait. Other ways
// begin at once.
func EffectAfter(w job.Way, since, interval, most float64) float64 {
	if w != job.InPlace {
		return 0
	}
	wait := math.Max(0, interval-since)
	if most > 0 {
		wait = math.Min(wait, most)
	}
	return wait
}
