package twin

import (
	"fmt"
	"math/rand/v2"
	"time"

	"rebound/internal/job"
)

// Twin is a simulated job. Create it with New.
type Twin struct {
	s    Scenario
	seed uint64
	step float64 // s

	steps int64   // done
	asked float64 // s that Advance was asked for in all

	load  *arrival
	noise *drift // of the capacity
	log   arrivals
	came  float64 // records, before rounding

	// Positions in the log, in records. What was processed is pos − lost.
	in, pos, lost int64
	high          int64 // the furthest that pos has been
	committed     int64 // the furthest that a checkpoint has made visible
	carry         float64

	knobs       job.Knobs
	rate, cores float64 // of the law at knobs

	now      engine
	down     *downtime // nil while the job runs
	backOff  backOff
	ckpt     coordinator
	injector injector
	change   changes
	open     []*Recovery // not caught up
	book     book
	copies   copies
	view     view
}

// engine is what one run of the job, between two restarts, is doing.
type engine struct {
	upAt  float64 // s, since when all subtasks run
	cold  float64 // 1 − the present share of capacity
	warms float64 // factor on cold in a step
}

// Epoch is when every simulation begins: a Monday.
func Epoch() time.Time { return time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC) }

// The purposes that chance is drawn for, each with a generator of its own.
const (
	chanceLoad = iota + 1
	chanceCapacity
	chanceFailures
	chanceDowntime
	chanceCheckpoints
	chanceChanges
	chanceProfiles
	chancePast
	chanceLosses
)

// New makes a job at its start. The scenario must have its load read.
func New(s Scenario, seed uint64) (*Twin, error) {
	s, err := s.ready()
	if err != nil {
		return nil, err
	}
	t := &Twin{s: s, seed: seed, step: s.StepSeconds}
	t.load = newArrival(s.Load, t.chance(chanceLoad, 0))
	t.noise = newDrift(s.Capacity.Noise, t.chance(chanceCapacity, 0))
	t.log.step = t.step
	t.injector = newInjector(s.Failures, seed, t.chance(chanceFailures, 0))
	t.ckpt.rng = t.chance(chanceCheckpoints, 0)
	t.change.rng = t.chance(chanceChanges, 0)
	t.book.begin(t.step)
	t.set(s.Start.Job())
	t.ckpt.start(0, t.knobs.IntervalSeconds)
	t.view.begin(t)
	return t, nil
}

// chance is the generator of one purpose and, of those that are drawn for one event
// each, of the number of the event: so that events do not disturb each other.
func (t *Twin) chance(purpose, number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(t.seed, purpose<<32|number))
}

// ready is the scenario with its defaults, if it can be run.
func (s Scenario) ready() (Scenario, error) {
	if err := s.Validate(); err != nil {
		return Scenario{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	s = s.withDefaults()
	if s.Load.File != "" && s.Load.Series == nil {
		return Scenario{}, fmt.Errorf("scenario %s: the load %s has not been read", s.Name, s.Load.File)
	}
	return s, nil
}

// set puts settings in force.
func (t *Twin) set(k job.Knobs) {
	t.knobs = k
	t.rate, t.cores = t.s.Capacity.rate(k)
	t.book.price(t)
}

// Now is the time on the simulation's clock.
func (t *Twin) Now() time.Time { return t.stamp(t.clock()) }

// clock is the time in seconds since the start.
func (t *Twin) clock() float64 { return float64(t.steps) * t.step }

// stamp is a moment of the simulation on our clock, with Flink's resolution.
func (t *Twin) stamp(at float64) time.Time {
	return Epoch().Add(time.Duration(at*1e3) * time.Millisecond)
}

// Advance lets time pass, in whole steps: what is left over is made up for by the
// next call.
func (t *Twin) Advance(d time.Duration) {
	t.asked += d.Seconds()
	for float64(t.steps+1)*t.step <= t.asked+1e-9 {
		t.advance()
	}
}

// advance makes one step.
func (t *Twin) advance() {
	at := t.clock()
	end := at + t.step
	t.failuresDue(at)
	t.changeDue(at)
	rate := t.load.rate(at + t.step/2)
	t.came += rate * t.step
	before := t.in
	t.in = int64(t.came)
	t.log.push(t.in)
	w := t.work(at, end, t.in-before)
	if w.active > 0 {
		t.snapshots(w, end)
	}
	t.steps++
	t.book.step(t, w)
	t.profilesDue(w, end)
	t.view.step(t, w)
}
