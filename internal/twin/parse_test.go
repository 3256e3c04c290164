package twin_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/twin"
)

func TestBuiltinScenariosAreWhole(t *testing.T) {
	names := twin.Names()
	for _, want := range []string{"ads", "constant", "daily", "hostile", "surge", "ysb"} {
		if !slices.Contains(names, want) {
			t.Errorf("scenarios %v lack %s", names, want)
		}
	}
	for _, name := range names {
		s := scenario(t, name)
		if s.Name != name || s.About == "" {
			t.Errorf("scenario %s: name %q, about %q", name, s.Name, s.About)
		}
		start(t, s, 1)
	}
	if _, err := twin.Builtin("dayly"); err == nil || !strings.Contains(err.Error(), "did you mean daily?") {
		t.Errorf("an unknown name: %v, want what may have been meant", err)
	}
}

// replaced is the text of scenario constant with one line replaced, or added.
func replaced(t *testing.T, old, by string) []byte {
	t.Helper()
	b, err := twin.Source("constant")
	if err != nil {
		t.Fatal(err)
	}
	if old != "" && !strings.Contains(string(b), old) {
		t.Fatalf("constant does not have %q", old)
	}
	if old == "" {
		return append(b, by+"\n"...)
	}
	return []byte(strings.ReplaceAll(string(b), old, by))
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, by, want string }{
		"a typo":                {"hours: 6", "huors: 6", "huors: no such field (did you mean hours?)"},
		"a typo inside":         {"per_core:", "per_cores:", "capacity.per_cores: no such field (did you mean per_core?)"},
		"a typo in a list":      {"", "view: {lies: [{kind: gap, at: 1, minutes: 1}]}", "view.lies[0].at: no such field"},
		"no capacity":           {"per_core: 10000", "per_core: 0", "capacity.per_core: 0, want more than 0"},
		"no load":               {"mean_per_second: 60000", "mean_per_second: -1", "load.mean_per_second: -1, want more than 0"},
		"not a number":          {"mean_per_second: 60000", "mean_per_second: .nan", "load.mean_per_second: NaN"},
		"too wide":              {"parallelism: 10", "parallelism: 25", "start.parallelism: 25, want 1 to 24"},
		"an unknown failure":    {"kind: process", "kind: meteor", `failure "meteor"`},
		"an unknown lie":        {"", "view: {lies: [{kind: white, at_hours: 1, minutes: 1}]}", `view.lies[0].kind: "white"`},
		"an odd step":           {"hours: 6", "hours: 6\nstep_seconds: 0.3", "step_seconds: 0.3, want a whole part of 10"},
		"another kind":          {"kind: Scenario", "kind: Policy", "want rebound.dev/v1alpha1 and Scenario"},
		"a text for a number":   {"hours: 6", "hours: six", "hours"},
		"an unknown law":        {"per_core: 10000", "per_core: 10000, law: moore", `capacity.law: "moore"`},
		"a range that is empty": {"", "space: {slots: {min: 4, max: 1}}", "space.slots: from 4 to 1"},
		"a window too long":     {"", "view: {window_seconds: 1000}", "view.window_seconds: 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := twin.Parse(replaced(t, c.old, c.by)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant one with %q", err, c.want)
			}
		})
	}
}

func TestParseReportsAllMistakesAtOnce(t *testing.T) {
	text := strings.ReplaceAll(string(replaced(t, "per_core: 10000", "per_core: -1")), "hours: 6", "hours: 0")
	_, err := twin.Parse([]byte(text))
	if err == nil || !strings.Contains(err.Error(), "hours") || !strings.Contains(err.Error(), "capacity.per_core") {
		t.Errorf("error %v, want both mistakes", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range twin.Names() {
		b, err := twin.Source(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("hours: {a: [1]}\nload: 3"))
	f.Add([]byte("load: [*a]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := twin.Parse(b)
		if err != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Errorf("it was accepted, but is not valid: %v", err)
		}
		w, err := twin.New(s, 1)
		if err != nil {
			return // its load is a file
		}
		w.Inject(job.ProcessFailure)
		w.Advance(time.Duration(100 * s.StepSeconds * float64(time.Second)))
		if g := w.Truth(); g.In != g.Processed+g.Waiting+g.Lost {
			t.Errorf("in %d, processed %d, waiting %d, lost %d", g.In, g.Processed, g.Waiting, g.Lost)
		}
		_, _ = w.Observe(t.Context()) // the JobManager may be down; it must not panic
	})
}

func TestReadLoad(t *testing.T) {
	s := scenario(t, "constant")
	s.Load = twin.Load{File: "load.csv", Column: "rate_rps"}
	if _, err := twin.New(s, 1); err == nil || !strings.Contains(err.Error(), "has not been read") {
		t.Errorf("without its load: %v", err)
	}
	// 100/s for 60 s, 300/s for 60 s, and again: 24,000 records in two minutes.
	if err := s.ReadLoad(strings.NewReader("t_s,x,rate_rps\n0,1,100\n60,1,300\n120,1,100\n180,1,300\n")); err != nil {
		t.Fatal(err)
	}
	w := start(t, s, 1)
	w.Advance(10 * 2 * 60e9)
	// Between two minutes the rate is drawn as a line 10 s long, the same both ways
	// but for the last.
	if in := w.Truth().In; in < 239000 || in > 241000 {
		t.Errorf("%d records in 20 minutes, want 240,000", in)
	}
	for text, want := range map[string]string{
		"t_s,rate_rps\n0,1\n1,x\n":  "row 3",
		"t_s,rate_rp\n0,1\n1,2\n":   "did you mean rate_rp?",
		"t_s\n0\n":                  "want a header of two columns",
		"t_s,rate_rps\n0,1\n0,2\n":  "load.series.step_seconds: 0",
		"t_s,rate_rps\n0,1\n1,-2\n": "load.series.per_second: value 1 is -2",
	} {
		if err := s.ReadLoad(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}
