package flink

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rebound/internal/job"
)

// Watcher observes one job again and again with one read a time: rates are
// differences from the reads before, so that nothing has to wait for a second.
// Client and the name of the job in Options.Jobs are needed; Quick and Window are
// ignored. It is used by one goroutine at a time.
type Watcher struct {
	Client  *Client
	Options ObserveOptions
	// Settle gives the JobManager the time to fetch what a read made it ask for;
	// nil waits 150 ms.
	Settle func(ctx context.Context) error

	id    string // of the job, Flink's
	reads []read // oldest first
}

// maxWatched bounds the reads that are kept, should they come fast.
const maxWatched = 16

// Observe takes a read. A job that was submitted anew is watched anew. Rates are
// there from the second read on that the metric store has seen, which is one
// metrics.fetcher.update-interval after the first.
func (w *Watcher) Observe(ctx context.Context) (job.Observation, error) {
	o := &observer{ObserveOptions: w.Options, c: w.Client, fetch: defaultFetch, latest: true}
	o.Quick, o.Window, o.Progress = false, 0, func(string) {}
	if o.Now == nil {
		o.Now = time.Now
	}
	jobs, err := o.begin(ctx)
	if err != nil {
		return job.Observation{}, err
	}
	if len(jobs) != 1 {
		return job.Observation{}, fmt.Errorf("%d jobs run under this name, and one is watched: give the ID of one of them, %s", len(jobs), listedIDs(jobs))
	}
	if err := w.settle(ctx); err != nil {
		return job.Observation{}, err
	}
	r, err := o.read(ctx, []string{jobs[0].ID})
	if err != nil {
		return job.Observation{}, err
	}
	if w.id != jobs[0].ID {
		w.id, w.reads = jobs[0].ID, nil
	}
	w.keep(r, o.fetch)
	b := newBuilder(o, jobs[0], w.reads)
	if b == nil {
		return job.Observation{}, fmt.Errorf("job %s went away while it was looked at: ask again", jobs[0].ID)
	}
	return b.observation(), nil
}

func (w *Watcher) settle(ctx context.Context) error {
	if w.Settle != nil {
		return w.Settle(ctx)
	}
	return sleep(ctx, settle)
}

// keep adds a read and drops those that are not needed any more: the second
// oldest alone already spans more than an interval of the metric store.
func (w *Watcher) keep(r read, fetch time.Duration) {
	w.reads = append(w.reads, r)
	for len(w.reads) > 2 && r.cluster.at.Sub(w.reads[1].cluster.at) >= fetch {
		w.reads = w.reads[1:]
	}
	if n := len(w.reads); n > maxWatched {
		w.reads = slices.Delete(w.reads, n-2, n-1) // not an old one: it will be needed
	}
}

func listedIDs(jobs []JobSummary) (ids []string) {
	for _, j := range jobs {
		ids = append(ids, j.ID)
	}
	return ids
}

// TriggerCheckpoint asks for a checkpoint and does not wait for it. The ID, 32
// hexadecimal digits, makes it safe to ask again: Flink takes a known one for the
// same request.
func (c *Client) TriggerCheckpoint(ctx context.Context, jobID, triggerID string) error {
	body := map[string]string{"checkpointType": "CONFIGURED", "triggerId": triggerID}
	_, err := c.operation(ctx, jobPath(jobID, "checkpoints"), body)
	return err
}
