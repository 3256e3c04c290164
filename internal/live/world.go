package live

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"rebound/internal/flink"
	"rebound/internal/job"
)

// World is one job on a JobManager as a loop sees it: observed with one read a
// look. It does not change the job; checkpoints can be asked for.
type World struct {
	client *flink.Client
	watch  flink.Watcher
	last   job.Observation
}

// NewWorld watches the job of this name, or this ID, or where it is empty the only
// job there is; cluster becomes part of its identity. Nothing is asked yet.
func NewWorld(c *flink.Client, cluster, name string) *World {
	w := &World{client: c, watch: flink.Watcher{Client: c, Options: flink.ObserveOptions{Cluster: cluster}}}
	if name != "" {
		w.watch.Options.Jobs = []string{name}
	}
	return w
}

// Observe looks at the job.
func (w *World) Observe(ctx context.Context) (job.Observation, error) {
	o, err := w.watch.Observe(ctx)
	if err == nil {
		w.last = o
	}
	return o, err
}

// Apply refuses: a real job is not changed yet.
func (w *World) Apply(_ context.Context, c job.Change) error {
	return fmt.Errorf("change %s: a job on a cluster is observed and paced, not changed: use mode recommend or pace", c.ID)
}

// Checkpoint asks for one and does not wait for it. The same ID asks once.
func (w *World) Checkpoint(ctx context.Context, id string) error {
	if w.last.ID == "" {
		if _, err := w.Observe(ctx); err != nil {
			return err
		}
	}
	return w.client.TriggerCheckpoint(ctx, w.last.ID, triggerID(id))
}

// triggerID is an ID as Flink wants it, 32 hexadecimal digits.
func triggerID(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// Capabilities of a job on a cluster.
func (w *World) Capabilities() job.Capabilities {
	return job.Capabilities{Ways: []job.Way{}, Restart: map[job.Knob]job.Way{}, Pacing: true}
}

// Now is the real time.
func (w *World) Now() time.Time { return time.Now() }

// Wait lets time pass.
func (w *World) Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
