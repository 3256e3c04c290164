package learn

import (
	"math"
	"time"

	"rebound/internal/job"
)

// Job is what is learned of one job. Its methods are not for use by several
// goroutines at once.
type Job struct {
	id     job.Identity
	state  state
	belief *belief // made when asked for; nil after something was learned
}

// state is all that is stored.
type state struct {
	Known   known      `json:"known"`
	Open    stretch    `json:"open"`     // calm running, not taken in yet
	CatchUp catchUp    `json:"catch_up"` // likewise
	Looked  time.Time  `json:"looked"`   // of the last look, the JobManager's clock
	Seen    int64      `json:"seen"`     // newest checkpoint that was learned from
	Calm    time.Time  `json:"calm"`     // since when the job has been calm; zero: it is not
	Said    configured `json:"said"`
}

// known is what has been taken in.
type known struct {
	At       time.Time `json:"at"` // the newest evidence, which all has faded to
	Cells    cells     `json:"cells"`
	Scatter  noise     `json:"scatter"` // of blocks of capacity, on the logarithm
	Cost     costs     `json:"cost"`
	Length   length    `json:"length"`
	Latency  latency   `json:"latency"`
	Cold     warmth    `json:"cold"`
	Warm     warmth    `json:"warm"`
	Down     downtime  `json:"down"`
	State    float64   `json:"state"`    // GiB in the last checkpoint, 0: unknown
	Interval float64   `json:"interval"` // s, configured
	Now      resources `json:"now"`      // the job's resources
}

// New is what is known of a job that has not been seen yet.
func New(id job.Identity) *Job {
	j := &Job{id: id, state: state{Known: known{Latency: newLatency(), Down: newDowntime()}}}
	j.state.Said.read(job.Observation{}) // what Flink does where nothing is set
	return j
}

// Identity is the job's.
func (j *Job) Identity() job.Identity { return j.id }

// Observe takes a look at the job, which is in situation s. Looks that are not
// newer than the last, and what an observation lacks, change nothing.
func (j *Job) Observe(o job.Observation, s Situation) {
	l := see(o, j.state.Looked)
	knobs, ok := o.Knobs()
	r := resourcesOf(knobs)
	if !l.at.After(j.state.Looked) || !ok || !r.valid() {
		return
	}
	gap := l.at.Sub(j.state.Looked).Seconds()
	j.state.Looked = l.at
	if s == Blind {
		return
	}
	j.remember(l, knobs, r)
	if s != Calm || j.state.Open.At != r || gap > longestPause {
		j.close()
		j.state.Calm = time.Time{}
	}
	switch s {
	case Calm:
		j.calm(o, l, r)
	case CatchingUp:
		j.state.CatchUp.add(o, l, r)
		j.mature()
	case Down, Changing:
		j.state.CatchUp = catchUp{}
	}
}

// remember keeps what a look shows in any situation.
func (j *Job) remember(l look, knobs job.Knobs, r resources) {
	k := &j.state.Known
	if state := l.state / job.GiB; state > 0 && math.Abs(state-k.State) > stateChange*k.State {
		k.State, j.belief = state, nil
	}
	if i := knobs.IntervalSeconds; i != k.Interval && i > 0 && !math.IsInf(i, 1) {
		k.Interval, j.belief = i, nil
	}
	if k.Now != r {
		k.Now, j.belief = r, nil
	}
}

// stateChange is the relative change of the size of state that matters.
const stateChange = 0.02

func (j *Job) calm(o job.Observation, l look, r resources) {
	if j.state.Said.due(&o) {
		before := j.state.Said
		j.state.Said.read(o)
		if before.Spread != j.state.Said.Spread || before.Alone != j.state.Said.Alone {
			j.belief = nil
		}
	}
	if j.state.Calm.IsZero() {
		j.state.Calm = l.at
	}
	j.state.Open.At = r
	j.lengths(o.Checkpointing.History)
	if !o.StartedAt.IsZero() && l.at.Sub(o.StartedAt).Seconds() < settling {
		return
	}
	j.state.Open.add(l)
	if j.state.Open.due(j.blocks(r)) {
		j.close()
		j.state.Open.At = r
	}
}

// blocks is how much is known of the capacity at some resources.
func (j *Job) blocks(r resources) float64 {
	for i := range j.state.Known.Cells {
		if c := &j.state.Known.Cells[i]; c.At == r {
			return c.Busy.Weight
		}
	}
	return 0
}

// lengths takes the checkpoints that were triggered and completed in calm running,
// each once.
func (j *Job) lengths(history []job.Checkpoint) {
	n := float64(j.state.Open.At.taskManagers())
	newest := j.state.Seen
	for i := range history {
		c := &history[i]
		d := finite(c.DurationSeconds)
		if c.ID <= j.state.Seen || c.Status != "COMPLETED" || c.Savepoint || d == nil {
			continue
		}
		newest = max(newest, c.ID)
		if c.TriggeredAt.Before(j.state.Calm) || len(j.state.Open.Lengths) == mostKept {
			continue
		}
		m := measuredLen{Seconds: *d}
		if b := finite(c.StateBytes); b != nil && *b > 0 {
			m.PerTask = *b / job.GiB / n
		}
		j.state.Open.Lengths = append(j.state.Open.Lengths, m)
	}
	j.state.Seen = newest
}

// close takes in the open stretch of calm running.
func (j *Job) close() {
	if !j.state.Open.empty() {
		j.state.Known.take(&j.state.Open)
		j.belief = nil
	}
	j.state.Open = stretch{}
}

// mature takes a long backlog in without waiting for the end: a job that is long
// since warm and cannot keep up.
func (j *Job) mature() {
	c := &j.state.CatchUp
	if n := len(c.Looks); n >= matureLooks && c.Looks[0].From >= matureSeconds {
		j.state.Known.full(c)
		c.Looks, j.belief = nil, nil
	}
}

const (
	matureLooks   = 24
	matureSeconds = 300.0 // warm beyond doubt
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
	k.Down.add(&m, kind, perTask, j.state.Said.says(kind, n))
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
		k.Cells.at(r).Full.add(math.Log(*rate / *rho), toldWeight, m.At, &k.Scatter)
	}
}

// toldWeight is what the capacity of a catch-up counts that others have worked out,
// in blocks.
const toldWeight = 0.5

// Profiled takes what a copy of the job showed.
func (j *Job) Profiled(p job.Profile) {
	k, r := &j.state.Known, resourcesOf(p.Knobs)
	if !r.valid() {
		return
	}
	c := k.Cells.at(r)
	if v := finite(p.Capacity); v != nil && *v > 0 {
		c.Full.add(math.Log(*v), 1, p.At, &k.Scatter)
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

func (k *known) warm(s job.Start) *warmth {
	if s == job.Warm {
		return &k.Warm
	}
	return &k.Cold
}

// passTo fades what is known to a later moment.
func (k *known) passTo(now time.Time) {
	k.Cost.fade(faded(k.At, now, costHalfLife))
	k.Scatter.fade(faded(k.At, now, cellHalfLife))
	k.Latency.Line.fade(faded(k.At, now, latencyHalfLife))
	k.Latency.Scatter.fade(faded(k.At, now, latencyHalfLife))
	k.Length.Line.fade(faded(k.At, now, lengthHalfLife))
	k.Length.Scatter.fade(faded(k.At, now, lengthHalfLife))
	k.Cold.fade(faded(k.At, now, warmHalfLife))
	k.Warm.fade(faded(k.At, now, warmHalfLife))
	k.Down.fade(faded(k.At, now, downHalfLife))
	if now.After(k.At) {
		k.At = now
	}
}

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
