package kafka

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// sink is what the job's transactional sink is to its topic.
type sink struct {
	t      *testing.T
	client *kgo.Client
	topic  string
	n      int
}

func newSink(t *testing.T, brokers []string, topic, id string) *sink {
	t.Helper()
	cl, err := connect(brokers, kgo.TransactionalID(id), kgo.TransactionTimeout(30*time.Second), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return &sink{t: t, client: cl, topic: topic}
}

// write begins a transaction and writes markers, spread over two partitions.
func (s *sink) write(all []Marker) {
	s.t.Helper()
	lines := make([]string, len(all))
	for i, m := range all {
		lines[i] = m.line()
	}
	s.lines(lines)
}

func (s *sink) lines(all []string) {
	s.t.Helper()
	if err := s.client.BeginTransaction(); err != nil {
		s.t.Fatal(err)
	}
	for _, line := range all {
		s.n++
		s.client.Produce(s.t.Context(), &kgo.Record{Topic: s.topic, Partition: int32(s.n % 2), Value: []byte(line)}, func(_ *kgo.Record, err error) {
			if err != nil {
				s.t.Error(err)
			}
		})
	}
	if err := s.client.Flush(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sink) end(how kgo.TransactionEndTry) {
	s.t.Helper()
	if err := s.client.EndTransaction(s.t.Context(), how); err != nil {
		s.t.Fatal(err)
	}
}

// uncommitted counts the views that a reader of everything sees.
func uncommitted(t *testing.T, brokers []string, topic string) (views int64) {
	t.Helper()
	cl, err := connect(brokers)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	to, err := ends(t.Context(), cl, topic)
	if err != nil {
		t.Fatal(err)
	}
	r := reader{brokers: brokers, topic: topic, from: map[int32]int64{}}
	err = r.read(t.Context(), to, func(rec record) error {
		l, err := ParseLine(rec.Value)
		if err == nil {
			views += l.Marker.Count
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return views
}

// A transaction that is aborted and never written again is a loss; one that is
// written again is none, though a reader of everything sees it twice; one that is
// committed twice is a duplicate.
func TestAuditOfRealTransactions(t *testing.T) {
	brokers := broker(t)
	sent := sentTo(9500)
	all := markers(small, 0, 9500, 2)
	part := all[60:80]
	var views, some int64
	for _, m := range all {
		views += m.Count
	}
	for _, m := range part {
		some += m.Count
	}
	for name, c := range map[string]struct {
		first, second kgo.TransactionEndTry
		again         bool
		seen          int64 // by a reader of everything
		lost, dup     int64
		verdict       string
	}{
		"lost":            {first: kgo.TryAbort, seen: views, lost: some, verdict: Lost},
		"written again":   {first: kgo.TryAbort, second: kgo.TryCommit, again: true, seen: views + some, verdict: ExactlyOnce},
		"committed twice": {first: kgo.TryCommit, second: kgo.TryCommit, again: true, seen: views + some, dup: some, verdict: Duplicated},
	} {
		t.Run(name, func(t *testing.T) {
			name := topic(t, brokers, 2)
			s := newSink(t, brokers, name, name+"-0")
			s.write(all[:60])
			s.end(kgo.TryCommit)
			s.write(part)
			s.end(c.first)
			if c.again {
				s.write(part)
				s.end(c.second)
			}
			s.write(all[80:])
			s.end(kgo.TryCommit)
			a := Audit{Brokers: brokers, Topic: name, Prefix: name, Ledger: NewLedger(small, nil)}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			got, err := a.Run(ctx, sent)
			if err != nil || got.Lost != c.lost || got.Duplicated != c.dup || got.Verdict != c.verdict || got.Open != 0 {
				t.Errorf("%+v, %v; want %d lost, %d duplicated, %s", got, err, c.lost, c.dup, c.verdict)
			}
			if n := uncommitted(t, brokers, name); n != c.seen {
				t.Errorf("a reader of everything sees %d views, want %d", n, c.seen)
			}
		})
	}
}

// An open transaction holds the audit back until it ends, and an audit goes on where
// the last one ended.
func TestAuditWaitsForTransactions(t *testing.T) {
	brokers := broker(t)
	name := topic(t, brokers, 2)
	all := markers(small, 0, 9500, 2)
	s := newSink(t, brokers, name, name+"-0")
	s.write(all[:60])
	s.end(kgo.TryCommit)
	s.write(all[60:])
	a := Audit{Brokers: brokers, Topic: name, Prefix: name, Ledger: NewLedger(small, nil)}
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	got, err := a.Run(short, sentTo(9500))
	if err != nil || got.Verdict != Unsettled || got.Open != 1 || got.Seen == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	facts, err := ReadFacts(t.Context(), brokers, name, name)
	if err != nil || len(facts.Transactions) != 1 || facts.Transactions[0].Timeout != 30*time.Second ||
		!facts.Transactions[0].Open() || time.Since(facts.Transactions[0].Since) > time.Minute {
		t.Errorf("%+v, %v", facts, err)
	}
	if d := facts.MaxTransactionTimeout; d == nil || *d < time.Minute || facts.Retention[name].Time == nil {
		t.Errorf("%+v", facts)
	}
	read := reload(t, a.Ledger).Markers
	a.Ledger = reload(t, a.Ledger)
	s.end(kgo.TryCommit)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	got, err = a.Run(ctx, sentTo(9500))
	if err != nil || got.Verdict != ExactlyOnce || got.Open != 0 || read != 60 || a.Ledger.Markers != int64(len(all)) {
		t.Errorf("%+v, %v; %d then %d of %d markers", got, err, read, a.Ledger.Markers, len(all))
	}
}

// A reader of everything sees output the moment it is written, a committed one once
// the transaction ends, and neither sees what is aborted committed.
func TestFollow(t *testing.T) {
	brokers := broker(t)
	name := topic(t, brokers, 2)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	follow := func(committed bool) <-chan Batch {
		c := make(chan Batch, 100)
		ready := make(chan struct{})
		f := Follower{Brokers: brokers, Topic: name, Committed: committed, Ready: func() { close(ready) }}
		wg.Go(func() {
			if err := f.Run(ctx, func(b Batch) { c <- b }); err != nil {
				t.Error(err)
			}
		})
		<-ready
		return c
	}
	everything, committed := follow(false), follow(true)
	all := markers(small, 0, 1000, 1)
	s := newSink(t, brokers, name, name+"-0")
	s.write(all[:2])
	collect(t, everything, all[:2])
	if len(committed) != 0 {
		t.Errorf("a committed reader sees what is not committed: %+v", <-committed)
	}
	s.end(kgo.TryAbort)
	s.write(all[2:])
	s.end(kgo.TryCommit)
	collect(t, everything, all[2:])
	collect(t, committed, all[2:])
	cancel()
	wg.Wait()
}

// collect waits for these markers, in any order, and for no others.
func collect(t *testing.T, c <-chan Batch, want []Marker) {
	t.Helper()
	var got []Marker
	for len(got) < len(want) {
		select {
		case b := <-c:
			got = append(got, b.Markers...)
		case <-time.After(20 * time.Second):
			t.Fatalf("%d of %d markers came", len(got), len(want))
		}
	}
	for _, m := range want {
		if !slices.Contains(got, m) {
			t.Errorf("%+v did not come", m)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d markers came, want %d", len(got), len(want))
	}
}

func TestTopics(t *testing.T) {
	brokers := broker(t)
	name := topic(t, brokers, 3)
	if err := EnsureTopic(t.Context(), brokers, name, 3, nil); err != nil {
		t.Errorf("as it is: %v", err)
	}
	if err := EnsureTopic(t.Context(), brokers, name, 4, nil); err == nil {
		t.Error("three partitions pass for four")
	}
	if err := DeleteTopics(t.Context(), brokers, name+"-absent"); err != nil {
		t.Errorf("of a topic that is not there: %v", err)
	}
	limited := name + "-limited"
	if err := EnsureTopic(t.Context(), brokers, limited, 1, map[string]string{"retention.ms": "60000", "retention.bytes": "1000"}); err != nil {
		t.Fatal(err)
	}
	facts, err := ReadFacts(t.Context(), brokers, "", limited)
	if r := facts.Retention[limited]; err != nil || r.Time == nil || *r.Time != time.Minute || r.Bytes == nil || *r.Bytes != 1000 {
		t.Errorf("%+v, %v", facts, err)
	}
	if err := DeleteTopics(t.Context(), brokers, limited); err != nil {
		t.Error(err)
	}
}
