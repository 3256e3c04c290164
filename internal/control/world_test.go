package control_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/plan"
	"rebound/internal/recovery"
)

var (
	epoch = time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC) // a Monday
	jobID = job.Identity{Cluster: "test", Name: "words"}
)

// perCore is what a core of the fake job processes (records/s).
const perCore = 100.0

// fakeWorld is a job of one source in steps of a second: enough of Flink to see
// what the loop does to it.
type fakeWorld struct {
	now   time.Time
	rate  float64 // records/s that arrive
	knobs job.Knobs

	lag, done       float64
	replays         float64   // records that the next start reads again
	upAt            time.Time // down until then; zero: it runs
	knownAt         time.Time // the JobManager knows of a failure then
	kind            string    // exception of it
	next            *job.Knobs
	runningSince    time.Time
	restarts, tm    int
	lastChange      string
	changes         []job.Change // accepted
	history         []job.Checkpoint
	id              int64
	started         time.Time // of the checkpoint in progress; zero: none
	savedAt         time.Time // trigger of the newest completed
	restored        *job.Restored
	exceptions      []job.Exception
	seenAt          time.Time // of the last look
	seenDone        float64
	seenLag         float64
	asked           int // checkpoints on request
	missing         map[string]bool
	steers          string
	deaf, broken    bool // changes are not taken up; they end in a job that does not run
	refuse          bool // Apply answers with an error
	waits           bool // changes in place wait for the next checkpoint
	pendingInPlace  *job.Change
	sick            float64 // share of capacity with settings other than fit; 0: all
	first, fit      job.Knobs
	zeroLagAfterRun time.Duration
	failObserve     int
	stuck           time.Time // what the JobManager's clock shows while it stands still
	copies          []fakeCopy
	noCopies        string // why none can be had; empty: they can
	copiesBlind     bool   // nobody can say how they stand
}

// fakeCopy shows the truth when its time is over.
type fakeCopy struct {
	job.Trial
	at   time.Time
	lost bool
}

func (w *fakeWorld) StartProfile(_ context.Context, t job.Trial) error {
	if w.noCopies != "" {
		return errors.New(w.noCopies)
	}
	if !slices.ContainsFunc(w.copies, func(c fakeCopy) bool { return c.ID == t.ID }) {
		w.copies = append(w.copies, fakeCopy{Trial: t, at: w.now})
	}
	return nil
}

func (w *fakeWorld) Profile(_ context.Context, id string) (job.Profile, bool, error) {
	if w.copiesBlind {
		return job.Profile{}, false, errors.New("connection refused")
	}
	for _, c := range w.copies {
		if c.ID != id {
			continue
		}
		p := job.Profile{ID: id, State: job.ProfileRunning, StartedAt: c.at, Seconds: c.Seconds, Knobs: c.Knobs}
		hours := min(c.Seconds, w.now.Sub(c.at).Seconds()) / 3600
		p.CPUCoreHours = float64(c.Knobs.TaskManagers()) * c.Knobs.CPUCores * hours
		switch {
		case c.lost:
			p.State, p.At, p.Reason = job.ProfileLost, w.now, "its node went away"
		case w.now.Sub(c.at).Seconds() >= c.Seconds:
			p.State, p.At = job.ProfileDone, w.now
			p.Capacity, p.RatePerSecond, p.RecoverySeconds = new(perCore*float64(c.Knobs.TaskManagers())*c.Knobs.CPUCores), w.rate, new(50.0)
		}
		return p, true, nil
	}
	return job.Profile{}, false, nil
}

func newWorld() *fakeWorld {
	k := job.Knobs{IntervalSeconds: 30, Parallelism: 10, Slots: 1, CPUCores: 1, MemoryBytes: job.GiB}
	return &fakeWorld{now: epoch, rate: 500, knobs: k, first: k, runningSince: epoch.Add(-time.Hour), savedAt: epoch, seenAt: epoch.Add(-15 * time.Second), missing: map[string]bool{}}
}

func (w *fakeWorld) capacity() float64 {
	c := perCore * float64(w.knobs.TaskManagers()) * w.knobs.CPUCores
	if w.sick > 0 && w.knobs != w.fit {
		c *= w.sick
	}
	return c
}

func (w *fakeWorld) down() bool { return !w.upAt.IsZero() }

// advance lets time pass, second by second.
func (w *fakeWorld) advance(d time.Duration) {
	for range int(d / time.Second) {
		w.now = w.now.Add(time.Second)
		w.lag += w.rate
		if w.down() && !w.now.Before(w.upAt) {
			w.comeUp()
		}
		if !w.knownAt.IsZero() && !w.now.Before(w.knownAt) {
			w.exceptions = slices.Insert(w.exceptions, 0, job.Exception{At: w.knownAt, Name: w.kind})
			w.knownAt, w.restarts = time.Time{}, w.restarts+1
		}
		if w.down() {
			continue
		}
		n := math.Min(w.lag, w.capacity())
		w.lag -= n
		w.done += n
		w.checkpoint()
	}
}

// checkpoint begins one when the interval is over and ends it after 2 s.
func (w *fakeWorld) checkpoint() {
	switch {
	case !w.started.IsZero() && w.now.Sub(w.started) >= 2*time.Second:
		w.id++
		w.history = slices.Insert(w.history, 0, job.Checkpoint{ID: w.id, Status: "COMPLETED", TriggeredAt: w.started, DurationSeconds: new(2.0)})
		w.history = w.history[:min(10, len(w.history))]
		w.savedAt, w.started = w.started, time.Time{}
		if c := w.pendingInPlace; c != nil {
			w.pendingInPlace = nil
			w.begin(*c)
		}
	case w.started.IsZero() && w.now.Sub(w.savedAt) >= time.Duration(w.knobs.IntervalSeconds)*time.Second:
		w.started = w.now
	}
}

func (w *fakeWorld) comeUp() {
	w.lag += w.replays
	w.replays = 0
	w.upAt, w.runningSince = time.Time{}, w.now
	if w.next != nil {
		w.knobs, w.next = *w.next, nil
		if w.broken && w.knobs != w.first {
			w.upAt = w.now.Add(1000 * time.Hour)
		}
	}
	w.restored = &job.Restored{ID: w.id, At: w.now.Add(-time.Second)}
}

// fail stops the job for 20 s; the JobManager knows after one.
func (w *fakeWorld) fail(exception string) {
	w.replays = w.rate * w.now.Sub(w.savedAt).Seconds()
	w.knownAt, w.upAt, w.kind, w.started = w.now.Add(time.Second), w.now.Add(20*time.Second), exception, time.Time{}
	if exception != "app.UserException" {
		w.tm++
	}
}

// begin makes the change: 5 s in place, else 25 s.
func (w *fakeWorld) begin(c job.Change) {
	took := 25 * time.Second
	if c.Way == job.InPlace {
		took = 5 * time.Second
	}
	if c.Way != job.Savepoint {
		w.replays = w.rate * w.now.Sub(w.savedAt).Seconds()
	}
	k := w.knobs
	for _, n := range c.Want.Parallelism {
		k.Parallelism = n
	}
	k.IntervalSeconds, k.CPUCores = *c.Want.CheckpointIntervalSeconds, *c.Want.TaskManagerResources.CPUCores
	k.Slots, k.MemoryBytes = *c.Want.SlotsPerTaskManager, *c.Want.TaskManagerResources.MemoryBytes
	w.next, w.upAt, w.started = &k, w.now.Add(took), time.Time{}
	w.restarts++
}

func (w *fakeWorld) Capabilities() job.Capabilities {
	return job.Capabilities{
		Ways: []job.Way{job.InPlace, job.Savepoint, job.LastState}, Pacing: true, Profiles: true,
		Restart: map[job.Knob]job.Way{
			job.KnobParallelism: job.InPlace, job.KnobInterval: job.Savepoint, job.KnobCPU: job.Savepoint,
			job.KnobMemory: job.Savepoint, job.KnobSlots: job.Savepoint,
		},
	}
}

func (w *fakeWorld) Apply(_ context.Context, c job.Change) error {
	if w.refuse {
		return errors.New("quota exceeded")
	}
	if w.deaf || c.ID == w.lastChange {
		return nil
	}
	w.lastChange = c.ID
	w.changes = append(w.changes, c)
	if w.waits && c.Way == job.InPlace {
		w.pendingInPlace = &c
		return nil
	}
	w.begin(c)
	return nil
}

func (w *fakeWorld) Checkpoint(context.Context, string) error {
	if w.down() {
		return errors.New("the job does not run")
	}
	w.asked++
	if w.started.IsZero() {
		w.started = w.now
	}
	return nil
}

func (w *fakeWorld) Observe(context.Context) (job.Observation, error) {
	if w.failObserve > 0 {
		w.failObserve--
		return job.Observation{}, errors.New("connection refused")
	}
	k := w.knobs
	o := job.Observation{
		Job: jobID, ID: "f00", At: w.now, ServerTime: w.now, State: "RUNNING", Restarts: new(w.restarts),
		StartedAt: w.runningSince, LastChange: w.lastChange, Steers: w.steers, Exceptions: slices.Clone(w.exceptions),
		WindowSeconds: new(w.now.Sub(w.seenAt).Seconds()), Settings: k.With(map[string]int{"src": k.Parallelism}), Lacks: []job.Lack{},
		Checkpointing: job.Checkpointing{
			Enabled: true, Mode: "exactly_once", IntervalSeconds: new(k.IntervalSeconds), MinPauseSeconds: new(0.0),
			History: slices.Clone(w.history), Restored: w.restored, InProgress: new(0),
		},
	}
	if !w.started.IsZero() {
		o.Checkpointing.InProgress = new(1)
		o.Checkpointing.History = slices.Insert(o.Checkpointing.History, 0, job.Checkpoint{ID: w.id + 1, Status: "IN_PROGRESS", TriggeredAt: w.started})
	}
	o.Vertices = []job.Vertex{w.vertex()}
	for i := range k.TaskManagers() {
		id := i
		if i == 0 {
			id = 100 + w.tm
		}
		o.TaskManagers = append(o.TaskManagers, job.TaskManager{ID: fmt.Sprintf("tm-%d", id), Slots: k.Slots})
	}
	if w.down() && w.knownAt.IsZero() {
		o.State = "RESTARTING"
	}
	if w.missing["settings"] {
		o.Settings.TaskManagerResources.CPUCores = nil
		o.Lacks = append(o.Lacks, job.Lack{Quantity: "cpu of a TaskManager", Why: "nobody tells", How: "set taskmanager.resource.cpu"})
	}
	if w.missing["clock"] {
		o.ServerTime = w.stuck
	} else {
		w.stuck = w.now
	}
	w.seenAt, w.seenDone, w.seenLag = w.now, w.done, w.lag
	return o, nil
}

// vertex is the source, whose subtasks share all evenly.
func (w *fakeWorld) vertex() job.Vertex {
	span, p := w.now.Sub(w.seenAt).Seconds(), float64(w.knobs.Parallelism)
	v := job.Vertex{ID: "src", Name: "source", Parallelism: w.knobs.Parallelism, MaxParallelism: 128}
	for i := range w.knobs.Parallelism {
		s := job.Subtask{Index: i, TaskManager: fmt.Sprintf("tm-%d", i), State: "RUNNING", RunningSince: new(w.runningSince)}
		if w.down() && w.knownAt.IsZero() {
			s.State, s.RunningSince = "DEPLOYING", nil
		}
		if span > 0 && s.State == "RUNNING" {
			rate := (w.done - w.seenDone) / span
			s.RecordsInPerSecond, s.PendingSlope = new(rate/p), new((w.lag-w.seenLag)/span/p)
			s.PendingRecords, s.BusyRatio = new(w.lag/p), new(math.Min(1, rate/w.capacity()))
			s.EmitLagSeconds = new(0.2 + w.lag/w.rate)
		}
		if w.missing["rate"] {
			s.RecordsInPerSecond, s.BusyRatio = new(math.NaN()), new(math.NaN())
		}
		if w.missing["lag"] {
			s.PendingRecords, s.PendingSlope, s.EmitLagSeconds = nil, nil, nil
		}
		if w.zeroLagAfterRun > 0 && w.now.Sub(w.runningSince) < w.zeroLagAfterRun {
			s.PendingRecords, s.PendingSlope = new(0.0), new(0.0)
		}
		v.Subtasks = append(v.Subtasks, s)
	}
	return v
}

// fakeModel believes just what is true of a fakeWorld.
type fakeModel struct {
	measured []job.Measurement
	profiled []job.Profile
	seen     map[learn.Situation]int
}

func (m *fakeModel) Observe(_ job.Observation, s learn.Situation) {
	if m.seen == nil {
		m.seen = map[learn.Situation]int{}
	}
	m.seen[s]++
}

func (m *fakeModel) Measured(got job.Measurement)        { m.measured = append(m.measured, got) }
func (m *fakeModel) Quantities(time.Time) []job.Quantity { return nil }
func (m *fakeModel) MarshalBinary() ([]byte, error)      { return []byte("model"), nil }
func (m *fakeModel) UnmarshalBinary([]byte) error        { return nil }
func (m *fakeModel) Behavior(k job.Knobs) learn.Behavior {
	exactly := recovery.Exactly
	down := learn.Downtime{Phases: [4]recovery.Uncertain{exactly(1), exactly(1), exactly(8), {Median: 10, Spread: 1}}}
	return learn.Behavior{
		Capacity: recovery.Uncertain{Median: perCore * float64(k.TaskManagers()) * k.CPUCores, Spread: 10},
		Duration: exactly(2), LatencyBase: exactly(0.2),
		Down:   map[job.Failure]learn.Downtime{job.TaskFailure: down, job.ProcessFailure: down},
		Change: map[job.Way]learn.Downtime{job.InPlace: {Phases: [4]recovery.Uncertain{3: exactly(5)}}, job.Savepoint: {Phases: [4]recovery.Uncertain{3: exactly(25)}}},
	}
}

// Profiled hears of each once, as a learn.Job does.
func (m *fakeModel) Profiled(p job.Profile) {
	if !slices.ContainsFunc(m.profiled, func(q job.Profile) bool { return q.ID == p.ID }) {
		m.profiled = append(m.profiled, p)
	}
}

// fakePlanner wants what the test says.
type fakePlanner struct {
	want   func(in plan.Input) job.Knobs
	pace   *float64
	asked  int
	needed bool // the present settings fail
	change *float64
}

func (p *fakePlanner) Plan(in plan.Input) job.Plan {
	p.asked++
	out := job.Plan{Job: in.Job, Now: in.Now, Want: in.Now, PaceSeconds: p.pace, Feasible: true, Reason: "the test wants it"}
	if p.want != nil {
		out.Want = p.want(in)
	}
	if p.needed {
		out.Present.Recovery = []job.Recovery{{Outcome: job.Never}}
	}
	out.Predicted.ChangeSeconds = p.change
	return out
}
