// Package drill proves predictions: it injects one failure into a job that asked
// for it, measures the recovery, and scores what had been predicted.
//
// A drill refuses where it would do harm ([Refuse]). The prediction, given the
// age of the last checkpoint at that instant, is in the journal before the
// failure is injected. What happened is read where it is clearest: the phases of
// the downtime from the JobManager, the rest from the output itself, where each
// record carries the time it was made. Afterwards the cluster is made whole
// again, even when the drill was interrupted.
package drill

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"rebound/internal/job"
	"rebound/internal/model"
)

// A World is the job under drill and its surroundings.
type World interface {
	// Observe watches the job for about window seconds and says what it saw.
	Observe(ctx context.Context, window float64) (job.Observation, error)
	// LastCheckpoint is the newest completed checkpoint. It is asked right before
	// the failure and must be quick.
	LastCheckpoint(ctx context.Context) (job.Checkpoint, error)
	// Inject makes the job that was observed last fail, at once, and returns when,
	// on the clock of this machine.
	Inject(ctx context.Context, f job.Failure) (time.Time, error)
	// Restart tells how far the job has come since it failed.
	Restart(ctx context.Context, failedAt time.Time) (job.Restart, error)
	// Output tells what the output shows since then.
	Output(failedAt time.Time) job.Output
	// Heal makes the cluster whole: every process that was there before is back.
	Heal(ctx context.Context) error
	// Starved is how much the job's processes have waited for a CPU since the
	// failure, in threads; absent if it cannot be told.
	Starved() *float64
	// Audit compares what was sent with what a read-committed reader sees.
	Audit(ctx context.Context) (job.Audit, error)
}

// A Journal keeps what a drill learns.
type Journal interface {
	// Begin stores the predictions before the failure and returns the drill's ID.
	Begin(ctx context.Context, p Prediction) (id string, err error)
	// Finish stores the measurement and the score.
	Finish(ctx context.Context, id string, m job.Measurement) error
	// Abort closes a drill that came to nothing, with the reason.
	Abort(ctx context.Context, id, reason string) error
	// Evidence is what earlier recoveries have taught.
	Evidence(ctx context.Context, id job.Identity) (model.Evidence, error)
}

// Prediction is what was said right before the failure.
type Prediction struct {
	Observed      job.Observation `json:"observed"`
	Failure       job.Failure     `json:"failure"`
	Conditional   job.Recovery    `json:"conditional"`   // given the age of the checkpoint at that instant
	Unconditional job.Recovery    `json:"unconditional"` // for a random moment
	Configured    []job.PhaseTime `json:"configured"`    // what the configuration alone says of the downtime
	// Busy is how busy the busiest subtask was, as the model saw it.
	Busy *float64 `json:"busy,omitempty"`
	Seed uint64   `json:"seed"`

	restores int64 // ID of the checkpoint that is the newest
}

// Moment is when to fail.
type Moment string

// A random moment is fair; right before the next checkpoint is the worst.
const (
	RandomMoment Moment = "random"
	WorstMoment  Moment = "worst"
)

// Drill is one drill, or several in a row, with the same parameters.
type Drill struct {
	World   World
	Journal Journal
	Failure job.Failure
	Moment  Moment
	Limits  Limits
	Timeout time.Duration // after which the job counts as not recovered; 0: ten times the predicted 95 %
	Risk    float64
	Seed    uint64
	Random  *rand.Rand  // chooses the moment
	Tell    func(Event) // what happens, as it happens; may be nil
}

// Result is one drill's.
type Result struct {
	ID         string
	Prediction Prediction
	Measured   job.Measurement
}

// What a drill waits for.
const (
	watch     = 15.0                   // s of looking at utilization before the failure, at least
	commits   = 2.2                    // checkpoint intervals of looking: two commits show the band of a committed reader
	poll      = 200 * time.Millisecond // between two looks during recovery
	early     = 300 * time.Millisecond // before the next checkpoint, for the worst moment: time to predict and to store it
	settle    = 90 * time.Second       // for the audit's cut to be committed
	healing   = 2 * time.Minute
	calming   = 2 * time.Minute // for the output to become steady
	leastTime = 2 * time.Minute // the least time-out
	closing   = 10 * time.Second
	// A read-committed reader is waited for so many checkpoint intervals after the
	// catch-up and a little more: what commits nothing is never visible to it.
	visibleWithin = 3.0
	leastVisible  = 15 * time.Second
	attempts      = 5
)

// Run does one drill. An error that is a *Refusal says that nothing was done.
func (d *Drill) Run(ctx context.Context) (Result, error) {
	id, p, err := d.begin(ctx)
	if err != nil {
		return Result{}, err
	}
	d.tell(Event{Kind: Predicted, Prediction: &p, Text: describe(p.Conditional)})
	m, err := d.measure(ctx, p)
	// Whatever happened, the cluster is to be whole and the drill closed, also
	// after an interrupt.
	err = errors.Join(err, d.heal(ctx))
	if err == nil {
		d.audit(ctx, &m)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	if err != nil {
		return Result{}, errors.Join(err, d.Journal.Abort(ctx, id, err.Error()))
	}
	if err := d.Journal.Finish(ctx, id, m); err != nil {
		return Result{}, fmt.Errorf("store the measurement: %w", err)
	}
	d.tell(Event{Seconds: value(m.RecoverySeconds), Kind: Scored, Measured: &m, Text: score(p.Conditional, m)})
	return Result{ID: id, Prediction: p, Measured: m}, nil
}

// begin predicts and stores the prediction. A checkpoint that completes in
// between makes the age that it was given wrong: then once more.
func (d *Drill) begin(ctx context.Context) (id string, p Prediction, err error) {
	for range attempts {
		if p, err = d.predict(ctx); err != nil {
			return "", p, err
		}
		if id, err = d.Journal.Begin(ctx, p); err != nil {
			return "", p, fmt.Errorf("store the prediction: %w", err)
		}
		last, err := d.World.LastCheckpoint(ctx)
		if err == nil && last.ID == p.restores {
			return id, p, nil
		}
		if err := errors.Join(err, d.Journal.Abort(ctx, id, "a checkpoint completed right before the failure")); err != nil {
			return "", p, err
		}
	}
	return "", p, errors.New("checkpoints complete too often to predict what a failure in between would restore: lengthen the interval")
}

// predict looks at the job, refuses or waits for the moment, and predicts.
func (d *Drill) predict(ctx context.Context) (Prediction, error) {
	o, err := d.World.Observe(ctx, 0)
	if err != nil {
		return Prediction{}, err
	}
	if err := d.calm(ctx); err != nil {
		return Prediction{}, err
	}
	window := max(watch, commits*value(o.Checkpointing.IntervalSeconds))
	d.tell(Event{Kind: Watching, Text: fmt.Sprintf("watching the job for %.0f s", window)})
	if o, err = d.World.Observe(ctx, window); err != nil {
		return Prediction{}, err
	}
	e, err := d.Journal.Evidence(ctx, o.Job)
	if err != nil {
		return Prediction{}, fmt.Errorf("read the journal: %w", err)
	}
	e.Now, e.Seed = o, d.Seed
	m := model.New(e)
	un, known := m.Predict(model.Question{Failure: d.Failure, Risk: d.Risk})
	if r := Refuse(o, d.World.Output(o.At), un, known, d.Limits); len(r.Reasons) > 0 {
		return Prediction{}, r
	}
	last, err := d.wait(ctx, o)
	if err != nil {
		return Prediction{}, err
	}
	if !d.World.Output(time.Now()).Calm {
		return Prediction{}, &Refusal{Reasons: []string{"the output is no longer steady: wait until it is"}}
	}
	age := time.Since(last.TriggeredAt).Seconds()
	con, _ := m.Predict(model.Question{Failure: d.Failure, Risk: d.Risk, Age: &age})
	return Prediction{
		Observed: o, Failure: d.Failure, Conditional: con, Unconditional: un,
		Configured: m.Configured(d.Failure), Busy: m.Busy(), Seed: d.Seed, restores: last.ID,
	}, nil
}

// calm waits for the output to have been steady, so that what is watched next is
// the job and not the end of an earlier recovery. A job that does not come to rest
// is refused later, with the other reasons.
func (d *Drill) calm(ctx context.Context) error {
	d.tell(Event{Kind: Watching, Text: "waiting for the output to be steady"})
	for deadline := time.Now().Add(calming); time.Now().Before(deadline); {
		if d.World.Output(time.Now()).Calm {
			return nil
		}
		if err := sleep(ctx, 2*poll); err != nil {
			return err
		}
	}
	return nil
}

// wait lets time pass until the moment to fail, and returns the checkpoint that
// the job will restore.
func (d *Drill) wait(ctx context.Context, o job.Observation) (job.Checkpoint, error) {
	period := effective(o.Checkpointing)
	until := time.Now().Add(time.Duration(d.Random.Float64() * period * float64(time.Second)))
	if d.Moment == WorstMoment {
		last, err := d.World.LastCheckpoint(ctx)
		if err != nil {
			return last, err
		}
		until = nextTrigger(last.TriggeredAt, period).Add(-early)
	}
	d.tell(Event{Kind: Waiting, Text: fmt.Sprintf("failing in %.1f s, %s", max(0, time.Until(until).Seconds()), moments[d.Moment])})
	if err := sleep(ctx, time.Until(until)); err != nil {
		return job.Checkpoint{}, err
	}
	return d.World.LastCheckpoint(ctx)
}

// measure injects the failure and follows the job until it has caught up.
func (d *Drill) measure(ctx context.Context, p Prediction) (job.Measurement, error) {
	failedAt, err := d.World.Inject(ctx, d.Failure)
	if err != nil {
		return job.Measurement{}, fmt.Errorf("inject a %s failure: %w", d.Failure, err)
	}
	d.tell(Event{Kind: Injected, Text: injected[d.Failure]})
	deadline := failedAt.Add(d.timeout(p.Conditional))
	f := follower{failedAt: failedAt, tell: d.tell}
	patience := time.Duration(visibleWithin*effective(p.Observed.Checkpointing)*float64(time.Second)) + leastVisible
	for {
		if err := sleep(ctx, poll); err != nil {
			return job.Measurement{}, err
		}
		// A JobManager that is gone does not answer: the next look is the retry.
		r, err := d.World.Restart(ctx, failedAt)
		if errors.Is(err, job.ErrBlind) {
			return job.Measurement{}, err
		}
		if err == nil {
			f.restart(r)
		}
		f.output(d.World.Output(failedAt))
		if f.done(patience) || time.Now().After(deadline) {
			break
		}
	}
	m := assemble(p, failedAt, f.last, f.seen, time.Since(failedAt).Seconds())
	m.StarvedRatio = d.World.Starved()
	return m, nil
}

func (d *Drill) timeout(r job.Recovery) time.Duration {
	if d.Timeout > 0 {
		return d.Timeout
	}
	if r.P95Seconds == nil {
		return 10 * time.Minute
	}
	return max(leastTime, time.Duration(10**r.P95Seconds)*time.Second)
}

// heal has time of its own, also after an interrupt.
func (d *Drill) heal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healing)
	defer cancel()
	d.tell(Event{Kind: Healing, Text: "making the cluster whole again"})
	if err := d.World.Heal(ctx); err != nil {
		return fmt.Errorf("make the cluster whole again: %w", err)
	}
	return nil
}

// audit adds what became of the records. That it could not be told is part of
// the result and no reason to lose the measurement.
func (d *Drill) audit(ctx context.Context, m *job.Measurement) {
	d.tell(Event{Kind: Auditing, Text: "counting every record, sent and seen"})
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	a, err := d.World.Audit(ctx)
	if err != nil {
		a = job.Audit{Verdict: "unsettled", Confidence: err.Error(), Detail: []string{}}
	}
	m.Audit = &a
}

func (d *Drill) tell(e Event) {
	if d.Tell != nil {
		d.Tell(e)
	}
}

func sleep(ctx context.Context, t time.Duration) error {
	if t <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func value(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}
