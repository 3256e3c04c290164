package kafka

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// WindowAudit tells whether the windows hold what they should.
type WindowAudit struct {
	Windows    int // that were compared
	Missing    int
	Doubled    int
	Wrong      int      // by their count or their sum of ids
	FewerViews int64    // of windows that hold fewer than they should: late, or lost
	Detail     []string // the first places
}

// slotted is one window of one campaign.
type slotted struct {
	start    int64
	campaign int
}

type held struct {
	count int64
	ids   uint64
	times int
}

// Windows compares the windows of the output with those that the events of the
// input topic make, which it reads back up to what was sent: slow, and exact. The
// newest two windows are left out, for subtasks come to them one after the other, and
// so is what lies behind the events of a partition.
func (a Audit) Windows(ctx context.Context, input string, size time.Duration, sent Sent) (WindowAudit, error) {
	if size < time.Millisecond {
		return WindowAudit{}, fmt.Errorf("window size: %s, want at least 1ms", size)
	}
	want, complete, err := a.expected(ctx, input, size.Milliseconds(), sent)
	if err != nil {
		return WindowAudit{}, err
	}
	got, err := a.fired(ctx)
	if err != nil {
		return WindowAudit{}, err
	}
	var newest int64
	for k := range got {
		newest = max(newest, k.start)
	}
	return compare(want, got, min(newest-2*size.Milliseconds(), complete-size.Milliseconds())), nil
}

// expected makes the windows of the events up to what was sent, and tells up to
// when it has the events of all partitions.
func (a Audit) expected(ctx context.Context, input string, size int64, sent Sent) (all map[slotted]held, complete int64, err error) {
	all = map[slotted]held{}
	until := map[int32]int64{}
	stream := a.Ledger.Stream
	r := reader{brokers: a.Brokers, topic: input, from: map[int32]int64{}}
	err = r.read(ctx, sent.next(), func(rec record) error {
		id, at, err := parseEvent(rec.Value)
		if err != nil {
			return err
		}
		until[rec.Partition] = at
		if stream.View(rec.Partition, id) {
			k := slotted{at - at%size, stream.Campaign(rec.Partition, id)}
			w := all[k]
			all[k] = held{count: w.count + 1, ids: w.ids + uint64(id)}
		}
		return nil
	})
	if len(until) > 0 {
		complete = slices.Min(slices.Collect(maps.Values(until)))
	}
	return all, complete, err
}

func (a Audit) fired(ctx context.Context) (map[slotted]held, error) {
	all := map[slotted]held{}
	cl, err := connect(a.Brokers)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	r := reader{brokers: a.Brokers, topic: a.Topic, committed: true, from: map[int32]int64{}}
	to, err := lastStable(ctx, cl, a.Topic)
	if err != nil {
		return nil, err
	}
	err = r.read(ctx, to, func(rec record) error {
		if l, err := ParseLine(rec.Value); err == nil && l.Window != nil {
			k := slotted{l.Window.Start, l.Window.Campaign}
			all[k] = held{l.Window.Count, l.Window.IDs, all[k].times + 1}
		}
		return nil
	})
	return all, err
}

// compare looks at all windows that begin at last, or earlier.
func compare(want, got map[slotted]held, last int64) WindowAudit {
	r := WindowAudit{Detail: []string{}}
	all := maps.Clone(want)
	for k := range got {
		if _, ok := want[k]; !ok {
			all[k] = held{}
		}
	}
	order := func(a, b slotted) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.campaign, b.campaign))
	}
	for _, k := range slices.SortedFunc(maps.Keys(all), order) {
		if k.start > last {
			break
		}
		r.Windows++
		if what := r.window(all[k], got[k]); what != "" && len(r.Detail) < maxDetail {
			r.Detail = append(r.Detail, fmt.Sprintf("campaign %d, window from %s: %s", k.campaign, time.UnixMilli(k.start).UTC().Format(time.RFC3339Nano), what))
		}
	}
	return r
}

// window books one window and says what is wrong with it, or nothing.
func (r *WindowAudit) window(want, got held) string {
	r.FewerViews += max(0, want.count-got.count)
	switch {
	case got.times == 0:
		r.Missing++
		return "missing"
	case got.times > 1:
		r.Doubled++
		return fmt.Sprintf("seen %d times", got.times)
	case got.count != want.count || got.ids != want.ids:
		r.Wrong++
		return fmt.Sprintf("%d views, want %d", got.count, want.count)
	}
	return ""
}
