package hazard

import (
	"testing"

	"pgregory.net/rapid"

	"rebound/internal/job"
)

func TestWords(t *testing.T) {
	for seconds, want := range map[float64]string{940: "940 s", 51.5: "51.5 s", 51.55: "51.6 s", 0.624: "0.62 s", 0: "0 s", 1234.5: "1235 s"} {
		if got := say(seconds); got != want {
			t.Errorf("say(%v) = %q, want %q", seconds, got, want)
		}
	}
	if got := clip("äöü" + string(make([]rune, 60))); len([]rune(got)) != 40 {
		t.Errorf("clipped to %d", len([]rune(got)))
	}
}

// What is proposed is an option that Flink reads, as the same time.
func TestTextIsFlinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Uint32().Draw(t, "ms")
		got, err := job.ParseDuration(text(float64(ms) / 1000))
		if err != nil || got-float64(ms)/1000 > 1e-6 || float64(ms)/1000-got > 1e-6 {
			t.Fatalf("%d ms: %v, %v", ms, got, err)
		}
	})
}
