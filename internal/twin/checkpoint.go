package twin

import (
	"math"
	"math/rand/v2"

	"rebound/internal/job"
)

// historyKept is how many checkpoints are remembered, as web.checkpoints.history.
const historyKept = 16

// snapshot is a checkpoint, in progress or ended.
type snapshot struct {
	id            int64
	status        string // IN_PROGRESS | COMPLETED | FAILED
	trigger, done float64
	offset, lost  int64
	bytes         float64
	savepoint     bool
	failure       string
	fails         bool // it will
	periodic      bool
}

// coordinator triggers checkpoints as Flink's CheckpointCoordinator does: on a grid of
// the interval, one at a time, a tick that comes too early being made up for as
// soon as the one before has ended and the pause has passed; and on request.
type coordinator struct {
	timing
	rng     *rand.Rand
	running bool
	current snapshot
	last    snapshot // what would be restored
	asked   string   // ID of the last request

	nextID   int64
	history  [historyKept]snapshot
	ended    int // in all, of this job
	inARow   int // failed
	greatest greatestAge

	completed, failed int // of this incarnation
}

// timing says when checkpoints are triggered. Moments are seconds.
type timing struct {
	interval float64
	tick     float64 // next of the grid
	request  float64 // when one was asked for; NaN: none
	freeAt   float64 // the last one ended
}

func (c *coordinator) start(at, interval float64) {
	c.timing = timing{interval: interval, tick: at + interval, request: math.NaN(), freeAt: math.Inf(-1)}
	c.running, c.inARow = false, 0
}

// snapshots triggers and ends the checkpoints that are due before end.
func (t *Twin) snapshots(w work, end float64) {
	c := &t.ckpt
	for t.down == nil {
		if c.running {
			if c.current.done > end {
				return
			}
			t.endSnapshot()
			continue
		}
		at, periodic := c.due(t.s.Checkpoint.MinPauseSeconds)
		if at = max(at, w.from); at >= end {
			return
		}
		c.current = t.trigger(w, at, periodic)
		c.running = true
	}
}

// due is when the next checkpoint is triggered, and whether by the grid.
func (c timing) due(pause float64) (at float64, periodic bool) {
	at = max(c.tick, c.freeAt+pause)
	if asked := max(c.request, c.freeAt); asked <= at { // false where none is asked for
		return asked, false
	}
	return at, true
}

// began moves the grid on, or fulfills the request.
func (c *timing) began(at float64, periodic bool) {
	if !periodic {
		c.request = math.NaN()
		return
	}
	c.tick += c.interval
	if late := at - c.tick; late > c.interval { // one tick waits at the most
		c.tick += c.interval * math.Floor(late/c.interval)
	}
}

// snapshotsRun is for how long checkpoints run in a step from from to end (s): the
// present one, and those that begin in it, taken as long as usual.
func (t *Twin) snapshotsRun(from, end float64) float64 {
	c, sum := t.ckpt.timing, 0.0
	if t.ckpt.running {
		c.freeAt = t.ckpt.current.done
		sum = min(c.freeAt, end) - from
	}
	for c.freeAt < end {
		at, periodic := c.due(t.s.Checkpoint.MinPauseSeconds)
		if at = max(at, from); at >= end {
			break
		}
		seconds, _ := t.snapshotting()
		c.began(at, periodic)
		c.freeAt = at + seconds
		sum += min(c.freeAt, end) - at
	}
	return sum
}

func (t *Twin) trigger(w work, at float64, periodic bool) snapshot {
	c, s := &t.ckpt, t.s.Checkpoint
	c.began(at, periodic)
	c.nextID++
	n := snapshot{id: c.nextID, status: "IN_PROGRESS", trigger: at, lost: t.lost, periodic: periodic}
	n.offset = w.before + int64(float64(t.pos-w.before)*(at-w.from)/w.active)
	seconds, state := t.snapshotting()
	n.bytes = state
	if t.in-t.pos > w.arrived && !s.Unaligned { // barriers wait in full buffers
		seconds += s.AlignmentSeconds
	}
	seconds = jittered(seconds, s.Jitter, c.rng)
	switch {
	case seconds > s.TimeoutSeconds:
		seconds, n.fails, n.failure = s.TimeoutSeconds, true, "Checkpoint expired before completing."
	case c.rng.Float64() < s.FailProbability || t.lying(lieNoSnapshots, at):
		n.fails, n.failure = true, "Asynchronous task checkpoint failed."
	}
	n.done = at + seconds
	t.book.triggered(periodic)
	return n
}

// snapshotting is how long a checkpoint takes without a backlog (s), and the bytes
// of the state.
func (t *Twin) snapshotting() (seconds, bytes float64) {
	state := t.stateGiB()
	return t.s.Checkpoint.BaseSeconds + t.s.Checkpoint.SecondsPerGiB*state/float64(t.knobs.TaskManagers()), state * job.GiB
}

// endSnapshot completes the running checkpoint, or lets it fail.
func (t *Twin) endSnapshot() {
	c := &t.ckpt
	n := c.current
	c.running, c.freeAt = false, n.done
	if n.fails {
		c.file(n, "FAILED")
		t.book.checkpoints.Failed++
		if c.inARow++; c.inARow > t.s.Checkpoint.TolerableFailures {
			c.inARow = 0
			t.Inject(job.TaskFailure)
		}
		return
	}
	c.inARow = 0
	t.complete(n)
	t.change.checkpointed(n.trigger)
}

// complete makes a checkpoint the one to be restored.
func (t *Twin) complete(n snapshot) {
	c := &t.ckpt
	c.greatest.add(n.done, n.done-c.last.trigger)
	c.last = n
	c.file(n, "COMPLETED")
	t.visible(n.offset, n.done)
	t.book.checkpoints.Completed++
}

// abort ends the running checkpoint since the job stops.
func (c *coordinator) abort(at float64) {
	c.greatest.add(at, at-c.last.trigger)
	if c.running {
		c.running = false
		c.current.done, c.current.failure = at, "Checkpoint Coordinator is suspending."
		c.file(c.current, "FAILED")
	}
}

// file puts an ended checkpoint into the history.
func (c *coordinator) file(n snapshot, status string) {
	n.status = status
	c.history[c.ended%historyKept] = n
	c.ended++
	if status == "COMPLETED" {
		c.completed++
	} else {
		c.failed++
	}
}

// forget starts the record anew: another incarnation of the job knows only what it
// was restored from.
func (c *coordinator) forget() {
	c.ended, c.completed, c.failed = 0, 0, 0
}
