package job

import (
	"fmt"
	"maps"
	"math"
)

// Knobs are settings in short form: one parallelism for the whole job, all five
// known. It is what a planner searches over.
type Knobs struct {
	IntervalSeconds float64 `json:"checkpoint_interval_seconds"`
	Parallelism     int     `json:"parallelism"` // of the widest vertex
	Slots           int     `json:"slots_per_taskmanager"`
	CPUCores        float64 `json:"cpu_cores"`    // of one TaskManager
	MemoryBytes     float64 `json:"memory_bytes"` // of one TaskManager
}

// TaskManagers is how many processes the job takes: ceil(p / slots).
func (k Knobs) TaskManagers() int {
	if k.Slots < 1 || k.Parallelism < 1 {
		return 0
	}
	return (k.Parallelism + k.Slots - 1) / k.Slots
}

// SameResources says whether only the interval differs.
func (k Knobs) SameResources(l Knobs) bool {
	l.IntervalSeconds = k.IntervalSeconds
	return k == l
}

// String is one line for people: "p 8 in 4 × 2 cores, 4 GiB, every 30 s".
func (k Knobs) String() string {
	return fmt.Sprintf("p %d in %d × %.4g cores, %.4g GiB, every %.4g s",
		k.Parallelism, k.TaskManagers(), k.CPUCores, k.MemoryBytes/GiB, k.IntervalSeconds)
}

// Knobs reads the short form off an observation; false where one of the five is
// not known.
func (o Observation) Knobs() (Knobs, bool) {
	s, widest := o.Settings, 0
	for _, v := range o.Vertices {
		widest = max(widest, v.Parallelism)
	}
	if widest == 0 || s.CheckpointIntervalSeconds == nil || s.SlotsPerTaskManager == nil ||
		s.TaskManagerResources.CPUCores == nil || s.TaskManagerResources.MemoryBytes == nil {
		return Knobs{}, false
	}
	return Knobs{
		IntervalSeconds: *s.CheckpointIntervalSeconds, Parallelism: widest, Slots: *s.SlotsPerTaskManager,
		CPUCores: *s.TaskManagerResources.CPUCores, MemoryBytes: *s.TaskManagerResources.MemoryBytes,
	}, true
}

// With gives the settings of a job whose vertices have the given parallelism the
// values of k: the widest vertices get k's parallelism, others keep their ratio
// to it, rounded, at least 1.
func (k Knobs) With(parallelism map[string]int) Settings {
	widest := 0
	for _, n := range parallelism {
		widest = max(widest, n)
	}
	out := Settings{
		CheckpointIntervalSeconds: new(k.IntervalSeconds), SlotsPerTaskManager: new(k.Slots),
		TaskManagerResources: TaskManagerResources{CPUCores: new(k.CPUCores), MemoryBytes: new(k.MemoryBytes)},
		Parallelism:          maps.Clone(parallelism),
	}
	for id, n := range parallelism {
		out.Parallelism[id] = max(1, int(math.Round(float64(n)*float64(k.Parallelism)/float64(max(1, widest)))))
	}
	return out
}

// GiB is 2³⁰ bytes.
const GiB = 1 << 30

// Prices are money for resources; the currency is the user's.
type Prices struct {
	CPUHour float64 `json:"cpu_hour"` // of one core
	GiBHour float64 `json:"gib_hour"`
}

// DefaultPrices have the ratio of the usual clouds' lists, in which a core costs
// about as much as 8 GiB.
func DefaultPrices() Prices { return Prices{CPUHour: 0.04, GiBHour: 0.005} }

// Cores and memory of a whole job are those of its TaskManagers and of its
// JobManager.

// Cores is the CPU that the whole job has reserved.
func (k Knobs) Cores(jobManager TaskManagerResources) float64 {
	return float64(k.TaskManagers())*k.CPUCores + known(jobManager.CPUCores)
}

// GiBs is the memory that the whole job has reserved.
func (k Knobs) GiBs(jobManager TaskManagerResources) float64 {
	return (float64(k.TaskManagers())*k.MemoryBytes + known(jobManager.MemoryBytes)) / GiB
}

// PerHour is what the whole job costs.
func (k Knobs) PerHour(jobManager TaskManagerResources, p Prices) float64 {
	return p.CPUHour*k.Cores(jobManager) + p.GiBHour*k.GiBs(jobManager)
}

// known leaves out what nobody told: a JobManager of unknown size is the same
// for all settings and does not change which is cheapest.
func known(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
