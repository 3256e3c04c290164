package setting

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Version of Flink, as far as it decides anything. The zero Version is unknown.
type Version struct{ major, minor int }

// ParseVersion reads "2.3.0", "1.20.5" or "1.19-SNAPSHOT"; what it cannot read
// is unknown.
func ParseVersion(text string) Version {
	parts := strings.SplitN(text, ".", 3)
	if len(parts) < 2 {
		return Version{}
	}
	minor, _, _ := strings.Cut(parts[1], "-")
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(minor)
	if errA != nil || errB != nil || a < 1 || b < 0 {
		return Version{}
	}
	return Version{a, b}
}

func (v Version) known() bool { return v.major > 0 }

// Before says that v is known and older than major.minor.
func (v Version) Before(major, minor int) bool {
	return v.known() && (v.major < major || v.major == major && v.minor < minor)
}

// defaults are what Flink takes where an option is not set: read out of the
// ConfigOption fields of flink-dist 1.20.5 and 2.3.0, which agree on all of
// these. What differed before is added by defaultOf.
func defaults() map[string]string {
	return map[string]string{
		"high-availability.type":                                           "NONE",
		"heartbeat.interval":                                               "10 s",
		"heartbeat.timeout":                                                "50 s",
		"heartbeat.rpc-failure-threshold":                                  "2",
		"web.timeout":                                                      "10 min",
		"restart-strategy.fixed-delay.attempts":                            "1",
		"restart-strategy.fixed-delay.delay":                               "1 s",
		"restart-strategy.failure-rate.max-failures-per-interval":          "1",
		"restart-strategy.failure-rate.failure-rate-interval":              "1 min",
		"restart-strategy.failure-rate.delay":                              "1 s",
		"restart-strategy.exponential-delay.initial-backoff":               "1 s",
		"restart-strategy.exponential-delay.max-backoff":                   "1 min",
		"restart-strategy.exponential-delay.backoff-multiplier":            "1.5",
		"restart-strategy.exponential-delay.reset-backoff-threshold":       "1 h",
		"restart-strategy.exponential-delay.attempts-before-reset-backoff": "infinite",
		"execution.state-recovery.from-local":                              "false",
		"execution.checkpointing.during-recovery.enabled":                  "false",
	}
}

// Known lists the options whose defaults are known, in order.
func Known() []string { return slices.Sorted(maps.Keys(defaults())) }

// defaultOf is the default of an option in a version. Before 1.19 (FLIP-364,
// FLINK-33735) the exponential delay doubled, up to 5 min.
func defaultOf(key string, v Version) (string, bool) {
	if v.Before(1, 19) {
		switch key {
		case "restart-strategy.exponential-delay.max-backoff":
			return "5 min", true
		case "restart-strategy.exponential-delay.backoff-multiplier":
			return "2.0", true
		}
	}
	text, ok := defaults()[key]
	return text, ok
}

// keyOf spells an option as a version does: the present name came with 1.17
// (FLINK-29372) or 1.20 (FLIP-406, FLIP-444); older ones know only the old.
func keyOf(key string, v Version) string {
	switch {
	case v.Before(1, 17) && key == "high-availability.type":
		return "high-availability"
	case v.Before(1, 17) && key == "restart-strategy.type":
		return "restart-strategy"
	case v.Before(1, 17) && key == "execution.checkpointing.unaligned.enabled":
		return "execution.checkpointing.unaligned"
	case v.Before(1, 20) && key == "execution.state-recovery.from-local":
		return "state.backend.local-recovery"
	}
	return key
}
