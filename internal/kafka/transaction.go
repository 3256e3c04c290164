package kafka

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Transaction is one transactional ID that the broker knows.
type Transaction struct {
	ID      string
	State   string        // Kafka's word: Ongoing, PrepareCommit, CompleteCommit, …
	Timeout time.Duration // after which the broker aborts it
	Since   time.Time     // start of the present transaction; zero if there is none
}

// Open tells whether the transaction holds back readers of committed records.
func (t Transaction) Open() bool {
	return slices.Contains([]string{"Ongoing", "PrepareCommit", "PrepareAbort", "PrepareEpochFence"}, t.State)
}

// transactions describes the transactional IDs that begin with prefix, by ID. The
// prefix is matched here: brokers before 4.1 do not filter by pattern.
func transactions(ctx context.Context, cl *kgo.Client, prefix string) ([]Transaction, error) {
	adm := kadm.NewClient(cl)
	listed, err := adm.ListTransactions(ctx, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("kafka: list transactions: %w", err)
	}
	var ids []string
	for _, t := range listed.Sorted() {
		if strings.HasPrefix(t.TxnID, prefix) {
			ids = append(ids, t.TxnID)
		}
	}
	found := []Transaction{}
	if len(ids) == 0 {
		return found, nil
	}
	described, err := adm.DescribeTransactions(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("kafka: describe transactions: %w", err)
	}
	for _, d := range described.Sorted() {
		if d.Err != nil {
			continue // it has expired since it was listed
		}
		t := Transaction{ID: d.TxnID, State: d.State, Timeout: time.Duration(d.TimeoutMillis) * time.Millisecond}
		if t.Open() && d.StartTimestamp > 0 {
			t.Since = time.UnixMilli(d.StartTimestamp)
		}
		found = append(found, t)
	}
	return found, nil
}
