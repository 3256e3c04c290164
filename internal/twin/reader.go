package twin

import (
	"fmt"
	"time"

	"rebound/internal/job"
)

const (
	sourceShare = 0.08 // of the busy time of the work that a source has
	blocked     = 0.9  // share of the time that a source is back-pressured, before work that is saturated
	idleCores   = 0.05 // that a TaskManager uses without work
)

// reader turns samples into what Flink's metrics show of subtasks and TaskManagers.
type reader struct {
	t        *Twin
	now      float64
	from, to sample
	ok       bool // the two can be compared
	gap      bool
	lacks    []job.Lack
	values   []float64 // backs the pointers, so that a look allocates once
	since    [2]time.Time
	attempt  int
}

func newReader(t *Twin, now float64) *reader {
	r := &reader{t: t, now: now, gap: t.lying(lieGap, now), lacks: []job.Lack{}, attempt: t.view.attempt}
	r.from, r.to, r.ok = t.view.window(t.s.View, now)
	r.values = make([]float64, 0, 16*t.knobs.Parallelism+16)
	d := t.down
	if d != nil && d.failure != "" && now < d.known {
		r.attempt-- // the JobManager knows of nothing yet
	}
	r.since = [2]time.Time{t.server(t.now.upAt), t.server(t.now.upAt)}
	if d != nil && now >= d.known {
		r.since = [2]time.Time{t.server(d.early()), t.server(d.up)}
	}
	switch {
	case d != nil && now >= d.known:
		r.ok = false
		if t.state(now) == "RUNNING" {
			r.lack("rates of all subtasks", "not all subtasks are running, though the job is", "ask again when they are")
		}
	case r.gap:
		r.ok = false
		r.lack("subtask metrics", "the JobManager has no values of the running subtasks", "ask again")
	case !r.ok:
		r.lack("rates", "running subtasks have no two readings that can be compared, as after a restart", "ask again")
	}
	if t.s.View.ClockSkewSeconds > 1 || t.s.View.ClockSkewSeconds < -1 {
		r.lack("common clock", fmt.Sprintf("the JobManager's clock is %v s ahead of ours", t.s.View.ClockSkewSeconds),
			"let both hosts keep time by NTP; until then, spans between their stamps are off by as much")
	}
	return r
}

func (r *reader) lack(quantity, why, how string) {
	r.lacks = append(r.lacks, job.Lack{Quantity: quantity, Why: why, How: how})
}

func (r *reader) value(v float64) *float64 {
	r.values = append(r.values, v)
	return &r.values[len(r.values)-1]
}

// seconds is the span over which rates were taken.
func (r *reader) seconds() *float64 {
	if !r.ok {
		return nil
	}
	return new(r.to.at - r.from.at)
}

// weight is a subtask's share of the records; the first has the skew.
func (r *reader) weight(i int) float64 {
	p, skew := float64(r.t.knobs.Parallelism), r.t.s.Capacity.Skew
	switch {
	case p == 1:
		return 1
	case i == 0:
		return (1 + skew) / p
	}
	return (1 - (1+skew)/p) / (p - 1)
}

// place is where a subtask runs: the index of its TaskManager, its name, and whether
// that one was lost.
func (r *reader) place(i int) (tm string, lost bool) {
	n, d := i/r.t.knobs.Slots, r.t.down
	if d != nil && d.failure != "" && n == d.victim && r.now < d.resourced {
		return r.t.view.lost, true
	}
	if n >= len(r.t.view.names) {
		return "", false
	}
	return r.t.view.names[n], d != nil && d.victim == n
}

func (r *reader) vertex(id, name string, inputs []string) job.Vertex {
	p := r.t.knobs.Parallelism
	v := job.Vertex{
		ID: id, Name: name, Parallelism: p, MaxParallelism: r.t.s.Kafka.Partitions, Inputs: inputs,
		Subtasks: make([]job.Subtask, p),
	}
	last := r.t.down == nil || r.t.down.victim < 0
	for i := range v.Subtasks {
		tm, lost := r.place(i)
		s := job.Subtask{Index: i, Attempt: r.attempt, TaskManager: tm, State: r.t.taskState(r.now, lost || last)}
		if s.State == "RUNNING" {
			since := &r.since[0]
			if lost {
				since = &r.since[1]
			}
			s.RunningSince = since
		} else if r.t.down != nil && r.now < r.t.down.resourced {
			s.TaskManager = ""
		}
		v.Subtasks[i] = s
	}
	return v
}

// silent: a lost TaskManager's values stand still until the JobManager knows.
func (r *reader) silent(i int) bool {
	d := r.t.down
	return d != nil && d.victim >= 0 && d.victim == i/r.t.knobs.Slots
}

func (r *reader) source() job.Vertex {
	v := r.vertex(sourceID, sourceName, []string{})
	if !r.ok {
		return v
	}
	span := r.to.at - r.from.at
	rate, busy := (r.to.read-r.from.read)/span, sourceShare*(r.to.busy-r.from.busy)/span
	stuck := min(1-busy, blocked*(r.to.saturated-r.from.saturated)/span)
	early := r.t.down == nil && r.now-r.t.now.upAt < unknownPending && r.t.lying(lieZeroPending, r.now)
	hidden := early || r.t.lying(lieNoPending, r.now)
	for i := range v.Subtasks {
		s, share := &v.Subtasks[i], r.weight(i)
		if s.State != "RUNNING" || r.silent(i) {
			continue
		}
		s.RecordsInPerSecond = r.value(rate * share)
		s.RecordsOutPerSecond = r.value(rate * share)
		s.BusyRatio, s.BackPressuredRatio, s.IdleRatio = r.value(busy), r.value(stuck), r.value(1-busy-stuck)
		s.EmitLagSeconds = r.value(r.to.lag)
		if !hidden {
			s.PendingRecords = r.value(r.to.pending * share)
			s.PendingSlope = r.value((r.to.pending - r.from.pending) / span * share)
		}
	}
	r.sourceLacks(early, hidden)
	return v
}

func (r *reader) sourceLacks(early, hidden bool) {
	if d := r.t.down; d != nil && d.victim >= 0 {
		r.lack("subtask metrics", fmt.Sprintf("the values of subtasks on %s stand still", r.t.view.lost), "ask again")
	}
	switch {
	case early:
		r.lack("pending_records of "+sourceName, "in the first 30 s after a restart a source reports no backlog, or 0 without knowing it", "ask again")
	case hidden:
		r.lack("pending_records of "+sourceName, "the source does not report its backlog (pendingRecords)", "use a connector that does, such as KafkaSource")
	}
}

func (r *reader) work() job.Vertex {
	v := r.vertex(workID, workName, []string{sourceID})
	if !r.ok {
		return v
	}
	span := r.to.at - r.from.at
	rate, busy := (r.to.read-r.from.read)/span, min(1, (r.to.busy-r.from.busy)/span)
	noBusy := r.t.lying(lieNoBusy, r.now)
	most := r.weight(0)
	for i := range v.Subtasks {
		s, share := &v.Subtasks[i], r.weight(i)
		if s.State != "RUNNING" || r.silent(i) {
			continue
		}
		s.RecordsInPerSecond = r.value(rate * share)
		if !noBusy {
			b := busy * share / most
			s.BusyRatio, s.BackPressuredRatio, s.IdleRatio = r.value(b), r.value(0), r.value(1-b)
		}
	}
	if noBusy {
		r.lack("busy_ratio of "+workName, "the busy time is NaN", "a stretch in which the job is saturated shows its capacity too")
	}
	return v
}

// taskManagers that the JobManager knows. None is known while a new cluster starts.
func (r *reader) taskManagers() []job.TaskManager {
	t, d := r.t, r.t.down
	if d != nil && d.way != "" && d.way != job.InPlace && r.now < d.resourced {
		return []job.TaskManager{}
	}
	n := len(t.view.names)
	all := make([]job.TaskManager, 0, n+t.s.Restart.Spares)
	for i, name := range t.view.names {
		beat := r.now - 1
		if d != nil && d.failure != "" && i == d.victim && r.now < d.resourced {
			if r.now >= d.known {
				continue // gone, and the new one is not there yet
			}
			name, beat = t.view.lost, d.from
		}
		free := t.knobs.Slots - min(t.knobs.Slots, max(0, t.knobs.Parallelism-i*t.knobs.Slots))
		m := r.taskManager(name, free, beat)
		if r.ok && !r.silentTM(i) && !t.lying(lieNoCPU, r.now) {
			m.CPUUsedCores = r.value(r.used(t.knobs.Slots - free))
		}
		all = append(all, m)
	}
	for i := range t.sparesReady(r.now) {
		m := r.taskManager(fmt.Sprintf("taskmanager-spare-%d", i+1), t.knobs.Slots, r.now-1)
		if r.ok && !t.lying(lieNoCPU, r.now) {
			m.CPUUsedCores = r.value(idleCores)
		}
		all = append(all, m)
	}
	if t.lying(lieNoCPU, r.now) {
		r.lack("cpu in use", "no TaskManager tells its CPU time", "let the JVM's CPU metrics be reported")
	}
	return all
}

func (r *reader) silentTM(i int) bool { return r.silent(i * r.t.knobs.Slots) }

func (r *reader) taskManager(name string, free int, beat float64) job.TaskManager {
	return job.TaskManager{
		ID: name, Slots: r.t.knobs.Slots, FreeSlots: free,
		CPUCores: r.value(r.t.knobs.CPUCores), MemoryBytes: r.value(r.t.knobs.MemoryBytes),
		LastHeartbeat: new(r.t.server(beat)),
	}
}

// used is the CPU of a TaskManager with some slots in use (cores).
func (r *reader) used(slots int) float64 {
	c, k := r.t.s.Capacity, r.t.knobs
	cores := k.CPUCores
	if c.Law == lawTaskManagers && c.CoresPerSlot > 0 {
		cores = min(cores, c.CoresPerSlot*float64(slots))
	}
	busy := min(1, (r.to.busy-r.from.busy)/(r.to.at-r.from.at))
	return min(k.CPUCores, cores*busy+idleCores)
}
