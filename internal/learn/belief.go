package learn

import (
	"rebound/internal/job"
	"rebound/internal/recovery"
)

// belief answers questions about settings. It follows from what is known alone.
type belief struct {
	capacity  *capacity
	loss      recovery.Uncertain
	cold, hot Warmup
	base      recovery.Uncertain // of latency
	queue     recovery.Uncertain
	sized     map[int]*sized // by TaskManagers
	answers   map[resources]Behavior
}

// sized is what depends on the number of TaskManagers alone.
type sized struct {
	duration recovery.Uncertain
	down     map[job.Failure]Downtime
	change   map[job.Way]Downtime
}

// mostAnswers bounds how many answers are kept: more than a planner asks for.
const mostAnswers = 1 << 15

func (j *Job) believed() *belief {
	if j.belief != nil {
		return j.belief
	}
	k := &j.state.Known
	b := &belief{
		capacity: believe(k),
		loss:     k.Cost.loss(), cold: k.Cold.summary(job.Cold), hot: k.Warm.summary(job.Warm),
		sized: map[int]*sized{}, answers: map[resources]Behavior{},
	}
	b.base, b.queue = k.Latency.p95()
	j.belief = b
	return b
}

// Behavior is what is believed of the job at some settings; of those that cannot be
// it is the zero Behavior. Before anything was seen of the capacity its spread is
// many times its median. The maps are shared and not to be changed.
func (j *Job) Behavior(k job.Knobs) Behavior {
	r := resourcesOf(k)
	b := j.believed()
	if a, ok := b.answers[r]; ok {
		return a
	}
	if !r.valid() {
		return Behavior{}
	}
	if len(b.answers) == mostAnswers {
		clear(b.answers)
	}
	mean, deviation := b.capacity.at(r)
	s := b.ofSize(j, r.taskManagers())
	a := Behavior{
		Capacity: logNormal(mean, deviation), Duration: s.duration, Loss: b.loss,
		Cold: b.cold, Warm: b.hot, Down: s.down, Change: s.change,
		LatencyBase: b.base, LatencyQueue: b.queue, Proven: j.state.Known.Cells.proven(r),
	}
	b.answers[r] = a
	return a
}

// provenBlocks is how much calm running proves resources: ten minutes.
const provenBlocks = 5

func (c cells) proven(r resources) bool {
	for i := range c {
		if c[i].At == r {
			return c[i].Busy.Count >= provenBlocks || c[i].Full.Count > 0
		}
	}
	return false
}

func (b *belief) ofSize(j *Job, n int) *sized {
	if s, ok := b.sized[n]; ok {
		return s
	}
	k := &j.state.Known
	perTask := k.State / float64(n)
	s := &sized{duration: k.Length.at(perTask, k.Interval), down: map[job.Failure]Downtime{}, change: map[job.Way]Downtime{}}
	line := k.Down.Restore.solve()
	for kind := range kinds {
		d := Downtime{Cold: cold(kind), Samples: k.Down.Count[kind], Source: job.Assumed}
		if d.Samples > 0 {
			d.Source = job.Measured
		}
		for phase, said := range j.state.Said.says(kind, n) {
			d.Phases[phase] = k.Down.wait(kind, phase, said, k.At)
		}
		d.Phases[waits] = k.Down.restore(line, kind, perTask)
		if kind < failureKinds {
			s.down[job.Failures()[kind]] = d
		} else {
			s.change[ways()[kind-failureKinds]] = d
		}
	}
	b.sized[n] = s
	return s
}
