package drill

import (
	"fmt"
	"strings"
	"time"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// Limits are what a drill must stay within.
type Limits struct {
	TransactionTimeoutSeconds *float64 // of the sink; nil: unknown
	OpenDrill                 string   // ID of one that has not ended
	HighAvailability          bool     // a JobManager that dies is replaced
}

// Refusal says why a drill was not begun.
type Refusal struct{ Reasons []string }

func (r *Refusal) Error() string { return "refused: " + strings.Join(r.Reasons, "; ") }

// staleCheckpoint is how many effective intervals the last completed checkpoint
// may be old: more says that checkpoints fail, and a failure would cost what no
// prediction of a healthy job covers.
const staleCheckpoint = 3

// Refuse lists the reasons not to inject a failure now. What was predicted for
// it is given, with whether it could be.
func Refuse(o job.Observation, seen job.Output, predicted job.Recovery, known bool, l Limits) *Refusal {
	r := &Refusal{}
	no := func(format string, args ...any) { r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...)) }
	if o.State != "RUNNING" {
		no("the job is %s, wait until it is RUNNING", o.State)
	}
	if s, ok := o.Settled(); !ok {
		no("subtask %d of %s is not RUNNING, wait until every subtask is", s.Subtask, s.Vertex)
	}
	if !seen.Calm {
		no("the job is catching up, or its output has not been steady for long enough: wait until it has")
	}
	refuseCheckpoints(o, no)
	if l.OpenDrill != "" {
		no("drill %s has not ended: wait for it, or run rebound drill --abandon", l.OpenDrill)
	}
	if predicted.Failure == job.JobManagerFailure && !l.HighAvailability {
		no("without high availability the loss of the JobManager ends the job: start the cluster with --ha")
	}
	if known {
		refuseEndless(o, predicted, l, no)
	} else {
		no("too little is known of the job to predict anything: run rebound check and see what is missing")
	}
	return r
}

func refuseCheckpoints(o job.Observation, no func(string, ...any)) {
	c := o.Checkpointing
	if !c.Enabled || c.IntervalSeconds == nil {
		no("checkpointing is off: the job would start from the beginning")
		return
	}
	last, ok := c.LastCompleted()
	if !ok {
		no("no checkpoint has completed yet: wait for the first")
		return
	}
	age := o.ServerTime.Sub(last.TriggeredAt).Seconds()
	if longest := staleCheckpoint * max(*c.IntervalSeconds, 5); age > longest {
		no("the last completed checkpoint is %.0f s old, more than %d intervals: find out why checkpoints fail", age, staleCheckpoint)
	}
}

func refuseEndless(o job.Observation, predicted job.Recovery, l Limits, no func(string, ...any)) {
	if predicted.Outcome != job.Recovers || predicted.P95Outcome == job.Never {
		no("the job might not recover: it has no capacity to catch up")
		return
	}
	if l.TransactionTimeoutSeconds == nil || o.Checkpointing.IntervalSeconds == nil {
		return
	}
	downtime := 0.0
	for _, p := range predicted.Phases {
		if p.Phase.Downtime() {
			downtime += p.Seconds + p.Spread
		}
	}
	d := longestDuration(o.Checkpointing.History)
	if open := recovery.TransactionBound(effective(o.Checkpointing), d, downtime, 0); open > *l.TransactionTimeoutSeconds {
		no("a transaction might stay open for %.0f s, longer than its timeout of %.0f s: records could be lost", open, *l.TransactionTimeoutSeconds)
	}
}

// longestDuration of the completed checkpoints: what a bound must allow for (s).
func longestDuration(history []job.Checkpoint) float64 {
	longest := 0.0
	for _, c := range history {
		if c.Status == "COMPLETED" && c.DurationSeconds != nil {
			longest = max(longest, *c.DurationSeconds)
		}
	}
	return longest
}

// effective is I_e, by the longest checkpoint (s).
func effective(c job.Checkpointing) float64 {
	return recovery.EffectiveInterval(value(c.IntervalSeconds), value(c.MinPauseSeconds), longestDuration(c.History))
}

// nextTrigger is when the next periodic checkpoint is due that there is still
// time to fail before.
func nextTrigger(last time.Time, period float64) time.Time {
	step := time.Duration(period * float64(time.Second))
	next := last.Add(step)
	for !time.Now().Before(next.Add(-early)) {
		next = next.Add(step)
	}
	return next
}
