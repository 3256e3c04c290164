package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// record is one record as it was read.
type record = *kgo.Record

// reader reads a topic from offsets that it moves on as it goes.
type reader struct {
	brokers   []string
	topic     string
	committed bool
	from      map[int32]int64 // next offset by partition; read moves it on
}

// fetching asks for what there is as soon as there is something.
func fetching(committed bool) []kgo.Opt {
	level := kgo.ReadUncommitted()
	if committed {
		level = kgo.ReadCommitted()
	}
	return []kgo.Opt{
		kgo.FetchIsolationLevel(level),
		kgo.FetchMaxWait(250 * time.Millisecond),
	}
}

// read calls each for every record until all partitions have been read up to their
// offset in to. A committed reader so waits for every transaction that was open
// below it. Control records are read too: behind an aborted transaction they are
// all that tells how far it has got.
func (r *reader) read(ctx context.Context, to map[int32]int64, each func(record) error) error {
	open := map[int32]kgo.Offset{}
	for p, end := range to {
		if r.from[p] < end {
			open[p] = kgo.NewOffset().At(r.from[p])
		}
	}
	if len(open) == 0 {
		return nil
	}
	cl, err := connect(r.brokers, append(fetching(r.committed),
		kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{r.topic: maps.Clone(open)}))...)
	if err != nil {
		return err
	}
	defer cl.Close()
	for len(open) > 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetchError(ctx, fetches); err != nil {
			return fmt.Errorf("kafka: read %s: %w", r.topic, err)
		}
		for it := fetches.RecordIter(); !it.Done(); {
			rec := it.Next()
			if rec.Offset < r.from[rec.Partition] || rec.Offset >= to[rec.Partition] {
				continue // of a batch that begins before or ends behind what is wanted
			}
			if !rec.Attrs.IsControl() {
				if err := each(rec); err != nil {
					return err
				}
			}
			r.from[rec.Partition] = rec.Offset + 1
			if rec.Offset+1 >= to[rec.Partition] {
				delete(open, rec.Partition)
			}
		}
	}
	return nil
}

// fetchError is the first thing that went wrong; the end of ctx comes before all.
func fetchError(ctx context.Context, fetches kgo.Fetches) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, e := range fetches.Errors() {
		if !errors.Is(e.Err, context.Canceled) {
			return fmt.Errorf("partition %d: %w", e.Partition, e.Err)
		}
	}
	return nil
}
