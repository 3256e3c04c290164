package control

import (
	"fmt"

	"rebound/internal/job"
)

// stepGuard bounds by how much one change may multiply or divide capacity: beyond
// that a model's word on settings that nobody has seen is not to be trusted. It
// trims the parallelism where that is enough.
type stepGuard struct{}

func (stepGuard) name() string { return "step" }

func (stepGuard) ask(a *asking) (job.Word, string) {
	most := a.policy.Limits.StepRatio
	if most <= 1 || a.overloaded && directionOf(a.look.knobs, a.want) == up {
		return job.Yes, "no bound"
	}
	now := a.model.Behavior(a.look.knobs).Capacity.Median
	ratio := func(k job.Knobs) float64 {
		r := a.model.Behavior(k).Capacity.Median / now
		return max(r, 1/r)
	}
	first := ratio(a.want)
	if !(first > most) { // or unknown
		return job.Yes, fmt.Sprintf("capacity × %.2g", first)
	}
	k := a.want
	for p, step := a.want.Parallelism, towards(a.want.Parallelism, a.look.knobs.Parallelism); p != a.look.knobs.Parallelism; {
		p += step
		if k.Parallelism = p; ratio(k) <= most {
			break
		}
	}
	if !(ratio(k) <= most) || a.policy.Knobs.Parallelism.Free() && outside(a.policy.Knobs, a.look.knobs, k) != "" || k == a.look.knobs {
		return job.No, fmt.Sprintf("it changes the capacity by a factor of %.2g, one change may by %.2g", first, most)
	}
	reason := fmt.Sprintf("parallelism %d instead of %d: a factor of %.2g, one change may have %.2g", k.Parallelism, a.want.Parallelism, first, most)
	a.want = k
	return job.Trims, reason
}

func towards(from, to int) int {
	if to < from {
		return -1
	}
	return 1
}
