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
	Looked  time.Time  `json:"looked"`   // of the last look
	Seen    time.Time  `json:"seen"`     // when the newest checkpoint was triggered that was learned from, by the JobManager's clock
	Calm    time.Time  `json:"calm"`     // since when the job has been calm; zero: it is not
	Said    configured `json:"said"`
	Heard   []string   `json:"heard,omitempty"` // profiles that were taken, by ID, newest last
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
	j.turn(l, s, knobs)
	switch s {
	case Calm:
		j.calm(o, l)
	case CatchingUp:
		j.state.CatchUp.add(o, l, r)
		j.mature()
	case Down, Changing:
		j.drop()
	case Blind:
	}
}

// turn ends what the look shows to be over.
func (j *Job) turn(l look, s Situation, knobs job.Knobs) {
	gap := l.at.Sub(j.state.Looked).Seconds()
	j.state.Looked = l.at
	if s == Blind {
		return
	}
	r := resourcesOf(knobs)
	j.remember(l, knobs, r)
	if s != Calm || j.state.Open.At != r || gap > longestPause {
		j.close()
		j.state.Calm = time.Time{}
	}
	if s == Calm {
		j.state.Open.At = r
	}
}

// gather adds a look at calm running.
func (j *Job) gather(l look) {
	s := &j.state.Open
	s.add(l)
	if r := s.At; s.due(j.blocks(r)) {
		j.close()
		j.state.Open.At = r
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

func (j *Job) calm(o job.Observation, l look) {
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
	j.lengths(o.Checkpointing.History, l.offset)
	if !o.StartedAt.IsZero() && l.at.Sub(o.StartedAt.Add(l.offset)).Seconds() < settling {
		return
	}
	j.gather(l)
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
func (j *Job) lengths(history []job.Checkpoint, offset time.Duration) {
	n := float64(j.state.Open.At.taskManagers())
	newest := j.state.Seen
	for i := range history {
		c := &history[i]
		d := finite(c.DurationSeconds)
		if !c.TriggeredAt.After(j.state.Seen) || c.Status != "COMPLETED" || c.Savepoint || d == nil {
			continue
		}
		if c.TriggeredAt.After(newest) {
			newest = c.TriggeredAt
		}
		if c.TriggeredAt.Add(offset).Before(j.state.Calm) || len(j.state.Open.Lengths) == mostKept {
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

// drop ends a catch-up that another restart cuts short. Of a job that was long since
// warm it has shown the capacity.
func (j *Job) drop() {
	if c := &j.state.CatchUp; len(c.Looks) >= leastLooks && c.Looks[0].From >= matureSeconds {
		j.state.Known.full(c)
		j.belief = nil
	}
	j.state.CatchUp = catchUp{}
}

const (
	matureLooks   = 24
	matureSeconds = 300.0 // warm beyond doubt
)

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
