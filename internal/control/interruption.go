package control

import (
	"math"
	"slices"
	"time"

	"rebound/internal/job"
)

// planned is a change that was applied, as far as it explains an interruption.
type planned struct {
	change    job.Change
	appliedAt time.Time // the JobManager's clock
	restarted bool      // its restart has been seen
}

// interruption is one outage or planned restart, as it is followed. Times are on
// the JobManager's clock.
type interruption struct {
	before      look // the last look before it
	watched     bool // there was one
	calm        bool // in which all was well
	change      *planned
	unreachable bool          // the JobManager did not answer in between
	offset      time.Duration // our clock − the JobManager's
	usual       float64       // records that wait in calm times
	rate        *float64      // records/s that arrived before

	seenAt     time.Time // of the first look that shows it
	knownAt    time.Time // the JobManager knew of the failure; zero: nothing tells
	runningAt  time.Time // the last subtask was RUNNING; zero: not yet
	restoredAt time.Time // the checkpoint was chosen; zero: nothing tells
	triggered  time.Time // of the checkpoint that it restored; zero: nothing tells
	caughtUpAt time.Time
	censoredAt time.Time // it was not followed any longer

	belief   *frozen // what was believed before it
	failure  job.Failure
	gone     []string     // TaskManagers that were there before and are not any more
	settings job.Settings // with which it came back
	spread   job.Topology
	samples  []sample
	fell     bool // a backlog was seen
	spoiled  bool // something was changed meanwhile: it says nothing of what was believed
	// back is when the backlog was first in its band and stayed there; zero: it is not.
	back, backSeen time.Time
}

// sample is a look during catch-up.
type sample struct {
	at        time.Time
	lag, rate *float64
	span      float64 // s that the rate covers
}

// mostSamples bound what is kept of one catch-up: an hour at one every 5 s.
const mostSamples = 720

// see follows the interruption by one look.
func (i *interruption) see(k *look, t *tracker) {
	if !k.settled {
		return
	}
	if i.runningAt.IsZero() {
		i.resume(k, t)
	}
	i.settings = k.obs.Settings
	if len(i.samples) < mostSamples {
		i.samples = append(i.samples, sample{k.server, k.lag, k.rate, i.spanOf(k)})
	}
	if k.lag == nil {
		return
	}
	if t.behind(k) {
		i.fell, i.back = true, time.Time{}
		return
	}
	if i.back.IsZero() {
		i.back, i.backSeen = i.crossing(k), k.server
	}
}

// spanOf is the stretch that the rate of k was taken over: since the look before,
// or since the job runs.
func (i *interruption) spanOf(k *look) float64 {
	from := i.runningAt
	if n := len(i.samples); n > 0 {
		from = i.samples[n-1].at
	}
	span := k.server.Sub(from).Seconds()
	if w := k.obs.WindowSeconds; w != nil && len(i.samples) == 0 {
		span = min(span, *w)
	}
	return max(0, span)
}

// resume notes that every subtask runs again, and what is known by then.
func (i *interruption) resume(k *look, t *tracker) {
	i.runningAt = k.server
	if k.running.After(i.before.server) && !k.running.After(k.server) {
		i.runningAt = k.running
	}
	i.spread = k.obs.Topology()
	i.gone = missing(i.before.obs.TaskManagers, k.obs.TaskManagers)
	i.blame(k, t)
	if r := k.obs.Checkpointing.Restored; r != nil {
		if at, ok := t.taken.triggered(r.ID); ok {
			i.triggered = at
		} else if i.change != nil && r.Savepoint { // with which the job stopped
			i.triggered = i.failedAt(0)
			t.taken.add(r.ID, i.triggered)
		}
		if r.At.After(i.before.server) && !r.At.After(i.runningAt) {
			i.restoredAt = r.At
		}
	}
}

// blame finds the exception that tells of the failure: the first that no earlier
// interruption was put down to.
func (i *interruption) blame(k *look, t *tracker) {
	var first *job.Exception
	newest := t.blamed
	for n := range k.obs.Exceptions {
		e := &k.obs.Exceptions[n]
		if !e.At.After(t.blamed) || i.watched && e.At.Before(i.before.server.Add(-slack)) || e.At.After(i.runningAt) {
			continue
		}
		if first == nil || !e.At.After(first.At) {
			first = e
		}
		if e.At.After(newest) {
			newest = e.At
		}
	}
	t.blamed = newest
	if first != nil {
		i.knownAt = first.At
	}
	if first != nil || i.change == nil {
		i.failure = i.kindOf(first)
	}
}

// slack is by how much an exception may be older than the last look that found
// the job whole: metrics are a few seconds old when they are read.
const slack = 20 * time.Second

// crossing is when the backlog came back to what is usual, a moment before it was
// seen there: it fell at a steady pace.
func (i *interruption) crossing(k *look) time.Time {
	n := len(i.samples)
	if n < 2 || i.samples[n-2].lag == nil {
		return latestOf(i.runningAt, k.server.Add(-seconds(i.spanOf(k)/2)))
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

// over says whether the job has been where it was for long enough, or has been
// followed for too long.
func (i *interruption) over(k *look) bool {
	began := i.failedAt(0)
	if k.server.Sub(began) > followFor {
		i.censoredAt = k.server
		return true
	}
	if i.runningAt.IsZero() || i.back.IsZero() {
		return false
	}
	hold := holdUnseen
	if i.fell {
		hold = holdSeen
	}
	if k.server.Sub(i.backSeen) < hold {
		return false
	}
	i.caughtUpAt = i.back
	return true
}

// failedAt is when it began, detect seconds before the JobManager knew. Of a
// planned restart it is when the job stopped.
func (i *interruption) failedAt(detect float64) time.Time {
	if !i.knownAt.IsZero() {
		return i.notBefore(i.knownAt.Add(-seconds(detect)))
	}
	if !i.watched {
		return i.seenAt
	}
	if i.change != nil && !i.change.appliedAt.Before(i.before.server) {
		return i.change.appliedAt
	}
	gap := i.seenAt.Sub(i.before.server)
	if down := i.runningAt; !down.IsZero() && down.Before(i.seenAt) {
		gap = down.Sub(i.before.server)
	}
	return i.before.server.Add(max(0, gap) / 2)
}

// notBefore bounds the moment of a failure by the last heartbeats of the
// TaskManagers that are gone.
func (i *interruption) notBefore(at time.Time) time.Time {
	if i.failure != job.NodeFailure {
		return at
	}
	for _, tm := range i.before.obs.TaskManagers {
		if b := tm.LastHeartbeat; b != nil && at.Before(*b) && b.Before(i.knownAt) && slices.Contains(i.gone, tm.ID) {
			at = *b
		}
	}
	return at
}

func latestOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
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
