package plan

import (
	"math"
	"slices"

	"rebound/internal/job"
	"rebound/internal/policy"
)

// Steps between the values of a range that names none.
const (
	cpuStep    = 0.5           // cores
	memoryStep = 0.5 * job.GiB // bytes
)

// intervals (s) are tried where a range names no step: about a fifth apart, finer
// than recovery times tell apart.
func intervals() []float64 {
	return []float64{
		1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 90, 120, 150, 180, 240, 300, 360,
		480, 600, 720, 900, 1200, 1500, 1800, 2400, 3000, 3600,
	}
}

// mostResources bounds a space that somebody has made too fine to be searched in
// time; steps are doubled until it fits.
const mostResources = 20000

// space lists what may be chosen: resources without interval, and intervals apart
// from them, since only the recovery depends on both.
type space struct {
	shapes    []shape
	intervals []float64
}

// shape is a kind of TaskManager, with the numbers of them that may be had,
// ascending: settings that differ in the parallelism alone.
type shape struct {
	sizes []job.Knobs
}

// count is how many resources there are.
func (sp space) count() (n int) {
	for _, s := range sp.shapes {
		n += len(s.sizes)
	}
	return n
}

// newSpace lists all resources within ranges, quotas and what the job can use. A
// knob that the world cannot turn stays as it is. TaskManagers are filled: an
// empty slot costs as much and does less.
func newSpace(in *Input) space {
	k := in.Policy.Knobs
	sp := space{intervals: in.free(job.KnobInterval, values(k.CheckpointInterval, in.Now.IntervalSeconds, 0))}
	if r := k.CheckpointInterval; len(r.List) == 0 && r.Free() && r.Step == 0 {
		sp.intervals = in.free(job.KnobInterval, between(intervals(), r.Min, r.Max))
	}
	for coarse := 1.0; ; coarse *= 2 {
		sp.shapes = shapes(in, coarse)
		if sp.count() <= mostResources || coarse > 64 {
			return sp
		}
	}
}

func shapes(in *Input, coarse float64) []shape {
	k, out, present := in.Policy.Knobs, []shape(nil), false
	parallelism := in.free(job.KnobParallelism, values(k.Parallelism, float64(in.Now.Parallelism), 1))
	slots := in.free(job.KnobSlots, values(k.Slots, float64(in.Now.Slots), 1))
	cpu := in.free(job.KnobCPU, values(k.CPU, in.Now.CPUCores, cpuStep*coarse))
	memory := in.free(job.KnobMemory, values(k.Memory, in.Now.MemoryBytes, memoryStep*coarse))
	for _, s := range slots {
		all := filling(in, parallelism, int(s))
		for _, c := range cpu {
			for _, m := range memory {
				x := job.Knobs{IntervalSeconds: in.Now.IntervalSeconds, Slots: int(s), CPUCores: c, MemoryBytes: m}
				g := in.shape(x, all)
				if len(g.sizes) > 0 {
					present = present || sameBut(x, in.Now)
					out = append(out, g)
				}
			}
		}
	}
	if !present {
		out = append(out, in.shape(in.Now, nil))
	}
	return out
}

// shape is that of x in all the parallelisms that may be paid, and the present one.
func (in *Input) shape(x job.Knobs, all []int) shape {
	g, own := shape{}, sameBut(x, in.Now)
	if own && !slices.Contains(all, in.Now.Parallelism) {
		all = append(slices.Clone(all), in.Now.Parallelism)
		slices.Sort(all)
	}
	for _, p := range all {
		x.Parallelism = p
		if own && p == in.Now.Parallelism || in.affordable(x) {
			g.sizes = append(g.sizes, x)
		}
	}
	return g
}

// sameBut says whether two differ in nothing but parallelism and interval.
func sameBut(k, l job.Knobs) bool {
	k.Parallelism = l.Parallelism
	return k.SameResources(l)
}

// filling is the greatest parallelism of each number of TaskManagers.
func filling(in *Input, all []float64, slots int) []int {
	best := map[int]int{}
	for _, v := range all {
		p := int(math.Round(v))
		if p < 1 || in.MaxParallelism > 0 && p > in.MaxParallelism || in.Partitions > 0 && p > in.Partitions {
			continue
		}
		n := (p + slots - 1) / max(1, slots)
		best[n] = max(best[n], p)
	}
	out := make([]int, 0, len(best))
	for _, p := range best {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// free is what a knob may be set to: without the world's help, only what it is.
func (in *Input) free(k job.Knob, all []float64) []float64 {
	if _, ok := in.World.Restart[k]; ok {
		return all
	}
	switch k {
	case job.KnobInterval:
		return []float64{in.Now.IntervalSeconds}
	case job.KnobParallelism:
		return []float64{float64(in.Now.Parallelism)}
	case job.KnobSlots:
		return []float64{float64(in.Now.Slots)}
	case job.KnobCPU:
		return []float64{in.Now.CPUCores}
	default:
		return []float64{in.Now.MemoryBytes}
	}
}

// affordable keeps the limits of the policy on what a job takes as a whole.
func (in *Input) affordable(k job.Knobs) bool {
	l := in.Policy.Limits
	return (l.CPUCores == 0 || k.Cores(in.JobManager) <= l.CPUCores+1e-9) &&
		(l.MemoryBytes == 0 || k.GiBs(in.JobManager)*job.GiB <= l.MemoryBytes+1) &&
		(l.CostPerHour == 0 || k.PerHour(in.JobManager, in.Policy.Prices) <= l.CostPerHour+1e-12)
}

// values of a range; a fixed knob has the one that it has.
func values(r policy.Range, now, step float64) []float64 {
	switch {
	case len(r.List) > 0:
		return r.List
	case !r.Free():
		return []float64{now}
	}
	if r.Step > 0 {
		step = max(step, r.Step)
	}
	if !(step > 0) {
		return []float64{r.Min, r.Max}
	}
	var out []float64
	for i := 0; ; i++ {
		v := r.Min + float64(i)*step
		if v > r.Max+1e-9*step {
			return out
		}
		out = append(out, v)
	}
}

// between keeps what lies in a range and adds its ends.
func between(all []float64, low, high float64) []float64 {
	low = max(1, low) // no job checkpoints more often
	out := []float64{low}
	for _, v := range all {
		if v > low && v < high {
			out = append(out, v)
		}
	}
	if high > low {
		out = append(out, high)
	}
	return out
}
