package model

import (
	"math"
	"slices"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// interval is the configured checkpoint interval, 0 where checkpointing is off.
func (m *Model) interval() float64 {
	c := m.Now.Checkpointing
	switch {
	case !c.Enabled:
		m.lack("age of the restored offsets", "checkpointing is off: after a failure the job starts from its committed or earliest offsets",
			"set execution.checkpointing.interval")
		return 0
	case c.IntervalSeconds == nil:
		m.lack("checkpoint interval", "the cluster does not tell it", "look at /jobs/:jobid/checkpoints/config")
		return 0
	}
	return *c.IntervalSeconds
}

// assumedDuration stands where no checkpoint has completed: a tenth of the
// interval, the largest share of time that a checkpoint should take.
const assumedDuration = 0.1

// duration is the time from trigger to completion of the job's checkpoints, from
// those in its history.
func (m *Model) duration() recovery.Uncertain {
	d := completed(m.Now.Checkpointing.History)
	if len(d) == 0 {
		if m.Now.Checkpointing.Enabled {
			m.lack("checkpoint duration", "no checkpoint has completed yet", "wait for one, or look why they fail")
		}
		v := assumedDuration * value(m.Now.Checkpointing.IntervalSeconds, 0)
		return recovery.Uncertain{Median: v, Spread: v}
	}
	slices.Sort(d)
	median := d[len(d)/2]
	return recovery.Uncertain{Median: median, Spread: (d[len(d)-1] - d[0]) / 2}
}

// completed lists the durations of the completed checkpoints; savepoints take
// their own time and are left out.
func completed(history []job.Checkpoint) []float64 {
	var d []float64
	for _, c := range history {
		if c.Status == "COMPLETED" && !c.Savepoint && c.DurationSeconds != nil {
			d = append(d, *c.DurationSeconds)
		}
	}
	return d
}

// failedInARow counts the checkpoints that failed since the last that completed.
func failedInARow(history []job.Checkpoint) int {
	n := 0
	for _, c := range history {
		switch c.Status {
		case "COMPLETED":
			return n
		case "FAILED":
			n++
		}
	}
	return n
}

// ages is how old the restored offsets may be: uniform between D and I_e + D.
func (k knobs) ages(failed int) (low, high float64) {
	d := k.duration.Median
	_, worst := recovery.AgeRange(k.effective(), d, failed)
	return math.Min(d, worst), worst
}

// effective is I_e.
func (k knobs) effective() float64 {
	return recovery.EffectiveInterval(k.interval, k.minPause, k.duration.Median)
}
