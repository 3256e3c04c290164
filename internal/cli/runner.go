package cli

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"rebound/internal/control"
	"rebound/internal/store"
)

// runner drives a loop by the clock of its place.
type runner struct {
	place   place
	journal *store.Journal
	fleet   *control.Fleet // of all jobs of this process
	loop    *control.Loop
	log     *slog.Logger

	said   complaints
	pruned time.Time // when old rows were last removed
}

// What the journal keeps, and how often old rows are removed.
const (
	keepAge      = 90 * 24 * time.Hour
	keepBytes    = 512 << 20
	keepUnscored = 24 * time.Hour
	pruneEvery   = time.Hour
)

// lostAfter is how many waits in a row may fail: then nobody is there any more.
const lostAfter = 30

// run steps until it is told to end, or the simulation is over.
func (r *runner) run(ctx context.Context) error {
	lost := 0
	for ctx.Err() == nil {
		next, err := r.loop.Step(ctx)
		r.report(ctx, err)
		err = r.place.Wait(ctx, next)
		switch {
		case err == nil:
			lost = 0
			r.prune(ctx)
			continue
		case errors.Is(err, errOver):
			r.log.Info("the simulation is over", "now", r.place.Now().UTC())
			return r.end(ctx)
		case ctx.Err() != nil:
		default:
			if lost++; lost > lostAfter {
				return errors.Join(err, r.end(ctx))
			}
			r.report(ctx, err)
			pause(ctx, time.Second)
		}
	}
	r.log.Info("ended, open decisions stay open")
	return r.end(ctx)
}

// end saves what was learned, also after an interrupt.
func (r *runner) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), savingTime)
	defer cancel()
	return r.loop.Save(ctx)
}

// savingTime bounds the end: longer than a lock of the journal is waited for.
const savingTime = 10 * time.Second

// report logs an error of a new kind, and that all is well again.
func (r *runner) report(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	news, well := r.said.hear(r.place.Now(), err)
	if news {
		r.log.Warn("a look went wrong, the next one tries again", "err", err)
	}
	if well {
		r.log.Info("all well again")
	}
}

// prune bounds the journal.
func (r *runner) prune(ctx context.Context) {
	now := r.place.Now()
	if now.Sub(r.pruned) < pruneEvery {
		return
	}
	r.pruned = now
	if _, err := r.journal.Prune(ctx, store.Keep{Age: keepAge, Bytes: keepBytes, Unscored: keepUnscored}); err != nil {
		r.log.Warn("old rows stay in the journal", "err", err)
	}
}

// tell logs what the loop says. The minutes are for those who look closely.
func (r *runner) tell(e control.Event) {
	level := slog.LevelInfo
	switch e.Kind { //nolint:exhaustive // the others are worth a line each
	case control.Observed, control.Checkpoint:
		level = slog.LevelDebug
	case control.Warned, control.RolledBack, control.Unsuccessful:
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("what", string(e.Kind)), slog.String("text", e.Text), slog.Time("at", e.At.UTC())}
	if e.Decision != "" {
		attrs = append(attrs, slog.String("decision", e.Decision))
	}
	r.log.LogAttrs(context.Background(), level, "event", attrs...)
}

// pause waits, unless it is interrupted.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
