package kafka

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Facts are what of a broker bears on recovery.
type Facts struct {
	// MaxTransactionTimeout is the broker's transaction.max.timeout.ms: a job that
	// asks for more restarts for ever.
	MaxTransactionTimeout *time.Duration
	Retention             map[string]Retention // by topic
	Transactions          []Transaction        // by ID
}

// Retention is how long a topic keeps a record. Absent bounds are without limit.
type Retention struct {
	Time  *time.Duration
	Bytes *int64 // of a partition
}

// ShortestTimeout is the least time-out of the transactions; nil without any.
func (f Facts) ShortestTimeout() *time.Duration {
	var shortest *time.Duration
	for _, t := range f.Transactions {
		if shortest == nil || t.Timeout < *shortest {
			shortest = &t.Timeout
		}
	}
	return shortest
}

// ReadFacts asks a broker for its limits, for the retention of topics and for the
// transactions whose ID begins with prefix.
func ReadFacts(ctx context.Context, brokers []string, prefix string, topics ...string) (Facts, error) {
	cl, err := connect(brokers)
	if err != nil {
		return Facts{}, err
	}
	defer cl.Close()
	f := Facts{Retention: map[string]Retention{}}
	if f.MaxTransactionTimeout, err = maxTimeout(ctx, cl); err != nil {
		return f, err
	}
	if len(topics) > 0 {
		if err := f.readRetention(ctx, cl, topics); err != nil {
			return f, err
		}
	}
	f.Transactions, err = transactions(ctx, cl, prefix)
	return f, err
}

func maxTimeout(ctx context.Context, cl *kgo.Client) (*time.Duration, error) {
	adm := kadm.NewClient(cl)
	brokers, err := adm.ListBrokers(ctx)
	if err != nil {
		return nil, fmt.Errorf("kafka: list brokers: %w", err)
	}
	configs, err := adm.DescribeBrokerConfigs(ctx, brokers.NodeIDs()...)
	if err != nil {
		return nil, fmt.Errorf("kafka: broker configuration: %w", err)
	}
	var least *time.Duration // any broker may be the coordinator
	for _, c := range configs {
		if d := millis(c.Configs, "transaction.max.timeout.ms"); d != nil && (least == nil || *d < *least) {
			least = d
		}
	}
	return least, nil
}

func (f Facts) readRetention(ctx context.Context, cl *kgo.Client, topics []string) error {
	configs, err := kadm.NewClient(cl).DescribeTopicConfigs(ctx, topics...)
	if err != nil {
		return fmt.Errorf("kafka: topic configuration: %w", err)
	}
	for _, c := range configs {
		if c.Err != nil {
			return fmt.Errorf("kafka: configuration of topic %s: %w", c.Name, c.Err)
		}
		f.Retention[c.Name] = Retention{Time: millis(c.Configs, "retention.ms"), Bytes: setting(c.Configs, "retention.bytes")}
	}
	return nil
}

// setting is a number that is set and not −1, which is Kafka's word for no limit.
func setting(configs []kadm.Config, key string) *int64 {
	for _, c := range configs {
		if c.Key != key {
			continue
		}
		if v, err := strconv.ParseInt(c.MaybeValue(), 10, 64); err == nil && v >= 0 {
			return &v
		}
	}
	return nil
}

// millis is a setting in milliseconds; what no Duration can hold is without limit.
func millis(configs []kadm.Config, key string) *time.Duration {
	v := setting(configs, key)
	if v == nil || *v > int64(1<<63-1)/int64(time.Millisecond) {
		return nil
	}
	d := time.Duration(*v) * time.Millisecond
	return &d
}
