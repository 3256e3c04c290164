package learn

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"
)

// Without noise busy time over rate is 1 + γq: with β = 0.3, γ = 0.3/0.7. A third of
// the looks have a checkpoint in 0.4 of the time.
func TestCostOfCheckpoints(t *testing.T) {
	var c costs
	for range 10 {
		var b block
		for i := range 24 {
			q := 0.4 * float64(i%3/2)
			r := 7 * (1 + 0.3/0.7*q)
			b.N++
			b.Q += q
			b.R += r
			b.QQ += q * q
			b.QR += q * r
			b.RR += r * r
		}
		c.add(&b)
	}
	near(t, "β", c.loss().Median, 0.3, 0.01)
	if u := new(costs).loss(); u.Median != 0.2 || u.Spread < 0.1 {
		t.Errorf("before anything was seen: %v", u)
	}
}

// D = 2 s + 0.5 s/GiB of state on one TaskManager, seen at 4 and 8: at 16 it is
// 2.625 s.
func TestLengthOverSize(t *testing.T) {
	j, s := named(), newSynthetic(12, pinned)
	s.length = func(n int) float64 { return 2 + 0.5*20/float64(n) }
	for _, n := range []int{4, 8} {
		s.knobs = knobs(n, 1, 2, 4)
		s.restart(30)
		s.hour(j, 3600)
	}
	near(t, "D at 16", j.Behavior(knobs(16, 1, 2, 4)).Duration.Median, 2.625, 0.05)
	near(t, "D at 4", j.Behavior(knobs(4, 1, 2, 4)).Duration.Median, 4.5, 0.05)
}

// A subtask that is busy for 0.3 of the time and blocked for 0.5 could do
// no more than 1/0.6 of what it does.
func TestBackPressureIsNotIdle(t *testing.T) {
	tests := map[string]struct {
		busy, blocked float64
		want          float64
	}{
		"free":         {0.3, 0, 0.3},
		"half blocked": {0.3, 0.5, 0.6},
		"saturated":    {0.3, 0.7, 1},
		"all blocked":  {0.05, 1, 0.5},
		"below 0":      {-1, 0, 0},
	}
	for name, tt := range tests {
		got := occupied(&job.Subtask{BusyRatio: &tt.busy, BackPressuredRatio: &tt.blocked})
		if got == nil || math.Abs(*got-tt.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// A checkpoint of 4 s that ended 3 s ago fills 4 of the last 10 s; one that has been
// running for 2 s fills 2; of one that failed nobody knows.
func TestRunning(t *testing.T) {
	ended := job.Checkpoint{Status: "COMPLETED", TriggeredAt: noon.Add(-7 * time.Second), DurationSeconds: new(4.0)}
	under := job.Checkpoint{Status: "IN_PROGRESS", TriggeredAt: noon.Add(-2 * time.Second)}
	failed := job.Checkpoint{Status: "FAILED", TriggeredAt: noon.Add(-9 * time.Second)}
	if got := running([]job.Checkpoint{under, ended, failed}, noon.Add(-10*time.Second), noon); math.Abs(got-0.6) > 1e-9 {
		t.Errorf("%v, want 0.6", got)
	}
	// Where the metrics may be 5 s old, 4 s, 4 s or, of a window that ends before the
	// checkpoint does, 2 s: a look that counts less.
	share, weight := checkpointed([]job.Checkpoint{ended}, noon, 10)
	if math.Abs(share-(0.4+0.4+0.2)/3) > 1e-9 || weight > 0.5 {
		t.Errorf("share %v, weight %v", share, weight)
	}
	if _, weight := checkpointed(nil, noon, 10); weight != 1 {
		t.Errorf("weight %v without a checkpoint, want 1", weight)
	}
}

// Right after a start busy time tells the speed of cold code.
func TestJustStarted(t *testing.T) {
	j, s := named(), newSynthetic(13, pinned)
	s.hour(j, 3600)
	before := j.Behavior(s.knobs).Capacity.Median
	s.capacity = func(k job.Knobs) float64 { return pinned(k) / 2 }
	for range 20 {
		s.restart(20)
		s.hour(j, 45)
	}
	near(t, "capacity", j.Behavior(s.knobs).Capacity.Median, before, 0.01)
}

// Other code warms up otherwise: 25 catch-ups of a process that starts at 0.9 make up
// for 15 of one that started at 0.5.
func TestWarmupFollows(t *testing.T) {
	j, s := named(), newSynthetic(14, pinned)
	s.hour(j, 1800)
	again := func(n int, start float64) {
		for range n {
			m := job.Measurement{Failure: job.ProcessFailure, At: s.now, DowntimeSeconds: new(30.0)}
			s.restart(30)
			for range 16 {
				j.Observe(s.full(start), CatchingUp)
			}
			j.Measured(m)
			s.hour(j, 300)
		}
	}
	again(15, 0.5)
	near(t, "start", j.Behavior(s.knobs).Cold.Start.Median, 0.5, 0.15)
	again(25, 0.9)
	near(t, "start", j.Behavior(s.knobs).Cold.Start.Median, 0.9, 0.1)
}

// A job that cannot keep up is never over with it, and shows its capacity all the
// same.
func TestOverloadShowsCapacity(t *testing.T) {
	j, s := named(), newSynthetic(15, pinned)
	s.restart(10)
	s.now = s.now.Add(time.Hour)
	s.next = s.now
	for range 240 {
		j.Observe(s.full(1), CatchingUp)
	}
	near(t, "capacity", j.Behavior(s.knobs).Capacity.Median, pinned(s.knobs), 0.05)
}

// A process that starts after a node was lost is like one after a crash.
func TestNodeLearnsFromProcess(t *testing.T) {
	j, s := seen(8)
	for range 4 {
		j.Measured(restarted(s.now, phase(job.Detect, 2, ""), phase(job.BackOff, 1, ""), phase(job.Resources, 12, ""), phase(job.Restore, 19, "")))
	}
	d := j.Behavior(s.knobs).Down[job.NodeFailure]
	near(t, "resources", d.Phases[2].Median, 12, 0.1)
	if d.Phases[0].Median != 45 || d.Samples != 0 { // heartbeat.timeout of 50 s, less half of 10 s
		t.Errorf("detection %.1f s, %d samples; want 45, and none of its own", d.Phases[0].Median, d.Samples)
	}
}

// Catch-ups teach how far busy time misleads: of a job whose busy time tells 6 %
// too much, capacity is right after some, also at settings that only busy time
// has shown.
func TestBusyTimeIsCorrected(t *testing.T) {
	j, s := named(), newSynthetic(16, pinned)
	s.bias = 0.06
	s.knobs = knobs(6, 1, 2, 4)
	s.hour(j, 3600)
	s.knobs = knobs(8, 1, 2, 4)
	s.restart(60)
	for range 6 {
		s.hour(j, 1800)
		s.recover(j, 90)
	}
	near(t, "capacity with catch-ups", j.Behavior(s.knobs).Capacity.Median, pinned(s.knobs), 0.02)
	near(t, "capacity without", j.Behavior(knobs(6, 1, 2, 4)).Capacity.Median, pinned(knobs(6, 1, 2, 4)), 0.03)
}

// A look that is repeated, or comes late, leaves no trace.
func TestLateLooks(t *testing.T) {
	j, s := named(), newSynthetic(17, pinned)
	s.hour(j, 1000)
	late := s.calm(0.6)
	newest := s.calm(0.6)
	j.Observe(newest, Calm)
	before, err := j.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	j.Observe(newest, Calm)
	j.Observe(late, Calm)
	if after, _ := j.MarshalBinary(); string(after) != string(before) {
		t.Error("what is stored has changed")
	}
}

// A checkpoint of ten minutes, and a look at records of an hour ago, among hundreds
// of usual ones move little.
func TestOneOddCheckpoint(t *testing.T) {
	j, s := named(), newSynthetic(18, pinned)
	usual := s.length
	s.hour(j, 3600)
	s.length = func(int) float64 { return 600 }
	s.hour(j, 30)
	s.length = usual
	s.hour(j, 900)
	before := j.Behavior(s.knobs)
	o := s.calm(0.6)
	each(&o, func(s *job.Subtask) { s.EmitLagSeconds = new(3600.0) })
	j.Observe(o, Calm)
	s.hour(j, 900)
	after := j.Behavior(s.knobs)
	near(t, "duration", after.Duration.Median, 4.25, 0.05)
	near(t, "latency", after.LatencyBase.Median+1.5*after.LatencyQueue.Median, before.LatencyBase.Median+1.5*before.LatencyQueue.Median, 0.1)
}
