package recovery

import (
	"math"
	"slices"
)

// Varying is a recovery while rate and capacity change. R solves
//
//	∫ μ(t)·warmup(t − t₀ − T_d) dt = ∫ λ(t) dt
//
// from t₀ + T_d and from t₀ − A to t₀ + R: it ends when, for the first time,
// all that arrived has been processed. Rate is a forecast, or its upper quantile
// for a bound. Beyond the samples, both paths go on as they end.
type Varying struct {
	Rate, Capacity *Path // records/s, on one axis of seconds
	Warmup         Warmup
	Age            float64 // A, seconds
	Downtime       float64 // T_d, seconds
	Horizon        float64 // how long after the failure to look, seconds
}

// resolution is where the search for the end stops: a nanosecond.
const resolution = 1e-9

// Time is R for a failure at t0. If the backlog is not gone within the horizon,
// it is BeyondHorizon where the capacity then is above the rate, and Never where
// it is not: while that peak lasts, no time can be named.
func (v Varying) Time(t0 float64) Time {
	m := v.march(t0)
	limit := v.Horizon - v.Downtime
	for m.x < limit {
		backlog := m.backlog()
		if backlog <= 0 && (m.x > 0 || m.net() >= 0) {
			return ends(v.Downtime + m.x)
		}
		step, done := m.step(backlog)
		if done {
			return ends(v.Downtime + m.x)
		}
		m.advance(min(step, limit-m.x))
	}
	if limit >= 0 && m.backlog() <= 0 {
		return ends(v.Downtime + m.x)
	}
	end := t0 + v.Horizon
	if v.Capacity.At(end) > v.Rate.At(end) {
		return Time{Outcome: BeyondHorizon}
	}
	return Time{Outcome: Never}
}

// march moves forward from the end of the downtime by steps that cannot pass the
// moment when the backlog is gone: a backlog b takes at least b/L where it falls
// by no more than L a second. L is taken over all samples as long as that leads
// beyond the present segment, and over ever shorter pieces of it near the end,
// where the steps become Newton's.
type march struct {
	Varying
	start   float64 // the end of the downtime
	arrived float64 // records in the replay and the downtime
	x       float64 // seconds since start
	lost    float64 // records not processed in x because of the warm-up
	reach   float64 // how long a piece to look at next
}

func (v Varying) march(t0 float64) *march {
	start := t0 + v.Downtime
	return &march{
		Varying: v, start: start, arrived: v.Rate.Integral(t0-v.Age, start), reach: math.Inf(1),
	}
}

// backlog is what waits at x.
func (m *march) backlog() float64 {
	now := m.start + m.x
	return m.arrived + m.Rate.Integral(m.start, now) - m.Capacity.Integral(m.start, now) + m.lost
}

// net is how fast the backlog falls at x.
func (m *march) net() float64 {
	now := m.start + m.x
	return m.Capacity.At(now)*m.Warmup.at(m.x) - m.Rate.At(now)
}

// step is how far it is safe to go with this backlog; done: not even a
// nanosecond.
func (m *march) step(backlog float64) (step float64, done bool) {
	now := m.start + m.x
	capacity, rate := m.Capacity.segment(now), m.Rate.segment(now)
	rest := min(capacity.end, rate.end) - now
	most := m.Capacity.top - m.Rate.low
	if most <= 0 {
		return math.Inf(1), false
	}
	if jump := backlog / most; jump >= rest {
		return max(jump, resolution), false
	}
	piece := min(rest, m.reach, m.Horizon)
	end := now + piece
	fall := max(capacity.value, capacity.at(end))*m.Warmup.at(m.x+piece) - min(rate.value, rate.at(end))
	step = piece
	if fall > 0 && backlog < piece*fall {
		step = backlog / fall
		done = backlog > 0 && step <= resolution
	}
	step = max(step, resolution) // or rounding might keep it from going on
	m.reach = 2 * step
	return step, done
}

// advance moves on by s seconds, and keeps the account of what the warm-up
// costs. Where capacity is m(u) = m₀ + m₁u from u = a to b, that is
//
//	cold·∫ m(u)e^(−u/τ) du = cold·τ·[(m(a) + m₁τ)e^(−a/τ) − (m(b) + m₁τ)e^(−b/τ)].
func (m *march) advance(s float64) {
	to, cold, tau := m.x+s, m.Warmup.cold(), m.Warmup.Tau
	for a := m.x; cold > 0 && a < min(to, 45*tau); { // e⁻⁴⁵ is below the last digit
		piece := m.Capacity.segment(m.start + a)
		b := min(to, piece.end-m.start)
		if b < a+1e-6 { // an axis of Unix times is coarser than a; or a jump, drawn as a slope
			b, piece.slope = min(to, a+1e-6), 0
		}
		steep := piece.slope * tau
		first := (piece.value + steep) * math.Exp(-a/tau)
		last := (piece.at(m.start+b) + steep) * math.Exp(-b/tau)
		m.lost += cold * tau * (first - last)
		a = b
	}
	m.x = to
}

// refined is how many of the worst failure times Worst looks around.
const refined = 16

// Worst is the failure time between from and to after which recovery takes
// longest, and how long. It looks at every time at which a sample of Rate enters
// the replay or the downtime or one of Capacity the catch-up, at 1024 times evenly
// between, and then closely around the worst that are worse than their neighbors.
func (v Varying) Worst(from, to float64) (t0 float64, t Time) {
	at := v.moments(from, to)
	times := make([]Time, len(at))
	for i, x := range at {
		times[i] = v.Time(x)
	}
	last := len(at) - 1
	var tops []int
	for i, u := range times {
		if u.Compare(times[max(0, i-1)]) >= 0 && u.Compare(times[min(i+1, last)]) >= 0 {
			tops = append(tops, i)
		}
	}
	slices.SortStableFunc(tops, func(i, j int) int { return times[j].Compare(times[i]) })
	t0, t = at[tops[0]], times[tops[0]]
	for _, i := range tops[:min(refined, len(tops))] {
		x, u := v.refine(at[max(0, i-1)], at[i], at[min(i+1, last)])
		if u.Compare(t) > 0 {
			t0, t = x, u
		}
	}
	return t0, t
}

// moments are the failure times to look at, in order.
func (v Varying) moments(from, to float64) []float64 {
	at := []float64{from, to}
	for i := range 1024 {
		at = append(at, from+(to-from)*float64(i)/1024)
	}
	for _, x := range v.Rate.t {
		at = append(at, x+v.Age, x, x-v.Downtime)
	}
	for _, x := range v.Capacity.t {
		at = append(at, x-v.Downtime)
	}
	at = slices.DeleteFunc(at, func(x float64) bool { return x < from || x > to })
	slices.Sort(at)
	return slices.Compact(at)
}

// refine looks for a worse time than mid between low and high, which halve their
// distance each round.
func (v Varying) refine(low, mid, high float64) (float64, Time) {
	t := v.Time(mid)
	for range 25 {
		left, right := (low+mid)/2, (mid+high)/2
		a, b := v.Time(left), v.Time(right)
		switch {
		case a.Compare(t) > 0 && a.Compare(b) >= 0:
			mid, high, t = left, mid, a
		case b.Compare(t) > 0:
			low, mid, t = mid, right, b
		default:
			low = left
			high = right
		}
	}
	return mid, t
}

// Peak is the first stretch between from and to in which the rate is at or above
// the capacity: while it lasts, a job that fails does not recover.
func (v Varying) Peak(from, to float64) (start, end float64, ok bool) {
	for x := from; x < to; {
		next := v.sameSide(x, to)
		middle := (x + next) / 2
		switch over := v.Rate.At(middle) >= v.Capacity.At(middle); {
		case over && !ok:
			start, end, ok = x, next, true
		case over:
			end = next
		case ok:
			return start, end, true
		}
		x = next
	}
	return start, end, ok
}

// sameSide is the end of the piece from x on, at most to, in which both paths
// are straight and do not cross.
func (v Varying) sameSide(x, to float64) float64 {
	capacity, rate := v.Capacity.segment(x), v.Rate.segment(x)
	next := min(capacity.end, rate.end, to)
	cross := x + (capacity.value-rate.value)/(rate.slope-capacity.slope)
	if cross > x && cross < next { // neither where they are parallel: ±Inf or NaN
		return cross
	}
	return next
}
