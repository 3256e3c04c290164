package twin_test

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"
)

// Known cases from operators' accounts, reduced: the numbers follow from
// (T_d + ρA)/(1 − ρ) at the greatest age I + D. Checkpoints take half a second longer
// here than D, so that the failure comes when the age is just I + D.
func TestCases(t *testing.T) {
	for name, c := range map[string]struct {
		load, capacity, interval, duration float64
		failure                            job.Failure
		detect, backOff, start, restore    float64
		spares                             int
		want                               float64
	}{
		// ρ = 0.625, A = 630 s, T_d = 60 s: (60 + 393.75)/0.375.
		"interval too long": {50000, 80000, 600, 30, job.TaskFailure, 0, 0, 0, 60, 0, 1210},
		// A = 210 s: (60 + 131.25)/0.375.
		"interval of 3 min": {50000, 80000, 180, 30, job.TaskFailure, 0, 0, 0, 60, 0, 510},
		// ρ = 0.5, A = 35 s: T_d = 20 + 1 + 30 + 15.
		"a killed TaskManager": {40000, 80000, 30, 5, job.ProcessFailure, 20, 1, 30, 15, 0, 167},
		// A black hole: 50 s until the heartbeat times out.
		"a silent node": {40000, 80000, 30, 5, job.NodeFailure, 50, 1, 30, 15, 0, 227},
		// A spare TaskManager, and a heartbeat of 5 s: two that fail are 10 s.
		"a spare and faster heartbeats": {40000, 80000, 30, 5, job.ProcessFailure, 10, 1, 30, 15, 1, 87},
	} {
		t.Run(name, func(t *testing.T) {
			s := calm(t)
			s.Load.MeanPerSecond = c.load
			s.Capacity.PerCore, s.Start.Parallelism = c.capacity/8, 8
			s.Start.IntervalSeconds, s.Checkpoint.BaseSeconds = c.interval, c.duration+0.5
			r := &s.Restart
			r.DetectSeconds = map[job.Failure]float64{c.failure: c.detect}
			r.BackOff.InitialSeconds, r.ProcessStartSeconds, r.RestoreSeconds, r.Spares = c.backOff, c.start, c.restore, c.spares
			w := start(t, s, 1)
			w.Advance(time.Duration(2*c.interval+c.duration) * time.Second)
			w.Inject(c.failure)
			w.Advance(2 * time.Hour)
			got := w.Truth().Recoveries
			if len(got) != 1 || got[0].AgeSeconds != c.interval+c.duration || math.Abs(got[0].Seconds-c.want) > 0.01 {
				t.Errorf("recoveries %+v, want one of %v s with an age of %v s", got, c.want, c.interval+c.duration)
			}
		})
	}
}

// A restart needs more CPU for as long as it catches up: the TaskManagers use all they
// have, the backlog shrinks steadily, and the rate read meanwhile is the capacity.
func TestRestartSpike(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(10 * time.Minute)
	before := look(t, w)
	w.Inject(job.ProcessFailure)
	w.Advance(40 * time.Second) // up after 20 s; caught up after (20 + 0.6·30)/0.4 = 95 s
	last := math.Inf(1)
	for range 4 {
		w.Advance(10 * time.Second)
		o, lag := look(t, w), 0.0
		for _, s := range o.Vertices[0].Subtasks {
			lag += *s.PendingRecords
		}
		if lag >= last || lag == 0 {
			t.Errorf("a backlog of %v after %v", lag, last)
		}
		last = lag
		if u := *o.TaskManagers[0].CPUUsedCores; u != 1 || *before.TaskManagers[0].CPUUsedCores > 0.66 {
			t.Errorf("%v cores in use, %v before; want all there is, and 0.65", u, *before.TaskManagers[0].CPUUsedCores)
		}
		if r := *o.InputRate(); math.Abs(r-100000) > 1 {
			t.Errorf("%v/s are read in catch-up, want the capacity of 100,000", r)
		}
	}
}
