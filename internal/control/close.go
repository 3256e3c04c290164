package control

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"rebound/internal/job"
)

// update replaces what the journal has of the action's decision.
func (l *Loop) update(ctx context.Context) error {
	if err := l.Journal.UpdateDecision(ctx, l.act.d); err != nil {
		l.again = true
		return fmt.Errorf("store decision %s: %w", l.act.d.ID, err)
	}
	return nil
}

// close ends the action. Where the journal cannot be written the verdict is kept
// and tried again at the next look.
func (l *Loop) close(ctx context.Context, state job.DecisionState, outcome string) error {
	a := l.act
	a.verdict = &verdictOf{state, outcome}
	d := a.d
	d.State, d.Outcome, d.ClosedAt = state, outcome, l.now
	if err := l.Journal.UpdateDecision(ctx, d); err != nil {
		l.again = true
		return fmt.Errorf("close decision %s: %w", d.ID, err)
	}
	l.act = nil
	l.Fleet.leave(l.job)
	l.tell(kindOfEnd(state), d.ID, string(state)+": "+outcome)
	return l.saveLedger(ctx)
}

func kindOfEnd(s job.DecisionState) EventKind {
	switch s {
	case job.Verified:
		return Verified
	case job.RolledBack:
		return RolledBack
	case job.Refused:
		return Decided
	default:
		return Unsuccessful
	}
}

// withdraw ends a decision that waits for approval of what is no longer wanted.
func (l *Loop) withdraw(ctx context.Context) error {
	if l.act == nil || l.act.stage != waiting || l.act.d.Kind != job.Reconfigure {
		return nil
	}
	return l.close(ctx, job.Dropped, "what it was for has passed before anybody approved it")
}

// reconcile takes over the decisions that the journal has open and that this loop
// knows nothing of: it was started anew, or the journal could not tell what became
// of a write. What was never applied is dropped, what may have been is verified by
// what the world shows.
func (l *Loop) reconcile(ctx context.Context) error {
	open, err := l.Journal.OpenDecisions(ctx, l.job)
	if err != nil {
		return fmt.Errorf("read open decisions: %w", err)
	}
	l.again = false
	if l.act != nil && !listed(open, l.act.d.ID) { // it was closed after all
		l.act = nil
		l.Fleet.leave(l.job)
	}
	takenBack := map[string]bool{}
	for _, d := range open {
		takenBack[d.RollsBack] = true
	}
	var errs []error
	if l.act != nil && takenBack[l.act.d.ID] {
		errs = append(errs, l.close(ctx, job.RolledBack, "taken back by a later decision"))
	}
	for _, d := range open {
		if l.act != nil && d.ID == l.act.d.ID {
			continue
		}
		errs = append(errs, l.adopt(ctx, d, takenBack[d.ID]))
	}
	return errors.Join(errs...)
}

func listed(ds []job.Decision, id string) bool {
	for _, d := range ds {
		if d.ID == id {
			return true
		}
	}
	return false
}

// adopt takes over one open decision.
func (l *Loop) adopt(ctx context.Context, d job.Decision, takenBack bool) error {
	end := func(s job.DecisionState, outcome string) error {
		d.State, d.Outcome, d.ClosedAt = s, outcome, l.now
		if err := l.Journal.UpdateDecision(ctx, d); err != nil {
			l.again = true
			return fmt.Errorf("close decision %s: %w", d.ID, err)
		}
		l.tell(kindOfEnd(s), d.ID, string(s)+": "+outcome)
		return nil
	}
	hooked := !l.Policy.Approval.Manual && d.State == job.Waiting
	switch {
	case takenBack:
		return end(job.RolledBack, "taken back by a later decision")
	case l.act != nil:
		return end(job.Dropped, "another decision is on its way")
	case hooked:
		return end(job.Dropped, "Rebound was restarted while it asked for approval")
	case d.Applied == nil:
		return end(job.Dropped, "Rebound was restarted before it was applied")
	}
	d.Applied.ID = d.ID
	a := &action{d: d, want: wanted(d), since: l.now, lookedAt: l.now, resumed: true, stage: applying, restarts: -1}
	a.cause = &planned{change: *d.Applied, appliedAt: l.now, resumed: true}
	switch {
	case d.State == job.Waiting:
		a.stage, a.cause, a.since = waiting, nil, d.At
	case d.State == job.Open && d.Kind == job.RollBack:
		// To go back is right whenever it is done, and done once at most.
		a.stage, a.cause, a.newest = preparing, nil, math.MinInt64
	}
	l.act = a
	if a.stage == applying {
		l.Fleet.enter(l.job, 0)
	}
	return nil
}

// wanted are the knobs that a decision leads to.
func wanted(d job.Decision) job.Knobs {
	k := d.Seen.Knobs
	s := d.Applied.Want
	for _, v := range []struct {
		to   *float64
		from *float64
	}{
		{&k.IntervalSeconds, s.CheckpointIntervalSeconds},
		{&k.CPUCores, s.TaskManagerResources.CPUCores},
		{&k.MemoryBytes, s.TaskManagerResources.MemoryBytes},
	} {
		if v.from != nil {
			*v.to = *v.from
		}
	}
	if s.SlotsPerTaskManager != nil {
		k.Slots = *s.SlotsPerTaskManager
	}
	widest := 0
	for _, n := range s.Parallelism {
		widest = max(widest, n)
	}
	if widest > 0 {
		k.Parallelism = widest
	}
	return k
}

// acceptWithin is how long a world may take to show that it knows of a change.
const acceptWithin = time.Minute
