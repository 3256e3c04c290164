package flink

import (
	"context"
	"time"
)

// Restart is how far a job has come back after a failure. Times are the
// JobManager's stamps, zero while they have not happened; they may be older than
// now by web.refresh-interval, never wrong.
type Restart struct {
	State string // of the job: Flink's word
	// SeenAt is when the JobManager knew: the oldest exception after the failure,
	// or the job's state.
	SeenAt time.Time
	// Attempts counts the exceptions since the failure: more than one where a
	// restart failed too, as into the slot of a TaskManager not yet known to be dead.
	Attempts int
	// ScheduledAt is when the last restart's delay was over and scheduling began.
	ScheduledAt time.Time
	Subtasks    []RestartSubtask // of all vertices
	Restored    *RestoredFrom
	// Complete says that every subtask runs, one of them at least anew.
	Complete bool
	// LastRunningAt is when the last of the restarted subtasks came to run, the end
	// of the downtime; zero unless Complete.
	LastRunningAt time.Time
}

// RestartSubtask is the present attempt of a subtask.
type RestartSubtask struct {
	Vertex, Name string // its ID and name
	Index        int
	Attempt      int
	TaskManager  string
	State        string
	// Restarted is false where the failover left the subtask alone: it was in
	// another region.
	Restarted      bool
	DeployingAt    time.Time
	InitializingAt time.Time // the restore of state begins
	RunningAt      time.Time
}

// RestoredFrom is the checkpoint that the restart began from.
type RestoredFrom struct {
	ID          int64
	At          time.Time // of the restore
	TriggeredAt time.Time // zero where Flink has forgotten it (web.checkpoints.history)
	Savepoint   bool
}

// Restart reads how far the job has come back since failedAt, by the JobManager's
// clock. It works with every scheduler: it relies on subtasks' states and stamps
// alone, since the job's state and the vertices' are RUNNING too early and the
// adaptive scheduler leaves RESTARTING out.
func (c *Client) Restart(ctx context.Context, jobID string, failedAt time.Time) (Restart, error) {
	failedAt = failedAt.Truncate(time.Millisecond) // as fine as Flink's stamps
	j, err := c.job(ctx, jobID)
	if err != nil {
		return Restart{}, err
	}
	r := Restart{State: j.State}
	if err := c.readRestarted(ctx, j, failedAt, &r); err != nil {
		return Restart{}, err
	}
	if r.Complete {
		// The graph behind the answers is cached: vertices may have come from the
		// one before the failure and from a later one. What is read now is at least
		// as new as the newest of them.
		if err := c.readRestarted(ctx, j, failedAt, &r); err != nil {
			return Restart{}, err
		}
	}
	g := newGroup(ctx)
	g.run(func(ctx context.Context) error { return c.readSeen(ctx, j, failedAt, &r) })
	g.run(func(ctx context.Context) (err error) {
		r.Restored, err = c.restored(ctx, jobID, failedAt)
		return err
	})
	return r, g.wait()
}

func (c *Client) readRestarted(ctx context.Context, j wireJob, failedAt time.Time, r *Restart) error {
	vertices, err := c.vertices(ctx, j)
	if err != nil {
		return err
	}
	r.Subtasks = r.Subtasks[:0]
	for _, v := range vertices {
		for _, s := range v.Subtasks {
			at := s.deploying()
			r.Subtasks = append(r.Subtasks, RestartSubtask{
				Vertex: v.ID, Name: v.Name, Index: s.Index.whole(), Attempt: s.Attempt.whole(),
				TaskManager: s.TaskManager, State: s.Status, Restarted: !at.IsZero() && !at.Before(failedAt),
				DeployingAt: at, InitializingAt: s.initializing(), RunningAt: s.running(),
			})
		}
	}
	r.Complete, r.LastRunningAt = complete(r.Subtasks)
	return nil
}

// complete: subtasks that were not restarted and have not failed run on, and a
// bounded source may have finished.
func complete(subtasks []RestartSubtask) (bool, time.Time) {
	var last time.Time
	for _, s := range subtasks {
		if s.State != "FINISHED" && s.RunningAt.IsZero() {
			return false, time.Time{}
		}
		if s.Restarted && s.RunningAt.After(last) {
			last = s.RunningAt
		}
	}
	return !last.IsZero(), last
}

// readSeen finds when the JobManager knew, and when it scheduled anew.
func (c *Client) readSeen(ctx context.Context, j wireJob, failedAt time.Time, r *Restart) error {
	exceptions, err := c.exceptions(ctx, j.ID)
	if err != nil {
		return err
	}
	first := func(t time.Time) {
		if !t.IsZero() && !t.Before(failedAt) && (r.SeenAt.IsZero() || t.Before(r.SeenAt)) {
			r.SeenAt = t
		}
	}
	for _, e := range exceptions {
		if !e.At.Before(failedAt) {
			r.Attempts++
			first(e.At)
		}
	}
	// A later failed attempt rewrites RESTARTING, so that exceptions come first.
	if r.SeenAt.IsZero() {
		first(j.Timestamps["RESTARTING"].time())
		first(j.Timestamps["FAILING"].time())
		first(j.Timestamps["INITIALIZING"].time()) // a new JobManager has no exceptions
	}
	if at := j.Timestamps["RUNNING"].time(); !at.Before(failedAt) {
		r.ScheduledAt = at
	}
	return nil
}

// restored is the checkpoint restored since the failure, if any yet.
func (c *Client) restored(ctx context.Context, jobID string, failedAt time.Time) (*RestoredFrom, error) {
	var stats wireCheckpoints
	err := c.get(ctx, jobPath(jobID, "checkpoints"), &stats)
	if err != nil {
		if notFound(err) {
			err = nil // a job without checkpoints begins anew
		}
		return nil, err
	}
	w := stats.Latest.Restored
	if w == nil || w.At.time().Before(failedAt) {
		return nil, nil
	}
	from := &RestoredFrom{ID: int64(w.ID.v), At: w.At.time(), Savepoint: w.Savepoint}
	for _, h := range stats.History {
		if h.ID == w.ID {
			from.TriggeredAt = h.Trigger.time()
			return from, nil
		}
	}
	from.TriggeredAt, err = c.triggeredAt(ctx, jobID, from.ID)
	return from, err
}
