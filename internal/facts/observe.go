package facts

import (
	"fmt"
	"slices"
	"time"

	"rebound/internal/hazard"
	"rebound/internal/job"
)

// Cluster is the cluster in the identity of a job that only a file tells of.
const Cluster = "facts"

// Observation is the job as if it had been looked at, at this time: running
// calmly, at the peak of its rate.
func (f Facts) Observation(now time.Time) job.Observation {
	o := job.Observation{
		Job: job.Identity{Cluster: Cluster, Name: f.Name}, ID: f.Name, At: now, ServerTime: now,
		FlinkVersion: f.FlinkVersion, State: "RUNNING", Type: "STREAMING",
		Config: f.Config, Checkpointing: f.checkpointing(now),
		Vertices: f.vertices(), TaskManagers: f.taskManagers(now),
		Exceptions: []job.Exception{},
		// What the file does not set may be set in the cluster all the same.
		Lacks: []job.Lack{{Quantity: "cluster configuration", Why: "only what the file states is known", How: "check the cluster itself by --flink"}},
	}
	if o.Config == nil {
		o.Config = job.Options{}
	}
	o.Settings = job.Settings{CheckpointIntervalSeconds: f.Checkpoint.Interval, TaskManagerResources: f.TaskManager}
	if f.Slots > 0 {
		o.Settings.SlotsPerTaskManager = &f.Slots
	}
	if f.Parallelism > 0 {
		o.Settings.Parallelism = map[string]int{vertex: f.Parallelism}
	}
	return o
}

// vertex is the ID of the only one: a file tells of a job as a whole.
const vertex = "job"

func (f Facts) vertices() []job.Vertex {
	p := max(1, f.Parallelism)
	v := job.Vertex{ID: vertex, Name: f.Name, Parallelism: p, MaxParallelism: f.MaxParallelism, Inputs: []string{}}
	for i := range p {
		s := job.Subtask{Index: i, State: "RUNNING", TaskManager: taskManager(i / max(1, f.Slots))}
		if f.Rate.Known() {
			s.RecordsInPerSecond = new(f.Rate.Peak() / float64(p))
		}
		if rho, ok := f.rho(); ok {
			s.BusyRatio = new(min(1, rho))
		}
		v.Subtasks = append(v.Subtasks, s)
	}
	return []job.Vertex{v}
}

func taskManager(n int) string { return fmt.Sprintf("taskmanager-%d", n+1) }

// taskManagers are none where nobody says how many are spare: whether slots are
// free is then unknown.
func (f Facts) taskManagers(now time.Time) []job.TaskManager {
	if f.SpareTaskManagers == nil {
		return []job.TaskManager{}
	}
	slots, p := max(1, f.Slots), max(1, f.Parallelism)
	running := (p + slots - 1) / slots
	out := make([]job.TaskManager, 0, running+*f.SpareTaskManagers)
	for i := range running + *f.SpareTaskManagers {
		free := slots
		if i < running {
			free -= min(slots, p-i*slots)
		}
		out = append(out, job.TaskManager{
			ID: taskManager(i), Slots: slots, FreeSlots: free, LastHeartbeat: &now,
			CPUCores: f.TaskManager.CPUCores, MemoryBytes: f.TaskManager.MemoryBytes,
		})
	}
	return out
}

// checkpointing has the stated durations as a history that ends LastCompletedAge
// ago, at most an interval by default.
func (f Facts) checkpointing(now time.Time) job.Checkpointing {
	c := f.Checkpoint
	out := job.Checkpointing{
		Enabled: c.Interval != nil, Mode: c.Mode, IntervalSeconds: c.Interval, MinPauseSeconds: c.MinPause,
		TimeoutSeconds: c.Timeout, TolerableFailures: c.TolerableFailures, Unaligned: c.Unaligned, History: []job.Checkpoint{},
	}
	if out.Mode == "" && out.Enabled {
		out.Mode = "exactly_once"
	}
	step, _ := c.effective()
	at := now.Add(-time.Duration(or(c.LastCompletedAge, step/2) * float64(time.Second)))
	for i, d := range slices.Backward(c.Durations) {
		h := job.Checkpoint{ID: int64(i + 1), Status: "COMPLETED", TriggeredAt: at, DurationSeconds: &d}
		if c.Timeout != nil && d > *c.Timeout {
			h.Status, h.Failure = "FAILED", "Checkpoint expired before completing."
		}
		out.History = append(out.History, h)
		at = at.Add(-time.Duration(max(step, 1) * float64(time.Second)))
	}
	return out
}

// Known are the facts that hazards depend on beyond the observation.
func (f Facts) Known(recoveries []job.Recovery) hazard.Facts {
	h := hazard.Facts{
		TargetSeconds: f.Target, Risk: f.Risk,
		DowntimeSeconds: map[job.Failure]float64{}, RecoverySeconds: map[job.Failure]float64{},
		TransactionTimeoutSeconds: f.Kafka.TransactionTimeout, BrokerMaxTransactionTimeoutSeconds: f.Kafka.BrokerMaxTransactionTimeout,
		RetentionSeconds: f.Kafka.Retention, AlignmentMaxDriftSeconds: f.Alignment.MaxDrift, AlignmentUpdateSeconds: f.Alignment.UpdateInterval,
	}
	if rho, ok := f.rho(); ok {
		h.Utilization = &rho
	}
	if f.Partitions > 0 {
		h.Partitions = &f.Partitions
	}
	if f.Kafka.TransactionTimeout != nil {
		h.ExactlyOnceSink = new(true)
	}
	for _, r := range recoveries {
		down := 0.0
		for _, p := range r.Phases {
			if p.Phase.Downtime() {
				down += p.Seconds + p.Spread
			}
		}
		h.DowntimeSeconds[r.Failure] = down
		if r.AtRiskSeconds != nil {
			h.RecoverySeconds[r.Failure] = *r.AtRiskSeconds
		}
	}
	return h
}
