package control

import (
	"context"
	"fmt"
	"math"
	"time"

	"rebound/internal/job"
)

// action is a decision on its way: it waits for approval, is prepared, applied
// and verified, and then closed.
type action struct {
	d       job.Decision
	want    job.Knobs
	stage   stage
	since   time.Time // of the stage, our clock; later by the time in which nothing could be seen
	resumed bool      // taken over from before a restart of this program
	newest  int64     // checkpoint that was the newest before one was asked for

	cause     *planned // once applied
	accepted  bool     // the world has shown that it knows of the change
	restarts  int      // of the job when it was applied; −1: unknown
	runningAt time.Time
	took      *job.Measurement // of the planned restart
	healthy   time.Time        // since when all is well; zero: it is not
	latency   *float64         // s, before
	asked     bool             // for a checkpoint after the change
	lookedAt  time.Time
	triedAt   time.Time  // the world was asked last
	verdict   *verdictOf // to be written: the journal could not be reached
}

// verdictOf is how a decision ends.
type verdictOf struct {
	state   job.DecisionState
	outcome string
}

// stage of an action.
type stage int

const (
	waiting   stage = iota // for somebody's approval
	preparing              // for a checkpoint to complete, and to look again
	applying               // the world has been asked; what comes is verified
)

func (a *action) busy() bool      { return a != nil && a.stage != waiting }
func (a *action) preparing() bool { return a != nil && a.stage == preparing }

// planned is the change that may explain an interruption.
func (a *action) planned() *planned {
	if a == nil {
		return nil
	}
	return a.cause
}

// saw takes the measurement of an interruption that the action caused.
func (a *action) saw(i *interruption, m job.Measurement) {
	if a != nil && i.change != nil && i.change == a.cause {
		a.took = &m
		a.runningAt = i.runningAt
	}
}

// begin writes down a decision that all guards let pass, and asks for approval
// where the policy wants it.
func (l *Loop) begin(ctx context.Context, k *look, d job.Decision, want job.Knobs) error {
	way, ok := l.World.Capabilities().WayFor(k.knobs, want)
	if !ok {
		return nil // the guard of limits has said so
	}
	way = l.hasty(way, k)
	d.Applied = &job.Change{Job: l.job, Want: want.With(parallelisms(k.obs)), Way: way}
	manual := l.Policy.Approval.Manual
	hooked := len(l.Policy.Approval.Command) > 0 || l.Policy.Approval.URL != ""
	if manual || hooked {
		d.State = job.Waiting
	}
	id, err := l.Journal.AddDecision(ctx, d)
	if err != nil {
		l.again = true
		return fmt.Errorf("store a decision: %w", err)
	}
	d.ID, d.Applied.ID = id, id
	l.act = &action{d: d, want: want, since: k.at, stage: preparing}
	l.tell(Decided, id, saying(d))
	switch {
	case hooked:
		l.act.stage = waiting
		return l.approved(ctx, k)
	case manual:
		l.act.stage = waiting
		return nil
	}
	return l.prepare(ctx, k)
}

// hasty never waits for a savepoint where the job falls behind or does not run:
// a savepoint waits behind the backlog.
func (l *Loop) hasty(way job.Way, k *look) job.Way {
	if way == job.Savepoint && (l.track.growing || !k.settled) {
		for _, w := range l.World.Capabilities().Ways {
			if w == job.LastState {
				return w
			}
		}
	}
	return way
}

func parallelisms(o job.Observation) map[string]int {
	p := make(map[string]int, len(o.Vertices))
	for _, v := range o.Vertices {
		p[v.ID] = v.Parallelism
	}
	return p
}

// approved asks the policy's program or URL.
func (l *Loop) approved(ctx context.Context, k *look) error {
	yes, reason := false, "nobody to ask: no approver is set up"
	if l.Approver != nil {
		yes, reason = l.Approver.Approve(ctx, l.act.d)
	}
	return l.answer(ctx, k, yes, reason)
}

// answer goes on with an action that waited, or ends it.
func (l *Loop) answer(ctx context.Context, k *look, yes bool, reason string) error {
	a := l.act
	if !yes {
		a.d.Guards = append(a.d.Guards, job.GuardWord{Guard: "approval", Word: job.No, Reason: reason})
		l.ledger.holdOff(a.d.Seen.Knobs, a.want, k.at, firstHold)
		return l.close(ctx, job.Refused, reason)
	}
	a.d.Guards = append(a.d.Guards, job.GuardWord{Guard: "approval", Word: job.Yes, Reason: reason})
	a.d.State, a.stage, a.since = job.Open, preparing, k.at
	if err := l.update(ctx); err != nil {
		return err
	}
	return l.prepare(ctx, k)
}

// prepare asks for a checkpoint, so that the restart has next to nothing to
// replay. A savepoint brings its own; a job that falls behind does not wait.
func (l *Loop) prepare(ctx context.Context, k *look) error {
	a := l.act
	if a.d.Applied.Way == job.Savepoint || l.track.growing || !k.settled || !k.obs.Checkpointing.Enabled {
		a.newest = math.MinInt64
		return nil
	}
	if last, ok := k.obs.Checkpointing.LastCompleted(); ok {
		a.newest = last.ID
	}
	if !l.request(ctx, a.d.ID) {
		a.newest = math.MinInt64 // the restart replays what it must
	}
	return nil
}

// request asks for a checkpoint.
func (l *Loop) request(ctx context.Context, id string) bool {
	if err := l.World.Checkpoint(ctx, id); err != nil {
		l.warn("checkpoint", "a checkpoint was refused: "+err.Error())
		return false
	}
	l.warn("checkpoint", "")
	return true
}

// patience is how long a checkpoint before a change is waited for (s): three
// times what they take, and a look.
func patience(k *look) time.Duration {
	longest := 0.0
	for _, h := range k.obs.Checkpointing.History {
		longest = max(longest, known(h.DurationSeconds))
	}
	return seconds(3*longest + 10)
}

// pursue takes the action one step further.
func (l *Loop) pursue(ctx context.Context, k *look) error {
	a := l.act
	switch {
	case a == nil:
		return nil
	case a.verdict != nil:
		return l.close(ctx, a.verdict.state, a.verdict.outcome)
	case a.stage == waiting:
		return l.expire(ctx, k)
	case a.stage == applying:
		return l.verify(ctx, k)
	}
	last, _ := k.obs.Checkpointing.LastCompleted()
	if k.at.Equal(a.since) || last.ID <= a.newest && k.at.Sub(a.since) < patience(k) {
		return nil
	}
	return l.carryOut(ctx, k)
}

// expire ends an action that nobody has approved in time.
func (l *Loop) expire(ctx context.Context, k *look) error {
	limit := l.Policy.Approval.Timeout
	if limit <= 0 {
		limit = time.Hour
	}
	if k.at.Sub(l.act.d.At) < limit {
		return nil
	}
	return l.answer(ctx, k, false, "nobody approved it within "+limit.String())
}
