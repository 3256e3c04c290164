package control

import (
	"time"

	"rebound/internal/job"
)

// planned is a change that was applied, as far as it explains an interruption.
type planned struct {
	change    job.Change
	appliedAt time.Time // the JobManager's clock
	restarted bool      // its restart has been seen
	resumed   bool      // taken over from before a restart of this program
}

// interruption is one outage or planned restart, as it is followed. Times are on
// the JobManager's clock.
type interruption struct {
	before      look // the last look before it
	watched     bool // there was one
	calm        bool // in which all was well
	amid        bool // the one before had not been caught up with
	asked       bool // for a checkpoint, once caught up
	change      *planned
	unreachable bool          // the JobManager did not answer in between
	offset      time.Duration // our clock − the JobManager's
	usual       float64       // records that wait in calm times
	rate        *float64      // records/s that arrived before

	seenAt     time.Time // of the first look that shows it
	lastDown   time.Time // of the last look at which not all ran; its beginning where there was none
	vague      float64   // s by which the end of the downtime is known; 0: by a stamp
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
	fell     bool      // a backlog was seen
	sighted  time.Time // when the backlog was known last
	behindAt time.Time // when there was one last
	blurred  float64   // s by which the end of the catch-up is known, at worst
	// disturbed is what else happened meanwhile, the first of it; empty: nothing. It
	// then says nothing of what was believed.
	disturbed string
	// beside is the failure that struck while a planned change was made, and when the
	// JobManager knew of it.
	beside      job.Failure
	besideKnown time.Time
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
		if k.broken {
			i.lastDown = k.server
		}
		return
	}
	if i.runningAt.IsZero() {
		i.resume(k, t)
		i.sighted = i.runningAt
	}
	i.settings = k.obs.Settings
	if len(i.samples) < mostSamples {
		i.samples = append(i.samples, sample{k.server, k.lag, k.rate, i.spanOf(k)})
	}
	switch {
	case k.lag == nil && k.latency == nil:
		return
	case t.behind(k):
		i.fell, i.back, i.behindAt = true, time.Time{}, k.server
	case !i.back.IsZero():
	case !i.fell && k.server.Sub(i.runningAt) < holdUnseen && i.owes():
		// A source that has just restarted may say that nothing waits: not believed.
	default:
		i.back, i.backSeen = i.crossing(k), k.server
		i.blurred = k.server.Sub(i.sighted).Seconds() / 2
	}
	i.sighted = k.server
}

// clear says whether one failure was seen well enough to learn from it and to hold
// a prediction against it.
func (i *interruption) clear() bool {
	return i.watched && i.disturbed == "" && max(i.vague, i.blurred) <= vagueness
}

// disturb notes that something else happened meanwhile.
func (i *interruption) disturb(what string) {
	if i.disturbed == "" {
		i.disturbed = what
	}
}

// told says whether the JobManager has told of a failure: one is kept then, whatever
// else happened.
func (i *interruption) told() bool { return !i.knownAt.IsZero() || i.beside != "" }

// vagueness is how well the ends of downtime and catch-up must be known (s).
const vagueness = 15.0

// spanOf is the stretch that the rate of k was taken over: since the look before,
// or since the job runs.
func (i *interruption) spanOf(k *look) float64 {
	from := i.runningAt
	if n := len(i.samples); n > 0 {
		from = i.samples[n-1].at
	}
	if w := k.obs.WindowSeconds; w != nil && len(i.samples) == 0 {
		return *w // also of the downtime in it, in which nothing was read
	}
	return max(0, k.server.Sub(from).Seconds())
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

func latestOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
