package flink

import (
	"encoding/json"
	"testing"
	"time"
)

func TestNumberTakesWhatFlinkWrites(t *testing.T) {
	for text, want := range map[string]number{
		`12`: {12, true}, `"12"`: {12, true}, `-1`: {-1, true}, `"0.5"`: {0.5, true}, `1796054166067`: {1796054166067, true},
		`"NaN"`: {}, `null`: {}, `"N/A"`: {}, `""`: {}, `"Infinity"`: {}, `"-Infinity"`: {}, `true`: {}, `{}`: {}, `[1]`: {}, `1e999`: {},
	} {
		var got struct{ N number }
		if err := json.Unmarshal([]byte(`{"N":`+text+`}`), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got.N != want {
			t.Errorf("%s: got %v, want %v", text, got.N, want)
		}
	}
}

func TestNumberKeepsUnknownFromZero(t *testing.T) {
	if got := parseNumber("-1").atLeast0(); got.ok {
		t.Errorf("-1 counts as %v, want unknown", got)
	}
	if got := (number{}).ptr(1); got != nil {
		t.Errorf("unknown gives %v, want nil", *got)
	}
	if got := parseNumber("0").ptr(1); got == nil || *got != 0 {
		t.Errorf("0 gives %v, want 0", got)
	}
	for _, s := range []string{"0", "-1", "9223372036854775807", "NaN"} {
		if got := parseNumber(s).time(); !got.IsZero() {
			t.Errorf("time %s: got %v, want none", s, got)
		}
	}
	want := time.Date(2026, 11, 30, 15, 56, 6, 67e6, time.UTC)
	if got := parseNumber("1796054166067").time(); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{`1`, `"1"`, `"NaN"`, `null`, `{"a":[1]}`, `-1`, `1e400`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var n number
		if err := json.Unmarshal([]byte(s), &n); err != nil && json.Valid([]byte(s)) {
			t.Errorf("%s is JSON, but: %v", s, err)
		}
		if n.v != n.v || !n.ok && n.v != 0 {
			t.Errorf("%s: got %v", s, n)
		}
		if _, err := json.Marshal([]any{n.time(), n.millis(), n.count()}); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	})
}
