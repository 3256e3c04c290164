package recovery

import "math"

// Visibility is the longest time that a record processed just after a barrier
// waits for its commit in normal running, for a read-committed reader: I_e + D.
func Visibility(effective, duration float64) float64 { return effective + duration }

// FirstCommit is the time from a failure to the first commit after it:
// T_d + I_e + D′, D′ being the duration of a checkpoint whose barriers queue
// behind the backlog. The reader sees nothing new for Age longer than that.
func FirstCommit(downtime, effective, durationBehind float64) float64 {
	return downtime + effective + durationBehind
}

// TransactionBound is how long a transaction of an exactly-once sink may stay
// open and still be committed after a restart: it is opened at one barrier,
// committed when the next checkpoint is complete, and a failure in between
// adds the downtime; each checkpoint that fails first adds an interval. The
// transaction's time-out, and the broker's maximum, must be longer.
func TransactionBound(effective, duration, downtime float64, failedInARow int) float64 {
	_, worst := AgeRange(effective, duration, failedInARow)
	return worst + downtime
}

// AlignmentLimit is the most records a second that a source may read while
// watermark alignment holds it to maxDrift seconds of event time beyond the
// slowest, looked up every updateInterval seconds, as Flink does before 2.3:
// rate·maxDrift/updateInterval, since rate records stand for a second of event
// time. It is +Inf without alignment, where either is not more than 0. The
// capacity of a catch-up is the least of μ, this and the limit of the sink.
func AlignmentLimit(rate, maxDrift, updateInterval float64) float64 {
	if !(maxDrift > 0 && updateInterval > 0) {
		return math.Inf(1)
	}
	return rate * maxDrift / updateInterval
}
