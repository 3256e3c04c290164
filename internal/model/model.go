// Package model is what is known of one job, and what follows from it: how long
// it would take to recover from each kind of failure.
//
// A quantity comes from the best evidence there is: measured on this job, learned
// from recoveries of jobs like it, read from its configuration, or assumed with a
// reason; each carries a spread that says how far it is to be trusted. The
// formula is that of package recovery, computed per subtask: the slowest decides.
//
// What configuration says of a phase of the downtime is a prior; what is learned
// is how far reality was from it, so that a changed heartbeat or back-off needs no
// new drill. Likewise utilization is read from busy time now, and what is learned
// is how busy time relates to the capacity that a catch-up has shown.
package model

import (
	"cmp"
	"math"
	"slices"

	"rebound/internal/job"
	"rebound/internal/recovery"
	"rebound/internal/setting"
)

// Version of the model, stored with its predictions: another one when the same
// evidence gives another answer.
const Version = "1"

// Past is a recovery that was measured earlier.
type Past struct {
	job.Measurement
	Old     float64 // seconds since then
	SameJob bool    // of this very job, not just of one in the same journal
}

// Evidence is all that a model is made from.
type Evidence struct {
	Now    job.Observation
	Past   []Past            // in any order
	Scores []recovery.Scored // of earlier predictions
	Seed   uint64            // of the draws
	// TransactionTimeoutSeconds of the sink, which no advice may exceed; nil:
	// unknown, or no transactions.
	TransactionTimeoutSeconds *float64
}

// Model predicts the recovery of one job. It is immutable.
type Model struct {
	Evidence
	topology job.Topology
	knobs    knobs
	busy     correction // from busy time to utilization in catch-up
	scale    float64    // conformal factor on the spread of log R
	subtasks []subtask
	lacks    []job.Lack
}

// A subtask that takes part in recovery, with its utilization as busy time
// shows it.
type subtask struct {
	ref  job.SubtaskRef
	busy recovery.Uncertain
}

// knobs are what a what-if may turn: the settings that recovery depends on.
type knobs struct {
	interval  float64 // s, 0 when checkpointing is off or unknown
	minPause  float64 // s
	duration  recovery.Uncertain
	capacity  float64 // factor on the present capacity
	heartbeat float64 // interval, s
	timeout   float64 // heartbeat timeout, s
	threshold float64 // failed heartbeat calls until a process counts as gone
	backOff   recovery.Uncertain
	spare     bool // free slots for what one TaskManager holds
}

// New builds the model of the job that was observed.
func New(e Evidence) *Model {
	m := &Model{Evidence: e, topology: e.Now.Topology(), scale: recovery.HonestScale(e.Scores)}
	m.lacks = append(m.lacks, e.Now.Lacks...)
	m.knobs = knobs{
		minPause: value(e.Now.Checkpointing.MinPauseSeconds, 0),
		interval: m.interval(),
		duration: m.duration(),
		capacity: 1,
		spare:    spare(e.Now),
	}
	inForce := setting.Of(e.Now)
	m.knobs.heartbeat, m.knobs.timeout, m.knobs.threshold = heartbeats(inForce)
	m.knobs.backOff = backOff(inForce)
	m.subtasks = contenders(m.busySubtasks())
	m.busy = m.learnBusy()
	return m
}

// Missing lists what could not be seen and would make predictions better.
func (m *Model) Missing() []job.Lack { return m.lacks }

// Topology says how the death of a process would be noticed.
func (m *Model) Topology() job.Topology { return m.topology }

func (m *Model) lack(quantity, why, how string) {
	m.lacks = append(m.lacks, job.Lack{Quantity: quantity, Why: why, How: how})
}

func value(p *float64, otherwise float64) float64 {
	if p == nil {
		return otherwise
	}
	return *p
}

// spare says whether the cluster has free slots for what the fullest
// TaskManager holds.
func spare(o job.Observation) bool {
	most, free := 0, 0
	for _, tm := range o.TaskManagers {
		most = max(most, tm.Slots-tm.FreeSlots)
		free += tm.FreeSlots
	}
	return most > 0 && free >= most
}

// contenders leaves out the subtasks that cannot be done last: those whose
// utilization lies clearly below that of the busiest, and of many alike some.
func contenders(all []subtask) []subtask {
	floor := 0.0
	for _, s := range all {
		floor = math.Max(floor, s.busy.Median-2*s.busy.Spread)
	}
	out := slices.DeleteFunc(slices.Clone(all), func(s subtask) bool { return s.busy.Median+2*s.busy.Spread < floor })
	slices.SortStableFunc(out, func(a, b subtask) int { return cmp.Compare(b.busy.Median, a.busy.Median) })
	return out[:min(len(out), mostContenders)]
}

// mostContenders bounds the work on jobs with hundreds of subtasks: beyond that
// many the maximum over alike ones hardly grows.
const mostContenders = 32

// leastBusy is a floor: a utilization can neither be 0 (never busy is not seen in a
// window) nor, as a median, be 1 or more without the job falling behind.
const leastBusy = 1e-3

func clampBusy(v float64) float64 { return math.Max(leastBusy, v) }
