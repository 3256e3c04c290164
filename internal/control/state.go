package control

import (
	"context"
	"encoding"
	"errors"
	"fmt"

	"rebound/internal/job"
)

// Kinds of state in the journal, and the version of their form.
const (
	ledgerState, ledgerVersion     = "loop", 1
	modelState, modelVersion       = "model", 1
	forecastState, forecastVersion = "forecast", 2
)

// Start looks at the job, resumes what was learned of it and takes over what the
// journal has open. What cannot be resumed is begun anew, and said.
func (l *Loop) Start(ctx context.Context) error {
	o, err := l.World.Observe(ctx)
	if err != nil {
		return fmt.Errorf("observe: %w", err)
	}
	k := l.take(o)
	l.looks = 0
	l.saved = k.at
	if err := l.resume(ctx); err != nil {
		return err
	}
	l.track.resume(l.ledger.Whole, k.server)
	if err := errors.Join(l.recount(ctx), l.readProfiles(ctx)); err != nil {
		return err
	}
	return l.reconcile(ctx)
}

func (l *Loop) resume(ctx context.Context) error {
	for _, s := range []struct {
		kind    string
		version int
		take    func([]byte) error
	}{
		{ledgerState, ledgerVersion, l.ledger.UnmarshalBinary},
		{modelState, modelVersion, l.Model.UnmarshalBinary},
		{forecastState, forecastVersion, l.Forecaster.UnmarshalBinary},
	} {
		b, ok, err := l.Journal.LoadState(ctx, l.job, s.kind, s.version)
		if err != nil {
			return fmt.Errorf("read the state of the %s: %w", s.kind, err)
		}
		if !ok {
			continue
		}
		if err := s.take(b); err != nil {
			l.tell(Warned, "", fmt.Sprintf("the state of the %s cannot be resumed, it begins anew: %v", s.kind, err))
		} else if s.kind == modelState {
			l.looks = enoughLooks // it is known already
		}
	}
	return nil
}

// recount adds the restarts that the ledger misses: it is stored after the
// decision, and a crash may have come between.
func (l *Loop) recount(ctx context.Context) error {
	ds, err := l.Journal.Decisions(ctx, l.job, recentDecisions)
	if err != nil {
		return fmt.Errorf("read decisions: %w", err)
	}
	for i := len(ds) - 1; i >= 0; i-- {
		d := &ds[i]
		if d.Applied == nil || l.now.Sub(d.At) > day || !d.At.After(l.ledger.last()) {
			continue
		}
		switch d.State {
		case job.Applying, job.Verified, job.RolledBack:
			l.ledger.count(d.ID, d.At)
		default: // nothing was changed, or it is not known yet
		}
	}
	return nil
}

// Save stores what is learned, what is forecast from and what the loop remembers.
// It is to be called at the end, too.
func (l *Loop) Save(ctx context.Context) error {
	l.saved = l.now
	return errors.Join(
		l.saveLedger(ctx),
		l.saveState(ctx, modelState, modelVersion, l.Model),
		l.saveState(ctx, forecastState, forecastVersion, l.Forecaster),
	)
}

func (l *Loop) saveState(ctx context.Context, kind string, version int, m encoding.BinaryMarshaler) error {
	b, err := m.MarshalBinary()
	if err != nil {
		return fmt.Errorf("write the state of the %s: %w", kind, err)
	}
	if err := l.Journal.SaveState(ctx, l.job, kind, version, b); err != nil {
		return fmt.Errorf("store the state of the %s: %w", kind, err)
	}
	return nil
}

func (l *Loop) saveLedger(ctx context.Context) error {
	if w := l.track.whole(); w != nil {
		l.ledger.Whole = w
	}
	return l.saveState(ctx, ledgerState, ledgerVersion, &l.ledger)
}
