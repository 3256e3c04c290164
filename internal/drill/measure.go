package drill

import (
	"math"
	"time"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// follower collects what is seen of a recovery and tells each thing once.
type follower struct {
	failedAt time.Time
	tell     func(Event)
	last     job.Restart
	seen     job.Output
	told     map[string]bool
	caughtUp time.Time // when that was first seen
}

func (f *follower) once(e Event, key string) {
	if f.told == nil {
		f.told = map[string]bool{}
	}
	if !f.told[key] {
		f.told[key] = true
		f.tell(e)
	}
}

func (f *follower) restart(r job.Restart) {
	f.last = r
	since := func(t *time.Time) float64 { return t.Sub(f.failedAt).Seconds() }
	if r.SeenAt != nil {
		f.once(Event{Seconds: since(r.SeenAt), Kind: PhaseEnded, Phase: job.Detect, Text: "the JobManager knows"}, "seen")
	}
	if r.ScheduledAt != nil {
		f.once(Event{Seconds: since(r.ScheduledAt), Kind: PhaseEnded, Phase: job.BackOff, Text: "the restart begins"}, "scheduled")
	}
	if at, ok := firstDeploying(r); ok && r.Complete {
		f.once(Event{Seconds: since(&at), Kind: PhaseEnded, Phase: job.Resources, Text: "all slots are there"}, "slots")
	}
	if at, ok := lastRunning(r); ok && r.Complete {
		f.once(Event{Seconds: since(&at), Kind: PhaseEnded, Phase: job.Restore, Text: "every subtask is RUNNING"}, "running")
	}
}

func (f *follower) output(o job.Output) {
	f.seen = o
	now := time.Since(f.failedAt).Seconds()
	if o.LatenessSeconds != nil && !o.CaughtUp {
		f.tell(Event{Seconds: now, Kind: Lateness, LatenessSeconds: o.LatenessSeconds})
	}
	if v, ok := latest(o.Subtasks, func(s job.SubtaskMeasurement) *float64 { return s.PassedSeconds }); ok {
		f.once(Event{Seconds: v, Kind: PhaseEnded, Phase: job.Replay, Text: "the offsets of the failure are passed"}, "passed")
	}
	if v, ok := latest(o.Subtasks, func(s job.SubtaskMeasurement) *float64 { return s.CaughtUp }); ok && o.CaughtUp {
		f.once(Event{Seconds: v, Kind: PhaseEnded, Phase: job.CatchUp, Text: "the job has caught up"}, "caught up")
	}
	if o.FirstCommitSeconds != nil {
		f.once(Event{Seconds: *o.FirstCommitSeconds, Kind: Committed, Text: "first commit that a read-committed reader sees"}, "committed")
	}
	if o.VisibleSeconds != nil && o.Visible {
		f.once(Event{Seconds: *o.VisibleSeconds, Kind: Visible, Text: "read-committed lateness is back in its band"}, "visible")
	}
}

// done: the job has caught up, and a read-committed reader has seen it, or has
// been waited for with patience.
func (f *follower) done(patience time.Duration) bool {
	if !f.last.Complete || !f.seen.CaughtUp {
		return false
	}
	if f.caughtUp.IsZero() {
		f.caughtUp = time.Now()
	}
	return f.seen.Visible || time.Since(f.caughtUp) > patience
}

// assemble makes one measurement of what the JobManager and the output told.
// The downtime ends where the last subtask has put out its first record, or,
// without an output to follow, where it is RUNNING.
func assemble(p Prediction, failedAt time.Time, r job.Restart, o job.Output, waited float64) job.Measurement {
	m := job.Measurement{
		Failure: p.Failure, At: failedAt, Outcome: job.BeyondHorizon, AtLeastSeconds: &waited,
		Topology: p.Observed.Topology(), Process: p.Failure.TakenOverBy(),
		Phases: []job.PhaseTime{}, Configured: p.Configured,
		Settings: p.Observed.Settings, Subtasks: o.Subtasks,
		FirstCommitSeconds: o.FirstCommitSeconds,
	}
	if m.Subtasks == nil {
		m.Subtasks = []job.SubtaskMeasurement{}
	}
	if r.Restored != nil {
		m.AgeSeconds = new(failedAt.Sub(r.Restored.TriggeredAt).Seconds())
	}
	m.RatePerSecond = p.Observed.InputRate()
	down, downKnown := latest(o.Subtasks, func(s job.SubtaskMeasurement) *float64 { return s.OutputSeconds })
	if at, ok := lastRunning(r); ok && r.Complete {
		down, downKnown = math.Max(down, at.Sub(failedAt).Seconds()), true
	}
	if downKnown {
		m.DowntimeSeconds = &down
		m.Phases = downtimePhases(p, failedAt, r, down)
	}
	total, ok := latest(o.Subtasks, func(s job.SubtaskMeasurement) *float64 { return s.CaughtUp })
	if !ok || !o.CaughtUp || !downKnown {
		return m
	}
	m.Outcome, m.RecoverySeconds, m.AtLeastSeconds = job.Recovers, &total, nil
	if o.Visible {
		m.VisibleSeconds = o.VisibleSeconds
	}
	passed, ok := latest(o.Subtasks, func(s job.SubtaskMeasurement) *float64 { return s.PassedSeconds })
	if !ok {
		passed = down
	}
	passed = math.Min(math.Max(passed, down), total)
	m.Phases = append(m.Phases, phase(job.Replay, passed-down), phase(job.CatchUp, total-passed))
	learnCapacity(&m, p)
	return m
}

// learnCapacity derives what the catch-up says of the subtask that was done last:
// its warm-up as its output showed it, and the utilization at which the formula
// gives just the recovery that was measured.
func learnCapacity(m *job.Measurement, p Prediction) {
	var last *job.SubtaskMeasurement
	for i, s := range m.Subtasks {
		if s.CaughtUp != nil && (last == nil || *s.CaughtUp > *last.CaughtUp) {
			last = &m.Subtasks[i]
		}
	}
	if last == nil || m.AgeSeconds == nil {
		return
	}
	m.Warmup, m.Utilization = last.Warmup, p.Busy
	w := recovery.Warmup{}
	if m.Warmup != nil {
		w = recovery.Warmup{Start: m.Warmup.StartRatio, Tau: m.Warmup.TimeConstantSeconds}
	}
	if rho, ok := impliedUtilization(*m.RecoverySeconds, *m.DowntimeSeconds, math.Max(0, *m.AgeSeconds), w); ok {
		m.CatchUpUtilization = &rho
	}
}

// impliedUtilization is the ρ at which the recovery takes just r seconds.
func impliedUtilization(r, downtime, age float64, w recovery.Warmup) (float64, bool) {
	if !(r > downtime) {
		return 0, false
	}
	low, high := 0.0, 1.0
	for range 60 {
		mid := (low + high) / 2
		t := recovery.Case{Rate: mid, Capacity: 1, Age: age, Downtime: downtime, Warmup: w}.Time()
		if t.Within(r) {
			low = mid
		} else {
			high = mid
		}
	}
	return low, low > 0
}

// downtimePhases splits the downtime. The back-off is what the configuration
// says of it, at most; what passes beyond it until the first subtask deploys is
// waiting for slots, restarts into a dead one included.
func downtimePhases(p Prediction, failedAt time.Time, r job.Restart, down float64) []job.PhaseTime {
	at := func(t *time.Time, otherwise float64) float64 {
		if t == nil {
			return otherwise
		}
		return math.Min(down, math.Max(0, t.Sub(failedAt).Seconds()))
	}
	seen := at(r.SeenAt, 0)
	deploying := seen
	if t, ok := firstDeploying(r); ok {
		deploying = math.Max(seen, at(&t, seen))
	}
	backOff, _ := job.PhaseSeconds(p.Configured, job.BackOff)
	scheduled := math.Min(deploying, seen+backOff)
	return []job.PhaseTime{
		phase(job.Detect, seen), phase(job.BackOff, scheduled-seen),
		phase(job.Resources, deploying-scheduled), phase(job.Restore, down-deploying),
	}
}

// resolution of what is measured (s): markers and polls are 0.1 s apart.
const resolution = 0.1

func phase(p job.Phase, seconds float64) job.PhaseTime {
	return job.PhaseTime{Phase: p, Seconds: seconds, Spread: resolution, Source: job.Measured, Samples: 1}
}

func firstDeploying(r job.Restart) (time.Time, bool) {
	var first time.Time
	for _, s := range r.Subtasks {
		if s.DeployingAt != nil && (first.IsZero() || s.DeployingAt.Before(first)) {
			first = *s.DeployingAt
		}
	}
	return first, !first.IsZero()
}

func lastRunning(r job.Restart) (time.Time, bool) {
	var last time.Time
	for _, s := range r.Subtasks {
		if s.RunningAt != nil && s.RunningAt.After(last) {
			last = *s.RunningAt
		}
	}
	return last, !last.IsZero()
}

// latest is the greatest of a time over the subtasks, known only when all are.
func latest(subtasks []job.SubtaskMeasurement, of func(job.SubtaskMeasurement) *float64) (float64, bool) {
	most := 0.0
	for _, s := range subtasks {
		v := of(s)
		if v == nil {
			return 0, false
		}
		most = math.Max(most, *v)
	}
	return most, len(subtasks) > 0
}
