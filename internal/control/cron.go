package control

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Cron says when something begins, in the five fields of crontab(5): minute, hour,
// day of month, month, day of week. Fields take *, numbers, ranges a-b, steps /n,
// lists, and three letters for months and days; 0 and 7 are Sunday. Where both
// days are restricted, either does, as crontab(5) says.
type Cron struct {
	minute, hour, dom, month, dow uint64 // a bit a value
	anyDay, anyWeekday            bool   // the field begins with *
}

// ParseCron reads an expression of five fields.
func ParseCron(s string) (Cron, error) {
	f := strings.Fields(s)
	if len(f) != 5 {
		return Cron{}, fmt.Errorf("cron %q: %d fields, want 5: minute hour day-of-month month day-of-week", s, len(f))
	}
	c := Cron{anyDay: strings.HasPrefix(f[2], "*"), anyWeekday: strings.HasPrefix(f[4], "*")}
	for i, field := range []struct {
		to        *uint64
		low, high int
		name      string
		names     []string
	}{
		{&c.minute, 0, 59, "minute", nil},
		{&c.hour, 0, 23, "hour", nil},
		{&c.dom, 1, 31, "day of month", nil},
		{&c.month, 1, 12, "month", strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
		{&c.dow, 0, 7, "day of week", strings.Fields("sun mon tue wed thu fri sat")},
	} {
		set, err := parseField(f[i], field.low, field.high, field.names)
		if err != nil {
			return Cron{}, fmt.Errorf("cron %q: %s %w", s, field.name, err)
		}
		*field.to = set
	}
	if c.dow&(1<<7) != 0 {
		c.dow |= 1
	}
	return c, nil
}

// parseField reads a list of ranges.
func parseField(s string, low, high int, names []string) (set uint64, err error) {
	for part := range strings.SplitSeq(s, ",") {
		span, stepText, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
				return 0, fmt.Errorf("%q: a step is a whole number from 1", part)
			}
		}
		from, to := low, high
		if span != "*" {
			a, b, isRange := strings.Cut(span, "-")
			if from, err = parseValue(a, low, high, names); err != nil {
				return 0, err
			}
			switch {
			case isRange:
				if to, err = parseValue(b, low, high, names); err != nil {
					return 0, err
				}
			case !stepped:
				to = from
			}
			if to < from {
				return 0, fmt.Errorf("%q: ends before it begins", part)
			}
		}
		for v := from; v <= to; v += step {
			set |= 1 << v
		}
	}
	return set, nil
}

func parseValue(s string, low, high int, names []string) (int, error) {
	for i, name := range names {
		if strings.EqualFold(s, name) {
			return low + i, nil
		}
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < low || v > high || strings.HasPrefix(s, "+") {
		return 0, fmt.Errorf("%q: want %d to %d", s, low, high)
	}
	return v, nil
}

func (c Cron) onDay(t time.Time) bool {
	if !has(c.month, int(t.Month())) {
		return false
	}
	dom, dow := has(c.dom, t.Day()), has(c.dow, int(t.Weekday()))
	if c.anyDay || c.anyWeekday {
		return dom && dow
	}
	return dom || dow
}

func has(set uint64, v int) bool { return set&(1<<v) != 0 }

// within says whether t is less than span after a beginning. Beginnings in the
// hour that clocks leave out are when they are set forward; those in the hour that
// comes twice are the first.
func (c Cron) within(t time.Time, span time.Duration) bool {
	if span <= 0 || bits.OnesCount64(c.minute) == 0 {
		return false
	}
	span = min(span, 366*day)
	first := t.Add(-span)
	for d := first.AddDate(0, 0, -1); !d.After(t.AddDate(0, 0, 1)); d = d.AddDate(0, 0, 1) {
		if c.onDay(d) && c.beganOn(d, first, t) {
			return true
		}
	}
	return false
}

// wall is the first of two moments that have the same time of day.
func wall(t time.Time) time.Time {
	if first := t.Add(-time.Hour); first.Hour() == t.Hour() && first.Day() == t.Day() {
		return first
	}
	return t
}

// beganOn looks for a beginning on the day of d, after first and up to t.
func (c Cron) beganOn(d, first, t time.Time) bool {
	y, m, day := d.Date()
	for h := range 24 {
		if !has(c.hour, h) {
			continue
		}
		for minute := range 60 {
			if !has(c.minute, minute) {
				continue
			}
			if at := wall(time.Date(y, m, day, h, minute, 0, 0, d.Location())); at.After(first) && !at.After(t) {
				return true
			}
		}
	}
	return false
}
