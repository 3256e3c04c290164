package outage

// restored is the end of the downtime: the last subtask RUNNING where that is
// known, else the last time that processing rises from where it was down.
func (f *finder) restored(c candidate, from float64) (float64, bool) {
	last := f.t[min(c.end, len(f.t)-1)]
	if at, ok := lastAtOrBefore(f.s.Marks.Running, last); ok && at >= from {
		return at, true
	}
	switch {
	case f.s.Running != nil:
		return f.runsAgain(c)
	case f.rate == nil:
		return 0, false
	}
	low := f.lowest(c, f.rate)
	if low < 0 { // shorter than two samples
		low = f.lowest(c, f.s.Rate)
	}
	if low < 0 { // nothing was recorded while it was down
		return f.rises(c, c.onset, 0)
	}
	at, ok := f.rises(c, low, f.s.Rate[low])
	return min(max(at, f.madeUp(c, low)), last), ok
}

// lowest is the sample at which the rate was lowest in the downtime, −1 if it was
// not down. A second failure during catch-up makes a second downtime, and the last
// one counts, but not a stall, which is too short to be one.
func (f *finder) lowest(c candidate, rate []float64) int {
	best, low, missed := -1, -1, 0.0
	for k := c.onset; k < min(c.end, len(f.t)-1); k++ {
		if rate[k] >= c.before.low { // back in the band: the stretch is over
			low, missed = -1, 0
			continue
		}
		if rate[k] < c.before.low {
			missed += f.lacks(k, c)
		}
		if f.isDown(rate[k], c.before) && (low < 0 || rate[k] <= rate[low]) {
			low = k
		}
		if low >= 0 && (best < 0 || missed >= f.p.Stall || rate[low] < rate[best]) {
			best = low
		}
	}
	return best
}

// rises is the first moment from sample k on at which the rate has left the
// bottom by a tenth of the way up, which is more than noise.
func (f *finder) rises(c candidate, k int, bottom float64) (float64, bool) {
	for ; k < min(c.end+1, len(f.t)); k++ {
		if f.s.Rate[k] > bottom+0.1*(c.before.rate-bottom) {
			return f.t[k], true
		}
	}
	return 0, false
}

// madeUp is the earliest end of a downtime that explains what was missed in the
// stretch below the band around sample low. An averaged rate climbs for as long as
// its window, and so leaves the bottom long before; what it lacks on the way adds
// up to the downtime, less what is already worked off in the window.
func (f *finder) madeUp(c candidate, low int) float64 {
	first := low
	for first > c.onset && !(f.rate[first-1] >= c.before.low) {
		first--
	}
	missed := 0.0
	for k := first; k < min(c.end, len(f.t)-1) && f.rate[k] < c.before.low; k++ {
		missed += f.lacks(k, c)
	}
	return f.t[first] + missed
}

// lacks is the processing that the sample k lacks, in seconds at the calm rate. It
// is raw: smoothing loses what a coarse recording has in one sample.
func (f *finder) lacks(k int, c candidate) float64 {
	return max(0, 1-f.s.Rate[k]/c.before.rate) * min(f.t[k+1]-f.t[k], f.p.Hold)
}

// runsAgain is the first sample behind the last at which a subtask did not run.
func (f *finder) runsAgain(c candidate) (float64, bool) {
	at := -1
	for k := min(c.end, len(f.t)-1); k >= c.onset; k-- {
		if f.s.Running[k] < 1 {
			break
		}
		if f.s.Running[k] == 1 {
			at = k
		}
	}
	if at < 0 {
		return 0, false
	}
	return f.t[at], true
}
