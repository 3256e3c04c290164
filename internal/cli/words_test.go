package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"rebound/internal/job"
)

func TestShort(t *testing.T) {
	tests := map[float64]string{
		0: "0.0 s", 9.94: "9.9 s", 9.96: "10 s", 599.4: "599 s", 600: "10 min", 7200: "2.0 h",
	}
	for seconds, want := range tests {
		if got := short(seconds); got != want {
			t.Errorf("short(%v) = %q, want %q", seconds, got, want)
		}
	}
}

func TestAmount(t *testing.T) {
	tests := []struct {
		q    job.Quantity
		want string
	}{
		{job.Quantity{Value: 1234567.8, Unit: job.PerSecond, Spread: 1000}, "1,234,568 ± 1,000 records/s"},
		{job.Quantity{Value: 0.714, Unit: job.Ratio, Spread: 0.02}, "71 ± 2 %"},
		{job.Quantity{Value: -1234.5, Unit: job.Seconds}, "-1,234.5 s"},
		{job.Quantity{Value: -123, Unit: job.PerSecond}, "-123 records/s"},
	}
	for _, tt := range tests {
		if got := amount(tt.q); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// Wrapping keeps every word, in order, and no line longer than the width unless
// it is a single word.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zµ]{1,100}`), 1, 40).Draw(t, "words")
		b := new(strings.Builder)
		wrap(b, strings.Join(words, " "), "    ")
		if got := strings.Fields(b.String()); strings.Join(got, " ") != strings.Join(words, " ") {
			t.Fatalf("words got lost: %q", got)
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > width && len(strings.Fields(line)) > 1 {
				t.Fatalf("too long: %q", line)
			}
		}
	})
}
