package control

import (
	"fmt"

	"rebound/internal/job"
	"rebound/internal/policy"
)

// limitsGuard holds a proposal against the policy's ranges and limits once more,
// whoever has planned it. It does not stop a change that leads back towards them.
type limitsGuard struct{}

func (limitsGuard) name() string { return "limits" }

func (limitsGuard) ask(a *asking) (job.Word, string) {
	if _, ok := a.caps.WayFor(a.look.knobs, a.want); !ok {
		return job.No, "the world cannot turn a knob that this needs"
	}
	if reason := outside(a.policy.Knobs, a.look.knobs, a.want); reason != "" {
		return job.No, reason
	}
	jm, l := a.look.obs.JobManager, a.policy.Limits
	for _, c := range []struct {
		what           string
		is, was, bound float64
	}{
		{"cores", a.want.Cores(jm), a.look.knobs.Cores(jm), l.CPUCores},
		{"GiB", a.want.GiBs(jm), a.look.knobs.GiBs(jm), l.MemoryBytes / job.GiB},
		{"an hour", a.want.PerHour(jm, a.policy.Prices), a.look.knobs.PerHour(jm, a.policy.Prices), l.CostPerHour},
	} {
		if c.bound > 0 && c.is > c.bound && c.is > c.was {
			return job.No, fmt.Sprintf("%.4g %s, the limit is %.4g", c.is, c.what, c.bound)
		}
	}
	return job.Yes, "within limits"
}

// outside names the first knob that is turned out of its range, or that may not
// be turned.
func outside(k policy.Knobs, now, want job.Knobs) string {
	for _, c := range []struct {
		knob    job.Knob
		r       policy.Range
		now, is float64
	}{
		{job.KnobInterval, k.CheckpointInterval, now.IntervalSeconds, want.IntervalSeconds},
		{job.KnobParallelism, k.Parallelism, float64(now.Parallelism), float64(want.Parallelism)},
		{job.KnobSlots, k.Slots, float64(now.Slots), float64(want.Slots)},
		{job.KnobCPU, k.CPU, now.CPUCores, want.CPUCores},
		{job.KnobMemory, k.Memory, now.MemoryBytes, want.MemoryBytes},
	} {
		switch {
		case c.is == c.now:
		case !c.r.Free():
			return fmt.Sprintf("%s may not be changed", c.knob)
		case len(c.r.List) == 0 && (c.is < c.r.Min || c.is > c.r.Max):
			return fmt.Sprintf("%s %.6g is out of its range %.6g to %.6g", c.knob, c.is, c.r.Min, c.r.Max)
		}
	}
	return ""
}
