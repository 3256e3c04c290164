package twin

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"rebound/internal/job"
)

// changesKept is how many IDs of changes are remembered.
const changesKept = 64

// changes is what is asked for and not in force yet.
type changes struct {
	rng      *rand.Rand
	seen     []string // IDs, oldest first
	last     string   // ID of the last accepted
	profiles uint64   // started so far
	pending  *pendingChange
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

// Capabilities are those of the adaptive scheduler: parallelism changes in place,
// the rest by a new deployment.
func (t *Twin) Capabilities() job.Capabilities {
	return job.Capabilities{
		Ways: []job.Way{job.InPlace, job.Savepoint, job.LastState},
		Restart: map[job.Knob]job.Way{
			job.KnobParallelism: job.InPlace, job.KnobInterval: job.Savepoint, job.KnobSlots: job.Savepoint,
			job.KnobCPU: job.Savepoint, job.KnobMemory: job.Savepoint,
		},
		Pacing: true, Drills: true, Profiles: true,
	}
}

// Checkpoint asks for a checkpoint: one begins when none runs. A job that is down
// refuses.
func (t *Twin) Checkpoint(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.down != nil {
		return fmt.Errorf("checkpoint %s: the job is not running", id)
	}
	t.ckpt.request = t.clock()
	return nil
}

// Apply accepts a change. What a cluster would refuse at once is an error; the rest
// shows later.
func (t *Twin) Apply(ctx context.Context, c job.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.ID == "" {
		return errors.New("a change needs an ID")
	}
	if slices.Contains(t.change.seen, c.ID) {
		return nil
	}
	want, err := t.wanted(c)
	if err != nil {
		return fmt.Errorf("change %s: %w", c.ID, err)
	}
	t.change.seen = append(t.change.seen, c.ID)
	if n := len(t.change.seen); n > changesKept {
		t.change.seen = slices.Delete(t.change.seen, 0, n-changesKept)
	}
	t.change.last = c.ID
	if want == t.knobs {
		return nil
	}
	t.begin(c, want)
	return nil
}

// wanted are the knobs that c asks for, if the job can have them by its way.
func (t *Twin) wanted(c job.Change) (job.Knobs, error) {
	if c.Job != (job.Identity{}) && c.Job != t.identity() {
		return job.Knobs{}, fmt.Errorf("there is no job %s", c.Job)
	}
	if err := c.Want.Validate(); err != nil {
		return job.Knobs{}, err
	}
	want, err := t.overlay(c.Want)
	if err != nil {
		return job.Knobs{}, err
	}
	if err := t.allowed(want); err != nil {
		return job.Knobs{}, err
	}
	least, _ := t.Capabilities().WayFor(t.knobs, want)
	switch {
	case t.change.pending != nil:
		return want, fmt.Errorf("the change %s is not in force yet", t.change.pending.ID)
	case t.down != nil && t.down.way != "":
		return want, errors.New("the job is being deployed")
	case c.Way == job.InPlace && least != job.InPlace && least != "":
		return want, errors.New("only the parallelism can be changed in place")
	case c.Way == job.Savepoint && t.down != nil:
		return want, errors.New("a savepoint needs a job that runs")
	}
	return want, nil
}

// overlay puts the settings that are given over the present ones.
func (t *Twin) overlay(s job.Settings) (job.Knobs, error) {
	k := t.knobs
	put(&k.IntervalSeconds, s.CheckpointIntervalSeconds)
	put(&k.Slots, s.SlotsPerTaskManager)
	put(&k.CPUCores, s.TaskManagerResources.CPUCores)
	put(&k.MemoryBytes, s.TaskManagerResources.MemoryBytes)
	first := true
	for id, n := range s.Parallelism {
		if id != sourceID && id != workID {
			return k, fmt.Errorf("there is no vertex %q", id)
		}
		if !first && n != k.Parallelism {
			return k, errors.New("the vertices of this job are scaled together")
		}
		k.Parallelism, first = n, false
	}
	return k, nil
}

func put[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// allowed compares with what the world has.
func (t *Twin) allowed(k job.Knobs) error {
	if k.Parallelism > t.s.Kafka.Partitions {
		return fmt.Errorf("parallelism %d: the input has %d partitions", k.Parallelism, t.s.Kafka.Partitions)
	}
	const slack = 1e-9 // of conversions between GiB and bytes
	for _, r := range []struct {
		name  string
		value float64
		Range
	}{
		{"checkpoint interval", k.IntervalSeconds, t.s.Space.IntervalSeconds},
		{"parallelism", float64(k.Parallelism), t.s.Space.Parallelism},
		{"slots", float64(k.Slots), t.s.Space.Slots},
		{"cpu", k.CPUCores, t.s.Space.CPUCores},
		{"memory", k.MemoryBytes / job.GiB, t.s.Space.MemoryGiB},
	} {
		if r.Max > 0 && (r.value < r.Min*(1-slack) || r.value > r.Max*(1+slack)) {
			return fmt.Errorf("%s %v: the quota allows %v to %v", r.name, r.value, r.Min, r.Max)
		}
	}
	return nil
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
	fails := t.change.rng.Float64() < t.s.Change.FailProbability || t.lying(NoChange, at)
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

// redeploy stops the job and starts it with other settings.
func (t *Twin) redeploy(p *pendingChange, fails bool, at float64) {
	before := t.knobs
	d := &downtime{way: p.Way, victim: -1, from: at}
	t.record(&Recovery{Change: p.Way}, at)
	t.set(p.want)
	if fails {
		d.instead = &before
	}
	t.lay(d)
	t.stop(at, d)
	if p.Way != job.InPlace {
		t.view.submitted(t, at)
		t.ckpt.forget()
	}
}

// lay gives a planned restart its phases.
func (t *Twin) lay(d *downtime) {
	seconds := t.s.Change.RedeploySeconds
	if d.way == job.InPlace {
		seconds = t.s.Change.InPlaceSeconds
	}
	jitter := t.s.Restart.Jitter
	restore := t.restoring(false)
	d.lay(0, 0, jittered(seconds, jitter, t.change.rng), jittered(restore, jitter, t.change.rng))
}

// revert goes back to the settings from before a deployment that did not work: the
// same way once more.
func (t *Twin) revert(d *downtime) {
	t.book.changes.Failed++
	t.set(*d.instead)
	t.view.exception(d.up, "org.apache.flink.runtime.client.JobInitializationException", "")
	d.instead = nil
	at := d.up
	again := downtime{from: at, way: d.way}
	t.lay(&again)
	d.resourced, d.deployed, d.up = again.resourced, again.deployed, again.up
}

// takePending lets a change in place take effect with a restart that happens anyway.
func (t *Twin) takePending() {
	if p := t.change.pending; p != nil && p.Way == job.InPlace {
		t.change.pending = nil
		t.set(p.want)
		t.book.changed(p.Way)
	}
}

// Parallelism gives every vertex the same, as job.Settings has it.
func (t *Twin) Parallelism(p int) map[string]int { return map[string]int{sourceID: p, workID: p} }
