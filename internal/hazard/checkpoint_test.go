package hazard

import (
	"testing"
	"time"

	"rebound/internal/job"
)

// slow is the job of the case "Interval below duration": interval 10 s, timeout
// 60 s, and these durations, of which those above 60 s expired.
func slow(o *job.Observation) {
	c := &o.Checkpointing
	c.IntervalSeconds, c.TimeoutSeconds, c.History = new(10.0), new(60.0), nil
	at := noon
	for _, d := range []float64{38, 41, 44, 47, 52, 58, 61, 63, 40, 45, 49, 55, 59, 62, 64, 43, 46, 51, 57, 60.5} {
		h := job.Checkpoint{Status: "COMPLETED", TriggeredAt: at, DurationSeconds: &d}
		if d > 60 {
			h.Status, h.Failure = "FAILED", "Checkpoint expired before completing."
		}
		c.History, at = append(c.History, h), at.Add(-time.Minute)
	}
}

func durations(seconds ...float64) func(*job.Observation) {
	return func(o *job.Observation) {
		o.Checkpointing.History = nil
		for i, s := range seconds {
			took(o, time.Duration(i)*time.Second, s)
		}
	}
}

func both(changes ...func(*job.Observation)) func(*job.Observation) {
	return func(o *job.Observation) {
		for _, c := range changes {
			c(o)
		}
	}
}

// Of all 20 the median is (51 + 52)/2 = 51.5 s, of the 15 that completed the
// eighth, 47 s; 51.5/0.1 = 515 s.
func TestIntervalBelowDuration(t *testing.T) {
	check(t, "interval-below-duration", map[string]row{
		"the case": {change: slow, severity: job.Medium, says: []string{"51.5 s", "47 s of completed", "100 %", "real period is 51.5 s", "515 s", "min-pause"}},
		// 40/(40 + 10): the pause leaves a fifth of the time.
		"with a pause": {
			change:   both(durations(40, 40, 40), func(o *job.Observation) { o.Checkpointing.MinPauseSeconds = new(10.0) }),
			severity: job.Medium, says: []string{"80 %", "50 s"},
		},
		"one slow among many": {change: durations(1, 1, 1, 1, 30)},
		"too few to judge":    {change: durations(40, 40)},
		"savepoints do not count": {change: both(durations(40, 40, 40), func(o *job.Observation) {
			for i := range o.Checkpointing.History {
				o.Checkpointing.History[i].Savepoint = true
			}
		})},
	})
}

// Five of twenty; the 99 % quantile of twenty is the longest, 64 s; three times
// that is 192 s.
func TestCheckpointTimeoutsNear(t *testing.T) {
	expiring := func(n int, failure string, seconds float64) func(*job.Observation) {
		return func(o *job.Observation) {
			for i := range n {
				o.Checkpointing.History[i].Status, o.Checkpointing.History[i].Failure = "FAILED", failure
				o.Checkpointing.History[i].DurationSeconds = &seconds
			}
		}
	}
	check(t, "checkpoint-timeouts-near", map[string]row{
		"the case":              {change: slow, severity: job.Medium, says: []string{"5 of 20", "60 s", "64 s", "192 s", "tolerable-failed-checkpoints: 3"}},
		"near, none expired":    {change: durations(301, 20, 20), severity: job.Medium, says: []string{"up to 301 s", "903 s"}},
		"far":                   {change: durations(299, 20, 20)},
		"expired by its length": {change: expiring(1, "", 600), severity: job.Medium, says: []string{"1 of 10"}},
		"some may fail": {change: both(slow, func(o *job.Observation) {
			o.Checkpointing.TolerableFailures = new(3)
		})},
		"unknown whether some may": {change: both(slow, func(o *job.Observation) {
			o.Checkpointing.TolerableFailures = nil
		})},
		"only due too early": {change: expiring(3, "Checkpoint triggering task Source: src (1/1) of job f9b3 is not being executed at the moment. Aborting checkpoint.", 0.01)},
	})
}

func TestCheckpointingOff(t *testing.T) {
	check(t, "checkpointing-off", map[string]row{
		"on": {},
		"off": {
			change:   func(o *job.Observation) { o.Checkpointing = job.Checkpointing{} },
			severity: job.High, says: []string{"execution.checkpointing.interval"},
		},
	})
}

func TestSavepointOnly(t *testing.T) {
	saved := func(n int) func(*job.Observation) {
		return func(o *job.Observation) {
			for i := range n {
				o.Checkpointing.History[i].Savepoint = true
			}
		}
	}
	check(t, "savepoint-only", map[string]row{
		"one beside checkpoints": {change: saved(1)},
		"all":                    {change: saved(10), severity: job.Medium, says: []string{"All 10", "5 s ago"}},
	})
}

func TestAtLeastOnce(t *testing.T) {
	check(t, "at-least-once", map[string]row{
		"exactly once": {facts: Facts{ExactlyOnceSink: new(true)}},
		"mode": {
			change:   func(o *job.Observation) { o.Checkpointing.Mode = "at_least_once" },
			severity: job.Medium, says: []string{"execution.checkpointing.mode: EXACTLY_ONCE"},
		},
		"sink": {facts: Facts{ExactlyOnceSink: new(false)}, severity: job.Low},
	})
}

// Interval 10 s and duration 0.1 s: three periods are 30.3 s.
func TestNoRecentCheckpoint(t *testing.T) {
	ago := func(d time.Duration) func(*job.Observation) {
		return func(o *job.Observation) {
			o.Checkpointing.History = nil
			took(o, d, 0.1)
		}
	}
	failing := func(o *job.Observation) {
		for i := range 9 {
			o.Checkpointing.History[i].Status, o.Checkpointing.History[i].Failure = "FAILED", "Checkpoint was declined."
		}
	}
	// The newest first; those that failed before the newest that completed are over.
	history := func(all ...job.Checkpoint) func(*job.Observation) {
		return func(o *job.Observation) { o.Checkpointing.History = all }
	}
	done := job.Checkpoint{Status: "COMPLETED", TriggeredAt: noon.Add(-40 * time.Second), DurationSeconds: new(0.1)}
	declined := job.Checkpoint{Status: "FAILED", Failure: "Checkpoint was declined."}
	early := job.Checkpoint{Status: "FAILED", Failure: "Checkpoint triggering task work (1/2) is not being executed at the moment. Aborting."}
	check(t, "no-recent-checkpoint", map[string]row{
		"two failed since, one before": {change: history(declined, declined, done, declined), severity: job.Medium, says: []string{"(2 failed since)"}},
		"one was due too early":        {change: history(early, done), severity: job.Medium, says: []string{"40 s ago, usual"}},
		"recent":                       {change: ago(30 * time.Second)},
		"old":                          {change: ago(31 * time.Second), severity: job.Medium, says: []string{"31 s ago", "10.1 s"}},
		"nine failed since":            {change: failing, severity: job.Medium, says: []string{"95 s ago (9 failed since)"}},
		"restarted since":              {change: both(ago(time.Hour), func(o *job.Observation) { o.StartedAt = noon.Add(-20 * time.Second) })},
		"not running":                  {change: both(ago(time.Hour), func(o *job.Observation) { o.State = "RESTARTING" })},
		"never, for an hour":           {change: func(o *job.Observation) { o.Checkpointing.History = nil }, severity: job.Medium, says: []string{"No checkpoint", "3600 s ago"}},
		"never, but it just started":   {change: func(o *job.Observation) { o.Checkpointing.History, o.StartedAt = nil, noon.Add(-time.Second) }},
		"paced from outside": {change: both(ago(time.Hour), func(o *job.Observation) {
			o.Checkpointing.IntervalSeconds = new(3600.0)
		})},
	})
}

func TestExternalizedRetention(t *testing.T) {
	not := func(o *job.Observation) { o.Checkpointing.Externalized = new(false) }
	check(t, "externalized-retention", map[string]row{
		"kept":    {},
		"unknown": {change: func(o *job.Observation) { o.Checkpointing.Externalized = nil }},
		"none":    {change: not, severity: job.Low, says: []string{"failed for good", "RETAIN_ON_CANCELLATION"}},
		"on cancellation": {change: both(not, func(o *job.Observation) {
			o.Config["execution.checkpointing.externalized-checkpoint-retention"] = "DELETE_ON_CANCELLATION"
		}), severity: job.Low, says: []string{"cancelled by mistake"}},
	})
}

func TestUnalignedExclusions(t *testing.T) {
	unaligned := func(o *job.Observation) { o.Checkpointing.Unaligned = new(true) }
	local := func(o *job.Observation) { o.Config["execution.state-recovery.from-local"] = "true" }
	check(t, "unaligned-exclusions", map[string]row{
		"alone":   {change: unaligned},
		"aligned": {change: local},
		"with three": {change: both(unaligned, local, func(o *job.Observation) {
			o.Checkpointing.MaxConcurrent, o.Checkpointing.Mode = new(2), "at_least_once"
		}), severity: job.Medium, says: []string{"2 concurrent", "at-least-once mode", "local recovery"}},
		"old names": {change: both(unaligned, local, func(o *job.Observation) { o.FlinkVersion = "1.16.3" }), severity: job.Medium, says: []string{
			"state.backend.local-recovery: false", "execution.checkpointing.unaligned: false",
		}},
	})
	during := func(o *job.Observation) { o.Config["execution.checkpointing.during-recovery.enabled"] = "true" }
	check(t, "recovery-checkpoints-aligned", map[string]row{
		"aligned":   {change: during, severity: job.High},
		"unaligned": {change: both(during, unaligned)},
		"off":       {},
	})
	check(t, "local-recovery-node-loss", map[string]row{
		"on":  {change: local, severity: job.Low, says: []string{"execution.state-recovery.from-local"}},
		"off": {},
	})
}
