package twin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rebound/internal/job"
)

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

// Checkpoint asks for a checkpoint: one begins when none runs. Asking with the ID of
// the last request again does nothing. A job that is down refuses.
func (t *Twin) Checkpoint(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.down != nil {
		return fmt.Errorf("checkpoint %s: the job is not running", id)
	}
	if id == "" || id != t.ckpt.asked {
		t.ckpt.asked, t.ckpt.request = id, t.clock()
	}
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

// Parallelism gives every vertex the same, as job.Settings has it.
func (t *Twin) Parallelism(p int) map[string]int { return map[string]int{sourceID: p, workID: p} }
