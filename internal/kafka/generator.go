package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Generator sends events to a topic that nothing else writes to. Event n of a run
// is due when the load's integral reaches n and goes to partition n mod the number
// of partitions. Its create time is when it was due, however late it is sent: a
// broker that stalls shows as lateness, not as events that were never asked for.
type Generator struct {
	Brokers     []string
	Topic       string
	Load        Load
	RecordBytes int // of a record's value, 100 to 1,000,000
	Stream      Stream
	// FlushTimeout is how long a stopped run may take to deliver what it has
	// begun; 0 means 30 s.
	FlushTimeout time.Duration

	run atomic.Pointer[run]
}

// Sent is how far the events of a topic go.
type Sent struct {
	Partitions []SentPartition `json:"partitions"` // in order
	// Final: the run is over and the topic's end offsets agree.
	Final bool `json:"final"`
}

// SentPartition is the range of ids of one partition, acknowledged by the broker.
type SentPartition struct {
	Partition int32 `json:"partition"`
	First     int64 `json:"first_id"` // of this run
	Next      int64 `json:"next_id"`  // one behind the last
	Views     int64 `json:"views"`    // of this run
}

// Stats is a run as it stands.
type Stats struct {
	At           time.Time `json:"at"`
	Started      time.Time `json:"started"`
	Records      int64     `json:"records"` // acknowledged
	Bytes        int64     `json:"value_bytes"`
	AskedRate    float64   `json:"asked_per_second"` // by the load, now
	SentRate     float64   `json:"sent_per_second"`  // acknowledged, over the last second or so
	Behind       int64     `json:"behind_records"`   // due but not acknowledged
	Lateness     Lateness  `json:"lateness"`         // acknowledged − due, of the whole run
	LastLateness float64   `json:"last_lateness_max_seconds"`
	Sent         Sent      `json:"sent"`
}

// maxRecord leaves room for the batch around a record below the broker's default limit.
const maxRecord = 1_000_000

// Validate reports everything that is wrong with g.
func (g *Generator) Validate() error {
	errs := []error{g.Stream.Validate()}
	if g.Topic == "" {
		errs = append(errs, errors.New("topic: empty"))
	}
	if g.Load == nil {
		errs = append(errs, errors.New("load: none"))
	}
	if g.RecordBytes < 100 || g.RecordBytes > maxRecord {
		errs = append(errs, fmt.Errorf("record_bytes: %d, want 100 to %d", g.RecordBytes, maxRecord))
	}
	return errors.Join(errs...)
}

// Run sends until ctx is done, then delivers what it has begun and compares the
// topic's end offsets with what it knows. Being stopped is no error. Ids go on from
// the end of the topic.
func (g *Generator) Run(ctx context.Context) (Sent, error) {
	g.run.Store(nil)
	if err := g.Validate(); err != nil {
		return Sent{}, fmt.Errorf("kafka: generator: %w", err)
	}
	cl, err := connect(g.Brokers, producing()...)
	if err != nil {
		return Sent{}, err
	}
	defer cl.Close()
	base, err := ends(ctx, cl, g.Topic)
	if err != nil {
		return Sent{}, err
	}
	// Before the clock starts: a connection and an ID take a while, which is not lateness.
	if _, _, err := cl.ProducerID(ctx); err != nil {
		return Sent{}, fmt.Errorf("kafka: producer id: %w", err)
	}
	r := newRun(g, cl, base)
	g.run.Store(r)
	err = r.send(ctx)
	return r.finish(ctx, err)
}

// Stats may be called at any time, also while Run runs; before that it says zero.
func (g *Generator) Stats() Stats {
	r := g.run.Load()
	if r == nil {
		return Stats{Sent: Sent{Partitions: []SentPartition{}}}
	}
	return r.stats(time.Now())
}

// newRun begins where the partitions end.
func newRun(g *Generator, cl *kgo.Client, base map[int32]int64) *run {
	r := &run{g: g, client: cl, done: make(chan struct{})}
	for p, first := range base {
		r.parts = append(r.parts, SentPartition{Partition: p, First: first, Next: first})
	}
	slices.SortFunc(r.parts, func(a, b SentPartition) int { return cmp.Compare(a.Partition, b.Partition) })
	for _, p := range r.parts {
		r.ids = append(r.ids, p.First)
	}
	r.pool.New = func() any { return &kgo.Record{Topic: g.Topic, Value: make([]byte, 0, g.RecordBytes)} }
	r.started = time.Now()
	r.second.at = r.started
	return r
}
