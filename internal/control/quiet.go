package control

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rebound/internal/policy"
)

// Quiet says whether t lies in the period. Times of day are those of the wall
// clock in the period's zone: on the day on which clocks are set forward a period
// is an hour shorter, on the other an hour longer. A period given by its beginning
// and length is as long as it says on any day. An error says what of the period
// cannot be read.
func Quiet(q policy.QuietPeriod, t time.Time) (bool, error) {
	zone, err := time.LoadLocation(q.Zone)
	if err != nil {
		return false, fmt.Errorf("zone %q: want an IANA name such as Europe/Berlin", q.Zone)
	}
	t = t.In(zone)
	if q.Cron != "" {
		c, err := ParseCron(q.Cron)
		if err != nil {
			return false, err
		}
		return c.within(t, q.For), nil
	}
	return inRange(q, t)
}

func inRange(q policy.QuietPeriod, t time.Time) (bool, error) {
	from, err1 := clock(q.From)
	to, err2 := clock(q.To)
	if err1 != nil || err2 != nil {
		return false, fmt.Errorf("from %q to %q: want times of day such as 22:00", q.From, q.To)
	}
	for _, d := range q.Days {
		if _, ok := weekday(d); !ok {
			return false, fmt.Errorf("day %q: want mon, tue, wed, thu, fri, sat or sun", d)
		}
	}
	now := t.Hour()*60 + t.Minute()
	switch {
	case from < to:
		return now >= from && now < to && onDay(q.Days, t.Weekday()), nil
	case now >= from: // it passes midnight, or lasts a day: the days are those of its beginning
		return onDay(q.Days, t.Weekday()), nil
	default:
		return now < to && onDay(q.Days, (t.Weekday()+6)%7), nil
	}
}

// clock reads a time of day as minutes since midnight; 24:00 is the day's end.
func clock(s string) (int, error) {
	if s == "24:00" {
		return 24 * 60, nil
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		return 0, err
	}
	return t.Hour()*60 + t.Minute(), nil
}

func onDay(days []string, d time.Weekday) bool {
	return len(days) == 0 || slices.ContainsFunc(days, func(s string) bool {
		named, ok := weekday(s)
		return ok && named == d
	})
}

// weekday reads the first three letters of a day's name, whatever the case.
func weekday(s string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(s, d.String()) || strings.EqualFold(s, d.String()[:3]) {
			return d, true
		}
	}
	return 0, false
}

// describe puts a period into words.
func describe(q policy.QuietPeriod) string {
	zone := q.Zone
	if zone == "" {
		zone = "UTC"
	}
	if q.Cron != "" {
		return fmt.Sprintf("%s for %s, %s", q.Cron, q.For, zone)
	}
	days := ""
	if len(q.Days) > 0 {
		days = strings.Join(q.Days, ", ") + " "
	}
	return fmt.Sprintf("%s%s to %s, %s", days, q.From, q.To, zone)
}
