package twin

import (
	"math"

	"rebound/internal/job"
)

// The laws of capacity.
const (
	lawTaskManagers = "taskmanagers"
	lawPower        = "power"
)

// rate is μ₀ of the whole job at some settings, in records a second, and cores the
// CPU that it uses when it processes as much.
func (c Capacity) rate(k job.Knobs) (rate, cores float64) {
	n := k.TaskManagers()
	memory := k.MemoryBytes / job.GiB
	if c.Law == lawPower {
		rate = math.Pow(float64(k.Parallelism), c.ParallelismExponent) * math.Pow(k.CPUCores, c.CPUExponent)
		cores = float64(n) * k.CPUCores
	} else {
		full := min(k.Slots, k.Parallelism)
		rate, cores = c.taskManagers(k, full, k.Parallelism/full)
		if rest := k.Parallelism % full; rest > 0 {
			r, u := c.taskManagers(k, rest, 1)
			rate, cores = rate+r, cores+u
		}
		rate *= math.Pow(c.TaskManagerEfficiency, float64(n-1))
	}
	rate *= c.PerCore / (1 + c.Skew)
	if m := memory; m > 0 {
		if c.MemoryPerSlot {
			m /= float64(k.Slots)
		}
		rate *= m / (m + c.MemoryHalfGiB)
	}
	if have := memory * float64(n); have < c.HotStateGiB {
		rate *= math.Sqrt(have / c.HotStateGiB)
	}
	if c.SinkLimit > 0 {
		rate = min(rate, c.SinkLimit)
	}
	return rate, cores
}

// taskManagers sums over count TaskManagers with some slots in use each.
func (c Capacity) taskManagers(k job.Knobs, slots, count int) (sum, cores float64) {
	cpu := k.CPUCores
	if c.CoresPerSlot > 0 {
		cpu = min(cpu, c.CoresPerSlot*float64(slots))
	}
	return float64(count) * math.Pow(cpu, c.CPUExponent), float64(count) * cpu
}
