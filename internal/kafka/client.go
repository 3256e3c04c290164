// Package kafka is the Kafka side of a measured recovery: it sends a load whose
// every record is known beforehand, follows what the job makes of it, tells from
// that alone when the job was down and when it had caught up, and counts that
// nothing was lost or doubled.
//
// An event is a pure function of (seed, partition, id), and its id is its offset,
// so nothing has to be remembered of what was sent but how far it went. The job
// accounts for the views that it processed by markers in its transactional output;
// the sums of the markers over a bucket of 1000 ids must be those of the function.
//
// Times are Unix milliseconds where they come from records, seconds elsewhere.
package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// metadataAge is the least time between two looks at who leads a partition. The
// library's five seconds are for big clusters; here they would be added to what is
// measured whenever a topic is new or a broker has just come back.
const metadataAge = 250 * time.Millisecond

// connect makes a client; it does not dial yet.
func connect(brokers []string, opts ...kgo.Opt) (*kgo.Client, error) {
	if len(brokers) == 0 {
		return nil, errors.New("kafka: no broker address")
	}
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(brokers...), kgo.MetadataMinAge(metadataAge)}, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return cl, nil
}

// offsets turns listed offsets of a topic into a map by partition.
func offsets(listed kadm.ListedOffsets, err error) (map[int32]int64, error) {
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		return nil, err
	}
	m := map[int32]int64{}
	listed.Each(func(o kadm.ListedOffset) { m[o.Partition] = o.Offset })
	return m, nil
}

// ends are the offsets behind the last record of each partition of a topic.
func ends(ctx context.Context, cl *kgo.Client, topic string) (map[int32]int64, error) {
	m, err := offsets(kadm.NewClient(cl).ListEndOffsets(ctx, topic))
	if err != nil {
		return nil, fmt.Errorf("kafka: end offsets of %s: %w", topic, err)
	}
	if len(m) == 0 {
		return nil, fmt.Errorf("kafka: topic %s does not exist", topic)
	}
	return m, nil
}

// since are the first offsets whose records were made at or after a time; where
// there is none, the end.
func since(ctx context.Context, cl *kgo.Client, topic string, at time.Time) (map[int32]int64, error) {
	m, err := offsets(kadm.NewClient(cl).ListOffsetsAfterMilli(ctx, max(0, at.UnixMilli()), topic))
	if err != nil {
		return nil, fmt.Errorf("kafka: offsets of %s from %s: %w", topic, at.Format(time.RFC3339), err)
	}
	return m, nil
}

// lastStable are the offsets up to which every transaction has ended.
func lastStable(ctx context.Context, cl *kgo.Client, topic string) (map[int32]int64, error) {
	m, err := offsets(kadm.NewClient(cl).ListCommittedOffsets(ctx, topic))
	if err != nil {
		return nil, fmt.Errorf("kafka: last stable offsets of %s: %w", topic, err)
	}
	return m, nil
}
