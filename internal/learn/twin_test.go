package learn_test

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/twin"
)

// watched is a job of the twin, looked at as a loop does: about every 15 s in
// calm times, else about every 5 s. It knows how recoveries ended, and nothing of the laws.
type watched struct {
	*twin.Twin
	model              *learn.Job
	recovered, changed int // that the model was told of
}

func (w *watched) until(t *testing.T, end time.Duration) {
	t.Helper()
	for looks := 0; w.Now().Sub(twin.Epoch()) < end; looks++ {
		o, err := w.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := situation(o)
		w.model.Observe(o, s)
		if s != learn.Calm {
			w.Advance(time.Duration(4+looks%3) * time.Second)
			continue
		}
		w.tell(o)
		w.Advance(time.Duration(14+looks%3) * time.Second)
	}
}

func situation(o job.Observation) learn.Situation {
	if _, ok := o.Settled(); !ok || o.State != "RUNNING" {
		return learn.Down
	}
	waiting := 0.0
	for _, s := range o.Vertices[0].Subtasks {
		if s.PendingRecords == nil {
			return learn.CatchingUp
		}
		waiting += *s.PendingRecords
	}
	if r := o.InputRate(); r == nil || waiting > *r {
		return learn.CatchingUp
	}
	return learn.Calm
}

func (w *watched) tell(o job.Observation) {
	truth := w.Truth()
	w.recovered = w.each(truth.Recoveries, w.recovered, o)
	w.changed = w.each(truth.Restarts, w.changed, o)
}

// each tells of those from a place on that are over, and returns the next place.
func (w *watched) each(all []twin.Recovery, next int, o job.Observation) int {
	for ; next < len(all) && all[next].Done; next++ {
		r := all[next]
		down := 0.0
		for _, p := range r.Phases[:4] {
			down += p.Seconds
		}
		w.model.Measured(job.Measurement{Failure: r.Failure, Change: r.Change, At: r.At, Phases: r.Phases, DowntimeSeconds: &down, Settings: o.Settings})
	}
	return next
}

// A day of the reference scenario, with a change of settings in the middle, shows
// its laws: through noise, checkpoints that come and go between looks, and metrics
// that are some seconds old.
func TestLearnsTheTwin(t *testing.T) {
	scenario, err := twin.Builtin("daily")
	if err != nil {
		t.Fatal(err)
	}
	world, err := twin.New(scenario, 2)
	if err != nil {
		t.Fatal(err)
	}
	w := watched{Twin: world, model: learn.New(job.Identity{Name: "daily"})}
	before := scenario.Start.Job()
	w.until(t, 12*time.Hour)
	after := before
	after.Parallelism, after.CPUCores = 20, 2
	if err := w.Apply(t.Context(), job.Change{ID: "1", Want: after.With(world.Parallelism(20)), Way: job.LastState}); err != nil {
		t.Fatal(err)
	}
	w.until(t, 24*time.Hour)
	never := after
	never.Parallelism, never.Slots, never.CPUCores = 8, 1, 1.5
	for _, tt := range []struct {
		knobs job.Knobs
		share float64
	}{{before, 0.03}, {after, 0.03}, {never, 0.08}} {
		down, length, capacity := scenario.Expect(tt.knobs)
		capacity /= 1 - scenario.Checkpoint.Loss*length/tt.knobs.IntervalSeconds // which has them in it
		b := w.model.Behavior(tt.knobs)
		within(t, "capacity of "+tt.knobs.String(), b.Capacity.Median, capacity, tt.share)
		within(t, "checkpoint duration", b.Duration.Median, length, 0.05)
		sum := 0.0
		for _, p := range b.Down[job.ProcessFailure].Phases {
			sum += p.Median
		}
		within(t, "downtime of "+tt.knobs.String(), sum, down, 0.12)
	}
	b := w.model.Behavior(after)
	within(t, "checkpoint loss", b.Loss.Median, scenario.Checkpoint.Loss, 0.12)
	within(t, "warm-up start", b.Cold.Start.Median, scenario.Warmup.StartRatio, 0.2)
	within(t, "warm-up time", b.Cold.Tau.Median, scenario.Warmup.TimeSeconds, 0.25)
	if b.Change[job.LastState].Samples != 1 {
		t.Errorf("%d changes, want 1", b.Change[job.LastState].Samples)
	}
}

func within(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	t.Logf("%s: %.4g, truth %.4g", what, got, want)
	if !(math.Abs(got-want) <= share*want) {
		t.Errorf("%s: %.4g, want %.4g ± %.0f %%", what, got, want, 100*share)
	}
}
