package outage

import "math"

// recovered returns the first sample from which on all is calm for Hold, and
// whether the recording or the time-out ended before.
func (f *finder) recovered(c candidate) (end int, censored bool) {
	limit := f.t[c.onset] + f.p.Timeout
	since := -1 // first sample of the present calm stretch
	alive := false
	for k := c.trigger; k < len(f.t); k++ {
		back, told := f.back(k, c.before)
		switch {
		case told && !back:
			since, alive = -1, false
		case told && since < 0:
			since = k
		}
		if since < 0 || !alive && !f.alive(k, c.before) {
			if f.t[k] > limit {
				return k, true
			}
			since = -1
			continue
		}
		alive = true // from here on: an idle moment later is none of a downtime
		if held := f.t[k] - f.t[since]; held >= f.p.Hold && f.plausible(since, k, c.before) {
			return since, f.t[since] > limit
		}
	}
	return len(f.t), true
}

// back tells whether sample k is where it was before; told is false where
// nothing was recorded that could say so.
func (f *finder) back(k int, c calm) (back, told bool) {
	if r := f.s.Running; r != nil && r[k] < 1 {
		return false, true
	}
	var level []float64
	var high float64
	low := math.Inf(-1)
	switch {
	case f.lag != nil:
		level, high = f.lag, f.lagBound(k, c)
	case f.s.Latency != nil:
		level, high = f.s.Latency, c.latHigh
	case f.rate != nil: // without a backlog in sight: neither down nor working one off
		level, low, high = f.rate, c.low, c.high
	default:
		level, low, high = f.s.Running, 1, 1
	}
	return level[k] >= low && level[k] <= high, !math.IsNaN(level[k])
}

// alive tells whether the job is seen to work at k: a small lag while nothing is
// processed is idle input, not recovery. A job that was idle before, or whose
// subtasks are known to run, need not process.
func (f *finder) alive(k int, c calm) bool {
	if f.s.Running != nil && f.s.Running[k] == 1 {
		return true
	}
	return f.rate == nil || !(c.rate > 0) || f.rate[k] > 0.05*c.rate
}

// plausible tells whether the stretch since..k may be believed. A lag is scraped
// more seldom than a rate: while processing is down, a lag that is still in its
// band says nothing. If the load itself has fallen, a longer stretch is needed.
func (f *finder) plausible(since, k int, c calm) bool {
	if f.rate == nil || f.s.Running != nil && f.s.Running[k] == 1 || !(c.rate > 0) {
		return true
	}
	if f.t[k]-f.t[since] >= 4*f.p.Hold {
		return true
	}
	for i := since; i <= k; i++ {
		if f.down(i, c) && !(f.s.Input != nil && f.rate[i] >= (1-rateBand)*f.s.Input[i]) {
			return false
		}
	}
	return true
}
