package flink

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"rebound/internal/job"
)

type wireCheckpoint struct {
	ID        number `json:"id"`
	Status    string `json:"status"`
	Savepoint bool   `json:"is_savepoint"`
	Trigger   number `json:"trigger_timestamp"`
	Duration  number `json:"end_to_end_duration"` // ms
	State     number `json:"state_size"`
	Written   number `json:"checkpointed_size"`
	Failure   string `json:"failure_message"`
}

type wireRestored struct {
	ID        number `json:"id"`
	At        number `json:"restore_timestamp"`
	Savepoint bool   `json:"is_savepoint"`
}

// wireCheckpoints is /jobs/:jobid/checkpoints.
type wireCheckpoints struct {
	Counts struct {
		InProgress number `json:"in_progress"`
		Completed  number `json:"completed"`
		Failed     number `json:"failed"`
	} `json:"counts"`
	Latest struct {
		Completed *wireCheckpoint `json:"completed"`
		Restored  *wireRestored   `json:"restored"`
	} `json:"latest"`
	History []wireCheckpoint `json:"history"`
}

type wireCheckpointConfig struct {
	Mode            string `json:"mode"`
	Interval        number `json:"interval"` // ms, as timeout and min_pause
	Timeout         number `json:"timeout"`
	MinPause        number `json:"min_pause"`
	MaxConcurrent   number `json:"max_concurrent"`
	Externalization struct {
		Enabled bool `json:"enabled"`
		Delete  bool `json:"delete_on_cancellation"`
	} `json:"externalization"`
	Backend        string `json:"state_backend"`
	Storage        string `json:"checkpoint_storage"`
	Unaligned      *bool  `json:"unaligned_checkpoints"`
	Tolerable      number `json:"tolerable_failed_checkpoints"`
	AlignedTimeout number `json:"aligned_checkpoint_timeout"`
}

// enabled: a job that is only ever checkpointed on request has an endless interval.
func (w wireCheckpointConfig) enabled() bool {
	return w.Interval.ok && w.Interval.v > 0 && w.Interval.v < maxMillis
}

// backend and storage are the option's words for Flink's class names.
func (w wireCheckpointConfig) backend() string {
	switch strings.TrimPrefix(w.Backend, "Embedded") {
	case "HashMapStateBackend":
		return "hashmap"
	case "RocksDBStateBackend":
		return "rocksdb"
	case "ForStStateBackend":
		return "forst"
	}
	return w.Backend
}

func (w wireCheckpointConfig) storage() string {
	switch w.Storage {
	case "FileSystemCheckpointStorage":
		return "filesystem"
	case "JobManagerCheckpointStorage":
		return "jobmanager"
	}
	return w.Storage
}

// checkpoints reads statistics and configuration. Both are nil for a job without
// checkpoints, for which Flink answers 404.
func (c *Client) checkpoints(ctx context.Context, id string) (*wireCheckpoints, *wireCheckpointConfig, error) {
	var stats wireCheckpoints
	var config wireCheckpointConfig
	g := newGroup(ctx)
	g.run(func(ctx context.Context) error { return c.get(ctx, jobPath(id, "checkpoints"), &stats) })
	g.run(func(ctx context.Context) error { return c.get(ctx, jobPath(id, "checkpoints", "config"), &config) })
	err := g.wait()
	if notFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return &stats, &config, nil
}

func notFound(err error) bool {
	s, ok := errors.AsType[*StatusError](err)
	return ok && s.Code == http.StatusNotFound
}

// checkpointing puts both into the vocabulary.
func checkpointing(stats *wireCheckpoints, config *wireCheckpointConfig) job.Checkpointing {
	c := job.Checkpointing{History: []job.Checkpoint{}}
	if config != nil {
		c.Enabled = config.enabled()
		c.Mode = strings.ToLower(config.Mode)
		if c.Enabled {
			c.IntervalSeconds = config.Interval.ptr(1e-3)
		}
		c.MinPauseSeconds = config.MinPause.atLeast0().ptr(1e-3)
		c.TimeoutSeconds = config.Timeout.atLeast0().ptr(1e-3)
		c.MaxConcurrent = config.MaxConcurrent.count()
		c.TolerableFailures = config.Tolerable.count()
		c.Unaligned = config.Unaligned
		c.Externalized = new(config.Externalization.Enabled && !config.Externalization.Delete)
		c.Backend, c.Storage = config.backend(), config.storage()
	}
	if stats != nil {
		c.Completed = stats.Counts.Completed.count()
		c.InProgress = stats.Counts.InProgress.count()
		c.Failed = stats.Counts.Failed.count()
		for _, w := range stats.History {
			c.History = append(c.History, w.checkpoint())
		}
		if r := stats.Latest.Restored; r != nil {
			c.Restored = &job.Restored{ID: int64(r.ID.v), At: r.At.time(), Savepoint: r.Savepoint}
		}
	}
	return c
}

func (w wireCheckpoint) checkpoint() job.Checkpoint {
	c := job.Checkpoint{
		ID: int64(w.ID.v), Status: w.Status, TriggeredAt: w.Trigger.time(), Savepoint: w.Savepoint, Failure: w.Failure,
		StateBytes: w.State.atLeast0().ptr(1), WrittenBytes: w.Written.atLeast0().ptr(1),
	}
	if w.Status != "IN_PROGRESS" { // its duration still grows
		c.DurationSeconds = w.Duration.atLeast0().ptr(1e-3)
	}
	return c
}

// LastCompleted is the newest completed checkpoint or savepoint of a job, nil if
// there is none yet.
func (c *Client) LastCompleted(ctx context.Context, jobID string) (*job.Checkpoint, error) {
	var stats wireCheckpoints
	if err := c.get(ctx, jobPath(jobID, "checkpoints"), &stats); err != nil {
		if notFound(err) {
			return nil, fmt.Errorf("flink: the job %s is not there, or takes no checkpoints: %w", jobID, err)
		}
		return nil, err
	}
	if stats.Latest.Completed == nil {
		return nil, nil
	}
	return new(stats.Latest.Completed.checkpoint()), nil
}

// triggeredAt is when a checkpoint began. Flink keeps the last ten
// (web.checkpoints.history), so that an older one is gone: a zero time.
func (c *Client) triggeredAt(ctx context.Context, jobID string, id int64) (time.Time, error) {
	var w wireCheckpoint
	err := c.get(ctx, jobPath(jobID, "checkpoints", "details", strconv.FormatInt(id, 10)), &w)
	if notFound(err) {
		return time.Time{}, nil
	}
	return w.Trigger.time(), err
}
