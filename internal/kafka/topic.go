package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// EnsureTopic makes a topic with so many partitions and one replica, and accepts
// one that is there with as many. Options are Kafka's own, such as retention.ms.
func EnsureTopic(ctx context.Context, brokers []string, topic string, partitions int, options map[string]string) error {
	cl, err := connect(brokers)
	if err != nil {
		return err
	}
	defer cl.Close()
	set := map[string]*string{}
	for k, v := range options {
		set[k] = new(v)
	}
	_, err = kadm.NewClient(cl).CreateTopic(ctx, int32(partitions), 1, set, topic)
	if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		return fmt.Errorf("kafka: create topic %s: %w", topic, err)
	}
	there, err := led(ctx, cl, topic)
	if err != nil {
		return err
	}
	if len(there) != partitions {
		return fmt.Errorf("kafka: topic %s has %d partitions, want %d: delete it or choose another name", topic, len(there), partitions)
	}
	return nil
}

// led waits until every partition of a topic has a leader that answers, which
// takes a moment after its creation.
func led(ctx context.Context, cl *kgo.Client, topic string) (map[int32]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		there, err := ends(ctx, cl, topic)
		if err == nil || !kerr.IsRetriable(err) {
			return there, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// DeleteTopics deletes topics; one that is not there is deleted already.
func DeleteTopics(ctx context.Context, brokers []string, topics ...string) error {
	cl, err := connect(brokers)
	if err != nil {
		return err
	}
	defer cl.Close()
	answers, err := kadm.NewClient(cl).DeleteTopics(ctx, topics...)
	if err != nil {
		return fmt.Errorf("kafka: delete topics: %w", err)
	}
	for _, a := range answers.Sorted() {
		if a.Err != nil && !errors.Is(a.Err, kerr.UnknownTopicOrPartition) {
			err = errors.Join(err, fmt.Errorf("kafka: delete topic %s: %w", a.Topic, a.Err))
		}
	}
	return err
}
