package learn

import (
	"math"
	"slices"

	"rebound/internal/job"
)

// Measured takes a recovery, or a planned restart where m.Change is set, once it is
// over.
func (j *Job) Measured(m job.Measurement) {
	kind, ok := kindOf(&m)
	if !ok {
		return
	}
	k := &j.state.Known
	n := k.Now.taskManagers()
	if v := taskManagersOf(m.Settings); v > 0 {
		n = v
	}
	perTask := 0.0
	if n > 0 {
		perTask = k.State / float64(n)
	}
	k.Down.add(&m, restart{kind: kind, perTask: perTask, said: j.state.Said.says(kind, n)})
	start := m.Process
	if start == "" {
		start = job.Warm
		if cold(kind) {
			start = job.Cold
		}
	}
	c := &j.state.CatchUp
	if within(c, &m) && len(c.Looks) >= leastLooks {
		k.finish(c, start, j.believed().capacity)
	} else {
		j.told(&m, start)
	}
	*c = catchUp{}
	k.passTo(m.At)
	j.belief = nil
}

// within says whether the catch-up that was looked at belongs to m.
func within(c *catchUp, m *job.Measurement) bool {
	if c.Settled.IsZero() || c.Settled.Before(m.At.Add(-seconds(1))) {
		return false
	}
	d := finite(m.DowntimeSeconds)
	return d == nil || c.Settled.Before(m.At.Add(seconds(*d+settling)))
}

// told takes from a measurement what was not looked at.
func (j *Job) told(m *job.Measurement, start job.Start) {
	k := &j.state.Known
	if m.Warmup != nil {
		k.warm(start).addFit(*m.Warmup)
	}
	rate, rho := finite(m.RatePerSecond), finite(m.CatchUpUtilization)
	r := k.Now
	if v, ok := resourcesIn(m.Settings); ok {
		r = v
	}
	if rate != nil && rho != nil && *rate > 0 && *rho > 0 && r.valid() {
		k.Cells.at(r).Full.add(sample{log: math.Log(*rate / *rho), weight: toldWeight, at: m.At}, &k.Scatter)
	}
}

// toldWeight is what the capacity of a catch-up counts that others have worked out,
// in blocks.
const toldWeight = 0.5

// Remembered takes a window of the journal, in place of the looks that it sums up:
// a model is made anew from windows and measurements in the order of their times.
func (j *Job) Remembered(w job.Window) {
	if w.Knobs == nil || !w.To.After(j.state.Looked) || !w.To.After(w.From) {
		return
	}
	r := resourcesOf(*w.Knobs)
	if !r.valid() {
		return
	}
	s := Situation(w.Situation)
	long := w.To.Sub(w.From).Seconds()
	l := look{at: w.To, span: long, window: long, weight: 1, rate: finite(w.ProcessedPerSecond), busy: finite(w.Utilization), lag: finite(w.LatencySeconds)}
	if l.rate == nil {
		l.rate = finite(w.RatePerSecond)
	}
	k := &j.state.Known
	if i := w.Knobs.IntervalSeconds; i > 0 {
		l.ckpt = math.Min(1, k.Length.at(k.State/float64(r.taskManagers()), i).Median/i)
	}
	j.turn(l, s, *w.Knobs)
	if s == Calm {
		j.gather(l)
	}
}

// Profiled takes what a copy of the job showed. One whose ID is known already, and
// one that has shown nothing, changes nothing.
func (j *Job) Profiled(p job.Profile) {
	k, r := &j.state.Known, resourcesOf(p.Knobs)
	if !r.valid() || p.State == job.ProfileRunning || p.State == job.ProfileLost || j.state.heard(p.ID) {
		return
	}
	j.restartOfCopy(&p, r)
	if v := finite(p.Capacity); v != nil && *v > 0 {
		k.Cells.at(r).Full.add(sample{log: math.Log(*v), weight: 1, at: p.At}, &k.Scatter)
	}
	if v := finite(p.CheckpointSecs); v != nil {
		k.Length.add(measuredLen{PerTask: k.State / float64(r.taskManagers()), Seconds: *v})
	}
	if l, v := finite(p.LatencySeconds), finite(p.Capacity); l != nil && v != nil && *l >= 0 && p.RatePerSecond > 0 && p.RatePerSecond < *v {
		rho := p.RatePerSecond / *v
		k.Latency.add(delay{Odds: math.Min(mostOdds, rho/(1-rho)), Seconds: *l, Window: alikeSeconds})
	}
	k.passTo(p.At)
	j.belief = nil
}

// restartOfCopy takes what its failure took.
func (j *Job) restartOfCopy(p *job.Profile, r resources) {
	m := job.Measurement{Failure: p.Failure, At: p.At, DowntimeSeconds: p.DowntimeSeconds, Phases: p.Phases}
	kind, ok := kindOf(&m)
	if !ok || finite(p.DowntimeSeconds) == nil {
		return
	}
	k := &j.state.Known
	n := r.taskManagers()
	k.Down.add(&m, restart{kind: kind, perTask: k.State / float64(n), said: j.state.Said.says(kind, n)})
}

// heard says whether a profile was taken before, and remembers it.
func (s *state) heard(id string) bool {
	if id == "" {
		return false
	}
	if slices.Contains(s.Heard, id) {
		return true
	}
	s.Heard = append(s.Heard, id)
	s.Heard = s.Heard[max(0, len(s.Heard)-mostHeard):]
	return false
}

// mostHeard is how many profiles are remembered by their IDs: more than anybody tells
// of again.
const mostHeard = 256

// taskManagersOf counts the processes of some settings; 0: unknown.
func taskManagersOf(s job.Settings) int {
	if s.SlotsPerTaskManager == nil {
		return 0
	}
	return job.Knobs{Parallelism: widest(s), Slots: *s.SlotsPerTaskManager}.TaskManagers()
}

func resourcesIn(s job.Settings) (resources, bool) {
	if s.SlotsPerTaskManager == nil || s.TaskManagerResources.CPUCores == nil || s.TaskManagerResources.MemoryBytes == nil {
		return resources{}, false
	}
	r := resources{widest(s), *s.SlotsPerTaskManager, *s.TaskManagerResources.CPUCores, *s.TaskManagerResources.MemoryBytes / job.GiB}
	return r, r.valid()
}

func widest(s job.Settings) int {
	most := 0
	for _, n := range s.Parallelism {
		most = max(most, n)
	}
	return most
}
