package kafka

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// broker is the address of a real Kafka of the tests' own: they make and delete topics.
func broker(t testing.TB) []string {
	t.Helper()
	address := os.Getenv("REBOUND_TEST_KAFKA")
	if address == "" {
		t.Skip("REBOUND_TEST_KAFKA is not set: want host:port of a Kafka broker to test against")
	}
	return []string{address}
}

// topic makes a topic for one test.
func topic(t testing.TB, brokers []string, partitions int) string {
	t.Helper()
	name := fmt.Sprintf("test-%s-%d", strings.NewReplacer("/", "-", "=", "-").Replace(t.Name()), time.Now().UnixNano())
	if err := EnsureTopic(t.Context(), brokers, name, partitions, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := DeleteTopics(context.Background(), brokers, name); err != nil {
			t.Error(err)
		}
	})
	return name
}

// generate runs g until so many records are acknowledged.
func generate(t testing.TB, g *Generator, records int64) Sent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	type result struct {
		sent Sent
		err  error
	}
	done := make(chan result, 1)
	go func() { sent, err := g.Run(ctx); done <- result{sent, err} }()
	for {
		select {
		case r := <-done:
			t.Fatalf("the run ended by itself: %v", r.err)
		case <-time.After(5 * time.Millisecond):
		}
		if g.Stats().Records >= records {
			break
		}
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
	}
	cancel()
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.sent
}

var small = Stream{Seed: 7, Campaigns: 10, AdsPerCampaign: 10}

func BenchmarkGenerator(b *testing.B) {
	for _, c := range []struct {
		bytes int
		rate  float64
	}{{100, 1000}, {100, 100_000}, {100, 200_000}, {100, 1e7}, {1000, 30_000}, {1000, 60_000}, {1000, 1e7}} {
		b.Run(fmt.Sprintf("bytes=%d/rate=%.0f", c.bytes, c.rate), func(b *testing.B) {
			brokers := broker(b)
			load, err := NewPolyline(Knot{0, c.rate})
			if err != nil {
				b.Fatal(err)
			}
			g := &Generator{Brokers: brokers, Topic: topic(b, brokers, 4), Load: load, RecordBytes: c.bytes, Stream: small}
			b.SetBytes(int64(c.bytes))
			b.ResetTimer()
			generate(b, g, int64(b.N))
			s := g.Stats()
			b.ReportMetric(float64(s.Records)/s.At.Sub(s.Started).Seconds(), "records/s")
			b.ReportMetric(s.Lateness.P50*1e3, "p50-ms")
			b.ReportMetric(s.Lateness.P99*1e3, "p99-ms")
			b.ReportMetric(s.Lateness.Max*1e3, "max-ms")
		})
	}
}

func TestGeneratorKnowsWhatItSent(t *testing.T) {
	brokers := broker(t)
	load, err := NewPolyline(Knot{0, 20000})
	if err != nil {
		t.Fatal(err)
	}
	g := &Generator{Brokers: brokers, Topic: topic(t, brokers, 3), Load: load, RecordBytes: 120, Stream: small}
	first := generate(t, g, 2000)
	second := generate(t, g, 2000) // goes on where the first ended
	for i, p := range second.Partitions {
		if p.First != first.Partitions[i].Next || !second.Final {
			t.Errorf("partition %d: the second run began at %d, the first ended at %d", i, p.First, first.Partitions[i].Next)
		}
	}
	views := make([]int64, 3)
	next := make([]int64, 3)
	last := make([]int64, 3)
	to := map[int32]int64{}
	for _, p := range second.Partitions {
		to[p.Partition] = p.Next
	}
	r := reader{brokers: brokers, topic: g.Topic, from: map[int32]int64{0: 0, 1: 0, 2: 0}}
	err = r.read(t.Context(), to, func(rec record) error {
		id, at, err := parseEvent(rec.Value)
		switch {
		case err != nil:
			return err
		case id != rec.Offset || id != next[rec.Partition] || at < last[rec.Partition] || at != rec.Timestamp.UnixMilli() || len(rec.Value) != 120:
			return fmt.Errorf("%d at %d: %s", rec.Partition, rec.Offset, rec.Value)
		}
		next[rec.Partition], last[rec.Partition] = id+1, at
		if small.View(rec.Partition, id) {
			views[rec.Partition]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range next {
		a, b := first.Partitions[i], second.Partitions[i]
		if next[i] != b.Next || views[i] != a.Views+b.Views || a.First != 0 {
			t.Errorf("partition %d: read %d records with %d views, told of %+v and %+v", i, next[i], views[i], a, b)
		}
	}
}

func TestGeneratorRefusesAnotherWriter(t *testing.T) {
	brokers := broker(t)
	load, err := NewPolyline(Knot{0, 5000})
	if err != nil {
		t.Fatal(err)
	}
	name := topic(t, brokers, 1)
	one := &Generator{Brokers: brokers, Topic: name, Load: load, RecordBytes: 100, Stream: small}
	other := &Generator{Brokers: brokers, Topic: name, Load: load, RecordBytes: 100, Stream: small}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	errs := make(chan error, 2)
	for _, g := range []*Generator{one, other} {
		go func() { _, err := g.Run(ctx); errs <- err }()
	}
	if err := <-errs; err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two generators on one topic: %v", err)
	}
	cancel()
	<-errs
}
