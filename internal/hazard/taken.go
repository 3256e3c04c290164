package hazard

import (
	"slices"
	"strings"
	"time"

	"rebound/internal/job"
)

// taken is what the history tells of checkpoints, savepoints left out. A
// checkpoint that expired counts with the time it had run, a lower bound: leaving
// such out would show only the fast ones. One that failed for another reason
// (a task that was not running yet, above all) says nothing of duration.
type taken struct {
	completed []float64 // durations in seconds, sorted
	all       []float64 // with those that expired
	expired   int
	failedRow int // failures since the newest completed one, reported or expired
	newest    time.Time
	oldest    time.Time // trigger of the oldest entry
	done      int       // completed, savepoints among them
	saved     int       // completed savepoints
}

func take(c job.Checkpointing) taken {
	var t taken
	for _, h := range c.History {
		t.oldest = h.TriggeredAt
		switch {
		case h.Status == "COMPLETED":
			t.done++
			if t.newest.IsZero() {
				t.newest = h.TriggeredAt
			}
			if h.Savepoint {
				t.saved++
			} else if h.DurationSeconds != nil {
				t.completed = append(t.completed, *h.DurationSeconds)
			}
		case h.Status == "FAILED" && !h.Savepoint && expired(h, c.TimeoutSeconds):
			t.expired++
			if h.DurationSeconds != nil {
				t.all = append(t.all, *h.DurationSeconds)
			}
			fallthrough
		case h.Status == "FAILED" && !h.Savepoint && !notRunning(h):
			if t.done == 0 {
				t.failedRow++
			}
		}
	}
	t.all = append(t.all, t.completed...)
	slices.Sort(t.completed)
	slices.Sort(t.all)
	return t
}

func (t taken) longest() float64 {
	if len(t.all) == 0 {
		return 0
	}
	return t.all[len(t.all)-1]
}

// expired recognizes a time-out by its words or by its length: Flink reports
// such as just over the timeout.
func expired(c job.Checkpoint, timeout *float64) bool {
	return strings.Contains(strings.ToLower(c.Failure), "expired") ||
		timeout != nil && c.DurationSeconds != nil && *c.DurationSeconds >= *timeout
}

// notRunning recognizes a checkpoint that was due before all tasks ran, as after
// every start and restart: no failure of the job.
func notRunning(c job.Checkpoint) bool {
	return strings.Contains(c.Failure, "not being executed") || strings.Contains(strings.ToLower(c.Failure), "not all required tasks are currently running")
}
