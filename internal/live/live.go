// Package live is the benchmark job on a local cluster as a drill sees it: what
// the JobManager tells, what the output shows, the means to make it fail, and the
// audit of its records. It joins the adapters of Flink, Kafka and the local
// cluster behind the vocabulary of package job.
package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"rebound/internal/flink"
	"rebound/internal/job"
	"rebound/internal/kafka"
	"rebound/internal/local"

	"golang.org/x/sync/errgroup"
)

// history is how much of the output written before Watch is looked at.
const history = time.Minute

// Job is the benchmark job of a local cluster. Watch makes one; Close ends it.
type Job struct {
	cluster *local.Cluster
	flink   *flink.Client
	keyed   job.SubtaskRef // of the operator that writes, without its subtask

	stop  context.CancelFunc
	group *errgroup.Group
	ended <-chan struct{} // the following has ended, by Close or by an error

	mu        sync.Mutex
	written   kafka.Recorder // as the job writes it
	committed kafka.Recorder // as a read-committed reader sees it

	victim  string // a TaskManager that runs a subtask of that operator, when last observed
	starved starvation
}

// Watch begins to follow the output of the cluster's job.
func Watch(ctx context.Context, c *local.Cluster) (*Job, error) {
	client, err := flink.New(flink.Config{URL: c.REST})
	if err != nil {
		return nil, err
	}
	j := &Job{cluster: c, flink: client, committed: kafka.Recorder{Committed: true}}
	if err := j.findKeyed(ctx); err != nil {
		return nil, err
	}
	ctx, j.stop = context.WithCancel(ctx)
	j.group, ctx = errgroup.WithContext(ctx)
	j.ended = ctx.Done()
	j.group.Go(func() error { return j.follow(ctx, &j.written, time.Now().Add(-history)) })
	j.group.Go(func() error { return j.follow(ctx, &j.committed, time.Time{}) })
	return j, nil
}

// Close ends the following and returns what went wrong with it.
func (j *Job) Close() error {
	j.stop()
	return j.group.Wait()
}

func (j *Job) follow(ctx context.Context, r *kafka.Recorder, from time.Time) error {
	f := kafka.Follower{Brokers: j.cluster.Brokers, Topic: j.cluster.Output, Committed: r.Committed, From: from}
	return f.Run(ctx, func(b kafka.Batch) {
		j.mu.Lock()
		defer j.mu.Unlock()
		r.Add(b)
	})
}

// Identity is how the job of a local cluster is called.
func Identity(c *local.Cluster) string { return "local/" + c.Name }

// Observe watches the job for about window seconds; 0 takes one read.
func (j *Job) Observe(ctx context.Context, window float64) (job.Observation, error) {
	opts := flink.ObserveOptions{
		Cluster: Identity(j.cluster), Jobs: []string{j.cluster.JobID},
		Quick: window == 0, Window: time.Duration(window * float64(time.Second)),
	}
	all, err := j.flink.Observe(ctx, opts)
	if err != nil {
		return job.Observation{}, err
	}
	if len(all) != 1 {
		return job.Observation{}, fmt.Errorf("job %s is not on the cluster any more: rebound local status %s", j.cluster.JobID, j.cluster.Name)
	}
	if s, ok := all[0].Subtask(j.keyed); ok && j.keyed.ID != "" {
		j.victim = s.TaskManager
	}
	return all[0], nil
}

// LastCheckpoint is the newest completed checkpoint.
func (j *Job) LastCheckpoint(ctx context.Context) (job.Checkpoint, error) {
	c, err := j.flink.LastCompleted(ctx, j.cluster.JobID)
	if err != nil {
		return job.Checkpoint{}, err
	}
	if c == nil {
		return job.Checkpoint{}, errors.New("no checkpoint has completed yet: wait for the first")
	}
	return *c, nil
}

// findKeyed remembers which vertex writes the output: the one that no other reads.
func (j *Job) findKeyed(ctx context.Context) error {
	o, err := j.Observe(ctx, 0)
	if err != nil {
		return err
	}
	read := map[string]bool{}
	for _, v := range o.Vertices {
		for _, in := range v.Inputs {
			read[in] = true
		}
	}
	for _, v := range o.Vertices {
		if !read[v.ID] {
			j.keyed = job.SubtaskRef{Vertex: v.Name, ID: v.ID}
		}
	}
	return nil
}

// Restart tells how far the job has come back.
func (j *Job) Restart(ctx context.Context, failedAt time.Time) (job.Restart, error) {
	select {
	case <-j.ended:
		return job.Restart{}, job.ErrBlind
	default:
	}
	r, err := j.flink.Restart(ctx, j.cluster.JobID, failedAt)
	if err != nil {
		return job.Restart{}, err
	}
	out := job.Restart{
		State: r.State, SeenAt: some(r.SeenAt), Attempts: r.Attempts, ScheduledAt: some(r.ScheduledAt),
		Subtasks: []job.SubtaskRestart{}, Complete: r.Complete,
	}
	if r.Restored != nil && !r.Restored.TriggeredAt.IsZero() {
		out.Restored = &job.Checkpoint{ID: r.Restored.ID, TriggeredAt: r.Restored.TriggeredAt, Savepoint: r.Restored.Savepoint}
	}
	for _, s := range r.Subtasks {
		if !s.Restarted {
			continue
		}
		out.Subtasks = append(out.Subtasks, job.SubtaskRestart{
			SubtaskRef: job.SubtaskRef{Vertex: s.Name, ID: s.Vertex, Subtask: s.Index}, Attempt: s.Attempt, TaskManager: s.TaskManager,
			DeployingAt: some(s.DeployingAt), InitializingAt: some(s.InitializingAt), RunningAt: some(s.RunningAt),
		})
	}
	return out, nil
}

func some(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
