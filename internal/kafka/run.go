package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// tick is the longest that an event that is due waits to be sent, and lingering
// lets the events of one tick share a request: together with a round trip they stay
// below a tenth of the 100 ms in which recoveries are measured.
const (
	tick     = 4 * time.Millisecond
	linger   = 1 * time.Millisecond
	maxBytes = 64 << 20 // buffered before sending slows down
)

// producing keeps events in order and undoubled: idempotent, acknowledged by all
// in-sync replicas, without limit on retries. Not compressed: padding would shrink
// to nothing, and the job would read less than it was asked to.
func producing() []kgo.Opt {
	return []kgo.Opt{
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.ProducerLinger(linger),
		kgo.ProducerBatchMaxBytes(1_048_576),
		kgo.MaxBufferedRecords(1 << 20),
		kgo.MaxBufferedBytes(maxBytes),
	}
}

// run is one run of a generator. One goroutine sends; the client calls
// acknowledged, one record at a time.
type run struct {
	g       *Generator
	client  *kgo.Client
	started time.Time
	ids     []int64 // next to send, by index of the partition
	pool    sync.Pool
	done    chan struct{} // closed at the first error
	sent    int64         // handed to the client

	mu     sync.Mutex // guards what follows
	parts  []SentPartition
	acked  int64
	bytes  int64
	late   histogram
	err    error
	final  bool
	second struct { // the last whole second and the one under way
		at             time.Time
		acked          int64
		rate, max, was float64
	}
}

// send hands over each event once it is due, in order, until ctx is done or a
// record was refused.
func (r *run) send(ctx context.Context) error {
	deliver, stop := r.delivery(ctx)
	defer stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return r.client.Flush(deliver)
		case <-r.done:
			return nil // finish tells
		case <-timer.C:
		}
		wait := r.sendDue(ctx, deliver)
		timer.Reset(max(tick, wait))
	}
}

// delivery is the context of the records: it outlives ctx by the flush timeout.
func (r *run) delivery(ctx context.Context) (deliver context.Context, stop func()) {
	timeout := r.g.FlushTimeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	deliver, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(timeout):
		case <-deliver.Done():
		}
		cancel()
	})
	return deliver, func() { unhook(); cancel() }
}

// sendDue sends what is due and returns how long nothing will be, at most a second
// so that a load without an end is looked at again.
func (r *run) sendDue(ctx, deliver context.Context) time.Duration {
	for ctx.Err() == nil && r.failure() == nil {
		due := r.g.Load.Time(float64(r.sent))
		elapsed := time.Since(r.started)
		if wait := due - elapsed.Seconds(); wait > 0 {
			return time.Duration(min(wait, 1) * float64(time.Second))
		}
		r.produce(deliver, due)
	}
	return 0
}

// produce blocks while the client's buffer is full.
func (r *run) produce(ctx context.Context, due float64) {
	i := int(r.sent % int64(len(r.ids)))
	partition := r.parts[i].Partition
	id := r.ids[i]
	at := r.started.Add(time.Duration(due * float64(time.Second)))
	rec := r.pool.Get().(*kgo.Record)
	value := r.g.Stream.Append(rec.Value[:0], Event{partition, id, at.UnixMilli()}, r.g.RecordBytes)
	*rec = kgo.Record{Topic: r.g.Topic, Partition: partition, Value: value, Timestamp: at}
	r.ids[i]++
	r.sent++
	r.client.Produce(ctx, rec, func(rec *kgo.Record, err error) { r.acknowledged(ack{i, id, at}, rec, err); r.pool.Put(rec) })
}

// ack is what is awaited of one event.
type ack struct {
	index int // of the partition
	id    int64
	due   time.Time
}

// acknowledged books one event. The id must be the offset: else something else
// wrote to the topic, and what the job makes of it could not be audited.
func (r *run) acknowledged(a ack, rec *kgo.Record, err error) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && rec.Offset != a.id {
		err = fmt.Errorf("event %d of partition %d got offset %d: something else writes to %s; give the generator a topic of its own",
			a.id, rec.Partition, rec.Offset, r.g.Topic)
	}
	if r.err != nil || err != nil {
		r.fail(err)
		return
	}
	p := &r.parts[a.index]
	p.Next = a.id + 1
	if r.g.Stream.View(p.Partition, a.id) {
		p.Views++
	}
	r.acked++
	r.bytes += int64(len(rec.Value))
	late := now.Sub(a.due)
	r.late.add(late.Microseconds())
	r.second.max = max(r.second.max, late.Seconds())
	r.roll(now)
}

// fail keeps the first error. Callers hold mu.
func (r *run) fail(err error) {
	if r.err == nil {
		r.err = err
		close(r.done)
	}
}

func (r *run) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// roll begins a new second once the old one is over. Callers hold mu.
func (r *run) roll(now time.Time) {
	s := &r.second
	span := now.Sub(s.at).Seconds()
	if span < 1 {
		return
	}
	s.rate = float64(r.acked-s.acked) / span
	s.at, s.acked, s.was, s.max = now, r.acked, s.max, 0
}

func (r *run) stats(now time.Time) Stats {
	elapsed := max(0, now.Sub(r.started).Seconds())
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.final {
		r.roll(now)
	}
	return Stats{
		At: now, Started: r.started, Records: r.acked, Bytes: r.bytes,
		AskedRate: r.g.Load.Rate(elapsed), SentRate: r.second.rate,
		Behind:   max(0, int64(r.g.Load.Total(elapsed))-r.acked),
		Lateness: r.late.lateness(), LastLateness: max(r.second.was, r.second.max),
		Sent: r.known(),
	}
}

// known copies what was acknowledged. Callers hold mu.
func (r *run) known() Sent {
	return Sent{Partitions: append([]SentPartition{}, r.parts...), Final: r.final}
}

// finish compares what was acknowledged with what the topic has. It outlives ctx,
// which is done when a run was stopped.
func (r *run) finish(ctx context.Context, err error) (Sent, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = errors.Join(err, r.failure())
	at, endErr := ends(ctx, r.client, r.g.Topic)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = errors.Join(err, endErr); err != nil {
		return r.known(), fmt.Errorf("kafka: generate to %s: %w", r.g.Topic, err)
	}
	for _, p := range r.parts {
		if at[p.Partition] != p.Next {
			err = errors.Join(err, fmt.Errorf("kafka: partition %d of %s ends at %d, but %d is what was sent", p.Partition, r.g.Topic, at[p.Partition], p.Next))
		}
	}
	r.final = err == nil
	return r.known(), err
}
