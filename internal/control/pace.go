package control

import (
	"context"
	"fmt"
	"math"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
)

// pacer asks for checkpoints in between those that Flink makes by itself. It keeps
// nothing that must survive: without it the configured interval rules.
type pacer struct {
	asked   []time.Time // in the last minute, on our clock
	failed  int         // in a row
	waits   time.Time   // after failures; zero: no need
	newest  int64       // the newest checkpoint that was seen to fail
	refused string      // why the job cannot be paced; empty: it can
}

const (
	// firstWait and mostWait bound the pause after checkpoints that failed: it
	// doubles with each in a row.
	firstWait, mostWait = 10 * time.Second, 5 * time.Minute
	// inCatchUp is the shortest pace while the job catches up (s): each checkpoint
	// costs capacity that is needed then, and yet progress has to be kept.
	inCatchUp = 30.0
	// paceMoved is the share by which the pace must move to be written down.
	paceMoved = 0.25
)

// paces says whether checkpoints may be asked for in this mode and world.
func (l *Loop) paces() bool {
	return (l.Policy.Mode == job.ModePace || l.Policy.Mode == job.ModeApply) &&
		l.World.Capabilities().Pacing && l.pacer.refused == ""
}

// unfit says why a job must not be paced; empty: it may.
func unfit(c job.Checkpointing) string {
	switch {
	case !c.Enabled:
		return "checkpointing is off: set execution.checkpointing.interval"
	case c.Mode == "at_least_once":
		return "checkpoints are at least once: set execution.checkpointing.mode: EXACTLY_ONCE"
	}
	return ""
}

// setPace takes over the pace of a plan, and writes it down where it moved.
func (l *Loop) setPace(ctx context.Context, k *look, p job.Plan) error {
	if why := unfit(k.obs.Checkpointing); why != l.pacer.refused {
		if l.pacer.refused = why; why != "" {
			l.tell(Warned, "", "checkpoints are not paced: "+why)
		}
	}
	pace := known(p.PaceSeconds)
	if !l.paces() || l.ledger.paused(k.at) {
		pace = 0
	}
	was := l.ledger.PaceSaid
	l.ledger.Pace = pace
	if was == pace || was > 0 && pace > 0 && math.Abs(pace-was) <= paceMoved*was {
		return nil
	}
	d := l.decision(k, p)
	d.Kind, d.State, d.ClosedAt = job.Pace, job.Verified, k.at
	d.Outcome = "the configured interval rules"
	if pace > 0 {
		d.Outcome = fmt.Sprintf("a checkpoint every %.0f s", pace)
	}
	id, err := l.Journal.AddDecision(ctx, d)
	if err != nil {
		l.again = true
		l.ledger.Pace = was // what is not in the journal is not done
		return fmt.Errorf("store a decision: %w", err)
	}
	l.ledger.PaceSaid = pace
	l.tell(Paced, id, d.Outcome)
	return nil
}

// due is how long until the next checkpoint is to be asked for; false: none is.
func (p *pacer) due(k *look, g *ledger, s learn.Situation) (time.Duration, bool) {
	c := k.obs.Checkpointing
	if g.Pace <= 0 || p.refused != "" || s != learn.Calm && s != learn.CatchingUp {
		return 0, false
	}
	pace := g.Pace
	if s == learn.CatchingUp {
		pace = max(pace, inCatchUp)
	}
	var started, ended time.Time
	for _, h := range c.History {
		started = latestOf(started, h.TriggeredAt)
		if h.Status == "COMPLETED" {
			ended = latestOf(ended, h.TriggeredAt.Add(seconds(known(h.DurationSeconds))))
		}
	}
	at := k.server.Add(seconds(pace))
	if !started.IsZero() {
		at = latestOf(started.Add(seconds(pace)), ended.Add(seconds(known(c.MinPauseSeconds))))
	}
	wait := at.Sub(k.server)
	if !p.waits.IsZero() {
		wait = max(wait, p.waits.Sub(k.at))
	}
	return wait, true
}

// pace asks for a checkpoint where one is due.
func (l *Loop) pace(ctx context.Context, k *look) {
	p := &l.pacer
	p.note(k)
	l.secure(ctx, k)
	wait, ok := p.due(k, &l.ledger, l.situation)
	// A look later it would be late by more than it is early now.
	lead := time.Second
	if !ok || wait > lead || !l.paces() || l.act.busy() || k.checkpointing() || p.full(k.at, l.Policy.Budget.CheckpointsPerMinute) {
		return
	}
	p.asked = append(p.asked, k.at)
	if !l.request(ctx, fmt.Sprintf("pace-%d", k.at.UnixMilli())) {
		p.fail(k.at)
		return
	}
	l.tell(Checkpoint, "", fmt.Sprintf("asked for a checkpoint, the pace is %.0f s", l.ledger.Pace))
}

// secure asks for a checkpoint as soon as the job has caught up: Flink begins its
// interval anew with a restart, and a second failure would take back all that was
// done since the last checkpoint before the first.
func (l *Loop) secure(ctx context.Context, k *look) {
	i := l.track.open
	if i == nil || i.asked || i.back.IsZero() || !l.paces() || l.act.busy() || k.checkpointing() {
		return
	}
	i.asked = true
	if last, ok := k.obs.Checkpointing.LastCompleted(); ok && last.TriggeredAt.After(i.runningAt) {
		return
	}
	l.request(ctx, fmt.Sprintf("caught-up-%d", k.at.UnixMilli()))
}

// note learns from the newest checkpoint whether they fail.
func (p *pacer) note(k *look) {
	for _, h := range k.obs.Checkpointing.History {
		switch {
		case h.Status == "IN_PROGRESS":
			continue
		case h.ID <= p.newest:
		case h.Status == "FAILED":
			p.fail(k.at)
		default:
			p.failed, p.waits = 0, time.Time{}
		}
		p.newest = max(p.newest, h.ID)
		return
	}
}

func (p *pacer) fail(now time.Time) {
	wait := min(mostWait, firstWait<<min(p.failed, 10))
	p.failed++
	p.waits = now.Add(wait)
}

// full says whether as many were asked for in the last minute as may be.
func (p *pacer) full(now time.Time, most float64) bool {
	kept := p.asked[:0]
	for _, t := range p.asked {
		if now.Sub(t) < time.Minute {
			kept = append(kept, t)
		}
	}
	p.asked = kept
	return most > 0 && float64(len(kept)) >= most
}
