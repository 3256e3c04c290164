package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rebound/internal/job"
)

// requests does what users asked for through the journal. A request is answered
// after it was done: a crash in between does it again, which changes nothing.
func (l *Loop) requests(ctx context.Context, k *look) error {
	rs, err := l.Journal.Requests(ctx, l.job)
	if err != nil {
		return fmt.Errorf("read requests: %w", err)
	}
	var errs []error
	for _, r := range rs {
		answer, err := l.do(ctx, k, r)
		if errors.Is(err, errLater) {
			continue
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("request %s: %w", r.ID, err))
			if answer == "" {
				continue
			}
		}
		r.Answer, r.DoneAt = answer, k.at
		if err := l.Journal.AnswerRequest(ctx, r); err != nil {
			errs = append(errs, fmt.Errorf("answer request %s: %w", r.ID, err))
			continue
		}
		l.tell(Answered, r.Decision, fmt.Sprintf("%s: %s", r.Verb, answer))
	}
	return errors.Join(errs...)
}

// do carries out one request and says what became of it.
func (l *Loop) do(ctx context.Context, k *look, r job.Request) (answer string, err error) {
	switch r.Verb {
	case job.PauseRequest:
		l.ledger.Paused, l.ledger.Until = true, r.Until
		answer = "paused until resumed"
		if !r.Until.IsZero() {
			answer = "paused until " + r.Until.Format(time.RFC3339)
		}
		return answer, l.saveLedger(ctx)
	case job.ResumeRequest:
		l.ledger.Paused, l.ledger.Until = false, time.Time{}
		return "resumed", l.saveLedger(ctx)
	case job.ApproveRequest, job.DenyRequest:
		return l.decided(ctx, k, r)
	case job.RollBackRequest:
		return l.takeBack(ctx, k, r.Decision)
	default:
		return fmt.Sprintf("%q is not understood: want pause, resume, approve, deny or rollback", r.Verb), nil
	}
}

// decided is a user's word on a decision that waits for it.
func (l *Loop) decided(ctx context.Context, k *look, r job.Request) (string, error) {
	a := l.act
	if a == nil || a.stage != waiting || a.d.ID != r.Decision {
		return "no decision of that name waits for approval", nil
	}
	by := r.By
	if by == "" {
		by = "a user"
	}
	if r.Verb == job.DenyRequest {
		return "denied", l.answer(ctx, k, false, "denied by "+by)
	}
	return "approved", l.answer(ctx, k, true, "approved by "+by)
}
