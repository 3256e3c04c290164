package flink

import (
	"math"
	"strconv"
	"time"
)

// clock are the accumulated times of a subtask, ms. TaskIOMetricGroup computes the
// busy time as (now − when it came to run) − idle − back-pressured, so that the three
// add up to the subtask's age when the values were taken. Sources of the old kind
// have no busy time, and so no clock.
type clock struct{ busy, idle, backPressured number }

// age is the time since the task came to run, ms.
func (c clock) age() number {
	if !c.busy.ok || !c.idle.ok || !c.backPressured.ok {
		return number{}
	}
	return number{c.busy.v + c.idle.v + c.backPressured.v, true}
}

// reading is what one read tells of one subtask.
type reading struct {
	seen    bool // the subtask was there
	running bool
	attempt int
	began   time.Time // of the attempt's deployment
	now     time.Time // the server's

	task    clock
	in, out number // records since the attempt's start

	// Of source operators; their values come from another request than the task's
	// and so with another clock.
	source             clock
	operatorIn         number
	operatorOut        number
	pending            number
	emitLag            number // ms
	sourceWatermarkLag number // ms
	operatorInAverage  number // records a second, over 60 s
	operatorOutAverage number
	inputWatermark     number    // ms since the epoch
	ready              time.Time // RUNNING since
}

// ageSlack is what an age may be off by: the clocks of two hosts tick alike, but the
// JobManager hears of each change of state a little later.
const ageSlack = 500 * time.Millisecond

// readingOf collects what s tells of subtask i of a vertex.
func readingOf(s *snapshot, vertex string, i int) reading {
	for _, v := range s.vertices {
		if v.ID != vertex {
			continue
		}
		for _, w := range v.Subtasks {
			if w.Index.whole() == i {
				return s.reading(v, w)
			}
		}
	}
	return reading{}
}

func (s *snapshot) reading(v wireVertex, w wireSubtask) reading {
	r := reading{
		seen: true, running: w.Status == "RUNNING", attempt: w.Attempt.whole(),
		began: w.deploying(), now: v.Now.time(), ready: w.running(),
	}
	if m := w.Metrics; m.ReadComplete && m.WriteComplete {
		r.task = clock{m.Busy.atLeast0(), m.Idle.atLeast0(), m.BackPressured.atLeast0()}
		r.in, r.out = m.Read.atLeast0(), m.Write.atLeast0()
	}
	prefix := strconv.Itoa(w.Index.whole()) + "."
	r.inputWatermark = s.watermarks[v.ID][prefix+"currentInputWatermark"]
	if src, ok := s.sources[v.ID]; ok {
		r.addSource(src, prefix)
	}
	r.dropForeign()
	return r
}

func (r *reading) addSource(src sourceRead, prefix string) {
	at := func(name string) number { return src.values[prefix+name].atLeast0() }
	r.source = clock{at("accumulateBusyTimeMs"), at("accumulateIdleTimeMs"), at("accumulateBackPressuredTimeMs")}
	for _, op := range src.operators {
		r.operatorIn = sum(r.operatorIn, at(op+".numRecordsIn"))
		r.operatorOut = sum(r.operatorOut, at(op+".numRecordsOut"))
		r.operatorInAverage = sum(r.operatorInAverage, at(op+".numRecordsInPerSecond"))
		r.operatorOutAverage = sum(r.operatorOutAverage, at(op+".numRecordsOutPerSecond"))
		r.pending = sum(r.pending, at(op+".pendingRecords"))
		// −1 is FLIP-33's "no value yet"; a lag is not negative else, but for clocks.
		r.emitLag = larger(r.emitLag, at(op+".currentEmitEventTimeLag"))
		r.sourceWatermarkLag = larger(r.sourceWatermarkLag, at(op+".watermarkLag"))
	}
}

// dropForeign forgets values of an earlier attempt, which the metric store keeps
// until the next fetch: they are older than the attempt itself.
func (r *reading) dropForeign() {
	if r.now.IsZero() || r.ready.IsZero() {
		return
	}
	limit := float64((r.now.Sub(r.ready) + ageSlack).Milliseconds())
	if a := r.task.age(); a.ok && a.v > limit {
		r.task, r.in, r.out = clock{}, number{}, number{}
	}
	if a := r.source.age(); a.ok && a.v > limit {
		r.source = clock{}
		r.operatorIn, r.operatorOut, r.operatorInAverage, r.operatorOutAverage = number{}, number{}, number{}, number{}
		r.pending, r.emitLag, r.sourceWatermarkLag = number{}, number{}, number{}
	}
}

// lateness is how old the values are, by the server's clock: unknown without the
// subtask's own.
func (r reading) lateness() (time.Duration, bool) {
	a := r.task.age()
	if !a.ok {
		a = r.source.age()
	}
	if !a.ok || r.now.IsZero() || r.ready.IsZero() {
		return 0, false
	}
	return max(0, r.now.Sub(r.ready)-a.millis()), true
}

// empty tells that the metric store had nothing of the subtask.
func (r reading) empty() bool {
	return !r.in.ok && !r.out.ok && !r.task.idle.ok && !r.source.idle.ok && !r.operatorOut.ok
}

func sum(a, b number) number {
	switch {
	case !a.ok:
		return b
	case !b.ok:
		return a
	}
	return number{a.v + b.v, true}
}

func larger(a, b number) number {
	switch {
	case !a.ok:
		return b
	case !b.ok:
		return a
	}
	return number{math.Max(a.v, b.v), true}
}
