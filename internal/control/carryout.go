package control

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rebound/internal/job"
)

// carryOut looks whether the picture is still the same, and applies the change.
func (l *Loop) carryOut(ctx context.Context, k *look) error {
	a := l.act
	if a.d.Kind == job.Reconfigure {
		if reason := l.changed(k); reason != "" {
			a.d.Guards = append(a.d.Guards, job.GuardWord{Guard: "revalidation", Word: job.No, Reason: reason})
			return l.close(ctx, job.Dropped, reason)
		}
		a.d.Guards = append(a.d.Guards, job.GuardWord{Guard: "revalidation", Word: job.Yes, Reason: "the picture is the same"})
	}
	if !l.Fleet.enter(l.job, l.Policy.Budget.JobsAtOnce) {
		return l.close(ctx, job.Dropped, "another job is being changed")
	}
	a.d.Applied.Way = l.hasty(a.d.Applied.Way, k)
	if err := l.update(ctx); err != nil { // what is not in the journal is not done
		if a.d.Kind == job.RollBack {
			return err // it is still to be done: the next look tries again
		}
		return errors.Join(err, l.close(ctx, job.Dropped, "the journal could not be written"))
	}
	a.stage, a.since, a.lookedAt, a.latency, a.restarts = applying, k.at, k.at, k.latency, -1
	if r := k.obs.Restarts; r != nil {
		a.restarts = *r
	}
	a.cause = &planned{change: *a.d.Applied, appliedAt: k.server}
	if i := l.track.open; i != nil {
		i.disturb("the settings were changed before it was over")
	}
	return l.apply(ctx, k)
}

// apply asks the world for the change. Where it answers with an error it may have
// accepted it all the same: the next looks tell.
func (l *Loop) apply(ctx context.Context, k *look) error {
	a := l.act
	a.triedAt = k.at
	if err := l.World.Apply(ctx, *a.d.Applied); err != nil {
		a.d.Outcome = err.Error()
		l.tell(Warned, a.d.ID, "the world answers to the change: "+err.Error())
		return nil //nolint:nilerr // it is told, and what became of the change is still to be seen
	}
	l.tell(Applied, a.d.ID, fmt.Sprintf("%s, %s", a.want, a.d.Applied.Way))
	a.d.State, a.d.Outcome = job.Applying, ""
	return l.update(ctx)
}

// acknowledge notes that the world has shown that it makes the change.
func (l *Loop) acknowledge(ctx context.Context) error {
	a := l.act
	a.accepted = true
	a.d.State = job.Applying
	return errors.Join(l.update(ctx), l.saveLedger(ctx))
}

// changed says what is not as it was when the decision was made; empty: nothing.
func (l *Loop) changed(k *look) string {
	a := l.act
	ask := l.asking(k)
	ask.want = a.want
	words, stopped := consult(append(before(), quietGuard{}), ask)
	if stopped {
		return words[len(words)-1].Reason
	}
	seen := a.d.Seen
	if k.knobs != seen.Knobs {
		return fmt.Sprintf("the job now has %s", k.knobs)
	}
	rate, was := k.arriving(), seen.RatePerSecond
	if rate != nil && was != nil && !a.fits(*rate) && math.Abs(*rate-*was) > movedBy**was {
		return fmt.Sprintf("the input went from %.0f to %.0f records/s", *was, *rate)
	}
	return ""
}

// movedBy is the share by which the input may move between decision and act.
const movedBy = 0.25

// fits says whether the proposal counted with such a rate.
func (a *action) fits(rate float64) bool {
	f := a.d.Proposed.Forecast
	return f.UpperPerSecond > 0 && rate <= f.UpperPerSecond && directionOf(a.d.Seen.Knobs, a.want) == up
}
