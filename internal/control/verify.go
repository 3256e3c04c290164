package control

import (
	"context"
	"fmt"
	"math"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
)

const (
	// margin is by how much longer than predicted a change may take.
	margin = 1.5
	// unknownChange is how long a change may take that nothing was predicted of.
	unknownChange = 5 * time.Minute
	// wellFor is how long all must be well after a change.
	wellFor = 30 * time.Second
	// mostRestarts of the job by itself within the verification: more is a crash loop.
	mostRestarts = 4
	// slower: latency that more than doubles, and by more than a second, is worse.
	slowerBy, slowerSeconds = 2.0, 1.0
	// verifiesAtMost bounds the verification, whatever happens in between.
	verifiesAtMost = time.Hour
)

// verify holds what is seen against what the decision wanted: the settings read
// back, every subtask RUNNING, a checkpoint completed, the backlog worked off
// within the predicted time, rate and latency no worse.
func (l *Loop) verify(ctx context.Context, k *look) error {
	a := l.act
	if a.sawNothing(k, k.at.Sub(l.moved) > tooOld || l.situation == learn.Blind) {
		return nil
	}
	if i := l.track.open; i != nil && i.change == a.cause {
		a.runningAt = i.runningAt
	}
	done := k.known && alike(k.knobs, a.want)
	if !a.accepted && (k.obs.LastChange == a.d.ID || done || a.cause.restarted && a.d.Outcome == "") {
		if err := l.acknowledge(ctx); err != nil {
			return err
		}
	}
	if a.accepted && (done || a.cause.restarted) {
		l.ledger.count(a.d.ID, a.since) // a change that restarted nothing is no restart
	}
	age := k.at.Sub(a.since)
	switch {
	case !a.accepted && age > acceptWithin:
		return l.notTakenUp(ctx, k, age)
	case !a.accepted:
		l.hurry(ctx, k, done)
		return nil
	case l.well(k, done):
		return l.succeeded(ctx, k)
	case done && l.track.growing && l.roomier(a.d.Seen.Knobs, a.want):
		return l.wanting(ctx, k, "the job falls behind with the new settings")
	case a.crashLoop(k):
		return l.wanting(ctx, k, fmt.Sprintf("the job restarted more than %d times", mostRestarts))
	case age > l.deadline(k) && a.healthy.IsZero():
		return l.late(ctx, k, done)
	}
	l.hurry(ctx, k, done)
	return nil
}

// sawNothing lets no time pass for the action while the job cannot be seen: no
// verdict is made blindly.
func (a *action) sawNothing(k *look, blind bool) bool {
	if blind && !a.lookedAt.IsZero() {
		a.since = a.since.Add(k.at.Sub(a.lookedAt))
	}
	a.lookedAt = k.at
	return blind
}

// alike compares settings as they are read back, rounded by whoever kept them.
func alike(a, b job.Knobs) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 0.01*max(math.Abs(x), math.Abs(y)) }
	return a.Parallelism == b.Parallelism && a.Slots == b.Slots && near(a.IntervalSeconds, b.IntervalSeconds) &&
		near(a.CPUCores, b.CPUCores) && near(a.MemoryBytes, b.MemoryBytes)
}

// notTakenUp ends a change that the world has not taken up. To go back is asked for
// again: the job is not to stay where it does badly.
func (l *Loop) notTakenUp(ctx context.Context, k *look, age time.Duration) error {
	a := l.act
	if a.d.Kind == job.RollBack && age < verifiesAtMost {
		if k.at.Sub(a.triedAt) < acceptWithin {
			return nil
		}
		return l.apply(ctx, k)
	}
	if a.resumed {
		return l.close(ctx, job.Dropped, "Rebound was restarted before the world had accepted it")
	}
	reason := "the world did not take it up"
	if a.d.Outcome != "" {
		l.ledger.refuse(k.knobs, a.want, k.at)
		return l.close(ctx, job.Failed, reason+": "+a.d.Outcome)
	}
	l.ledger.holdOff(k.knobs, a.want, k.at, failedHold)
	return l.close(ctx, job.Failed, reason)
}

// well says whether the job has done well for long enough with the new settings.
func (l *Loop) well(k *look, done bool) bool {
	a := l.act
	good := done && k.settled && l.track.open == nil && !l.track.growing && !l.track.behind(k) && a.checkpointed(k) && !a.slower(k)
	if !good {
		a.healthy = time.Time{}
		return false
	}
	if a.healthy.IsZero() {
		a.healthy = k.at
	}
	return k.at.Sub(a.healthy) >= wellFor
}

// checkpointed says whether a checkpoint has completed with the new settings.
func (a *action) checkpointed(k *look) bool {
	if !k.obs.Checkpointing.Enabled {
		return true
	}
	from := a.runningAt
	if from.IsZero() { // no restart was seen: of an action taken over, or of a job that needs none
		from = a.cause.appliedAt
	}
	for _, c := range k.obs.Checkpointing.History {
		if c.Status == "COMPLETED" && !c.Savepoint && !c.TriggeredAt.Before(from) {
			return true
		}
	}
	return false
}

func (a *action) slower(k *look) bool {
	return a.latency != nil && k.latency != nil && *k.latency > slowerBy**a.latency && *k.latency > *a.latency+slowerSeconds
}

func (a *action) crashLoop(k *look) bool {
	r := k.obs.Restarts
	return a.restarts >= 0 && r != nil && *r-a.restarts > mostRestarts && !k.settled
}

// deadline is how long after it was applied a change must have done as predicted.
func (l *Loop) deadline(k *look) time.Duration {
	a := l.act
	limit := unknownChange
	if s := a.d.Proposed.Predicted.ChangeSeconds; s != nil {
		limit = seconds(margin * *s)
	}
	limit += wellFor + holdUnseen + seconds(2*k.interval()) // the last for the checkpoint
	if a.d.Applied.Way == job.InPlace && a.runningAt.IsZero() {
		limit += acceptWithin + seconds(2*k.interval()) // the scheduler waits for one
	}
	age := k.at.Sub(a.since)
	i := l.track.open
	if i != nil && i.change == nil || l.nearlyBack(k, age) { // a failure in between counts by itself
		limit = max(limit, age+time.Minute)
	}
	return min(limit, verifiesAtMost)
}

// nearlyBack says whether the backlog falls so fast that to wait for its end is
// quicker than what has passed: another restart would only add to it.
func (l *Loop) nearlyBack(k *look, passed time.Duration) bool {
	slope, ok := l.track.trail.slope(overloadSpan)
	return ok && k.settled && slope < 0 && k.lag != nil && *k.lag < -slope*passed.Seconds()
}

// succeeded closes a change that did as predicted.
func (l *Loop) succeeded(ctx context.Context, k *look) error {
	a := l.act
	outcome := "the job runs as wanted"
	if m := a.took; m != nil {
		outcome = "caught up " + took(*m)
		if s := a.d.Proposed.Predicted.ChangeSeconds; s != nil {
			outcome += fmt.Sprintf("; predicted at most %.0f s", *s)
		}
	}
	l.ledger.proved(k.knobs)
	l.ledger.release(a.d.Seen.Knobs, a.want)
	return l.close(ctx, job.Verified, outcome)
}

// late decides about a change that is overdue.
func (l *Loop) late(ctx context.Context, k *look, done bool) error {
	a := l.act
	switch {
	case !done && k.settled && k.known && alike(k.knobs, a.d.Seen.Knobs):
		l.ledger.holdOff(a.d.Seen.Knobs, a.want, k.at, failedHold)
		return l.close(ctx, job.Failed, "the job runs with the settings that it had before")
	case !k.settled:
		return l.wanting(ctx, k, "not every subtask runs "+short(k.at.Sub(a.since))+" after the change")
	case !done:
		return l.wanting(ctx, k, "the settings are not those wanted "+short(k.at.Sub(a.since))+" after the change")
	case l.roomier(a.d.Seen.Knobs, a.want):
		return l.wanting(ctx, k, "the job had not caught up "+short(k.at.Sub(a.since))+" after the change")
	}
	// Going back to less capacity would not help.
	return l.close(ctx, job.Verified, "slower than predicted, and kept: the settings before have no more capacity")
}

// roomier says whether a has more capacity than b, as far as is known.
func (l *Loop) roomier(a, b job.Knobs) bool {
	return l.Model.Behavior(a).Capacity.Median > l.Model.Behavior(b).Capacity.Median
}

// hurry asks for a checkpoint where one is waited for: a scheduler that rescales
// in place does so when the next one completes, and output that is exactly once
// becomes visible with it.
func (l *Loop) hurry(ctx context.Context, k *look, done bool) {
	a := l.act
	early := a.d.Applied.Way == job.InPlace && !done && k.settled && k.at.Sub(a.since) >= l.Every
	late := done && k.settled && l.track.open == nil && !a.checkpointed(k)
	if a.asked || !early && !late || !k.obs.Checkpointing.Enabled || k.checkpointing() {
		return
	}
	a.asked = !early
	l.request(ctx, fmt.Sprintf("%s-%d", a.d.ID, k.at.Unix()))
}
