package recovery

import "math"

// Warmup is how capacity grows after a restart, while code is compiled and state
// is read into caches: t seconds after the end of the downtime it is
//
//	μ(t) = μ·(1 − (1 − Start)·e^(−t/Tau)).
//
// The zero value, Start ≥ 1 and Tau ≤ 0 all mean warm at once.
type Warmup struct {
	Start float64 // μ(0)/μ; below 0 counts as 0
	Tau   float64 // time constant, seconds
}

// cold is the share of capacity missing at first, 0 where warm at once.
func (w Warmup) cold() float64 {
	if w.Tau > 0 && w.Start < 1 {
		return 1 - max(0, w.Start)
	}
	return 0
}

// at is μ(t)/μ.
func (w Warmup) at(t float64) float64 {
	if cold := w.cold(); cold > 0 {
		return 1 - cold*math.Exp(-t/w.Tau)
	}
	return 1
}

// lost is the work not done in the first t seconds, in seconds of full capacity.
func (w Warmup) lost(t float64) float64 {
	if cold := w.cold(); cold > 0 {
		return -cold * w.Tau * math.Expm1(-t/w.Tau)
	}
	return 0
}

// drain is how long capacity 1 needs to bring a backlog of b seconds of full
// capacity to nothing for good while ρ < 1 of it keeps arriving. It is the
// larger root of
//
//	g(x) = (1 − ρ)x − lost(x) − b,
//
// which is convex with g(0) ≤ 0: Newton's method from an upper bound comes down
// to it without a step too far, and doubles its digits each time.
func (w Warmup) drain(b, rho float64) float64 {
	spare, cold := 1-rho, w.cold()
	if cold == 0 {
		return b / spare
	}
	x := (b + cold*w.Tau) / spare // lost is at most cold·Tau
	for range 100 {
		missed := cold * math.Expm1(-x/w.Tau) // −lost/Tau; keeps its digits for small x
		slope := spare - cold - missed
		if slope <= 0 {
			return x // the minimum of g: a double root
		}
		step := (spare*x + missed*w.Tau - b) / slope
		x = max(0, x-step)
		if step <= 1e-12*x || step <= 1e-12 {
			break
		}
	}
	return x
}
