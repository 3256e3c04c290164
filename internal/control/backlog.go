package control

import (
	"math"
	"time"
)

// paid is when the records that arrived in the downtime, and those that the restore
// took back, had been processed beside those that kept arriving, by the rates that
// were read; zero: not yet. It is false where the rates do not tell.
func (i *interruption) paid() (at time.Time, ok bool) {
	if i.rate == nil {
		return at, false
	}
	failed := i.failedAt(0)
	owed := *i.rate * i.runningAt.Sub(failed).Seconds()
	if !i.triggered.IsZero() {
		owed += *i.rate * max(0, failed.Sub(i.triggered).Seconds())
	}
	for _, s := range i.samples {
		if s.rate == nil {
			return time.Time{}, false
		}
		less := (*s.rate - *i.rate) * s.span
		if owed-less <= owedShare**i.rate {
			return s.at.Add(-seconds(s.span * (1 - math.Min(1, owed/max(less, owed))))), true
		}
		owed -= less
	}
	return time.Time{}, true
}

// owedShare is how many seconds of input may still be owed: rates are not exact.
const owedShare = 2.0

func (i *interruption) owes() bool {
	at, ok := i.paid()
	return ok && at.IsZero()
}

// crossing is when the backlog came back to what is usual, a moment before it was
// seen there: it fell at a steady pace.
func (i *interruption) crossing(k *look) time.Time {
	if at, ok := i.paid(); ok && !i.fell && !at.IsZero() {
		return at
	}
	n := len(i.samples)
	if n < 2 || i.samples[n-2].lag == nil || k.lag == nil {
		return latestOf(i.runningAt, k.server.Add(-seconds(i.samples[n-1].span/2)))
	}
	last := i.samples[n-2]
	gap := k.server.Sub(last.at).Seconds()
	left := *last.lag - i.usual
	pace := (*last.lag - *k.lag) / gap // at least
	if n > 2 && i.samples[n-3].lag != nil {
		if span := last.at.Sub(i.samples[n-3].at).Seconds(); span > 0 {
			pace = max(pace, (*i.samples[n-3].lag-*last.lag)/span)
		}
	}
	if !(left > 0) || !(pace > 0) {
		return last.at
	}
	if more := *k.lag - i.usual; more > 0 { // in its band, and not quite there
		gap += more / pace
	}
	return last.at.Add(seconds(min(gap, left/pace)))
}

// replayed is when the records that the restore took back had been read again:
// backlog seconds of input after the job ran.
func (i *interruption) replayed(records float64) time.Time {
	done, at := 0.0, i.runningAt
	for _, s := range i.samples {
		if s.rate == nil {
			return time.Time{}
		}
		more := *s.rate * s.span
		if done+more >= records && more > 0 {
			return at.Add(seconds(s.span * math.Min(1, (records-done)/more)))
		}
		done, at = done+more, s.at
	}
	return time.Time{}
}
