package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rebound/internal/job"
	"rebound/internal/kafka"
)

// ledgerFile keeps how far the output has been audited, so that the next drill
// goes on there. It goes with the cluster.
const ledgerFile = "ledger.json"

// Audit compares what has been sent up to now with what a read-committed reader
// sees of it, waiting for the commit that covers it.
func (j *Job) Audit(ctx context.Context) (job.Audit, error) {
	r, ok, err := j.cluster.Report()
	if err != nil || !ok || r.Generator == nil {
		return job.Audit{}, errors.Join(errors.New("the supervisor does not tell what the generator has sent"), err)
	}
	path := filepath.Join(j.cluster.Home, ledgerFile)
	ledger, err := j.ledger(path)
	if err != nil {
		return job.Audit{}, err
	}
	a := kafka.Audit{Brokers: j.cluster.Brokers, Topic: j.cluster.Output, Prefix: j.cluster.Prefix, Ledger: ledger}
	out, err := a.Run(ctx, r.Generator.Sent)
	if err != nil {
		return job.Audit{}, err
	}
	b, err := json.Marshal(ledger)
	if err != nil {
		return job.Audit{}, fmt.Errorf("keep the audit's ledger: %w", err)
	}
	// As a whole or not at all: a torn ledger would end all later audits.
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		return job.Audit{}, err
	}
	return out, os.Rename(path+".new", path)
}

func (j *Job) ledger(path string) (*kafka.Ledger, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		first := map[int32]int64{}
		for p := range j.cluster.Partitions {
			first[int32(p)] = 0
		}
		s := kafka.Stream{Seed: j.cluster.Seed, Campaigns: j.cluster.Campaigns, AdsPerCampaign: j.cluster.AdsPerCampaign}
		return kafka.NewLedger(s, first), nil
	}
	if err != nil {
		return nil, err
	}
	l := new(kafka.Ledger)
	if err := json.Unmarshal(b, l); err != nil {
		return nil, fmt.Errorf("%s: %w; delete it to audit from the beginning", path, err)
	}
	return l, nil
}

// TransactionTimeout is the shortest time-out among the sink's transactions (s);
// absent if the broker knows none yet.
func (j *Job) TransactionTimeout(ctx context.Context) (*float64, error) {
	f, err := kafka.ReadFacts(ctx, j.cluster.Brokers, j.cluster.Prefix)
	if err != nil {
		return nil, err
	}
	if t := f.ShortestTimeout(); t != nil {
		return new(t.Seconds()), nil
	}
	return nil, nil //nolint:nilnil // absent is the answer
}
