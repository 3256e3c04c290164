package setting

import (
	"testing"
	"time"

	"rebound/internal/job"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{
		"2.3.0": {2, 3}, "1.20.5": {1, 20}, "1.19-SNAPSHOT": {1, 19}, "2": {}, "": {}, "x.y": {}, "0.9": {}, "1.-3": {},
	} {
		if got := ParseVersion(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if !(Version{1, 20}).Before(2, 3) || (Version{2, 3}).Before(2, 3) || (Version{}).Before(2, 3) {
		t.Error("before")
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, s := range []string{"2.3.0", "1.19-SNAPSHOT", "", "-1.5", "1.999999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v := ParseVersion(text); v != (Version{}) && (!v.known() || v.minor < 0) {
			t.Errorf("%q: %v", text, v)
		}
	})
}

func observed(version string, config job.Options, failed ...time.Duration) job.Observation {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o := job.Observation{FlinkVersion: version, ServerTime: now, Config: config, Checkpointing: job.Checkpointing{Enabled: true}}
	for _, ago := range failed {
		o.Exceptions = append(o.Exceptions, job.Exception{At: now.Add(-ago)})
	}
	return o
}

// An option that is not set has its version's default, and none where nothing of
// the configuration could be read.
func TestDefaults(t *testing.T) {
	const most = "restart-strategy.exponential-delay.max-backoff"
	for version, want := range map[string]float64{"2.3.0": 60, "1.17.2": 300, "": 60} {
		if v, ok := Of(observed(version, job.Options{"a": "b"})).Duration(most); !ok || v != want {
			t.Errorf("%q: the back-off grows to %v s, %v; want %v s", version, v, ok, want)
		}
	}
	if _, ok := Of(observed("2.3.0", job.Options{})).Duration(most); ok {
		t.Error("a default where the configuration was not read")
	}
	for _, key := range []string{"heartbeat.timeout", "web.timeout"} {
		if v, ok := Of(observed("2.3.0", job.Options{"a": "b"})).Duration(key); !ok || v <= 0 {
			t.Errorf("%s: %v, %v", key, v, ok)
		}
	}
}

// Two failures in the last hour raise 1 s to 1.5² s; one before a longer peace
// than the threshold no longer counts.
func TestLevel(t *testing.T) {
	s := Of(observed("2.3.0", job.Options{"a": "b"}, 10*time.Minute, 50*time.Minute, 3*time.Hour))
	d, ok := s.ExponentialDelay()
	if !ok {
		t.Fatal("the defaults are known")
	}
	if delay, n := s.Level(d); n != 2 || delay != 2.25 {
		t.Errorf("%d failures, %v s; want 2, 2.25 s", n, delay)
	}
}
