package flink

import (
	"math"
	"slices"
	"strconv"
	"time"

	"rebound/internal/job"
)

const (
	// averageOver is the span of Flink's per-second metrics: for as long after a
	// restart they are wrong.
	averageOver = 60 * time.Second
	// pendingUnknown: for a while after a restart a reader has not asked for its
	// backlog yet and reports 0.
	pendingUnknown = 30 * time.Second
)

// vertices are the job's, sources first, else in Flink's order.
func (b *builder) vertices() []job.Vertex {
	inputs := b.last.job.Plan.inputs()
	feeds := map[string]bool{}
	for _, from := range inputs {
		for _, id := range from {
			feeds[id] = true
		}
	}
	all := make([]job.Vertex, 0, len(b.last.vertices))
	for _, w := range b.last.vertices {
		v := job.Vertex{
			ID: w.ID, Name: w.Name, Parallelism: w.Parallelism.whole(), MaxParallelism: w.MaxParallelism.whole(),
			Inputs: inputs[w.ID], Subtasks: make([]job.Subtask, 0, len(w.Subtasks)),
		}
		if v.Inputs == nil {
			v.Inputs = []string{}
		}
		place := place{vertex: v.ID, source: len(v.Inputs) == 0, sink: !feeds[v.ID]}
		for _, s := range w.Subtasks {
			v.Subtasks = append(v.Subtasks, b.subtask(place, s))
		}
		b.found.vertex(v, place)
		all = append(all, v)
	}
	slices.SortStableFunc(all, func(x, y job.Vertex) int {
		return min(len(x.Inputs), 1) - min(len(y.Inputs), 1)
	})
	return all
}

// place is where in the job a subtask stands.
type place struct {
	vertex       string
	source, sink bool
}

func (b *builder) subtask(p place, w wireSubtask) job.Subtask {
	s := job.Subtask{Index: w.Index.whole(), Attempt: w.Attempt.whole(), TaskManager: w.TaskManager, State: w.Status}
	if at := w.running(); !at.IsZero() {
		s.RunningSince = &at
	}
	if w.Status != "RUNNING" {
		return s // what the store still holds is not of this state
	}
	h := historyOf(b.reads, b.summary.ID, p.vertex, s.Index)
	if b.Quick {
		b.averages(&s, p, h.last())
	} else if win, ok := h.pair(); ok {
		b.rates(&s, p, win)
	}
	b.found.subtask(b, h, s)
	if b.stale(h) {
		return s
	}
	b.levels(&s, p, h)
	return s
}

// stale tells that the newest values are old ones, as far as it can be told: they
// stood still for an interval while the attempt ran, or lag behind its own age.
func (b *builder) stale(h history) bool {
	if _, moved := h.pair(); moved {
		return false
	}
	for _, from := range h[:max(0, len(h)-1)] {
		if (window{from, h.last()}).sameAttempt() && !from.empty() && h.last().now.Sub(from.now) >= b.fetch {
			return true
		}
	}
	late, known := h.last().lateness()
	return known && late > b.old()
}

// rates fills in what is taken from differences.
func (b *builder) rates(s *job.Subtask, p place, w window) {
	seconds, from, to := w.taskSeconds(), w.from.task, w.to.task
	if !seconds.ok {
		seconds, from, to = w.sourceSeconds(), w.from.source, w.to.source
	}
	s.BusyRatio = ratio(from.busy, to.busy, seconds)
	s.BackPressuredRatio = ratio(from.backPressured, to.backPressured, seconds)
	s.IdleRatio = ratio(from.idle, to.idle, seconds)
	s.RecordsInPerSecond = rate(w.from.in, w.to.in, w.taskSeconds())
	if p.source {
		s.RecordsInPerSecond = w.read()
		s.PendingSlope = slope(w.from.pending, w.to.pending, w.sourceSeconds())
	}
	s.RecordsOutPerSecond = rate(w.from.out, w.to.out, w.taskSeconds())
	if p.sink && w.to.out.v == 0 {
		s.RecordsOutPerSecond = nil // what leaves Flink is not counted
	}
	if seconds.ok {
		b.spans = append(b.spans, seconds.v)
		b.byTM[s.TaskManager] = append(b.byTM[s.TaskManager], seconds.v)
	}
}

// slope is a rate that may be negative.
func slope(from, to, seconds number) *float64 {
	if !from.ok || !to.ok || !seconds.ok {
		return nil
	}
	return new((to.v - from.v) / seconds.v)
}

// averages fills in Flink's own, which are of no use soon after a restart.
func (b *builder) averages(s *job.Subtask, p place, r reading) {
	if s.RunningSince == nil || r.now.Sub(*s.RunningSince) < averageOver || b.stale(history{r}) {
		return
	}
	m := b.last.averages[p.vertex]
	at := func(name string) number { return m[strconv.Itoa(s.Index)+"."+name].atLeast0() }
	share := func(name string) *float64 {
		v := at(name).ptr(1e-3)
		if v != nil {
			*v = math.Min(1, *v)
		}
		return v
	}
	s.BusyRatio = share("busyTimeMsPerSecond")
	s.BackPressuredRatio = share("backPressuredTimeMsPerSecond")
	s.IdleRatio = share("idleTimeMsPerSecond")
	in, out := at("numRecordsInPerSecond"), at("numRecordsOutPerSecond")
	s.RecordsInPerSecond, s.RecordsOutPerSecond = in.ptr(1), out.ptr(1)
	if p.source {
		s.RecordsInPerSecond = firstPositive(r.operatorInAverage, r.operatorOutAverage, in, out)
	}
	if p.sink && out.v == 0 {
		s.RecordsOutPerSecond = nil
	}
}

// firstPositive is the first that counts anything; 0 where all that are known are.
func firstPositive(all ...number) *float64 {
	var zero *float64
	for _, n := range all {
		if n.ok && n.v > 0 {
			return n.ptr(1)
		}
		if n.ok {
			zero = n.ptr(1)
		}
	}
	return zero
}

// levels fills in what is seen at one moment. Backlog and emit lag are of the
// reader's last fetch and fall to 0 in between: the largest of all reads counts.
func (b *builder) levels(s *job.Subtask, p place, h history) {
	last := h.last()
	if !p.source {
		s.WatermarkLag = watermarkLag(last)
		return
	}
	pending, lag := last.pending, last.emitLag
	for _, r := range h {
		if !r.running || r.attempt != last.attempt {
			continue
		}
		if !b.latest || last.pending.v == 0 {
			pending = larger(pending, r.pending)
		}
		if !b.latest || last.emitLag.v == 0 {
			lag = larger(lag, r.emitLag)
		}
	}
	early := s.RunningSince != nil && last.now.Sub(*s.RunningSince) < pendingUnknown
	if early && pending.v == 0 {
		pending, s.PendingSlope = number{}, nil
	}
	s.PendingRecords, s.EmitLagSeconds = pending.ptr(1), lag.ptr(1e-3)
	s.WatermarkLag = last.sourceWatermarkLag.ptr(1e-3)
}

// watermarkLag is the server's time, less the age of the value, less the watermark;
// Java's smallest and largest stand for "none yet" and "no more input".
func watermarkLag(r reading) *float64 {
	at := r.inputWatermark.time()
	if at.IsZero() || r.now.IsZero() {
		return nil
	}
	late, _ := r.lateness()
	return new(r.now.Add(-late).Sub(at).Seconds())
}
