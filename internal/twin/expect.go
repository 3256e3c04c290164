package twin

import (
	"math"

	"rebound/internal/job"
)

// PeakPerSecond is the highest rate of the load, without its noise.
func (s Scenario) PeakPerSecond() float64 {
	l := s.Load
	l.Noise = Noise{}
	a := newArrival(l, nil)
	peak := 0.0
	for at := 0.0; at <= s.Hours*3600; at += knotSeconds {
		peak = math.Max(peak, a.level(at))
	}
	return peak
}

// Expect is what the laws say of settings, without noise: the downtime of a
// process failure (s), the duration of a checkpoint (s), and the capacity with
// checkpoints (records/s). It serves those who choose in hindsight.
func (s Scenario) Expect(k job.Knobs) (downtime, duration, capacity float64) {
	s = s.withDefaults()
	n, kind := float64(max(1, k.TaskManagers())), s.Failures.Kind
	downtime = s.Restart.DetectSeconds[kind] + s.Restart.BackOff.InitialSeconds + s.Restart.RestoreSeconds
	if s.Restart.Spares == 0 && kind != job.TaskFailure {
		downtime += s.Restart.ProcessStartSeconds
	}
	if s.Restart.MiBPerSecond > 0 {
		downtime += s.State.GiB * 1024 / (s.Restart.MiBPerSecond * n)
	}
	duration = s.Checkpoint.BaseSeconds + s.Checkpoint.SecondsPerGiB*s.State.GiB/n
	capacity, _ = s.Capacity.rate(k)
	period := math.Max(k.IntervalSeconds, duration+s.Checkpoint.MinPauseSeconds)
	return downtime, duration, capacity * (1 - s.Checkpoint.Loss*math.Min(1, duration/period))
}

// Job gives the resources in the vocabulary's form.
func (r Resources) Job() job.TaskManagerResources {
	return job.TaskManagerResources{CPUCores: new(r.CPUCores), MemoryBytes: new(r.MemoryGiB * job.GiB)}
}
