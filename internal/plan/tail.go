package plan

import (
	"math"

	"rebound/internal/learn"
)

// upperZ is the standard normal of the bounds that carry no risk of their own: 95 %.
const upperZ = 1.6448536269514722

// eachZ is where two quantities of equal weight are when their sum is at its 95 %
// bound.
const eachZ = upperZ / math.Sqrt2

// tail is how much of a target is left to work in, in seconds of full capacity
// after a downtime and a warm-up, and how far that goes down where it is about to
// decide:
//
//	h = x − lost(x) with x = R* − T_d.
//
// It is the first-order reliability method (A. M. Hasofer, N. C. Lind, Journal of
// the Engineering Mechanics Division 100(1), 1974) with one step: the direction is
// that of the gradient at the medians, the distance is measured there by the real
// function, so that skewed downtimes count in full.
type tail struct {
	log   float64 // of h at the medians
	sigma float64 // standard deviation of the logarithm of h, as the design point has it
}

// noTime is the tail of a downtime that leaves nothing of the target: so little
// that no capacity is enough.
func noTime() tail { return tail{log: math.Log(1e-9)} }

// worked is h.
func worked(x float64, start, tau float64) float64 {
	if !(tau > 0) || start >= 1 {
		return x
	}
	return x + (1-max(0, start))*tau*math.Expm1(-x/tau)
}

// tailOf looks at a downtime, at the risk whose standard normal is z. Others are the
// deviations of all else that is uncertain, in logarithms.
func tailOf(b *learn.Behavior, d learn.Downtime, target, z, others float64) tail {
	warm := b.Warm
	if d.Cold {
		warm = b.Cold
	}
	x, start, tau := target, warm.Start.Median, warm.Tau.Median
	for _, p := range d.Phases {
		x -= p.Median
	}
	h := worked(x, start, tau)
	if !(x > 0) || !(h > 0) {
		return noTime()
	}
	slope := 1 - max(0, 1-start)*math.Exp(-x/max(tau, 1e-9))
	var s [6]float64
	for k, p := range d.Phases {
		s[k] = slope * (p.At(1) - p.Median)
	}
	s[4] = h - worked(x, warm.Start.At(-1), tau)
	s[5] = h - worked(x, start, warm.Tau.At(1))
	norm := 0.0
	for _, v := range s {
		norm += v * v
	}
	norm = math.Sqrt(norm)
	if norm < 1e-9*h {
		return tail{log: math.Log(h)}
	}
	at := max(0.5, z*norm/h/math.Hypot(norm/h, others))
	y := target
	for k, p := range d.Phases {
		y -= p.At(at * s[k] / norm)
	}
	low := worked(y, warm.Start.At(-at*s[4]/norm), warm.Tau.At(at*s[5]/norm))
	if !(y > 0) || !(low > 0) {
		low = 1e-9
	}
	return tail{log: math.Log(h), sigma: (math.Log(h) - math.Log(low)) / at}
}

// upperOf is a downtime: its median and the bound at z.
func upperOf(d learn.Downtime, z float64) (median, upper float64) {
	spread := 0.0
	for _, p := range d.Phases {
		median += p.Median
		s := p.At(z) - p.Median
		spread += s * s
	}
	return median, median + math.Sqrt(spread)
}
