package twin_test

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/twin"
)

// The period is max(I, D + P), with D in whole and broken seconds.
func TestCheckpointPeriod(t *testing.T) {
	for name, c := range map[string]struct{ interval, duration, pause, want float64 }{
		"the interval":                {30, 2, 0, 30},
		"the duration":                {5, 7.5, 0, 7.5},
		"the duration and the pause":  {5, 7.5, 4, 11.5},
		"the pause within":            {30, 2, 20, 30},
		"the pause longer":            {30, 2, 40, 42},
		"several in a step":           {0.25, 0.1, 0, 0.25},
		"broken":                      {7.3, 1.1, 0, 7.3},
		"as long as it takes":         {10, 10, 0, 10},
		"duration longer by a little": {10, 10.25, 0, 10.25},
	} {
		t.Run(name, func(t *testing.T) {
			s := calm(t)
			s.Start.IntervalSeconds, s.Checkpoint.BaseSeconds, s.Checkpoint.MinPauseSeconds = c.interval, c.duration, c.pause
			w := start(t, s, 1)
			w.Advance(2 * time.Hour)
			if got := 7200 / float64(w.Truth().Checkpoints.Completed); math.Abs(got/c.want-1) > 0.01 {
				t.Errorf("one checkpoint in %v s, want in %v s", got, c.want)
			}
		})
	}
}

func TestCheckpointOnRequest(t *testing.T) {
	s := calm(t)
	s.Start.IntervalSeconds = 3600
	w := start(t, s, 1)
	w.Advance(10 * time.Minute)
	if err := w.Checkpoint(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Second)
	if err := w.Checkpoint(t.Context(), "a"); err != nil { // the same request: no other checkpoint
		t.Fatal(err)
	}
	if c := look(t, w).Checkpointing; *c.InProgress != 1 || c.History[0].Status != "IN_PROGRESS" {
		t.Errorf("a second later: %d in progress, history %+v", *c.InProgress, c.History)
	}
	w.Advance(5 * time.Second)
	c := look(t, w).Checkpointing
	last, ok := c.LastCompleted()
	if g := w.Truth().Checkpoints; !ok || g.Requested != 1 || g.Periodic != 0 || !last.TriggeredAt.Equal(w.Now().Add(-6*time.Second)) {
		t.Errorf("checkpoints %+v, last %+v; want one, triggered when it was asked for", g, last)
	}
	// A failure goes back to it.
	w.Inject(job.TaskFailure)
	w.Advance(time.Minute)
	if r := w.Truth().Recoveries; len(r) != 1 || r[0].AgeSeconds != 6 {
		t.Errorf("recoveries %+v, want one with an age of 6 s", r)
	}
	w.Inject(job.TaskFailure)
	w.Advance(time.Second)
	if w.Checkpoint(t.Context(), "b") == nil {
		t.Error("a job that is down takes a request for a checkpoint")
	}
}

// The grid begins anew with each run of the job: failed at 615 s, running at 635, triggered at
// 665, not at 660.
func TestCheckpointsAfterARestart(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(615 * time.Second)
	w.Inject(job.ProcessFailure)
	w.Advance(55 * time.Second)
	last, _ := look(t, w).Checkpointing.LastCompleted()
	if at := last.TriggeredAt.Sub(twin.Epoch()); at != 665*time.Second {
		t.Errorf("the checkpoint after the restart was triggered at %v, want 665 s", at)
	}
}

// Two of three may fail: the third in a row restarts the job.
func TestCheckpointsThatFail(t *testing.T) {
	s := calm(t)
	s.Checkpoint.FailProbability, s.Checkpoint.TolerableFailures = 1, 2
	w := start(t, s, 1)
	w.Advance(91 * time.Second) // triggered at 30, 60, 90: two have failed
	if n := len(w.Truth().Recoveries); n != 0 {
		t.Fatalf("%d restarts after two failed checkpoints, want none", n)
	}
	w.Advance(10 * time.Minute)
	g := w.Truth()
	if len(g.Recoveries) == 0 || g.Out != 0 || g.Checkpoints.Completed != 0 {
		t.Errorf("%d restarts, %d records visible, checkpoints %+v; want restarts and nothing visible", len(g.Recoveries), g.Out, g.Checkpoints)
	}
	// Nothing has completed, so each goes back to the beginning.
	if r := g.Recoveries[0]; r.Failure != job.TaskFailure || math.Abs(r.AgeSeconds-93) > 1 {
		t.Errorf("first %s with an age of %v s, want task, 93 s", r.Failure, r.AgeSeconds)
	}
}

// Interval below duration: 10 s against a time-out of 60 s that every checkpoint
// exceeds, none tolerated.
func TestCheckpointsThatExpire(t *testing.T) {
	s := calm(t)
	s.Start.IntervalSeconds, s.Checkpoint.BaseSeconds, s.Checkpoint.TimeoutSeconds = 10, 62, 60
	w := start(t, s, 1)
	w.Advance(71 * time.Second)
	h := look(t, w).Checkpointing.History
	if len(h) != 1 || h[0].Status != "FAILED" || *h[0].DurationSeconds != 60 || h[0].Failure == "" {
		t.Errorf("history %+v, want one that expired after 60 s", h)
	}
	w.Advance(2 * time.Second)
	if n := len(w.Truth().Recoveries); n != 1 {
		t.Errorf("%d restarts, want 1", n)
	}
}

// While a backlog waits, barriers queue; unaligned checkpoints pass.
func TestBarriersBehindABacklog(t *testing.T) {
	for _, unaligned := range []bool{false, true} {
		s := calm(t)
		s.Checkpoint.AlignmentSeconds, s.Checkpoint.Unaligned = 9, unaligned
		w := start(t, s, 1)
		w.Advance(10 * time.Minute)
		w.Inject(job.ProcessFailure) // up after 20 s, the next checkpoint 30 s later, caught up 30 s later still
		w.Advance(65 * time.Second)
		last, _ := look(t, w).Checkpointing.LastCompleted()
		want := 11.0
		if unaligned {
			want = 2
		}
		if *last.DurationSeconds != want {
			t.Errorf("unaligned %v: a checkpoint took %v s behind the backlog, want %v", unaligned, *last.DurationSeconds, want)
		}
	}
}

// A checkpoint costs β of the capacity while it runs: with λ = 60,000, μ = 100,000
// and β = 0.3, 2 s of 30 s: busy is 0.6 between and 0.6/0.7 in one.
func TestCheckpointsCostCapacity(t *testing.T) {
	s := calm(t)
	s.Checkpoint.Loss = 0.3
	w := start(t, s, 1)
	w.Advance(2 * time.Hour)
	minutes := w.Truth().Minutes
	m := minutes[len(minutes)-1]
	if want := (28*0.6 + 2*0.6/0.7) / 30; math.Abs(m.Busy-want) > 1e-3 {
		t.Errorf("busy %v, want %v", m.Busy, want)
	}
	if want := 100000 * (1 - 0.3*2/30); math.Abs(m.Capacity-want) > 1 {
		t.Errorf("capacity %v, want %v", m.Capacity, want)
	}
}

// State grows with time and with the input: 4 GiB, 1 more an hour, and 10 for each
// billion records, of which 216 million come an hour: 4 + 2·(1 + 2.16) = 10.32 GiB after two.
// Its duration on 10 TaskManagers, at 5 s a GiB: 2 s + 5.16.
func TestStateGrows(t *testing.T) {
	s := calm(t)
	s.State.GiBPerHour, s.State.GiBPerBillion, s.State.IncrementRatio, s.Checkpoint.SecondsPerGiB = 1, 10, 0.5, 5
	w := start(t, s, 1)
	w.Advance(2*time.Hour + 10*time.Second)
	last, _ := look(t, w).Checkpointing.LastCompleted()
	if got := *last.StateBytes / job.GiB; math.Abs(got-10.32) > 0.01 || *last.WrittenBytes != *last.StateBytes/2 {
		t.Errorf("%v GiB of state, of which %v written; want 10.32, half of it", got, *last.WrittenBytes/job.GiB)
	}
	if math.Abs(*last.DurationSeconds-7.16) > 0.01 {
		t.Errorf("the checkpoint took %v s, want 7.16", *last.DurationSeconds)
	}
}

// Output becomes visible at checkpoints: between none and a period and a duration
// after it came in, evenly.
func TestVisibleLatency(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(2 * time.Hour)
	g := w.Truth()
	if got, want := g.Visible.Mean(), 30.0/2+2; math.Abs(got-want) > 0.1 {
		t.Errorf("visible after %v s on average, want %v", got, want)
	}
	if g.Latency.Mean() > 0.2 {
		t.Errorf("processed after %v s on average: the two are mixed", g.Latency.Mean())
	}
}
