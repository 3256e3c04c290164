package recovery

import "math"

// EffectiveInterval is I_e = max(I, D + P): the time from one checkpoint's
// trigger to the next, one running at a time.
func EffectiveInterval(interval, minPause, duration float64) float64 {
	return max(interval, duration+minPause)
}

// AgeRange is the age A of the restored offsets for a failure at a random
// moment, when it is uniform between D and I_e + D: its mean and its greatest
// value, the latter after failedInARow checkpoints failed just before.
func AgeRange(effective, duration float64, failedInARow int) (mean, worst float64) {
	return effective/2 + duration, effective*float64(failedInARow+1) + duration
}

// LongestInterval is the largest effective interval with which even a failure at
// the worst age recovers within target: I_e = (R*(1 − ρ) − T_d)/ρ − D. It is
// +Inf where there is no input. Not ok: no interval works, capacity must grow or
// downtime shrink.
func LongestInterval(target, rho, downtime, duration float64) (interval float64, ok bool) {
	return Case{Rate: rho, Capacity: 1, Downtime: downtime}.LongestInterval(target, duration)
}

// LongestInterval is as the function of that name, with the warm-up of c taken
// into account; the Age of c is not used.
func (c Case) LongestInterval(target, duration float64) (interval float64, ok bool) {
	age, ok := c.LongestAge(target)
	if !ok || !(age > duration) {
		return 0, false
	}
	return age - duration, true
}

// LongestAge is the greatest age of the restored offsets from which c recovers
// within target: what can be processed by then, less what has arrived since the
// failure. Not ok: it does not even from age 0.
func (c Case) LongestAge(target float64) (age float64, ok bool) {
	rho, x := c.Utilization(), target-c.Downtime
	switch {
	case !(x > 0) || !(rho < 1):
		return 0, false
	case rho == 0:
		return math.Inf(1), true
	}
	age = (x-c.Warmup.lost(x))/rho - target
	return age, age >= 0
}

// NeededUtilization is the largest ρ that recovers within target:
// (R* − T_d)/(R* + A). Not ok: the downtime alone is longer.
func NeededUtilization(target, downtime, age float64) (rho float64, ok bool) {
	return Case{Downtime: downtime, Age: age}.NeededUtilization(target)
}

// NeededUtilization is as the function of that name, with the warm-up of c taken
// into account; Rate and Capacity of c are not used.
func (c Case) NeededUtilization(target float64) (rho float64, ok bool) {
	x := target - c.Downtime
	if !(x > 0) {
		return 0, false
	}
	rho = (x - c.Warmup.lost(x)) / (target + c.Age)
	return rho, rho > 0
}

// NeededCapacity is the least μ with which c recovers within target; its
// Capacity is not used.
func (c Case) NeededCapacity(target float64) (capacity float64, ok bool) {
	rho, ok := c.NeededUtilization(target)
	if !ok {
		return 0, false
	}
	return c.Rate / rho, true
}
