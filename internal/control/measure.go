package control

import (
	"time"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// believed are the parts of the downtime that nothing shows, from what was
// believed before (s): until the JobManager knows of the failure, and its back-off.
type believed struct{ detect, backOff float64 }

// measurement is what the interruption took. Times in it are on our clock.
func (i *interruption) measurement(b believed) job.Measurement {
	failed := i.failedAt(b.detect)
	m := job.Measurement{
		Failure: i.failure, At: failed.Add(i.offset), Outcome: job.BeyondHorizon,
		Topology: i.spread, Process: i.failure.TakenOverBy(),
		Phases: []job.PhaseTime{}, Configured: []job.PhaseTime{}, Subtasks: []job.SubtaskMeasurement{},
		Settings: i.settings, RatePerSecond: i.rate, Disturbed: i.disturbed, Utilization: i.before.busy,
	}
	if c := i.change; c != nil && i.failure == "" {
		m.Change, m.Process = c.change.Way, job.Cold
		if c.change.Way == job.InPlace {
			m.Process = job.Warm
		}
	}
	since := func(t time.Time) float64 { return max(0, t.Sub(failed).Seconds()) }
	if !i.triggered.IsZero() {
		m.AgeSeconds = new(max(0, failed.Sub(i.triggered).Seconds()))
	}
	if i.runningAt.IsZero() {
		m.AtLeastSeconds = new(since(i.censoredAt))
		return m
	}
	m.DowntimeSeconds = new(since(i.runningAt))
	m.Phases = i.downtime(failed, b)
	switch {
	case i.caughtUpAt.IsZero():
		m.AtLeastSeconds = new(since(i.censoredAt))
		return m
	case i.blurred > vagueness: // nobody looked when it had caught up
		m.AtLeastSeconds = new(max(*m.DowntimeSeconds, since(i.behindAt)))
		return m
	}
	m.Outcome = job.Recovers
	m.RecoverySeconds = new(max(*m.DowntimeSeconds, since(i.caughtUpAt)))
	m.Phases = append(m.Phases, i.catchUp(m)...)
	i.learnCapacity(&m)
	return m
}

// asFailure is the measurement of the failure that struck while a change was made:
// from then on, without phases, which are of both.
func (i *interruption) asFailure(m job.Measurement) job.Measurement {
	at := i.besideKnown.Add(i.offset)
	later := at.Sub(m.At).Seconds()
	m.Failure, m.Change, m.Process, m.At, m.AgeSeconds = i.beside, "", i.beside.TakenOverBy(), at, nil
	m.Phases, m.Warmup, m.CatchUpUtilization = []job.PhaseTime{}, nil, nil
	for _, v := range []**float64{&m.DowntimeSeconds, &m.RecoverySeconds, &m.AtLeastSeconds} {
		if *v != nil {
			*v = new(max(0, **v-later))
		}
	}
	return m
}

// downtime splits the time until the job ran again as far as marks tell.
func (i *interruption) downtime(failed time.Time, b believed) []job.PhaseTime {
	total := i.runningAt.Sub(failed).Seconds()
	resolution := max(resolutionFloor, i.seenAt.Sub(i.before.server).Seconds()/2)
	if i.knownAt.IsZero() {
		return []job.PhaseTime{{Phase: job.Restore, Seconds: max(0, total), Spread: resolution, Source: job.Measured, Samples: 1, Note: "all of the downtime: nothing tells more"}}
	}
	detect := i.knownAt.Sub(failed).Seconds()
	out := []job.PhaseTime{{Phase: job.Detect, Seconds: max(0, detect), Source: job.Assumed, Note: "when it failed is not seen: as believed before"}}
	rest := max(0, i.runningAt.Sub(i.knownAt).Seconds())
	back := min(b.backOff, rest)
	measured := func(p job.Phase, s float64, note string) job.PhaseTime {
		return job.PhaseTime{Phase: p, Seconds: s, Spread: resolutionFloor, Source: job.Measured, Samples: 1, Note: note}
	}
	out = append(out, job.PhaseTime{Phase: job.BackOff, Seconds: back, Source: job.Configured, Note: "as configured"})
	chosen := i.restoredAt.Sub(i.knownAt).Seconds()
	if i.restoredAt.IsZero() || chosen <= back {
		return append(out, measured(job.Restore, rest-back, "includes resources"))
	}
	return append(out, measured(job.Resources, chosen-back, ""), measured(job.Restore, rest-chosen, ""))
}

// resolutionFloor is how well marks of the JobManager are known (s).
const resolutionFloor = 0.5

// catchUp splits the time from RUNNING to where the job would have been.
func (i *interruption) catchUp(m job.Measurement) []job.PhaseTime {
	total := *m.RecoverySeconds - *m.DowntimeSeconds
	replay, note := 0.0, ""
	switch {
	case m.AgeSeconds == nil || m.RatePerSecond == nil:
		note = "includes replay"
	default:
		at := i.replayed(*m.AgeSeconds * *m.RatePerSecond)
		if at.IsZero() {
			note = "includes replay"
			break
		}
		replay = min(total, max(0, at.Sub(i.runningAt).Seconds()))
	}
	spread := i.resolution()
	out := []job.PhaseTime{}
	if note == "" {
		out = append(out, job.PhaseTime{Phase: job.Replay, Seconds: replay, Spread: spread, Source: job.Measured, Samples: 1})
	}
	return append(out, job.PhaseTime{Phase: job.CatchUp, Seconds: total - replay, Spread: spread, Source: job.Measured, Samples: 1, Note: note})
}

// resolution of the end of the catch-up (s): half of what lies between two looks,
// most of which the steady pace of the backlog explains.
func (i *interruption) resolution() float64 {
	n := len(i.samples)
	if n < 2 {
		return resolutionFloor
	}
	return max(resolutionFloor, i.samples[n-1].at.Sub(i.samples[0].at).Seconds()/float64(n-1)/4)
}

// learnCapacity derives from the catch-up how the capacity grew and what it came
// to, while a backlog kept the job busy.
func (i *interruption) learnCapacity(m *job.Measurement) {
	var at, done []float64
	sum := 0.0
	for _, s := range i.samples {
		if s.rate == nil || !s.at.Before(i.caughtUpAt) {
			break
		}
		sum += *s.rate * s.span
		at, done = append(at, s.at.Sub(i.runningAt).Seconds()), append(done, sum)
	}
	w, capacity, ok := recovery.FitWarmup(at, done)
	if !ok || m.RatePerSecond == nil || !(capacity > 0) {
		return
	}
	m.Warmup = &job.Warmup{StartRatio: w.Start, TimeConstantSeconds: w.Tau}
	m.CatchUpUtilization = new(*m.RatePerSecond / capacity)
}
