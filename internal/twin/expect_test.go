package twin_test

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"
)

// daily at 12 TaskManagers of 2.4 cores and 2 GiB, 2 slots each: T_d = 2 + 1 + 12 + 6 +
// 20·1024/(200·12) s, D = 4 + 0.1·20/12 s, μ = μ₀·(1 − 0.3·D/30).
func TestExpect(t *testing.T) {
	s := scenario(t, "daily")
	down, duration, capacity := s.Expect(s.Start.Job())
	if math.Abs(down-29.533) > 1e-3 || math.Abs(duration-4.1667) > 1e-4 {
		t.Errorf("downtime %v s, checkpoint %v s; want 29.533, 4.1667", down, duration)
	}
	full := 12 * 8000 * math.Pow(2.4, 0.9) * 2 / 2.25 * math.Pow(0.985, 11)
	if want := full * (1 - 0.3*4.1667/30); math.Abs(capacity-want) > 1 {
		t.Errorf("capacity %v, want %v", capacity, want)
	}
	if p := s.PeakPerSecond(); math.Abs(p-100000) > 10 {
		t.Errorf("peak %v/s, want 100,000", p)
	}
}

// What is expected is what happens, without noise.
func TestExpectAgreesWithTheSimulation(t *testing.T) {
	s := scenario(t, "daily")
	s.Restart.Jitter, s.Checkpoint.Jitter, s.Capacity.Noise.Ratio, s.Load.Noise.Ratio = 0, 0, 0, 0
	down, duration, capacity := s.Expect(s.Start.Job())
	w := start(t, s, 0)
	w.Advance(12 * time.Hour)
	g := w.Truth()
	for _, r := range g.Recoveries {
		sum := 0.0
		for _, p := range r.Phases {
			if p.Phase.Downtime() {
				sum += p.Seconds
			}
		}
		if r.Failure != job.ProcessFailure || math.Abs(sum-down) > 1e-6 {
			t.Errorf("downtime %v s after a %s failure, want %v", sum, r.Failure, down)
		}
	}
	last, _ := look(t, w).Checkpointing.LastCompleted()
	if math.Abs(*last.DurationSeconds-duration) > 1e-6 {
		t.Errorf("a checkpoint took %v s, want %v", *last.DurationSeconds, duration)
	}
	sum, n := 0.0, 0.0
	for _, m := range g.Minutes[10:40] { // before the first failure
		sum, n = sum+m.Capacity, n+1
	}
	if math.Abs(sum/n/capacity-1) > 1e-3 {
		t.Errorf("capacity %v, want %v", sum/n, capacity)
	}
}
