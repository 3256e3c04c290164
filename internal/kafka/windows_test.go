package kafka

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestCompareWindows(t *testing.T) {
	want := map[slotted]held{
		{0, 1}: {count: 3, ids: 6}, {0, 2}: {count: 4, ids: 9}, {10, 1}: {count: 5, ids: 20},
		{10, 2}: {count: 1, ids: 7}, {20, 1}: {count: 9, ids: 1}, {30, 1}: {count: 2, ids: 2},
	}
	got := map[slotted]held{
		{0, 1}: {3, 6, 1}, {0, 2}: {3, 9, 1}, {10, 1}: {5, 20, 2}, {20, 1}: {9, 2, 1}, {20, 3}: {1, 1, 1}, {30, 1}: {1, 1, 1},
	}
	// Of the six up to 20: (0,2) has a view less, (10,1) is doubled, (10,2) is
	// missing, (20,1) has other ids and (20,3) should not be.
	r := compare(want, got, 20)
	detail := r.Detail
	r.Detail = nil
	if diff := cmp.Diff(WindowAudit{Windows: 6, Missing: 1, Doubled: 1, Wrong: 3, FewerViews: 2}, r); diff != "" {
		t.Error(diff)
	}
	if len(detail) != 5 || !strings.HasPrefix(detail[0], "campaign 2, window from 1970-01-01T00:00:00Z: 3 views, want 4") {
		t.Errorf("%q", detail)
	}
}

// The windows of events that a generator has sent are made again from the topic.
func TestWindowsOfARealTopic(t *testing.T) {
	brokers := broker(t)
	load, err := NewPolyline(Knot{0, 5000})
	if err != nil {
		t.Fatal(err)
	}
	g := &Generator{Brokers: brokers, Topic: topic(t, brokers, 2), Load: load, RecordBytes: 100, Stream: small}
	sent := generate(t, g, 5000)
	output := g.Topic + "-out"
	if err := EnsureTopic(t.Context(), brokers, output, 2, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := DeleteTopics(context.Background(), brokers, output); err != nil {
			t.Error(err)
		}
	})
	a := Audit{Brokers: brokers, Topic: output, Ledger: NewLedger(small, nil)}
	want, _, err := a.expected(t.Context(), g.Topic, 100, sent)
	if err != nil {
		t.Fatal(err)
	}
	var views int64
	var lines []string
	for k, w := range want {
		views += w.count
		lines = append(lines, Window{k.campaign, k.start, k.start + 100, w.count, w.ids}.line())
	}
	if views != sent.Partitions[0].Views+sent.Partitions[1].Views {
		t.Errorf("%d views in windows, %+v sent", views, sent)
	}
	s := newSink(t, brokers, output, output)
	s.lines(lines)
	s.end(kgo.TryCommit)
	got, err := a.Windows(t.Context(), g.Topic, 100*time.Millisecond, sent)
	if err != nil || got.Windows < 50 || got.Missing+got.Wrong+got.Doubled > 0 {
		t.Errorf("%+v, %v", got, err)
	}
	s.lines(lines[:20])
	s.end(kgo.TryCommit)
	if got, err = a.Windows(t.Context(), g.Topic, 100*time.Millisecond, sent); err != nil || got.Doubled == 0 {
		t.Errorf("of windows that were written twice: %+v, %v", got, err)
	}
}

func TestGeneratorRefuses(t *testing.T) {
	g := &Generator{RecordBytes: 99}
	_, err := g.Run(t.Context())
	for _, want := range []string{"campaigns: 0", "topic: empty", "load: none", "record_bytes: 99"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %s", err, want)
		}
	}
	if s := g.Stats(); s.Records != 0 || s.Sent.Partitions == nil {
		t.Errorf("%+v", s)
	}
	if _, err := connect(nil); err == nil {
		t.Error("no broker passes for one")
	}
}

// Nobody listens on port 1: the deadline ends the waiting, and the error says of what.
func TestUnreachableBroker(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := ReadFacts(ctx, []string{"127.0.0.1:1"}, "")
	if err == nil || !strings.Contains(err.Error(), "kafka: ") {
		t.Errorf("got %v", err)
	}
}
