package plan

import (
	"math"
	"sort"
)

// The horizon is planned in epochs: fine at first, since the next decisions are
// about them, and coarser later. Lengths in seconds.
const (
	fineEpoch   = 900.0
	fineUntil   = 3600.0
	midEpoch    = 1800.0
	midUntil    = 6 * 3600.0
	coarseEpoch = 3600.0
	// Horizon is how far a Load is looked at: a day, after which it begins anew. A
	// shorter one serves, but what lies beyond it is then not foreseen.
	Horizon = 24 * 3600.0
)

// upperRank is the rank of the path from whose distance to the median the width of
// the forecast is taken: near the one that matters once capacity and downtime are
// uncertain as well.
const upperRank = 0.95

// leastLoadSpread is the least width of a forecast, as a standard deviation of its
// logarithm: the rate of a few minutes is no better known than to 1 %.
const leastLoadSpread = 0.01

// epoch is a stretch of the horizon that is planned as one. The rates are natural
// logarithms of records/s.
type epoch struct {
	from, to float64 // s from now
	window   float64 // the greatest mean rate over a recovery that begins in it
	peak     float64 // the greatest rate
	mean     float64 // as window, records/s
	spread   float64 // standard deviation of window, as far as it is known now
}

// hours is the length of an epoch.
func (e epoch) hours() float64 { return (e.to - e.from) / 3600 }

// demand is what the forecast asks of a job, by its median path.
type demand struct {
	epochs []epoch
	// spread is the standard deviation of the logarithm of the rate, as forecasts a
	// first epoch ahead have it. Later epochs will be planned again with that
	// knowledge, so that their own, greater width is no reason for reserves now.
	spread float64
}

// newDemand reads a forecast for failures after which the job has target seconds
// and replays age seconds. A recovery is in time if and only if what can be
// processed in target seconds, less the downtime, is no less than what has arrived
// from age before the failure to target after it: so the mean rate of that window
// is all that matters of the path. The age hardly matters to the mean, so that the
// present one does for all.
func newDemand(p *paths, target, age float64) demand {
	middle, high := p.row(0.5), p.row(upperRank)
	var d demand
	for _, s := range p.spans() {
		s.ahead, s.back = target, age
		e := p.epoch(middle, s)
		e.spread = max(leastLoadSpread, (p.epoch(high, s).window-e.window)/max(p.z[high], 1))
		d.epochs = append(d.epochs, e)
	}
	d.spread = d.epochs[0].spread
	return d
}

// spans are the epochs of the horizon, still empty.
func (p *paths) spans() (out []stretch) {
	end := min(Horizon, p.end())
	for from := 0.0; from < end || from == 0; {
		to := from + coarseEpoch
		switch {
		case from < fineUntil:
			to = from + fineEpoch
		case from < midUntil:
			to = from + midEpoch
		}
		if to+fineEpoch > end && from > 0 {
			to = max(end, from+1)
		}
		out = append(out, stretch{from: from, to: to})
		from = to
	}
	return out
}

// epoch is what row q asks for.
func (p *paths) epoch(q int, s stretch) epoch {
	window := max(1e-9, p.densest(q, s))
	s.ahead, s.back = p.step, 0
	return epoch{from: s.from, to: s.to, mean: window, window: math.Log(window), peak: math.Log(max(1e-9, p.densest(q, s)))}
}

// row is the one closest to a rank.
func (p *paths) row(rank float64) int {
	z := quantileZ(rank)
	i := sort.SearchFloat64s(p.z, z)
	if i == len(p.z) || i > 0 && z-p.z[i-1] < p.z[i]-z {
		i--
	}
	return i
}

// stretch names the windows from back before to ahead after a moment between from
// and to.
type stretch struct{ from, to, ahead, back float64 }

// densest is the greatest mean rate of row q in a window of s. The mean is linear
// in the moment but where an edge of the window meets the end of a step, so that
// only these and the ends are looked at.
func (p *paths) densest(q int, s stretch) float64 {
	length, most := s.ahead+s.back, 0.0
	try := func(at float64) {
		if at >= s.from && at <= s.to {
			most = max(most, p.arrived(q, at+s.ahead)-p.arrived(q, at-s.back))
		}
	}
	try(s.from)
	try(s.to)
	last := len(p.rate[q])
	for i := max(0, int(s.from/p.step)); i <= min(last, int((s.to+s.ahead)/p.step)+1); i++ {
		edge := float64(i) * p.step
		try(edge - s.ahead)
		try(edge + s.back)
	}
	return most / length
}

// worst is the moment before which, and after which, most arrives by the upper
// path: a failure then takes longest. Moments after until do not count.
func (p *paths) worst(age, until float64) float64 {
	q, at, most := p.row(upperRank), 0.0, 0.0
	for i := range p.rate[q] {
		t := float64(i) * p.step
		if t > until {
			break
		}
		if n := p.arrived(q, t+worstAhead) - p.arrived(q, t-age); n > most*(1+1e-9) {
			at, most = t, n
		}
	}
	return at
}

// worstAhead is the length of a recovery where no target is known (s).
const worstAhead = 180.0
