package flink

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10 s": 10 * time.Second, "30000 ms": 30 * time.Second, "5min": 5 * time.Minute, "1 d": 24 * time.Hour,
		"1000": time.Second, " 2H ": 2 * time.Hour, "0": 0, "3 minutes": 3 * time.Minute, "7us": 7 * time.Microsecond,
		"9 nanos": 9, "1 day": 24 * time.Hour, "PT1S": time.Second, "PT1M30S": 90 * time.Second, "PT0.25S": 250 * time.Millisecond,
		"P1DT2H": 26 * time.Hour, "P2D": 48 * time.Hour,
	} {
		got, err := ParseDuration(text)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseDurationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "want a whole number and a unit",
		"s":                       "want a whole number and a unit",
		"-1 s":                    "want a whole number and a unit",
		"1.5 s":                   `unit ".5 s"`, // Flink takes no decimals
		"3 fortnights":            `unit "fortnights"`,
		"99999999999999999999 s":  "too large",
		"9223372036854775807 d":   "longer than 292 years",
		"PT":                      "want one such as PT1M30S",
		"PT-5S":                   "want one such as PT1M30S",
		"PX":                      "want one such as PT1M30S",
		"P":                       "want one such as PT1M30S",
		"P99999DT2562047H47M16S ": "longer than 292 years",
	} {
		if got, err := ParseDuration(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want an error with %q", text, got, err, want)
		}
	}
}

// Whatever milliseconds Flink prints come back as they were.
func TestParseDurationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 1<<40).Draw(t, "ms")
		want := time.Duration(ms) * time.Millisecond
		for _, text := range []string{strconv.FormatInt(ms, 10), fmt.Sprintf("%d ms", ms), "PT" + strings.ToUpper(want.String())} {
			if got, err := ParseDuration(text); err != nil || got != want {
				t.Fatalf("%q: got %v, %v, want %v", text, got, err, want)
			}
		}
	})
}

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]float64{
		"1gb": 1 << 30, "1g": 1 << 30, "4 GiB": 4 << 30, "832m": 872415232, "134217728b": 134217728, "64 kb": 65536,
		"10": 10, "2t": 2 << 40, "1 megabytes": 0, "1.5g": 0, "": 0, "-1g": 0, "g": 0,
	} {
		got, err := ParseMemory(text)
		if (err == nil) != (want > 0) || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"10 s", "PT1M30S", "1", "5min", "9223372036854775807 d", "p", "PT1.5S", "P1D"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := ParseDuration(s); d < 0 || err != nil && d != 0 {
			t.Errorf("%q: got %v, %v", s, d, err)
		}
	})
}

func FuzzParseMemory(f *testing.F) {
	for _, s := range []string{"1g", "832 mb", "1", "kb", "9223372036854775807t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseMemory(s); v < 0 || err != nil && v != 0 {
			t.Errorf("%q: got %v, %v", s, v, err)
		}
	})
}
