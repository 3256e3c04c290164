package plan

import (
	"fmt"
	"math"
	"slices"
	"time"

	"rebound/internal/job"
)

// Fixed keeps everything as it is: what most jobs do.
type Fixed struct{}

// Plan proposes to keep the settings.
func (Fixed) Plan(in Input) job.Plan {
	p := stay(in, "fixed settings")
	p.Feasible = true
	return p
}

// Reactive follows the use of CPU with the parallelism, as the Kubernetes
// HorizontalPodAutoscaler does (autoscaling/v2, algorithm details):
//
//	desired = ⌈n · used/target⌉ TaskManagers,
//
// unless used/target is within the tolerance of 1; going down, to the greatest that
// was desired in the stabilization window. Interval and sizes stay as they are. It
// remembers what it desired, so that one job has one.
//
// Where the use of CPU is not known, the share of capacity in use stands for it.
type Reactive struct {
	Target        float64       // use of CPU that is aimed at; 0.5 by default
	Tolerance     float64       // 0.1 by default
	Stabilization time.Duration // of going down; 5 min by default

	desired []desire
}

// desire is what was wanted at a time.
type desire struct {
	at time.Time
	n  int
}

// defaults of the HorizontalPodAutoscaler, and a target that people use.
const (
	reactiveTarget    = 0.5
	reactiveTolerance = 0.1
	reactiveWindow    = 5 * time.Minute
)

// Plan proposes what the use of CPU asks for.
func (r *Reactive) Plan(in Input) job.Plan {
	p := stay(in, "")
	p.Feasible = true
	used, ok := usage(in)
	if !ok {
		p.Reason = "the use of CPU is not known"
		return p
	}
	target, n := positive(r.Target, reactiveTarget), in.Now.TaskManagers()
	want := n
	if ratio := used / target; math.Abs(ratio-1) > positive(r.Tolerance, reactiveTolerance) {
		want = int(math.Ceil(float64(n) * ratio))
	}
	want = r.stabilized(in.At, want, n)
	k, ok := resized(&in, want)
	if way, turns := in.World.WayFor(in.Now, k); ok && turns && way != "" {
		p.Want, p.Way = k, way
	}
	p.Reason = fmt.Sprintf("CPU %.0f %% of %.0f %%: %d TaskManagers of %d", 100*used, 100*target, p.Want.TaskManagers(), n)
	p.Predicted.CostPerHour = p.Want.PerHour(in.JobManager, in.Policy.Prices)
	p.Present.CostPerHour = in.Now.PerHour(in.JobManager, in.Policy.Prices)
	return p
}

// usage is the use of CPU, or of capacity.
func usage(in Input) (share float64, ok bool) {
	if in.CPUUtilization != nil {
		return *in.CPUUtilization, true
	}
	if in.Model == nil || !(in.Load.Now > 0) {
		return 0, false
	}
	c := in.Model.Behavior(in.Now).Capacity.Median
	return min(1, in.Load.Now/c), c > 0
}

// stabilized remembers what is wanted and holds off going down.
func (r *Reactive) stabilized(at time.Time, want, n int) int {
	window := r.Stabilization
	if window == 0 {
		window = reactiveWindow
	}
	r.desired = slices.DeleteFunc(r.desired, func(d desire) bool { return at.Sub(d.at) >= window })
	r.desired = append(r.desired, desire{at, want})
	if want >= n {
		return want
	}
	for _, d := range r.desired {
		want = max(want, min(n, d.n))
	}
	return want
}

// resized is the present setting with n TaskManagers, as far as the policy's range
// and the job allow; false where the parallelism is not free.
func resized(in *Input, n int) (job.Knobs, bool) {
	if !in.Policy.Knobs.Parallelism.Free() {
		return in.Now, false
	}
	all := filling(in, values(in.Policy.Knobs.Parallelism, float64(in.Now.Parallelism), 1), in.Now.Slots)
	if len(all) == 0 {
		return in.Now, false
	}
	k := in.Now
	k.Parallelism = all[len(all)-1]
	for _, p := range all {
		if (p+k.Slots-1)/k.Slots >= n {
			k.Parallelism = p
			break
		}
	}
	if k.TaskManagers() == in.Now.TaskManagers() {
		return in.Now, false
	}
	return k, in.affordable(k)
}

func positive(v, otherwise float64) float64 {
	if v > 0 {
		return v
	}
	return otherwise
}
