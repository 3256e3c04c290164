package control

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebound/internal/policy"
)

func TestParseCron(t *testing.T) {
	for expr, problem := range map[string]string{
		"0 22 * * 5":        "",
		"*/15 0-6,22 * * *": "",
		"30 4 1,15 * 5":     "",
		"0 0 * jan-mar mon": "",
		"5/10 * * * 7":      "",
		"0 22 * *":          "4 fields",
		"60 0 * * *":        `minute "60": want 0 to 59`,
		"0 24 * * *":        `hour "24"`,
		"0 0 0 * *":         `day of month "0"`,
		"0 0 * foo *":       `month "foo": want 1 to 12`,
		"0 0 * * 8":         `day of week "8"`,
		"*/0 * * * *":       "a step is a whole number from 1",
		"9-3 * * * *":       "ends before it begins",
		"+5 * * * *":        `"+5"`,
		"1, * * * *":        `"": want`,
		"0 0 * * mon-fri x": "6 fields",
	} {
		_, err := ParseCron(expr)
		if (err == nil) != (problem == "") || err != nil && !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: %v, want %q", expr, err, problem)
		}
	}
}

func TestQuiet(t *testing.T) {
	berlin := func(s string) time.Time {
		zone, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Skip("no zones on this machine")
		}
		at, err := time.ParseInLocation("2006-01-02 15:04", s, zone)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	night := policy.QuietPeriod{From: "22:00", To: "06:00", Days: []string{"fri"}, Zone: "Europe/Berlin"}
	cron := policy.QuietPeriod{Cron: "30 2 * * *", For: 2 * time.Hour, Zone: "Europe/Berlin"}
	for _, tt := range []struct {
		q    policy.QuietPeriod
		at   string
		want bool
	}{
		{night, "2026-03-06 21:59", false}, // a Friday
		{night, "2026-03-06 22:00", true},
		{night, "2026-03-07 05:59", true}, // it began on Friday
		{night, "2026-03-07 06:00", false},
		{night, "2026-03-07 22:30", false}, // a Saturday
		{night, "2026-03-06 03:00", false}, // it began on Thursday
		{policy.QuietPeriod{From: "00:00", To: "24:00", Days: []string{"Sunday"}, Zone: "Europe/Berlin"}, "2026-03-08 23:59", true},
		{policy.QuietPeriod{From: "09:00", To: "17:00", Zone: "Europe/Berlin"}, "2026-03-09 12:00", true},
		{cron, "2026-03-10 02:29", false},
		{cron, "2026-03-10 02:30", true},
		{cron, "2026-03-10 04:29", true},
		{cron, "2026-03-10 04:30", false},
		// Clocks go from 02:00 to 03:00 on 29 March 2026: half past two does not exist,
		// and is when they are set forward, or an hour later.
		{cron, "2026-03-29 01:59", false},
		{cron, "2026-03-29 03:45", true},
		{cron, "2026-03-29 06:00", false},
		// They go back from 03:00 to 02:00 on 25 October: it begins once.
		{cron, "2026-10-25 04:00", false},
		{policy.QuietPeriod{Cron: "0 0 1 * 1", For: time.Hour, Zone: "Europe/Berlin"}, "2026-04-01 00:30", true},  // the first, a Wednesday
		{policy.QuietPeriod{Cron: "0 0 1 * 1", For: time.Hour, Zone: "Europe/Berlin"}, "2026-04-06 00:30", true},  // a Monday
		{policy.QuietPeriod{Cron: "0 0 1 * 1", For: time.Hour, Zone: "Europe/Berlin"}, "2026-04-07 00:30", false}, // neither
		{policy.QuietPeriod{Cron: "0 0 * * 0", For: 36 * time.Hour, Zone: "Europe/Berlin"}, "2026-04-06 11:59", true},
		{policy.QuietPeriod{Cron: "0 0 * * 7", For: 36 * time.Hour, Zone: "Europe/Berlin"}, "2026-04-06 12:00", false},
	} {
		got, err := Quiet(tt.q, berlin(tt.at).UTC())
		if err != nil || got != tt.want {
			t.Errorf("%s at %s: %v, %v, want %v", describe(tt.q), tt.at, got, err, tt.want)
		}
	}
	for _, q := range []policy.QuietPeriod{
		{Cron: "0 22 * *", For: time.Hour},
		{From: "22", To: "06:00"},
		{From: "22:00", To: "06:00", Zone: "Moon/Base"},
		{From: "22:00", To: "06:00", Days: []string{"someday"}},
	} {
		if _, err := Quiet(q, noon); err == nil {
			t.Errorf("%+v is read", q)
		}
	}
}

// A dumb twin: go back minute by minute and look whether it began then.
func TestCronAgainstMinutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := func(name string, low, high int) string {
			if rapid.Bool().Draw(t, name+" any") {
				return "*"
			}
			return strconv.Itoa(rapid.IntRange(low, high).Draw(t, name))
		}
		expr := strings.Join([]string{field("minute", 0, 59), field("hour", 0, 23), field("day", 1, 31), field("month", 1, 12), field("weekday", 0, 7)}, " ")
		c, err := ParseCron(expr)
		if err != nil {
			t.Fatal(err)
		}
		at := noon.Add(time.Duration(rapid.IntRange(0, 500*24*60).Draw(t, "at")) * time.Minute)
		span := time.Duration(rapid.IntRange(1, 3*24*60).Draw(t, "span")) * time.Minute
		want := false
		for m := at; m.After(at.Add(-span)) && !want; m = m.Add(-time.Minute) {
			want = has(c.minute, m.Minute()) && has(c.hour, m.Hour()) && c.onDay(m)
		}
		if got := c.within(at, span); got != want {
			t.Fatalf("%q for %v at %v: %v, minute by minute %v", expr, span, at, got, want)
		}
	})
}

func FuzzParseCron(f *testing.F) {
	for _, s := range []string{"* * * * *", "*/5 0-6 1,15 jan mon-fri", "0 22 * * 5", "", "1-", "*/", "99999999999999999999 * * * *"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCron(s)
		if err == nil && (c.minute == 0 || c.hour == 0 || c.dom == 0 || c.month == 0 || c.dow == 0) {
			t.Errorf("%q never begins", s)
		}
		if err == nil {
			c.within(noon, time.Hour)
		}
	})
}
