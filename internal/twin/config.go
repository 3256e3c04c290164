package twin

import (
	"strconv"

	"rebound/internal/job"
)

// config are the options in force, by Flink's keys. The map is shared: readers do
// not write to it.
func (t *Twin) config() job.Options {
	v := &t.view
	if v.options != nil && v.of == t.knobs {
		return v.options
	}
	s, c, r := t.s, t.s.Checkpoint, t.s.Restart
	ms := func(seconds float64) string { return strconv.FormatFloat(seconds*1e3, 'f', 0, 64) + " ms" }
	o := job.Options{
		"execution.checkpointing.interval":                          ms(t.knobs.IntervalSeconds),
		"execution.checkpointing.timeout":                           ms(c.TimeoutSeconds),
		"execution.checkpointing.min-pause":                         ms(c.MinPauseSeconds),
		"execution.checkpointing.max-concurrent-checkpoints":        "1",
		"execution.checkpointing.tolerable-failed-checkpoints":      strconv.Itoa(c.TolerableFailures),
		"execution.checkpointing.mode":                              "EXACTLY_ONCE",
		"execution.checkpointing.unaligned.enabled":                 strconv.FormatBool(c.Unaligned),
		"execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
		"execution.checkpointing.storage":                           "filesystem",
		"execution.checkpointing.incremental":                       strconv.FormatBool(s.State.IncrementRatio < 1),
		"execution.state-recovery.from-local":                       strconv.FormatBool(r.LocalRecovery),
		"state.backend.type":                                        "rocksdb",
		"high-availability.type":                                    "kubernetes",
		"jobmanager.scheduler":                                      "adaptive",
		"taskmanager.numberOfTaskSlots":                             strconv.Itoa(t.knobs.Slots),
		"taskmanager.memory.process.size":                           strconv.FormatFloat(t.knobs.MemoryBytes, 'f', 0, 64) + " b",
		"web.timeout":                                               "3000 ms",
	}
	if node, ok := r.DetectSeconds[job.NodeFailure]; ok && node > 0 {
		o["heartbeat.timeout"], o["heartbeat.interval"] = ms(node), ms(node/4)
	}
	if b := r.BackOff; b.Multiplier > 1 {
		const p = "restart-strategy.exponential-delay."
		o["restart-strategy.type"] = "exponential-delay"
		o[p+"initial-backoff"], o[p+"max-backoff"] = ms(b.InitialSeconds), ms(b.MaxSeconds)
		o[p+"backoff-multiplier"] = strconv.FormatFloat(b.Multiplier, 'g', -1, 64)
		o[p+"reset-backoff-threshold"] = ms(b.ResetSeconds)
		o[p+"jitter-factor"] = "0"
	} else {
		o["restart-strategy.type"] = "fixed-delay"
		o["restart-strategy.fixed-delay.delay"] = ms(b.InitialSeconds)
		o["restart-strategy.fixed-delay.attempts"] = "2147483647"
	}
	v.options, v.of = o, t.knobs
	return o
}
