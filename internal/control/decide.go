package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"rebound/internal/explore"
	"rebound/internal/job"
	"rebound/internal/plan"
)

// decide forecasts, predicts, plans and asks the guards, once a minute.
func (l *Loop) decide(ctx context.Context, k *look) error {
	a := l.asking(k)
	looks := a.looks
	a.looks = enoughLooks // to predict takes less than to change something
	if words, stopped := consult(before(), a); stopped {
		return l.unplanned(ctx, k, words)
	}
	a.looks = looks
	l.unplannedFor = 0
	in := l.input(k)
	l.expect(&in)
	err := l.predict(ctx, k, &in)
	l.ledger.rested(k, l.policyRest())
	if l.Policy.Mode == job.ModeObserve || l.act.busy() || looks < enoughLooks && !a.overloaded {
		return err
	}
	a.plan = l.Planner.Plan(in)
	a.want = a.plan.Want
	err = errors.Join(err, l.setPace(ctx, k, a.plan))
	switch {
	case a.want == k.knobs:
		err = errors.Join(err, l.withdraw(ctx))
	case l.act == nil: // else a decision waits for approval: it is not asked for twice
		err = errors.Join(err, l.propose(ctx, k, a))
	}
	return errors.Join(err, l.explore(ctx, k, explore.Input{Input: in}))
}

// asking is what the guards are asked about, but for the proposal.
func (l *Loop) asking(k *look) *asking {
	return &asking{
		look: k, situation: l.situation, overloaded: l.track.growing, want: k.knobs,
		policy: &l.Policy, caps: l.World.Capabilities(), model: l.Model, ledger: &l.ledger,
		looks: l.looks, stale: k.at.Sub(l.moved), fleet: l.Fleet,
	}
}

// input is what the planner is to go by.
func (l *Loop) input(k *look) plan.Input {
	in := plan.Input{
		Job: l.job, At: k.at, Now: k.knobs, Policy: l.Policy, Model: l.Model, World: l.World.Capabilities(),
		Load: l.Forecaster.Forecast(l.Horizon.Seconds()), JobManager: k.obs.JobManager,
		MinPauseSeconds: known(k.obs.Checkpointing.MinPauseSeconds), LagRecords: l.track.excess(k),
		StandsSeconds: l.ledger.Stands, SinceSeconds: l.ledger.since(k.at), Proven: l.ledger.Proven, HeldOff: l.ledger.heldOff(k.at), Refused: l.ledger.refusals(k.at),
		Scale: l.scale(), Seed: l.Seed, CPUUtilization: l.minute.cpuShare, Restarts: l.ledger.within(k.at, day),
	}
	for _, v := range k.obs.Vertices {
		if v.MaxParallelism > 0 && (in.MaxParallelism == 0 || v.MaxParallelism < in.MaxParallelism) {
			in.MaxParallelism = v.MaxParallelism
		}
	}
	if !l.paces() {
		in.World.Pacing = false
	} else if l.ledger.Pace > 0 {
		in.PaceSeconds = new(l.ledger.Pace)
	}
	return in
}

// expect keeps what the forecast says of the next minute, to be held against it.
func (l *Loop) expect(in *plan.Input) {
	if len(in.Load.Mean) > 0 {
		l.minute.predicted = new(in.Load.Mean[0])
	}
}

// policyRest is how long settings must do well before they count as proven.
func (l *Loop) policyRest() time.Duration { return max(10*time.Minute, l.Policy.Cooldown) }

// rested counts settings as proven that the job has kept for long enough.
func (g *ledger) rested(k *look, span time.Duration) {
	if last := g.last(); k.known && !last.IsZero() && k.at.Sub(last) >= span || len(g.Proven) == 0 {
		if n := len(g.Proven); n == 0 || g.Proven[n-1] != k.knobs {
			g.proved(k.knobs)
		}
	}
}

// unplanned writes down why nothing is even planned, when that is news. That the
// job is down or catches up is in the journal as an outage.
func (l *Loop) unplanned(ctx context.Context, k *look, words []job.GuardWord) error {
	last := words[len(words)-1]
	if last.Guard == (healthGuard{}).name() || l.looks < enoughLooks || l.act != nil || l.track.open != nil {
		return nil
	}
	if l.unplannedFor++; l.unplannedFor < lasting || !l.ledger.say("unplanned "+withoutDigits(last.Reason), k.at, sayAgain) {
		return nil
	}
	d := l.decision(k, job.Plan{Job: l.job, Now: k.knobs, Want: k.knobs, Reason: "nothing planned: " + last.Reason})
	d.Guards, d.State, d.Outcome, d.ClosedAt = words, job.Refused, last.Reason, k.at
	return l.write(ctx, d)
}

// lasting is for how many minutes in a row nothing must be planned before that is
// written down: single answers are lost all the time.
const lasting = 3

// withoutDigits is what a reason says, whatever its numbers are.
func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// sayAgain is how long the same refusal is not written down again.
const sayAgain = time.Hour

// propose takes a proposal through the guards and writes down what comes of it.
func (l *Loop) propose(ctx context.Context, k *look, a *asking) error {
	words, stopped := consult(guards(), a)
	d := l.decision(k, a.plan)
	d.Guards = words
	if !stopped {
		return l.begin(ctx, k, d, a.want)
	}
	last := words[len(words)-1]
	d.State, d.Outcome, d.ClosedAt = job.Refused, last.Reason, k.at
	what := "refused " + last.Guard + " " + string(directionOf(k.knobs, a.want))
	if last.Guard == (modeGuard{}).name() {
		d.State, what = job.Recommended, "recommended "+a.want.String()
	}
	if !l.ledger.say(what, k.at, sayAgain) {
		return nil
	}
	return l.write(ctx, d)
}

// write stores a decision that is closed from the start, and tells it.
func (l *Loop) write(ctx context.Context, d job.Decision) error {
	id, err := l.Journal.AddDecision(ctx, d)
	if err != nil {
		l.again = true
		return fmt.Errorf("store a decision: %w", err)
	}
	l.tell(Decided, id, saying(d))
	return nil
}

// decision is a new one about the plan p.
func (l *Loop) decision(k *look, p job.Plan) job.Decision {
	d := job.Decision{
		Job: l.job, At: k.at, ServerAt: k.server, Kind: job.Reconfigure, Proposed: p, Mode: l.Policy.Mode,
		Previous: k.obs.Settings, State: job.Open, PredictionIDs: []string{}, Guards: []job.GuardWord{},
		Seen: job.Seen{
			Knobs: k.knobs, RatePerSecond: k.arriving(), LagRecords: k.lag, Utilization: k.busy,
			Quantities: append([]job.Quantity{}, l.Model.Quantities(k.at)...), Lacks: append([]job.Lack{}, k.obs.Lacks...),
			InputHash: k.hashed(), Seed: l.Seed,
		},
	}
	for _, f := range l.Policy.Failures {
		if s, ok := l.ledger.Standing[f]; ok {
			d.PredictionIDs = append(d.PredictionIDs, s.ID)
		}
	}
	return d
}

// saying is a decision in one sentence.
func saying(d job.Decision) string {
	s := fmt.Sprintf("%s: %s → %s", d.State, d.Proposed.Now, d.Proposed.Want)
	if d.Proposed.Now == d.Proposed.Want {
		s = string(d.State)
	}
	if d.Outcome != "" {
		s += ": " + d.Outcome
	} else if d.Proposed.Reason != "" {
		s += ": " + d.Proposed.Reason
	}
	return s
}
