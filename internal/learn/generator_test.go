package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"rebound/internal/job"
)

// synthetic is a job whose laws are known, seen every few seconds: what the tests
// learn from. It has no queue: a backlog is what the test says.
type synthetic struct {
	rng      *rand.Rand
	knobs    job.Knobs
	capacity func(job.Knobs) float64 // μ₀
	noise    float64                 // standard deviation of capacity, on the logarithm
	lasts    float64                 // s, for how long it is alike
	loss     float64                 // β
	interval float64                 // s
	length   func(n int) float64     // s, of a checkpoint
	state    float64                 // GiB in all
	now      time.Time
	started  time.Time
	bias     float64 // busy time tells e^bias times the capacity
	restarts int

	wander float64
	next   time.Time // of the next checkpoint
	id     int64
	past   []job.Checkpoint
}

func newSynthetic(seed uint64, capacity func(job.Knobs) float64) *synthetic {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	return &synthetic{
		rng: rand.New(rand.NewPCG(seed, 1)), capacity: capacity, noise: 0.02, lasts: 120, loss: 0.3,
		interval: 30, length: func(n int) float64 { return 4 + 0.1*20/float64(n) }, state: 20,
		knobs: knobs(8, 1, 2, 4), now: start, started: start, next: start,
	}
}

func knobs(p, s int, c, gib float64) job.Knobs {
	return job.Knobs{IntervalSeconds: 30, Parallelism: p, Slots: s, CPUCores: c, MemoryBytes: gib * job.GiB}
}

// pinned is the law of the reference scenarios.
func pinned(k job.Knobs) float64 {
	sum, left := 0.0, k.Parallelism
	for left > 0 {
		used := min(k.Slots, left)
		sum += 8000 * math.Pow(math.Min(k.CPUCores, 1.2*float64(used)), 0.9)
		left -= used
	}
	m := k.MemoryBytes / job.GiB
	return sum * m / (m + 0.25) * math.Pow(0.985, float64(k.TaskManagers()-1))
}

// pass moves the clock and says for how much of the time a checkpoint ran.
func (s *synthetic) pass(window float64) float64 {
	end, ran := s.now.Add(seconds(window)), 0.0
	for s.now.Before(end) {
		step := math.Min(1, end.Sub(s.now).Seconds())
		if !s.now.Before(s.next) {
			s.id++
			d := s.length(s.knobs.TaskManagers())
			s.past = append([]job.Checkpoint{{ID: s.id, Status: "COMPLETED", TriggeredAt: s.now, DurationSeconds: &d, StateBytes: new(s.state * job.GiB)}}, s.past...)
			s.past = s.past[:min(len(s.past), 10)]
			s.next = s.now.Add(seconds(s.interval))
		}
		if len(s.past) > 0 {
			c := s.past[0]
			if over := c.TriggeredAt.Add(seconds(*c.DurationSeconds)).Sub(s.now).Seconds(); over > 0 {
				ran += math.Min(step, over)
			}
		}
		s.now = s.now.Add(seconds(step))
	}
	keep := math.Exp(-window / s.lasts)
	s.wander = keep*s.wander + s.noise*math.Sqrt(1-keep*keep)*s.rng.NormFloat64()
	return ran / window
}

// history hides the end of a checkpoint that has not come yet.
func (s *synthetic) history() []job.Checkpoint {
	out := append([]job.Checkpoint(nil), s.past...)
	if len(out) > 0 {
		if c := &out[0]; c.TriggeredAt.Add(seconds(*c.DurationSeconds)).After(s.now) {
			c.Status, c.DurationSeconds, c.StateBytes = "IN_PROGRESS", nil, nil
		}
	}
	return out
}

// calm looks at the job after a window, at some utilization.
func (s *synthetic) calm(rho float64) job.Observation {
	const window = 15.0
	q := s.pass(window)
	mu := s.capacity(s.knobs) * math.Exp(s.wander)
	rate := rho * mu
	busy := math.Min(1, rho*(1+q*s.loss/(1-s.loss))*math.Exp(-s.bias))
	lag := (0.1 + 0.05*busy/(1-math.Min(0.95, busy))) * math.Exp(0.2*s.rng.NormFloat64())
	return s.observation(window, rate, busy, 0, lag)
}

// full looks at the job while it works off a backlog, age seconds after it ran.
func (s *synthetic) full(start float64) job.Observation {
	const window, tau = 5.0, 12.0
	age := s.now.Sub(s.started).Seconds()
	q := s.pass(window)
	warm := 1 - (1-start)*tau*(math.Exp(-age/tau)-math.Exp(-(age+window)/tau))/window
	mu := s.capacity(s.knobs) * math.Exp(s.wander) * warm * (1 - q*s.loss)
	return s.observation(window, mu, 1, 100*mu, 20)
}

func (s *synthetic) restart(down float64) {
	s.restarts++
	s.now = s.now.Add(seconds(down))
	s.started, s.next = s.now, s.now.Add(seconds(s.interval))
}

func (s *synthetic) observation(window, rate, busy, pending, lag float64) job.Observation {
	n := s.knobs.TaskManagers()
	o := job.Observation{
		At: s.now, ServerTime: s.now, State: "RUNNING", StartedAt: s.started, Restarts: new(s.restarts), WindowSeconds: new(window),
		Settings: s.knobs.With(map[string]int{"work": s.knobs.Parallelism}),
		Config:   job.Options{"heartbeat.interval": "10 s", "restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "1 s"},
	}
	o.Checkpointing = job.Checkpointing{Enabled: true, IntervalSeconds: new(s.interval), History: s.history()}
	v := job.Vertex{ID: "work", Name: "work", Parallelism: s.knobs.Parallelism}
	for i := range s.knobs.Parallelism {
		p := float64(s.knobs.Parallelism)
		v.Subtasks = append(v.Subtasks, job.Subtask{
			Index: i, State: "RUNNING", TaskManager: fmt.Sprint("tm-", i/s.knobs.Slots), RunningSince: new(s.started),
			RecordsInPerSecond: new(rate / p), BusyRatio: new(busy), PendingRecords: new(pending / p), EmitLagSeconds: new(lag),
		})
	}
	o.Vertices = []job.Vertex{v}
	for i := range n {
		o.TaskManagers = append(o.TaskManagers, job.TaskManager{ID: fmt.Sprint("tm-", i), Slots: s.knobs.Slots})
	}
	return o
}

// hour learns from calm running with a load that swings.
func (s *synthetic) hour(j *Job, seconds float64) {
	for t := 0.0; t < seconds; t += 15 {
		j.Observe(s.calm(0.6+0.1*math.Sin(t/900)), Calm)
	}
}

// recover has a failure and a catch-up of some length, and tells what it took.
func (s *synthetic) recover(j *Job, catch float64) {
	m := job.Measurement{Failure: job.ProcessFailure, At: s.now, Topology: job.Spread, Process: job.Cold, Outcome: job.Recovers, Settings: s.knobs.With(map[string]int{"work": s.knobs.Parallelism})}
	n := float64(s.knobs.TaskManagers())
	restore := 6 + s.state/n*1024/200
	m.Phases = []job.PhaseTime{{Phase: job.Detect, Seconds: 2}, {Phase: job.BackOff, Seconds: 1}, {Phase: job.Resources, Seconds: 12}, {Phase: job.Restore, Seconds: restore}}
	down := 15 + restore
	m.DowntimeSeconds = new(down)
	s.restart(down)
	for t := 0.0; t < catch; t += 5 {
		j.Observe(s.full(0.5), CatchingUp)
	}
	m.RecoverySeconds = new(s.now.Sub(m.At).Seconds())
	j.Measured(m)
}
