package flink

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rebound/internal/job"
)

// builder makes the observation of one job from all reads.
type builder struct {
	*observer
	summary JobSummary
	reads   []read
	last    *snapshot
	obs     job.Observation
	spans   []float64            // seconds of the subtasks' windows
	byTM    map[string][]float64 // the same by TaskManager
	found   findings
}

// newBuilder is nil for a job that vanished while it was looked at.
func newBuilder(o *observer, j JobSummary, reads []read) *builder {
	last := reads[len(reads)-1].jobs[j.ID]
	if last == nil {
		return nil
	}
	return &builder{observer: o, summary: j, reads: reads, last: last, byTM: map[string][]float64{}}
}

func (b *builder) observation() job.Observation {
	s := b.last
	b.obs = job.Observation{
		Job: job.Identity{Cluster: b.Cluster, Name: s.job.Name}, ID: s.job.ID,
		At: s.answered.UTC(), ServerTime: s.job.Now.time(),
		FlinkVersion: b.version, State: s.job.State, Type: b.jobType(), Scheduler: b.scheduler(),
		Config:        effective(b.config, s.checkpoints, s.execution),
		Checkpointing: checkpointing(s.stats, s.checkpoints),
		Exceptions:    s.exceptions,
		LastChange:    s.execution.User[changeParameter],
		JobManager:    b.jobManager(),
		Steers:        b.steers(),
		Lacks:         []job.Lack{},
	}
	if b.obs.Exceptions == nil {
		b.obs.Exceptions = []job.Exception{}
	}
	b.obs.Vertices = b.vertices()
	if !b.Quick && len(b.spans) > 0 {
		b.obs.WindowSeconds = new(median(b.spans))
	}
	b.obs.TaskManagers = b.taskManagers()
	b.obs.Settings = b.settings()
	b.obs.StartedAt = b.startedAt()
	b.obs.Restarts = b.restarts()
	b.obs.Lacks = b.lacks()
	return b.obs
}

func (b *builder) jobType() string {
	if t := b.last.job.jobType(); t != "" {
		return t
	}
	return b.summary.Type
}

// scheduler is told since Flink 2.3; before, the configuration tells, or its
// default by the job's type.
func (b *builder) scheduler() string {
	for _, s := range []string{b.last.job.Scheduler, b.summary.Scheduler} {
		if s != "" {
			return s
		}
	}
	switch strings.ToLower(b.config["jobmanager.scheduler"]) {
	case "adaptive":
		return "Adaptive"
	case "adaptivebatch":
		return "AdaptiveBatch"
	case "default", "ng":
		return "Default"
	}
	switch {
	case b.config == nil:
		return ""
	case strings.EqualFold(b.config["scheduler-mode"], "reactive"):
		return "Adaptive"
	case b.jobType() == "BATCH":
		return "AdaptiveBatch"
	}
	return "Default"
}

// startedAt is when the last of the subtasks came to run: only then the job does.
func (b *builder) startedAt() time.Time {
	var at time.Time
	if b.obs.State != "RUNNING" {
		return at
	}
	for _, v := range b.obs.Vertices {
		for _, s := range v.Subtasks {
			switch {
			case s.State == "FINISHED":
			case s.RunningSince == nil:
				return time.Time{}
			case s.RunningSince.After(at):
				at = *s.RunningSince
			}
		}
	}
	return at
}

func (b *builder) restarts() *int {
	if b.staleJobMetrics() {
		return nil
	}
	if n, ok := b.last.metrics["numRestarts"]; ok {
		return n.count()
	}
	return b.last.metrics["fullRestarts"].count()
}

// staleJobMetrics compares the job's metrics with what the JobManager answers
// without its metric store: a restore or a checkpoint that they have not seen for
// two intervals.
func (b *builder) staleJobMetrics() bool {
	stats, m := b.last.stats, b.last.metrics
	if stats == nil {
		return false
	}
	old := b.last.job.Now.time().Add(-b.old())
	if r, seen := stats.Latest.Restored, m["lastCheckpointRestoreTimestamp"]; r != nil && seen.ok &&
		r.At.ok && r.At.v > seen.v && r.At.time().Before(old) {
		return true
	}
	c, seen := stats.Latest.Completed, m["lastCompletedCheckpointId"]
	return c != nil && seen.ok && c.ID.v > seen.v && c.Trigger.time().Add(c.Duration.millis()).Before(old)
}

func (b *builder) settings() job.Settings {
	s := job.Settings{
		CheckpointIntervalSeconds: b.obs.Checkpointing.IntervalSeconds,
		Parallelism:               make(map[string]int, len(b.obs.Vertices)),
	}
	for _, v := range b.obs.Vertices {
		s.Parallelism[v.ID] = v.Parallelism
	}
	tms := b.obs.TaskManagers
	if len(tms) > 0 {
		// Of equal TaskManagers; where they differ, one number would be wrong.
		s.SlotsPerTaskManager = agreed(tms, func(t job.TaskManager) *int { return &t.Slots })
		s.TaskManagerResources.CPUCores = agreed(tms, func(t job.TaskManager) *float64 { return t.CPUCores })
		s.TaskManagerResources.MemoryBytes = agreed(tms, func(t job.TaskManager) *float64 { return t.MemoryBytes })
		return s
	}
	s.SlotsPerTaskManager = parseNumber(b.config["taskmanager.numberOfTaskSlots"]).count()
	if v, err := ParseMemory(b.config["taskmanager.memory.process.size"]); err == nil {
		s.TaskManagerResources.MemoryBytes = &v
	}
	return s
}

// jobManager is what the configuration gives that process.
func (b *builder) jobManager() job.TaskManagerResources {
	var r job.TaskManagerResources
	if v, err := ParseMemory(b.config["jobmanager.memory.process.size"]); err == nil {
		r.MemoryBytes = &v
	}
	r.CPUCores = parseNumber(b.config["kubernetes.jobmanager.cpu.amount"]).atLeast0().ptr(1)
	return r
}

// steers: an autoscaler that only recommends does not.
func (b *builder) steers() string {
	if strings.EqualFold(b.config["job.autoscaler.enabled"], "true") && !strings.EqualFold(b.config["job.autoscaler.scaling.enabled"], "false") {
		return "Flink's autoscaler (job.autoscaler.enabled)"
	}
	return ""
}

// agreed is the value that all TaskManagers have, or nil.
func agreed[T comparable](tms []job.TaskManager, value func(job.TaskManager) *T) *T {
	first := value(tms[0])
	for _, t := range tms[1:] {
		if v := value(t); first == nil || v == nil || *v != *first {
			return nil
		}
	}
	return first
}

func (b *builder) taskManagers() []job.TaskManager {
	last := b.reads[len(b.reads)-1].cluster
	all := make([]job.TaskManager, 0, len(last.taskManagers))
	for _, w := range last.taskManagers {
		t := job.TaskManager{
			ID: w.ID, Slots: w.Slots.whole(), FreeSlots: w.FreeSlots.whole(),
			CPUCores: w.Total.CPU.atLeast0().ptr(1), MemoryBytes: w.Memory.Process.atLeast0().ptr(1),
			CPUUsedCores: b.cpuUsed(w.ID),
		}
		if at := w.Heartbeat.time(); !at.IsZero() {
			t.LastHeartbeat = &at
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b job.TaskManager) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// cpuUsed is CPU time over the time that passed for the subtasks in the process,
// whose values come with the same fetch; or for the job's others; or between reads.
func (b *builder) cpuUsed(id string) *float64 {
	from, to := b.reads[0].cluster, b.reads[len(b.reads)-1].cluster
	if len(b.reads) < 2 || to.cpu[id] == from.cpu[id] { // the same value: an old one
		return nil
	}
	seconds := to.at.Sub(from.at).Seconds()
	if spans := b.byTM[id]; len(spans) > 0 {
		seconds = median(spans)
	} else if len(b.spans) > 0 {
		seconds = median(b.spans)
	}
	r := rate(from.cpu[id], to.cpu[id], number{seconds, seconds > 0})
	if r != nil {
		*r /= 1e9
	}
	return r
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// clockSlack is the difference of two clocks that is not worth a word.
const clockSlack = time.Second

// clockDifference is the server's clock minus ours, and how well it is known.
func (s *snapshot) clockDifference() (diff, uncertain time.Duration, ok bool) {
	now := s.job.Now.time()
	if now.IsZero() {
		return 0, 0, false
	}
	half := s.answered.Sub(s.asked) / 2
	return now.Sub(s.asked.Add(half)), half, true
}

func signed(d time.Duration) string {
	if d < 0 {
		return fmt.Sprintf("%v behind", (-d).Round(100*time.Millisecond))
	}
	return fmt.Sprintf("%v ahead of", d.Round(100*time.Millisecond))
}
