package flink

import (
	"context"
	"fmt"
	"time"
)

const (
	// defaultFetch is metrics.fetcher.update-interval where it is not set.
	defaultFetch = 10 * time.Second
	// settle is how long the JobManager is given to fetch what a read made it ask
	// its TaskManagers for.
	settle = 150 * time.Millisecond
	// beyond the interval, so that the next read is sure to fetch.
	margin = 50 * time.Millisecond
	// maxReads: a third read only where the second brought nothing new.
	maxReads = 3
	// quickTries of a quick read: a busy cluster needs more than settle to bring new
	// values, and the first read of an idle store shows those of its last one.
	quickTries = 4
	// staleSlack on top of two intervals tells old values from late ones.
	staleSlack = 2 * time.Second
)

// read is everything seen at one moment.
type read struct {
	jobs    map[string]*snapshot
	cluster clusterRead
}

// reads takes the reads that rates need, oldest first.
func (o *observer) reads(ctx context.Context, ids []string) ([]read, error) {
	if err := sleep(ctx, settle); err != nil { // after the touch in begin
		return nil, err
	}
	if o.Quick {
		return o.quickRead(ctx, ids)
	}
	var all []read
	for {
		r, err := o.read(ctx, ids)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
		if len(all) == maxReads || len(all) > 1 && settled(all) || !anyRunning(r) {
			return all, nil
		}
		wait := o.fetch
		if len(all) == 1 {
			wait = max(o.fetch, o.Window)
			o.Progress(fmt.Sprintf("reading metrics again in %v", wait))
		} else {
			o.Progress("metrics stand still: reading them once more")
		}
		if err := o.refresh(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// refresh lets the metric store grow old, and then new.
func (o *observer) refresh(ctx context.Context, wait time.Duration) error {
	if err := sleep(ctx, wait+margin); err != nil {
		return err
	}
	if err := o.touch(ctx); err != nil {
		return err
	}
	return sleep(ctx, settle)
}

// quickRead is the first read whose values are not old, or the last try.
func (o *observer) quickRead(ctx context.Context, ids []string) ([]read, error) {
	for try := 1; ; try++ {
		r, err := o.read(ctx, ids)
		if err != nil || try == quickTries || !o.outdated(r) {
			return []read{r}, err
		}
		if err := sleep(ctx, settle); err != nil {
			return nil, err
		}
	}
}

// old is the age from which values are taken for frozen.
func (o *observer) old() time.Duration { return 2*o.fetch + staleSlack }

// outdated tells whether any values are old by their own clock.
func (o *observer) outdated(r read) bool {
	for _, s := range r.jobs {
		for _, v := range s.vertices {
			for _, w := range v.Subtasks {
				if late, known := s.reading(v, w).lateness(); known && late > o.old() {
					return true
				}
			}
		}
	}
	return false
}

// anyRunning: only running jobs have metrics that move.
func anyRunning(r read) bool {
	for _, s := range r.jobs {
		if s.job.State == "RUNNING" {
			return true
		}
	}
	return false
}

// settled tells whether every running subtask has values that moved.
func settled(reads []read) bool {
	for id, s := range reads[len(reads)-1].jobs {
		if s.job.State != "RUNNING" {
			continue
		}
		for _, v := range s.vertices {
			for _, w := range v.Subtasks {
				h := historyOf(reads, id, v.ID, w.Index.whole())
				if _, moved := h.pair(); h.last().running && !moved {
					return false
				}
			}
		}
	}
	return true
}
