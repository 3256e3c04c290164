package hazard

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// sight is what the rules look at: the observation, the facts, and what several
// rules derive from them.
type sight struct {
	job.Observation
	facts   Facts
	version version
	options bool // the cluster's configuration could be read
	taken   taken
}

func look(o job.Observation, f Facts) sight {
	unread := slices.ContainsFunc(o.Lacks, func(l job.Lack) bool { return l.Quantity == "cluster configuration" })
	return sight{o, f, parseVersion(o.FlinkVersion), len(o.Config) > 0 && !unread, take(o.Checkpointing)}
}

// option is the text of an option in force: set, or the version's default. It is
// false where the option is not set and the configuration could not be read.
func (s sight) option(key string) (text string, ok bool) {
	if text, ok = s.Config[key]; ok {
		return strings.TrimSpace(text), true
	}
	if !s.options {
		return "", false
	}
	return defaultOf(key, s.version)
}

func (s sight) duration(key string) (seconds float64, ok bool) {
	text, _ := s.option(key)
	return job.Options{key: text}.Duration(key) // without a text it is false
}

func (s sight) number(key string) (float64, bool) {
	text, _ := s.option(key)
	return job.Options{key: text}.Number(key)
}

// isDefault says that nobody has set an option.
func (s sight) isDefault(key string) bool { _, set := s.Config[key]; return !set }

// key spells an option as the job's version does.
func (s sight) key(key string) string { return keyOf(key, s.version) }

// effective is I_e and D, D being the longest duration seen: hazards are about
// the worst. It is false where there is no interval; without a completed
// checkpoint D is 0.
func (s sight) effective() (effective, duration float64, ok bool) {
	c := s.Checkpointing
	if !c.Enabled || c.IntervalSeconds == nil {
		return 0, 0, false
	}
	duration = s.taken.longest()
	return recovery.EffectiveInterval(*c.IntervalSeconds, s.pause(), duration), duration, true
}

// pause is the least time between two checkpoints, 0 by default.
func (s sight) pause() float64 {
	if p := s.Checkpointing.MinPauseSeconds; p != nil {
		return *p
	}
	return 0
}

// worstDowntime is the longest T_d over the kinds of failure.
func (s sight) worstDowntime() (seconds float64, ok bool) {
	for _, v := range s.facts.DowntimeSeconds {
		seconds, ok = max(seconds, v), true
	}
	return seconds, ok
}

// stretched is what a delay adds to a recovery: records arrive meanwhile, and
// are worked off at μ − λ. Without ρ it is the delay alone.
func (s sight) stretched(delay float64) float64 {
	if u := s.facts.Utilization; u != nil && *u < 1 {
		return delay / (1 - *u)
	}
	return delay
}

// slotDetection is how long the slots of a dead process stay in the pool: until
// its heartbeat calls have failed often enough.
func (s sight) slotDetection() (seconds float64, ok bool) {
	interval, ok1 := s.duration("heartbeat.interval")
	timeout, ok2 := s.duration("heartbeat.timeout")
	threshold, ok3 := s.number("heartbeat.rpc-failure-threshold")
	if !ok1 || !ok2 || !ok3 {
		return 0, false
	}
	if threshold < 1 { // -1 turns it off: only the timeout is left
		return timeout, true
	}
	return min(timeout, interval*threshold), true
}

// restartDelay is the delay before a restart at its lowest level, with its key.
func (s sight) restartDelay() (key string, seconds float64, ok bool) {
	switch s.restartStrategy() {
	case "fixed-delay", "immortal":
		key = "restart-strategy.fixed-delay.delay"
	case "failure-rate":
		key = "restart-strategy.failure-rate.delay"
	case "exponential-delay":
		key = "restart-strategy.exponential-delay.initial-backoff"
	default:
		return "", 0, false
	}
	seconds, ok = s.duration(key)
	return key, seconds, ok
}

// restartStrategy is the strategy in force, "" where it cannot be known. Where
// none is set, a job without checkpoints has none; one with them has since 1.19
// (FLIP-364) an exponential delay, and had before a fixed delay with 2³¹ − 1
// attempts, here called immortal.
func (s sight) restartStrategy() string {
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
	case set || !s.options:
		return ""
	case !s.Checkpointing.Enabled:
		return "none"
	case s.version.before(1, 19):
		return "immortal"
	case s.version.known():
		return "exponential-delay"
	}
	return ""
}

// say writes seconds for people: 940 s, 51.5 s, 0.62 s.
func say(seconds float64) string {
	switch abs := math.Abs(seconds); {
	case abs >= 100:
		seconds = math.Round(seconds)
	case abs >= 1:
		seconds = math.Round(seconds*10) / 10
	default:
		seconds = math.Round(seconds*100) / 100
	}
	return strconv.FormatFloat(seconds, 'f', -1, 64) + " s"
}

// text writes seconds as an option of Flink, whose durations take no decimals.
func text(seconds float64) string {
	if seconds == math.Trunc(seconds) {
		return strconv.FormatFloat(seconds, 'f', 0, 64) + " s"
	}
	return strconv.FormatFloat(math.Round(seconds*1000), 'f', 0, 64) + " ms"
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// quantile by nearest rank of sorted values.
func quantile(sorted []float64, p float64) float64 {
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
