package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func call(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := do(t.Context(), &out, args); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A run is kept and not run again; what is kept and what is new read the same.
func TestLinesAreReused(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "lines.jsonl")
	args := []string{"-problem", "bnh", "-seeds", "0:1", "-json", "-lines", kept}
	first := call(t, args...)
	if second := call(t, args...); second != first {
		t.Errorf("first %s, then %s", first, second)
	}
	b, err := os.ReadFile(kept)
	if err != nil || string(b) != first {
		t.Errorf("kept %s, %v, printed %s", b, err, first)
	}
	var l line
	if err := json.Unmarshal([]byte(first), &l); err != nil {
		t.Fatal(err)
	}
	if l.Evaluations != 26 || l.Hypervolume < 5000 || l.Hypervolume > 5285.0896 || len(l.Quarters) != 5 {
		t.Errorf("%+v", l)
	}
}

// Others' lines stand beside ours where the problem is the same.
func TestTableHasRivals(t *testing.T) {
	dir := t.TempDir()
	others := `{"problem": "stream", "rate": 8000.0, "rival": "random", "seed": 0, "trials": 40, "hit": null, "bad_to_hit": 20, "bad_late": 0.5, "rec_ratio": 1.4, "rec_bad": 0, "best_ratio": {"20": 1.5}, "cpu_s_per_ask": 0.001}
{"problem": "bnh", "rival": "nsga2", "seed": 0, "evaluations": 26, "hv": 4900.5, "hv_quarters": [1, 2]}
{"problem": "osy", "rival": "elsewhere", "seed": 0, "hv": 1}
`
	if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(others), 0o600); err != nil {
		t.Fatal(err)
	}
	glob := filepath.Join(dir, "*.jsonl")
	box := call(t, "-problem", "bnh", "-seeds", "0:1", "-rivals", glob)
	if !strings.Contains(box, "nsga2") || !strings.Contains(box, "rebound") || strings.Contains(box, "elsewhere") {
		t.Errorf("table:\n%s", box)
	}
	stream := call(t, "-problem", "stream", "-rate", "low", "-seeds", "0:1", "-budget", "6", "-rivals", glob)
	if !strings.Contains(stream, "random") || !strings.Contains(stream, "rebound") {
		t.Errorf("table:\n%s", stream)
	}
}

// The scores of the stream job are those of the definitions: worked on settings
// whose truth is known.
func TestStreamScores(t *testing.T) {
	r := newRun("low", 0, 2)
	if err := r.do(""); err != nil {
		t.Fatal(err)
	}
	l := r.line
	// The biggest setting at 60 s recovers in 27 s and costs 14·(4 + 0.12·8) = 69.44;
	// the optimum is 9.3.
	if l.First == nil || !*l.First || l.Trials != 2 || l.Recommended < 1 || *l.Misses != 0 || l.Hit != nil {
		t.Errorf("%+v", l)
	}
	r.tried = []int{r.Snap([]float64{0, 0, 0, 0}), r.Snap([]float64{0.5, 1, 1, 1})}
	r.line = line{}
	r.score(r.tried[1])
	if got := r.line; *got.BadToHit != 1 || *got.First || got.Recommended < 69.43/9.3 || got.Recommended > 69.45/9.3 {
		t.Errorf("%+v", got)
	}
}

func TestSpeed(t *testing.T) {
	if out := call(t, "-problem", "speed", "-n", "12", "-repeats", "1"); !strings.Contains(out, "cold") || !strings.Contains(out, "appended") {
		t.Errorf("%s", out)
	}
}

func TestBadArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`seeds: "3:3"`:     {"-seeds", "3:3"},
		`seeds: "x"`:       {"-seeds", "x"},
		`problem: "chess"`: {"-problem", "chess"},
		`rate: "fast"`:     {"-problem", "stream", "-rate", "fast"},
		`way: "magic"`:     {"-problem", "stream", "-way", "magic"},
		`way: "physics"`:   {"-problem", "bnh", "-way", "physics"},
	} {
		if err := do(t.Context(), &bytes.Buffer{}, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}
