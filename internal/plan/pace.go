package plan

import (
	"math"
	"slices"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// paceRatio lies between two periods that are tried: they cost no restart, so that
// they can be finer than configured intervals.
const paceRatio = 1.1

// calmPace is the ratio of a pace to the best one, either way, up to which it is
// kept while it keeps the target: a forecast that breathes would move it every few
// minutes, for next to nothing.
const calmPace = 1.25

// defaultPerMinute is the greatest number of requests where the policy names none.
const defaultPerMinute = 6.0

// paces are the periods that checkpoints can be asked for in: no shorter than they
// take, no more often than the budget, no longer than the configured interval, with
// which they come by themselves.
func (f *frame) paces(duration float64) []float64 {
	perMinute := f.in.Policy.Budget.CheckpointsPerMinute
	if !(perMinute > 0) {
		perMinute = defaultPerMinute
	}
	low, high := max(60/perMinute, f.in.MinPauseSeconds+duration), f.in.Now.IntervalSeconds
	if r := f.in.Policy.Knobs.CheckpointInterval; f.intervalFree() && f.in.Policy.Mode == job.ModeApply {
		low, high = max(low, r.Min, slices.Min(f.space.intervals)), slices.Max(f.space.intervals)
	}
	out := []float64{}
	for v := low; v < high; v *= paceRatio {
		out = append(out, v)
	}
	return append(out, high)
}

// settlePace finds the period in which checkpoints are best asked for now; none
// where the configured interval does as well.
//
// A change that is proposed may still be refused, so that until then the period has
// to serve the present settings as well.
func (f *frame) settlePace() {
	pace := f.paceOf(f.present, len(f.demand.epochs))
	if f.best != 0 {
		pace = min(pace, f.paceOf(f.sched.states[f.best].candidate, f.stands))
	}
	if now := f.in.PaceSeconds; now != nil && f.calm(*now, pace) {
		pace = *now
	}
	if pace < f.want.IntervalSeconds {
		f.pace = &pace
	}
}

// calm says whether the pace in force is near enough to a better one to be kept. One
// that is longer must keep the target, too.
func (f *frame) calm(now, better float64) bool {
	if math.Abs(math.Log(now/better)) >= math.Log(calmPace) {
		return false
	}
	return now <= better || f.holds(f.present, now, f.demand.epochs[:1])
}

// paceOf is the best period for c while it stands.
//
// Among all ways to spread checkpoints over that time, it is the one with which
// fewest make recoveries as short, on average, as the one period would that holds
// throughout: the sum of R(t; I) over time under a given count of checkpoints is
// least where each further checkpoint saves as much, so that there is one price ν
// and each epoch has the period that minimizes R(t; I) + ν/I. So periods are longer
// where the load is low and shorter where capacity is short. Whatever that gives,
// recovery at the risk keeps its target.
func (f *frame) paceOf(c *candidate, epochs int) float64 {
	most, ok := f.longestPace(c, f.demand.epochs[:1])
	if !ok {
		return most
	}
	return min(most, f.balanced(c, f.demand.epochs[:max(1, epochs)]))
}

// longestPace is the longest period that keeps the limits in the epochs; false, and
// the one that violates them least, where none does.
func (f *frame) longestPace(c *candidate, epochs []epoch) (period float64, ok bool) {
	for _, v := range f.periods {
		if f.holds(c, v, epochs) {
			period, ok = v, true
		}
	}
	if !ok {
		return c.interval, false
	}
	return period, true
}

// balanced is the period of the first epoch as the price ν asks for it.
func (f *frame) balanced(c *candidate, epochs []epoch) float64 {
	steady, _ := f.longestPace(c, epochs)
	table, goal := rows(len(epochs), len(f.periods)), 0.0
	at := slices.Index(f.periods, steady)
	for e, x := range epochs {
		for i, v := range f.periods {
			table[e][i] = f.expected(c, x, v)
		}
		goal += x.hours() * table[e][max(0, at)]
	}
	mean := func(price float64) (sum float64) {
		for e, x := range epochs {
			sum += x.hours() * table[e][f.cheapest(table[e], price)]
		}
		return sum
	}
	low, high := 0.0, 1.0
	for mean(high) <= goal && high < 1e9 {
		low, high = high, high*8
	}
	for range 40 {
		if mid := (low + high) / 2; mean(mid) <= goal {
			low = mid
		} else {
			high = mid
		}
	}
	return f.periods[f.cheapest(table[0], low)]
}

// cheapest is the period with the least R + ν/I.
func (f *frame) cheapest(row []float64, price float64) int {
	best := 0
	for i, r := range row {
		if r+price/f.periods[i] < row[best]+price/f.periods[best] {
			best = i
		}
	}
	return best
}

// expected is R from the greatest age in an epoch, all quantities at their medians;
// of a job that does not keep up, the longest that is told apart.
func (f *frame) expected(c *candidate, e epoch, period float64) float64 {
	every := recovery.EffectiveInterval(period, f.in.MinPauseSeconds, c.duration)
	down := 0.0
	for i := range c.tails {
		down = max(down, f.target-math.Exp(c.tails[i].log))
	}
	rho := math.Exp(e.window-c.capacity) / max(1e-9, 1-c.loss*share(c.duration, every))
	return catchUp(down, every+c.duration, rho, longestRestart*f.target)
}
