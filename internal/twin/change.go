package twin

import (
	"math/rand/v2"

	"rebound/internal/job"
)

// changesKept is how many IDs of changes are remembered.
const changesKept = 64

// changes is what is asked for and not in force yet.
type changes struct {
	rng     *rand.Rand
	seen    []string // IDs, oldest first
	last    string   // ID of the last accepted
	pending *pendingChange
}

// pendingChange waits: one in place for a checkpoint, a savepoint that cannot
// complete for its time-out.
type pendingChange struct {
	job.Change
	want  job.Knobs
	from  float64
	until float64 // when it takes effect, or a savepoint is given up
}

// checkpointed tells that a checkpoint has completed.
func (c *changes) checkpointed(triggered float64) {
	if p := c.pending; p != nil && p.Way == job.InPlace && triggered >= p.from-1e-9 {
		p.until = p.from
	}
}

// begin starts a change that differs from what is in force.
func (t *Twin) begin(c job.Change, want job.Knobs) {
	at := t.clock()
	p := &pendingChange{Change: c, want: want, from: at, until: at}
	switch {
	case c.Way == job.InPlace && t.s.Change.WaitsForCheckpoint:
		p.until = at + t.s.Change.MaxDelaySeconds
	case c.Way == job.Savepoint && t.overloaded():
		p.until = at + t.s.Change.SavepointTimeoutSeconds
	case c.Way == job.Savepoint:
		t.savepoint(at)
	}
	t.change.pending = p
}

// overloadedAfter is the backlog, in seconds of the load, with which no savepoint
// completes: its barriers wait behind it.
const overloadedAfter = 5.0

func (t *Twin) overloaded() bool {
	return float64(t.in-t.pos) > overloadedAfter*t.load.to
}

// savepoint is what the job stops with: nothing is replayed.
func (t *Twin) savepoint(at float64) {
	t.ckpt.abort(at)
	t.ckpt.nextID++
	_, bytes := t.snapshotting()
	t.complete(snapshot{
		id: t.ckpt.nextID, status: "COMPLETED", trigger: at, done: at, offset: t.pos, lost: t.lost, bytes: bytes, savepoint: true,
	})
}

// changeDue lets a change take effect at the beginning of a step.
func (t *Twin) changeDue(at float64) {
	p := t.change.pending
	if p == nil || at < p.until || t.down != nil && p.Way == job.InPlace {
		return
	}
	fails := t.change.rng.Float64() < t.s.Change.FailProbability || t.lying(lieNoChange, at)
	if p.Way == job.Savepoint && p.until > p.from {
		t.change.pending = nil
		t.giveUp(p, at)
		return
	}
	if p.Way == job.InPlace && fails {
		t.change.pending = nil
		t.book.changes.Failed++
		t.view.exception(at, "org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException", "")
		return
	}
	if !fails {
		t.book.changed(p.Way)
	}
	t.change.pending = nil
	t.redeploy(p, fails, at)
}

// giveUp files a savepoint that could not complete.
func (t *Twin) giveUp(p *pendingChange, at float64) {
	t.ckpt.nextID++
	t.ckpt.file(snapshot{
		id: t.ckpt.nextID, trigger: p.from, done: at, savepoint: true, failure: "Checkpoint expired before completing.",
	}, "FAILED")
	t.book.changes.Failed++
}
