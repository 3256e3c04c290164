package learn

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
)

// A model that is made anew from windows and measurements of a journal believes
// about what the one believed that had looked itself.
func TestRebuiltFromTheJournal(t *testing.T) {
	looked, again, s := named(), named(), newSynthetic(10, pinned)
	var rate, busy, lag float64
	n := 0.0
	from := s.now
	for i := range 600 {
		o := s.calm(0.6)
		looked.Observe(o, Calm)
		rate += *o.InputRate()
		busy += *o.Vertices[0].Subtasks[0].BusyRatio
		lag += *o.Vertices[0].Subtasks[0].EmitLagSeconds
		if n++; i%4 == 3 {
			again.Remembered(job.Window{
				From: from, To: s.now, Situation: string(Calm), Knobs: &s.knobs,
				RatePerSecond: new(rate / n), Utilization: new(busy / n), LatencySeconds: new(lag / n),
			})
			rate, busy, lag, n, from = 0, 0, 0, 0, s.now
		}
	}
	m := restarted(s.now.Add(time.Second), phase(job.Restore, 19, job.Measured))
	m.RatePerSecond, m.CatchUpUtilization = new(0.6*pinned(s.knobs)), new(0.6)
	m.Warmup = &job.Warmup{StartRatio: 0.5, TimeConstantSeconds: 12}
	again.Measured(m)
	a, b := looked.Behavior(s.knobs), again.Behavior(s.knobs)
	// Windows do not tell when checkpoints ran: β stays what it was before.
	if math.Abs(a.Capacity.Median-b.Capacity.Median) > 0.04*a.Capacity.Median {
		t.Errorf("capacity %.0f from looks, %.0f from the journal", a.Capacity.Median, b.Capacity.Median)
	}
	near(t, "warm-up start", b.Cold.Start.Median, 0.5, 0.1)
	near(t, "warm-up time", b.Cold.Tau.Median, 12, 0.15)
	near(t, "latency", b.LatencyQueue.Median, a.LatencyQueue.Median, 0.5)
	if !b.Proven {
		t.Error("not proven")
	}
}

// A profile of a saturated copy is believed at its settings, and about them.
func TestProfiled(t *testing.T) {
	j, s := named(), newSynthetic(11, pinned)
	s.hour(j, 3600)
	k := knobs(16, 2, 3, 2)
	wide := j.Behavior(k).Capacity
	j.Profiled(job.Profile{At: s.now, Knobs: k, RatePerSecond: 50000, Capacity: new(90000.0), CheckpointSecs: new(3.0)})
	b := j.Behavior(k)
	near(t, "capacity", b.Capacity.Median, 90000, 0.05)
	if b.Capacity.Spread > 0.6*wide.Spread || !b.Proven {
		t.Errorf("± %.0f after a profile, ± %.0f before; proven %v", b.Capacity.Spread, wide.Spread, b.Proven)
	}
}

// A copy counts once, however often it is told of, over a restart of the program as
// well; one that runs or was lost says nothing. What its failure took is a lesson.
func TestProfiledOnce(t *testing.T) {
	j, s := named(), newSynthetic(11, pinned)
	s.hour(j, 3600)
	k := knobs(16, 2, 3, 2)
	p := job.Profile{
		ID: "a", State: job.ProfileDone, At: s.now, Knobs: k, RatePerSecond: 50000, Capacity: new(90000.0), Failure: job.NodeFailure, DowntimeSeconds: new(70.0),
		Phases: []job.PhaseTime{
			{Phase: job.Detect, Seconds: 30, Source: job.Measured},
			{Phase: job.BackOff, Seconds: 1, Source: job.Measured},
			{Phase: job.Resources, Seconds: 25, Source: job.Measured},
			{Phase: job.Restore, Seconds: 14, Source: job.Measured},
		},
	}
	for _, state := range []job.ProfileState{job.ProfileRunning, job.ProfileLost} {
		said := p
		said.ID, said.State = string(state), state
		j.Profiled(said)
	}
	if n := j.Behavior(k).Down[job.NodeFailure].Samples; n != 0 {
		t.Fatalf("%d failures are known of copies that have shown nothing", n)
	}
	before := j.Behavior(k).Down[job.NodeFailure]
	j.Profiled(p)
	once := j.Behavior(k)
	if d := once.Down[job.NodeFailure]; d.Samples != 1 || math.Abs(d.Phases[0].Median-30) > math.Abs(before.Phases[0].Median-30) {
		t.Errorf("detect: %+v after a copy that took 30 s, %+v before", d.Phases[0], before.Phases[0])
	}
	state, err := j.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	resumed := named()
	if err := resumed.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Job{j, resumed} {
		m.Profiled(p)
		if diff := cmp.Diff(once, m.Behavior(k)); diff != "" {
			t.Errorf("told again: -before +after\n%s", diff)
		}
	}
}
