package twin

import (
	"fmt"
	"strconv"
	"time"

	"rebound/internal/job"
)

const (
	scrapesKept    = 32
	exceptionsKept = 16
)

// view is what the JobManager and the metrics of the job remember.
type view struct {
	run         int // of the job, so that samples of two runs are not mixed
	attempt     int // of the subtasks, in this incarnation
	restarts    int // since the JobManager has begun
	incarnation int
	since       float64 // when the incarnation was submitted

	names   []string // of the TaskManagers
	started int      // TaskManagers in all, for their names
	lost    string   // the victim's name, while the job is down

	exceptions []exception // oldest first
	restored   *job.Restored

	samples [scrapesKept]sample
	taken   int64
	nextAt  float64
	sum     sample // running sums

	options job.Options // cached, for options of knobs
	of      job.Knobs
}

type exception struct {
	at       float64
	name, tm string
}

// sample is one scrape of the metrics: sums since the simulation began, and levels.
type sample struct {
	at        float64
	run       int
	read      float64 // records
	busy      float64 // s
	saturated float64 // s
	ran       float64 // s
	pending   float64 // records
	lag       float64 // s
}

func (v *view) begin(t *Twin) {
	v.incarnation = 1
	v.staff(t.knobs.TaskManagers(), true)
	v.nextAt = t.s.View.ScrapeSeconds
}

// staff makes n TaskManagers of those that there are; anew: all are new.
func (v *view) staff(n int, anew bool) {
	if anew || n < len(v.names) {
		v.names = v.names[:min(n, len(v.names))]
	}
	for i := range v.names {
		if anew {
			v.names[i] = v.name()
		}
	}
	for len(v.names) < n {
		v.names = append(v.names, v.name())
	}
}

func (v *view) name() string {
	v.started++
	return "taskmanager-" + strconv.Itoa(v.incarnation) + "-" + strconv.Itoa(v.started)
}

// restart tells that the present run of the job has ended.
func (v *view) restart(t *Twin) {
	v.attempt++
	v.restarts++
	v.staff(t.knobs.TaskManagers(), false)
	v.restored = &job.Restored{ID: t.ckpt.last.id, At: t.server(t.down.deployed), Savepoint: t.ckpt.last.savepoint}
}

// failed tells what the JobManager will know of a failure.
func (v *view) failed(d *downtime) {
	v.lost = ""
	switch d.failure {
	case job.JobManagerFailure: // a new one remembers nothing
		v.exceptions, v.restarts = nil, 0
		return
	case job.ProcessFailure, job.NodeFailure:
		v.lost = v.names[d.victim]
		v.names[d.victim] = v.name()
		name := "org.apache.flink.runtime.io.network.netty.exception.RemoteTransportException"
		if d.failure == job.NodeFailure {
			name = "java.util.concurrent.TimeoutException"
		}
		v.exception(d.known, name, v.lost)
	default:
		v.exception(d.known, "java.lang.RuntimeException", v.names[0])
	}
}

func (v *view) exception(at float64, name, tm string) {
	if len(v.exceptions) == exceptionsKept {
		v.exceptions = append(v.exceptions[:0], v.exceptions[1:]...)
	}
	v.exceptions = append(v.exceptions, exception{at, name, tm})
}

// submitted tells that a new job has been started from the state of the old.
func (v *view) submitted(t *Twin, at float64) {
	v.incarnation++
	v.attempt, v.restarts, v.exceptions, v.since = 0, 0, nil, at
	v.staff(t.knobs.TaskManagers(), true)
}

// id is Flink's ID of the job, which is another after each submission.
func (v *view) id() string { return fmt.Sprintf("%032x", 0x7e0000+v.incarnation) }

// step takes a scrape when one is due.
func (v *view) step(t *Twin, w work) {
	v.sum.read += float64(w.done)
	v.sum.ran += w.active
	v.sum.busy += w.busy(t.step) * t.step
	if !w.idle {
		v.sum.saturated += w.active
	}
	now := t.clock()
	if now+1e-9 < v.nextAt {
		return
	}
	v.nextAt += t.s.View.ScrapeSeconds
	m := v.sum
	m.at, m.run = now, v.run
	if t.lying(lieReset, now) {
		v.run++ // what was counted before cannot be compared
	}
	if m.pending, m.lag = t.levels(w); t.lying(lieFrozen, now) && v.taken > 0 {
		before := v.samples[(v.taken-1)%scrapesKept]
		m.pending, m.lag = before.pending, before.lag
	}
	v.samples[v.taken%scrapesKept] = m
	v.taken++
}

// levels are the backlog (records) and the age (s) of what is read.
func (t *Twin) levels(w work) (pending, lag float64) {
	lag = t.s.Latency.BaseSeconds
	if w.fresh > 0 {
		lag = w.latency
	}
	waiting := t.in - t.pos
	if waiting > 0 {
		lag = max(lag, t.clock()-t.log.arrived(t.pos))
	}
	return float64(waiting), lag
}

// window is the newest pair of samples that can be compared; false if there is none.
func (v *view) window(s View, now float64) (from, to sample, ok bool) {
	i := v.taken - 1
	for i >= max(0, v.taken-scrapesKept) && v.samples[i%scrapesKept].at > now-s.DelaySeconds+1e-9 {
		i--
	}
	if i < max(0, v.taken-scrapesKept) {
		return from, to, false
	}
	to = v.samples[i%scrapesKept]
	for j := i - 1; j >= max(0, v.taken-scrapesKept); j-- {
		m := v.samples[j%scrapesKept]
		if m.run != to.run || m.at < to.at-s.WindowSeconds-1e-9 {
			break
		}
		from, ok = m, true
	}
	return from, to, ok && to.run == v.run
}

// server is a moment on the JobManager's clock.
func (t *Twin) server(at float64) time.Time { return t.stamp(at + t.s.View.ClockSkewSeconds) }
