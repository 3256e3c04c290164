package control

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"rebound/internal/job"
)

// wanting takes back a change that was found wanting, and keeps its direction from
// being tried again for a while. A change that takes another back is not taken
// back itself: going to and fro helps nobody.
func (l *Loop) wanting(ctx context.Context, k *look, reason string) error {
	a := l.act
	if a.d.Kind == job.RollBack {
		l.tell(Warned, a.d.ID, "a change was taken back, and the job is still not well: "+reason)
		return l.close(ctx, job.Failed, reason)
	}
	l.ledger.holdOff(a.d.Seen.Knobs, a.want, k.at, firstHold)
	back := l.backTo(k, a.d)
	back.Proposed.Reason = "taking back " + a.d.ID + ": " + reason
	id, err := l.Journal.AddDecision(ctx, back)
	if err != nil {
		l.again = true
		return fmt.Errorf("store a decision: %w", err)
	}
	// From here on the journal says that the change is being taken back, so that a
	// crash in between ends the same way.
	if err := l.close(ctx, job.RolledBack, reason); err != nil {
		return err
	}
	return l.follow(ctx, k, back, id)
}

// backTo is the decision to give the job the settings that it had before d.
func (l *Loop) backTo(k *look, d job.Decision) job.Decision {
	target := d.Seen.Knobs
	back := l.decision(k, job.Plan{Job: l.job, Now: k.knobs, Want: target, Feasible: true})
	back.Kind, back.RollsBack = job.RollBack, d.ID
	way, ok := l.World.Capabilities().WayFor(k.knobs, target)
	if !ok || way == "" {
		way = d.Applied.Way
	}
	back.Applied = &job.Change{Job: l.job, Want: d.Previous, Way: l.hasty(way, k)}
	return back
}

// follow carries a decision out that was made without asking guards.
func (l *Loop) follow(ctx context.Context, k *look, d job.Decision, id string) error {
	d.ID, d.Applied.ID = id, id
	l.act = &action{d: d, want: wanted(d), since: k.at, stage: preparing, newest: -1}
	l.tell(Decided, id, saying(d))
	if !k.settled {
		return l.carryOut(ctx, k)
	}
	return l.prepare(ctx, k)
}

// takeBack does what a user asks for: it gives the job the settings that it had
// before a decision.
func (l *Loop) takeBack(ctx context.Context, k *look, id string) (answer string, err error) {
	recent, err := l.Journal.Decisions(ctx, l.job, recentDecisions)
	if err != nil {
		return "", fmt.Errorf("read decisions: %w", err)
	}
	var d *job.Decision
	for i := range recent {
		switch {
		case recent[i].RollsBack == id:
			return "already taken back by " + recent[i].ID, nil
		case recent[i].ID == id:
			d = &recent[i]
		}
	}
	switch {
	case d == nil:
		return "no such decision among the last " + strconv.Itoa(recentDecisions), nil
	case d.Applied == nil || d.State != job.Verified && d.State != job.Applying:
		return "it was not applied: there is nothing to take back", nil
	case !k.known:
		return "the present settings are not known", nil
	case l.act != nil && l.act.d.ID != id:
		return "", errLater
	}
	back := l.backTo(k, *d)
	back.Proposed.Reason = "a user takes back " + id
	newID, err := l.Journal.AddDecision(ctx, back)
	if err != nil {
		l.again = true
		return "", fmt.Errorf("store a decision: %w", err)
	}
	if l.act != nil {
		if err := l.close(ctx, job.RolledBack, "a user took it back"); err != nil {
			return "", err
		}
	}
	return "taken back by " + newID, l.follow(ctx, k, back, newID)
}

// errLater says that a request has to wait.
var errLater = errors.New("another decision is on its way")

// recentDecisions is how far back a user's request may reach.
const recentDecisions = 200
