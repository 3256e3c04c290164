package hazard

import (
	"fmt"

	"rebound/internal/job"
)

// uneven is the excess of the fullest subtask over the mean from which it is
// worth a word: that subtask decides capacity, and so recovery.
const uneven = 0.1

// maxParallelism: keys are dealt out in groups; too few of them bound or bend
// the parallelism.
func maxParallelism(s sight) []job.Hazard {
	for _, v := range s.Vertices {
		p, most := v.Parallelism, v.MaxParallelism
		if most < 1 || p < 1 || len(v.Inputs) == 0 { // a source has partitions, not key groups
			continue
		}
		if excess := excessOf(most, p); excess >= uneven {
			return one("max-parallelism", job.Low,
				fmt.Sprintf("%s: %d key groups over %d subtasks leave the fullest %.0f %% above the mean; it decides how fast the job recovers.", clip(v.Name), most, p, 100*excess),
				fmt.Sprintf("Take a parallelism that divides %d, or a larger pipeline.max-parallelism (which needs a new start without state).", most))
		}
		if p > 1 && p == most {
			return one("max-parallelism", job.Low,
				fmt.Sprintf("%s runs at its maximum parallelism, %d: capacity cannot grow by scaling out.", clip(v.Name), most),
				"Plan a larger pipeline.max-parallelism: it can change only with a new start without state, or through the State Processor API.")
		}
	}
	return nil
}

// partitionsUneven: a source cannot use more subtasks than partitions, and uses
// them badly where they do not divide.
func partitionsUneven(s sight) []job.Hazard {
	n := s.facts.Partitions
	if n == nil || *n < 1 {
		return nil
	}
	for _, v := range s.Vertices {
		if len(v.Inputs) > 0 || v.Parallelism < 1 {
			continue
		}
		if v.Parallelism > *n {
			return one("partitions", job.Low,
				fmt.Sprintf("%s has %d subtasks for %s: %d read nothing.", clip(v.Name), v.Parallelism, plural(*n, "partition"), v.Parallelism-*n),
				"Add partitions, or lower the source's parallelism.")
		}
		if excess := excessOf(*n, v.Parallelism); excess >= uneven {
			return one("partitions", job.Low,
				fmt.Sprintf("%s: %s over %s leave the fullest %.0f %% above the mean; it decides how fast the job recovers.", clip(v.Name), plural(*n, "partition"), plural(v.Parallelism, "subtask"), 100*excess),
				fmt.Sprintf("Take a parallelism that divides %d, or add partitions.", *n))
		}
	}
	return nil
}

// excessOf is by how much the fullest of p subtasks is above the mean, when n
// equal parts are dealt out.
func excessOf(n, p int) float64 {
	most := (n + p - 1) / p
	return float64(most*p)/float64(n) - 1
}
