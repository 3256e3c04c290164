package hazard

import (
	"testing"

	"rebound/internal/job"
)

func TestNoSpareSlots(t *testing.T) {
	managers := func(all ...job.TaskManager) func(*job.Observation) {
		return func(o *job.Observation) { o.TaskManagers = all }
	}
	check(t, "no-spare-slots", map[string]row{
		"a spare":        {},
		"half a spare":   {change: managers(job.TaskManager{ID: "tm1", Slots: 2}, job.TaskManager{ID: "tm2", Slots: 1, FreeSlots: 1}), severity: job.Medium, says: []string{"2 slots", "leaves 1 free", "1 more slot"}},
		"none":           {change: managers(job.TaskManager{ID: "tm1", Slots: 2}), severity: job.Medium},
		"free beside it": {change: managers(job.TaskManager{ID: "tm1", Slots: 4, FreeSlots: 2}), severity: job.Medium},
		"unknown":        {change: managers()},
	})
}

func TestAdaptiveParallelismBelow(t *testing.T) {
	adaptive := func(o *job.Observation) { o.Scheduler = "Adaptive" }
	check(t, "adaptive-parallelism-below", map[string]row{
		"below":             {change: adaptive, facts: Facts{Requirements: map[string]int{"a": 2, "b": 3}}, severity: job.Medium, says: []string{"work", "parallelism 2", "up to 3"}},
		"as asked":          {change: adaptive, facts: Facts{Requirements: map[string]int{"a": 2, "b": 2}}},
		"unknown":           {change: adaptive},
		"default scheduler": {facts: Facts{Requirements: map[string]int{"b": 3}}},
	})
}

// 128 key groups over 48: three each in 32 subtasks, two in 16; 3·48/128 is
// 12.5 % above the mean.
func TestMaxParallelism(t *testing.T) {
	over := func(p, most int) func(*job.Observation) {
		return func(o *job.Observation) { o.Vertices[1].Parallelism, o.Vertices[1].MaxParallelism = p, most }
	}
	check(t, "max-parallelism", map[string]row{
		"even":          {change: over(64, 128)},
		"nearly even":   {change: over(3, 128)},
		"uneven":        {change: over(48, 128), severity: job.Low, says: []string{"12 %", "divides 128"}},
		"at its end":    {change: over(16, 16), severity: job.Low, says: []string{"maximum parallelism, 16"}},
		"one of one":    {change: over(1, 1)},
		"unknown":       {change: over(48, 0)},
		"of the source": {change: func(o *job.Observation) { o.Vertices[0].MaxParallelism = 2 }},
	})
}

func TestPartitions(t *testing.T) {
	of := func(n, p int) row {
		return row{facts: Facts{Partitions: &n}, change: func(o *job.Observation) { o.Vertices[0].Parallelism = p }}
	}
	with := func(r row, says ...string) row {
		r.severity, r.says = job.Low, says
		return r
	}
	check(t, "partitions", map[string]row{
		"divides":  of(8, 4),
		"too many": with(of(2, 3), "1 read nothing"),
		"uneven":   with(of(8, 3), "12 %", "divides 8"), // 3·3/8 = 1.125
	})
}
