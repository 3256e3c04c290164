package control

import (
	"slices"
	"time"

	"rebound/internal/job"
)

// resume notes that every subtask runs again, and what is known by then.
func (i *interruption) resume(k *look, t *tracker) {
	i.runningAt, i.vague = k.server, k.server.Sub(i.lastDown).Seconds()/2
	if k.running.After(i.before.server) && !k.running.After(k.server) {
		i.runningAt, i.vague = k.running, 0
	}
	i.spread = k.obs.Topology()
	i.gone = missing(i.before.obs.TaskManagers, k.obs.TaskManagers)
	i.blame(k, t)
	switch c := i.change; {
	case c != nil && c.resumed:
		i.disturb("nobody watched when the change was made")
	case c == nil && i.before.known && k.known && !alike(i.before.knobs, k.knobs):
		i.disturb("it came back with other settings")
	}
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
	switch {
	case i.change != nil:
		// The change failed, or something else did while it was made: what it took is
		// no measure of either.
		if first != nil {
			i.beside, i.besideKnown = i.kindOf(first), first.At
			i.disturb("it struck while the settings were changed")
		}
	default:
		i.failure = i.kindOf(first)
		if first != nil {
			i.knownAt = first.At
			if newest.Sub(first.At) > attemptsSpan {
				i.disturb("it failed again before it ran")
			}
		}
	}
}

// attemptsSpan is how long one failure may make restarts fail, into slots that are
// still offered and are dead; what fails later failed anew.
const attemptsSpan = 30 * time.Second

// slack is by how much an exception may be older than the last look that found
// the job whole: metrics are a few seconds old when they are read.
const slack = 20 * time.Second

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
