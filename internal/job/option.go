package job

import (
	"fmt"
	"strconv"
	"strings"
)

// Options are settings of Flink in force, by Flink's present keys and with
// Flink's text. What is not there has its default, which the reader knows.
type Options map[string]string

// Duration reads an option as seconds. It is false where the option is absent
// or is no duration.
func (o Options) Duration(key string) (seconds float64, ok bool) {
	text, ok := o[key]
	if !ok {
		return 0, false
	}
	seconds, err := ParseDuration(text)
	return seconds, err == nil
}

// Number reads an option as a number.
func (o Options) Number(key string) (float64, bool) {
	text, ok := o[key]
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil
}

// Is says whether an option is there and has this value, whatever the case.
func (o Options) Is(key, value string) bool {
	text, ok := o[key]
	return ok && strings.EqualFold(strings.TrimSpace(text), value)
}

// ParseDuration reads a duration as Flink writes and accepts it, in seconds:
// "10 s", "5min", "30000 ms", "1 d"; a bare number is milliseconds. The labels
// are those of org.apache.flink.util.TimeUtils.
func ParseDuration(text string) (seconds float64, err error) {
	s := strings.TrimSpace(text)
	digits := strings.TrimLeft(s, "0123456789")
	value, err := strconv.ParseUint(s[:len(s)-len(digits)], 10, 63)
	if err != nil {
		return 0, fmt.Errorf("duration %q: want a whole number and a unit, such as 10 s", text)
	}
	unit, ok := unitSeconds(strings.ToLower(strings.TrimSpace(digits)))
	if !ok {
		return 0, fmt.Errorf("duration %q: unknown unit, want one of ns, µs, ms, s, min, h, d", text)
	}
	return float64(value) * unit, nil
}

func unitSeconds(label string) (float64, bool) {
	switch label {
	case "ns", "nano", "nanos", "nanosecond", "nanoseconds":
		return 1e-9, true
	case "µs", "micro", "micros", "microsecond", "microseconds":
		return 1e-6, true
	case "", "ms", "milli", "millis", "millisecond", "milliseconds":
		return 1e-3, true
	case "s", "sec", "secs", "second", "seconds":
		return 1, true
	case "m", "min", "minute", "minutes":
		return 60, true
	case "h", "hour", "hours":
		return 3600, true
	case "d", "day", "days":
		return 86400, true
	default:
		return 0, false
	}
}
