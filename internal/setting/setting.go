// Package setting says which of Flink's options are in force: what is set, or else
// the default of the job's version of Flink, under the name that this version
// knows it by, and what follows from them for a restart.
package setting

import (
	"math"
	"slices"
	"strings"

	"rebound/internal/job"
)

// InForce are the settings of a job as it was observed.
type InForce struct {
	job.Observation
	Version Version
	read    bool // the cluster's configuration could be read
}

// Of reads the settings of a job. Where the configuration could not be read, an
// option that is not set is unknown and has no default.
func Of(o job.Observation) InForce {
	unread := slices.ContainsFunc(o.Lacks, func(l job.Lack) bool { return l.Quantity == "cluster configuration" })
	return InForce{o, ParseVersion(o.FlinkVersion), len(o.Config) > 0 && !unread}
}

// Option is the text of an option in force: set, or the version's default. It is
// false where the option is not set and the configuration could not be read.
func (s InForce) Option(key string) (text string, ok bool) {
	if text, ok = s.Config[key]; ok {
		return strings.TrimSpace(text), true
	}
	if !s.read {
		return "", false
	}
	return defaultOf(key, s.Version)
}

// Duration is an option in force as seconds.
func (s InForce) Duration(key string) (seconds float64, ok bool) {
	text, _ := s.Option(key)
	return job.Options{key: text}.Duration(key) // without a text it is false
}

// Number is an option in force as a number.
func (s InForce) Number(key string) (float64, bool) {
	text, _ := s.Option(key)
	return job.Options{key: text}.Number(key)
}

// IsDefault says that nobody has set an option.
func (s InForce) IsDefault(key string) bool { _, set := s.Config[key]; return !set }

// Key spells an option as the job's version does.
func (s InForce) Key(key string) string { return keyOf(key, s.Version) }

// SlotDetection is how long the slots of a dead process stay in the pool: until
// its heartbeat calls have failed often enough.
func (s InForce) SlotDetection() (seconds float64, ok bool) {
	interval, ok1 := s.Duration("heartbeat.interval")
	timeout, ok2 := s.Duration("heartbeat.timeout")
	threshold, ok3 := s.Number("heartbeat.rpc-failure-threshold")
	if !ok1 || !ok2 || !ok3 {
		return 0, false
	}
	if threshold < 1 { // -1 turns it off: only the timeout is left
		return timeout, true
	}
	return min(timeout, interval*threshold), true
}

// RestartDelay is the delay before a restart at its lowest level, with its key.
func (s InForce) RestartDelay() (key string, seconds float64, ok bool) {
	switch s.RestartStrategy() {
	case "fixed-delay", "immortal":
		key = "restart-strategy.fixed-delay.delay"
	case "failure-rate":
		key = "restart-strategy.failure-rate.delay"
	case "exponential-delay":
		key = "restart-strategy.exponential-delay.initial-backoff"
	default:
		return "", 0, false
	}
	seconds, ok = s.Duration(key)
	return key, seconds, ok
}

// RestartStrategy is the strategy in force, "" where it cannot be known. Where
// none is set, a job without checkpoints has none; one with them has since 1.19
// (FLIP-364) an exponential delay, and had before a fixed delay with 2³¹ − 1
// attempts, here called immortal.
func (s InForce) RestartStrategy() string {
	text, set := s.Config["restart-strategy.type"]
	switch kind := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), "-", "")); {
	case set && (kind == "none" || kind == "off" || kind == "disable"):
		return "none"
	case set && kind == "fixeddelay":
		return "fixed-delay"
	case set && kind == "failurerate":
		return "failure-rate"
	case set && kind == "exponentialdelay":
		return "exponential-delay"
	case set || !s.read:
		return ""
	case !s.Checkpointing.Enabled:
		return "none"
	case s.Version.Before(1, 19):
		return "immortal"
	case s.Version.known():
		return "exponential-delay"
	}
	return ""
}

// failuresWithin counts the failures whose level still stands: back from now, as
// long as no gap is as long as the threshold.
func (s InForce) failuresWithin(reset float64) int {
	n, last := 0, s.ServerTime
	for _, e := range s.Exceptions { // newest first
		if last.IsZero() || last.Sub(e.At).Seconds() >= reset {
			break
		}
		n, last = n+1, e.At
	}
	return n
}

// ExponentialDelay are the options of that restart strategy (s).
type ExponentialDelay struct{ Initial, Most, Factor, Reset float64 }

// ExponentialDelay reads them; false where one of them is unknown.
func (s InForce) ExponentialDelay() (d ExponentialDelay, ok bool) {
	const p = "restart-strategy.exponential-delay."
	initial, ok1 := s.Duration(p + "initial-backoff")
	most, ok2 := s.Duration(p + "max-backoff")
	factor, ok3 := s.Number(p + "backoff-multiplier")
	reset, ok4 := s.Duration(p + "reset-backoff-threshold")
	return ExponentialDelay{initial, most, factor, reset}, ok1 && ok2 && ok3 && ok4
}

// Level is the delay that the next restart waits, and how many failures have
// raised it: each does, until nothing has failed for the reset threshold.
func (s InForce) Level(d ExponentialDelay) (delay float64, failures int) {
	failures = s.failuresWithin(d.Reset)
	return min(d.Most, d.Initial*math.Pow(d.Factor, float64(failures))), failures
}
