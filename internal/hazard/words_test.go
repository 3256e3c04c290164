package hazard

import (
	"testing"

	"pgregory.net/rapid"

	"rebound/internal/job"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]version{
		"2.3.0": {2, 3}, "1.20.5": {1, 20}, "1.19-SNAPSHOT": {1, 19}, "2": {}, "": {}, "x.y": {}, "0.9": {}, "1.-3": {},
	} {
		if got := parseVersion(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if !(version{1, 20}).before(2, 3) || (version{2, 3}).before(2, 3) || (version{}).before(2, 3) {
		t.Error("before")
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, s := range []string{"2.3.0", "1.19-SNAPSHOT", "", "-1.5", "1.999999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v := parseVersion(text); v != (version{}) && (!v.known() || v.minor < 0) {
			t.Errorf("%q: %v", text, v)
		}
	})
}

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

// Every default is one that the rules can read.
func TestDefaultsAreRead(t *testing.T) {
	s := look(healthy(), Facts{})
	for _, key := range []string{"heartbeat.timeout", "web.timeout", "restart-strategy.exponential-delay.reset-backoff-threshold"} {
		if v, ok := s.duration(key); !ok || v <= 0 {
			t.Errorf("%s: %v, %v", key, v, ok)
		}
	}
	old := healthy()
	old.FlinkVersion = "1.17.2"
	if v, _ := look(old, Facts{}).duration("restart-strategy.exponential-delay.max-backoff"); v != 300 {
		t.Errorf("before 1.19 the back-off grew to %v s, want 300", v)
	}
}
