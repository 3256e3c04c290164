package kafka

import (
	"context"
	"errors"
	"time"

	"rebound/internal/job"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Audit compares what a reader of committed records sees with what was sent.
type Audit struct {
	Brokers []string
	Topic   string // the job's output
	Prefix  string // of the transactional IDs of the job's sink
	// Ledger is where the audit goes on; it begins at the start of the topic with
	// NewLedger. Run moves it on: keep it for the next audit of the topic.
	Ledger *Ledger
}

// pollEnds is how often the ends of the output are asked for while buckets are not
// settled: the answer changes once a checkpoint.
const pollEnds = 100 * time.Millisecond

// Run reads the output until every whole bucket of what was sent is settled, and
// also the last one, if sent is final. A bucket is settled when it adds up. One that
// does not is settled when all subtasks have gone past it and every transaction of
// that moment has ended: what is missing then is lost. The deadline of ctx ends the
// waiting, not the audit: what is not settled by then is told.
func (a Audit) Run(ctx context.Context, sent Sent) (job.Audit, error) {
	cl, err := connect(a.Brokers)
	if err != nil {
		return job.Audit{}, err
	}
	defer cl.Close()
	if err := a.settle(ctx, cl, sent); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return job.Audit{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	open, err := transactions(ctx, cl, a.Prefix)
	if err != nil {
		return job.Audit{}, err
	}
	return a.Ledger.report(sent, open), nil
}

// settle reads until sent is covered.
func (a Audit) settle(ctx context.Context, cl *kgo.Client, sent Sent) error {
	r := reader{brokers: a.Brokers, topic: a.Topic, committed: true, from: a.Ledger.Offsets}
	next := sent.next()
	var low, barrier map[int32]int64
	for {
		if err := a.readCommitted(ctx, cl, r); err != nil {
			return err
		}
		a.Ledger.settle(next, nil)
		if barrier != nil && reached(r.from, barrier) {
			a.Ledger.settle(next, low)
			barrier = nil
		}
		if a.Ledger.covers(sent) {
			return nil
		}
		if barrier == nil {
			// In this order: all that low counts on was written before the barrier.
			low = a.Ledger.settled()
			var err error
			if barrier, err = ends(ctx, cl, a.Topic); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pollEnds):
		}
	}
}

// readCommitted reads what is committed by now.
func (a Audit) readCommitted(ctx context.Context, cl *kgo.Client, r reader) error {
	to, err := lastStable(ctx, cl, a.Topic)
	if err != nil {
		return err
	}
	return r.read(ctx, to, func(rec record) error { a.Ledger.Add(rec.Value); return nil })
}

func reached(at, goal map[int32]int64) bool {
	for p, o := range goal {
		if at[p] < o {
			return false
		}
	}
	return true
}

// next is one behind the last id of each partition.
func (s Sent) next() map[int32]int64 {
	m := map[int32]int64{}
	for _, p := range s.Partitions {
		m[p.Partition] = p.Next
	}
	return m
}
