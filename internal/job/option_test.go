package job

import (
	"math"
	"testing"
)

func TestParseDuration(t *testing.T) {
	tests := map[string]struct {
		text    string
		seconds float64
		bad     bool
	}{
		"as Flink prints it":      {text: "10 s", seconds: 10},
		"without a space":         {text: "5min", seconds: 300},
		"milliseconds":            {text: "30000 ms", seconds: 30},
		"a bare number":           {text: "500", seconds: 0.5},
		"a day":                   {text: " 1 d ", seconds: 86400},
		"microseconds":            {text: "250 µs", seconds: 0.00025},
		"no decimals":             {text: "1.5 s", bad: true},
		"no number":               {text: "s", bad: true},
		"unknown unit":            {text: "3 weeks", bad: true},
		"empty":                   {text: "", bad: true},
		"ISO 8601 is not Flink's": {text: "PT10S", bad: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseDuration(tt.text)
			if (err != nil) != tt.bad {
				t.Fatalf("ParseDuration(%q): %v, want an error: %v", tt.text, err, tt.bad)
			}
			if math.Abs(got-tt.seconds) > 1e-12 {
				t.Errorf("ParseDuration(%q) = %v s, want %v s", tt.text, got, tt.seconds)
			}
		})
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"10 s", "5min", "", "99999999999999999999 d", "µ", "1 ms "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseDuration(text)
		if err == nil && (v < 0 || math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("ParseDuration(%q) = %v", text, v)
		}
	})
}

func TestOptions(t *testing.T) {
	o := Options{"a": "10 s", "b": "x", "c": "2.5", "d": " TRUE "}
	if v, ok := o.Duration("a"); !ok || v != 10 {
		t.Errorf("Duration(a) = %v, %v", v, ok)
	}
	if _, ok := o.Duration("b"); ok {
		t.Error("b is no duration")
	}
	if _, ok := o.Duration("absent"); ok {
		t.Error("an absent option has no duration")
	}
	if v, ok := o.Number("c"); !ok || v != 2.5 {
		t.Errorf("Number(c) = %v, %v", v, ok)
	}
	if !o.Is("d", "true") || o.Is("absent", "") {
		t.Error("Is")
	}
}
