package hazard

import (
	"fmt"
	"time"

	"rebound/internal/job"
)

const (
	// staleIntervals: the newest checkpoint is older than so many times what is
	// usual, I_e + D. Two can be one that is late.
	staleIntervals = 3.0
	// leastStale keeps short intervals from raising an alarm over a pause.
	leastStale = 30.0 // s
)

// noRecentCheckpoint: the point to restore from gets older and older.
func noRecentCheckpoint(s sight) []job.Hazard {
	effective, duration, ok := s.effective()
	since, what := s.taken.newest, "The newest completed checkpoint was begun"
	if since.IsZero() {
		since, what = s.StartedAt, "No checkpoint has completed since the job's present run began,"
	}
	if !ok || s.State != "RUNNING" || since.IsZero() || s.ServerTime.IsZero() {
		return nil
	}
	// A restart in between makes the next checkpoint due later.
	quiet := s.ServerTime.Sub(later(since, s.StartedAt)).Seconds()
	if quiet < max(leastStale, staleIntervals*(effective+duration)) {
		return nil
	}
	failed := ""
	if n := s.taken.failedRow; n > 0 {
		failed = fmt.Sprintf(" (%d failed since)", n)
	}
	return one("no-recent-checkpoint", job.Medium,
		fmt.Sprintf("%s %s ago%s, usual are at most %s: a failure now replays all of that.",
			what, say(s.ServerTime.Sub(since).Seconds()), failed, say(effective+duration)),
		"See why they fail (Flink's page Checkpoints, History): backpressure, a full or slow storage, a timeout that is too short (execution.checkpointing.timeout).")
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
