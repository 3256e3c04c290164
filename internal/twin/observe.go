package twin

import (
	"context"
	"errors"
	"slices"

	"rebound/internal/job"
)

const (
	sourceID     = "cbc357ccb763df2852fee8c4fc7d55f2"
	workID       = "0a448493b4782967b150582570326227"
	sourceName   = "Source: events"
	workName     = "process -> Sink: results"
	flinkVersion = "2.3.0"
)

// unknownPending is how long after a restart a source does not know its backlog (s),
// where that is simulated.
const unknownPending = 30.0

// Observe shows the job as a cluster would: through the JobManager's REST API and
// its metrics. It is an error while nothing answers.
func (t *Twin) Observe(ctx context.Context) (job.Observation, error) {
	if err := ctx.Err(); err != nil {
		return job.Observation{}, err
	}
	now := t.clock()
	if t.lying(lieUnreachable, now) || t.headless(now) {
		return job.Observation{}, errors.New("the JobManager does not answer: connection refused")
	}
	o := job.Observation{
		Job: t.identity(), ID: t.view.id(), At: t.stamp(now), ServerTime: t.server(now),
		FlinkVersion: flinkVersion, State: t.state(now), Type: "STREAMING", Scheduler: "Adaptive",
		Config: t.config(), Checkpointing: t.checkpointing(now), Exceptions: t.exceptions(now),
		Restarts: new(t.restartsSeen(now)), LastChange: t.change.last, Lacks: []job.Lack{},
		JobManager: job.TaskManagerResources{
			CPUCores: new(t.s.JobManager.CPUCores), MemoryBytes: new(t.s.JobManager.MemoryGiB * job.GiB),
		},
	}
	if l := t.told(lieSteers, now); l != nil {
		if o.Steers = l.By; o.Steers == "" {
			o.Steers = "Flink's autoscaler"
		}
	}
	if t.down == nil {
		o.StartedAt = t.server(t.now.upAt)
	}
	r := newReader(t, now)
	o.Vertices = []job.Vertex{r.source(), r.work()}
	o.TaskManagers = r.taskManagers()
	o.Settings = t.settings(o.TaskManagers)
	o.WindowSeconds = r.seconds()
	o.Lacks = r.lacks
	return o, nil
}

// headless says whether there is no JobManager.
func (t *Twin) headless(now float64) bool {
	return t.down != nil && t.down.failure == job.JobManagerFailure && now < t.down.resourced
}

func (t *Twin) identity() job.Identity { return job.Identity{Cluster: "twin", Name: t.s.Name} }

// state is Flink's word for what the JobManager knows.
func (t *Twin) state(now float64) string {
	d := t.down
	switch {
	case d == nil || now < d.known:
		return "RUNNING"
	case d.way != "" && d.way != job.InPlace && now < d.resourced:
		return "INITIALIZING"
	case now < d.scheduled || d.way == job.InPlace && now < d.resourced:
		return "RESTARTING"
	}
	return "RUNNING"
}

// taskState is Flink's word for a subtask. The one that a lost TaskManager had is the last
// to run again.
func (t *Twin) taskState(now float64, last bool) string {
	d := t.down
	switch {
	case d == nil || now < d.known && d.failure != "":
		return "RUNNING"
	case now < d.scheduled:
		return "CANCELED"
	case now < d.resourced && d.way != "" && d.way != job.InPlace:
		return "CREATED"
	case now < d.resourced:
		return "SCHEDULED"
	case now < d.deployed:
		return "DEPLOYING"
	case !last && now >= d.early():
		return "RUNNING"
	}
	return "INITIALIZING"
}

// earlyShare of the restore is left when subtasks of processes that stayed run again.
const earlyShare = 0.2

// early is when the subtasks run whose process was not lost.
func (d downtime) early() float64 {
	if d.victim < 0 {
		return d.up
	}
	return d.up - earlyShare*(d.up-d.deployed)
}

func (t *Twin) restartsSeen(now float64) int {
	if t.down != nil && now < t.down.known {
		return max(0, t.view.restarts-1)
	}
	return t.view.restarts
}

// exceptions that the JobManager has seen, newest first.
func (t *Twin) exceptions(now float64) []job.Exception {
	all := make([]job.Exception, 0, len(t.view.exceptions))
	for _, e := range slices.Backward(t.view.exceptions) {
		if e.at <= now {
			all = append(all, job.Exception{At: t.server(e.at), Name: e.name, TaskManager: e.tm})
		}
	}
	return all
}

// settings as read back: those of a TaskManager from what runs, else from the
// configuration, which does not tell the CPU.
func (t *Twin) settings(tms []job.TaskManager) job.Settings {
	k := t.knobs
	s := job.Settings{
		CheckpointIntervalSeconds: new(k.IntervalSeconds),
		Parallelism:               t.Parallelism(k.Parallelism),
		SlotsPerTaskManager:       new(k.Slots),
		TaskManagerResources:      job.TaskManagerResources{MemoryBytes: new(k.MemoryBytes)},
	}
	if len(tms) > 0 {
		s.TaskManagerResources.CPUCores = new(k.CPUCores)
	}
	return s
}

// checkpointing is the configuration and the record of checkpoints.
func (t *Twin) checkpointing(now float64) job.Checkpointing {
	c, s := &t.ckpt, t.s.Checkpoint
	out := job.Checkpointing{
		Enabled: true, Mode: "exactly_once", IntervalSeconds: new(t.knobs.IntervalSeconds),
		MinPauseSeconds: new(s.MinPauseSeconds), TimeoutSeconds: new(s.TimeoutSeconds), MaxConcurrent: new(1),
		TolerableFailures: new(s.TolerableFailures), Unaligned: new(s.Unaligned), Externalized: new(true),
		Backend: "rocksdb", Storage: "filesystem",
		Completed: new(c.completed), Failed: new(c.failed), InProgress: new(0),
		History: make([]job.Checkpoint, 0, historyKept+1),
	}
	if c.running {
		out.InProgress = new(1)
		out.History = append(out.History, t.checkpoint(c.current))
	}
	for i := c.ended - 1; i >= max(0, c.ended-historyKept); i-- {
		out.History = append(out.History, t.checkpoint(c.history[i%historyKept]))
	}
	if d := t.down; t.view.restored != nil && (d == nil || now >= d.deployed) {
		r := *t.view.restored
		out.Restored = &r
	}
	return out
}

func (t *Twin) checkpoint(n snapshot) job.Checkpoint {
	c := job.Checkpoint{ID: n.id, Status: n.status, TriggeredAt: t.server(n.trigger), Savepoint: n.savepoint, Failure: n.failure}
	if n.status != "IN_PROGRESS" {
		c.DurationSeconds = new(n.done - n.trigger)
		c.StateBytes, c.WrittenBytes = new(n.bytes), new(n.bytes*t.s.State.IncrementRatio)
	} else {
		c.Failure = ""
	}
	return c
}
