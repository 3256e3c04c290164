package plan

import (
	"testing"

	"rebound/internal/job"
)

// A refusal of more cores and memory stands in the way of as many cores or as much
// memory, and of nothing less; one of more TaskManagers, in that of as many.
func TestRefusalCovers(t *testing.T) {
	from := job.Knobs{Parallelism: 24, Slots: 2, CPUCores: 2, MemoryBytes: 2 * job.GiB}
	with := func(p int, cpu, gib float64) job.Knobs {
		k := from
		k.Parallelism, k.CPUCores, k.MemoryBytes = p, cpu, gib*job.GiB
		return k
	}
	for name, c := range map[string]struct {
		want, asked job.Knobs
		covers      bool
	}{
		"the same":              {with(24, 4, 8), with(24, 4, 8), true},
		"as many cores":         {with(24, 4, 8), with(12, 4, 2), true},
		"as much memory":        {with(24, 4, 8), with(24, 2, 8), true},
		"less of both":          {with(24, 4, 8), with(30, 3, 7), false},
		"what the job has":      {with(24, 4, 8), from, false},
		"memory was not at it":  {with(24, 4, 2), with(24, 2, 8), false},
		"fewer cores than may":  {with(24, 0.5, 2), with(24, 0.25, 2), true},
		"more TaskManagers":     {with(40, 2, 2), with(48, 2, 2), true},
		"not as many":           {with(40, 2, 2), with(30, 2, 2), false},
		"the same, other cores": {with(40, 2, 2), with(30, 4, 2), false},
	} {
		if got := (Refusal{From: from, Want: c.want}).Covers(c.asked); got != c.covers {
			t.Errorf("%s: covers %v, want %v", name, got, c.covers)
		}
	}
}
