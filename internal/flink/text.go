package flink

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a duration as Flink's options spell it: "10 s", "30000 ms",
// "5min", "1 d", a bare number of milliseconds, or ISO 8601 ("PT1M30S"). Flink
// takes no decimals and no negative values, and neither does this.
func ParseDuration(s string) (time.Duration, error) {
	t := strings.ToLower(strings.TrimSpace(s))
	if strings.HasPrefix(t, "p") {
		return parseISO(s, t[1:])
	}
	n, unit, err := splitUnit(t)
	if err != nil {
		return 0, fmt.Errorf("duration %q: %w", s, err)
	}
	u, ok := durationUnit(unit)
	if !ok {
		return 0, fmt.Errorf("duration %q: unit %q, want d, h, min, s, ms, us or ns", s, unit)
	}
	if n > uint64(math.MaxInt64/u) {
		return 0, fmt.Errorf("duration %q: longer than 292 years", s)
	}
	return time.Duration(n) * u, nil
}

// durationUnit knows the units of Flink's TimeUtils; none is milliseconds.
func durationUnit(s string) (time.Duration, bool) {
	switch s {
	case "d", "day", "days":
		return 24 * time.Hour, true
	case "h", "hour", "hours":
		return time.Hour, true
	case "m", "min", "minute", "minutes":
		return time.Minute, true
	case "s", "sec", "secs", "second", "seconds":
		return time.Second, true
	case "", "ms", "milli", "millis", "millisecond", "milliseconds":
		return time.Millisecond, true
	case "us", "µs", "micro", "micros", "microsecond", "microseconds":
		return time.Microsecond, true
	case "ns", "nano", "nanos", "nanosecond", "nanoseconds":
		return 1, true
	}
	return 0, false
}

// parseISO reads what Java's Duration.toString writes: rest is after the P.
func parseISO(s, rest string) (time.Duration, error) {
	days, clock, _ := strings.Cut(rest, "t")
	var d time.Duration
	if days != "" {
		n, unit, err := splitUnit(days)
		if err != nil || unit != "d" || n > 100000 {
			return 0, fmt.Errorf("duration %q: want one such as PT1M30S", s)
		}
		d = time.Duration(n) * 24 * time.Hour
	}
	if clock != "" {
		c, err := time.ParseDuration(clock) // h, m and s are the same there
		if err != nil || c < 0 || strings.ContainsAny(clock, "nuµ+") {
			return 0, fmt.Errorf("duration %q: want one such as PT1M30S", s)
		}
		if c > math.MaxInt64-d {
			return 0, fmt.Errorf("duration %q: longer than 292 years", s)
		}
		d += c
	}
	if rest == "" || rest == "t" {
		return 0, fmt.Errorf("duration %q: want one such as PT1M30S", s)
	}
	return d, nil
}

// ParseMemory reads a memory size as Flink's options spell it, in bytes. Units are
// binary whatever their spelling: "1gb", "1g" and "1 gib" are 2³⁰; a bare number
// is bytes.
func ParseMemory(s string) (float64, error) {
	n, unit, err := splitUnit(strings.ToLower(strings.TrimSpace(s)))
	if err != nil {
		return 0, fmt.Errorf("memory size %q: %w", s, err)
	}
	shift := 0
	switch unit {
	case "", "b", "byte", "bytes":
	case "k", "kb", "kib", "kibibytes":
		shift = 10
	case "m", "mb", "mib", "mebibytes":
		shift = 20
	case "g", "gb", "gib", "gibibytes":
		shift = 30
	case "t", "tb", "tib", "tebibytes":
		shift = 40
	default:
		return 0, fmt.Errorf("memory size %q: unit %q, want b, k, m, g or t", s, unit)
	}
	return math.Ldexp(float64(n), shift), nil
}

// splitUnit cuts "12 min" into 12 and "min".
func splitUnit(s string) (uint64, string, error) {
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if i < 0 {
		i = len(s)
	}
	if i == 0 {
		return 0, "", errors.New("want a whole number and a unit")
	}
	n, err := strconv.ParseUint(s[:i], 10, 63)
	if err != nil {
		return 0, "", fmt.Errorf("number %s is too large", s[:i])
	}
	return n, strings.TrimSpace(s[i:]), nil
}
