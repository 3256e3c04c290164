package experiment

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rebound/internal/api"
	"rebound/internal/control"
	"rebound/internal/job"
	"rebound/internal/recovery"
	"rebound/internal/twin"
)

func builtin(t *testing.T, name string, hours float64) twin.Scenario {
	t.Helper()
	s, err := twin.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	s.Hours = hours
	return s
}

func contender(t *testing.T, name string, s twin.Scenario) Contender {
	t.Helper()
	c, ok := New(name, PolicyOf(s, Target), func() (control.Forecaster, error) { return control.NewForecaster(time.Minute) })
	if !ok {
		t.Fatalf("no contender %s", name)
	}
	return c
}

// The same case gives the same bytes, and nothing is lost or doubled on the way.
func TestSameSeedSameBytes(t *testing.T) {
	s := builtin(t, "daily", 3)
	var docs [2]string
	for i := range docs {
		r, err := Case{Scenario: s, Contender: contender(t, Rebound, s), Seed: 5}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(r.Doc); err != nil {
			t.Error(err)
		}
		if r.Doc.Changes == 0 || len(r.Decisions) == 0 {
			t.Error("the loop did nothing: the test compares nothing")
		}
		b, err := json.Marshal([]any{r.Doc, r.Decisions})
		if err != nil {
			t.Fatal(err)
		}
		docs[i] = string(b)
	}
	if diff := cmp.Diff(docs[0], docs[1]); diff != "" {
		t.Errorf("two runs differ:\n%.2000s", diff)
	}
}

// On a constant load the judged recovery is the formula's, and the target decides.
func TestJudge(t *testing.T) {
	s := builtin(t, "constant", 1)
	s.Failures = twin.Failures{Planned: []twin.Planned{{AtHours: 0.5, Kind: job.ProcessFailure, Times: 1}}}
	c := contender(t, Fixed, s)
	r, err := Case{Scenario: s, Contender: c, Seed: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Doc.Recoveries) != 1 || r.Doc.Failures != 1 || r.Doc.Changes != 0 {
		t.Fatalf("got %+v", r.Doc)
	}
	got := r.Doc.Recoveries[0]
	down, _, capacity := s.Expect(s.Start.Job())
	want := recovery.Case{Rate: s.Load.MeanPerSecond, Capacity: capacity, Downtime: down, Age: *got.AgeSeconds}.Time()
	// Noise of load and capacity, jitter and the warm-up are within a fifth.
	if math.Abs(*got.MeasuredSeconds/want.Seconds-1) > 0.2 {
		t.Errorf("recovered in %.1f s, the formula says %.1f", *got.MeasuredSeconds, want.Seconds)
	}
	if !got.Met || r.Doc.Violations != 0 {
		t.Errorf("%.1f s of %v: want it met", *got.MeasuredSeconds, Target)
	}
	c.Policy.RecoveryTime = time.Duration(*got.MeasuredSeconds*float64(time.Second)) - time.Second
	if r, err = (Case{Scenario: s, Contender: c, Seed: 2}).Run(t.Context()); err != nil || r.Doc.Violations != 1 {
		t.Errorf("a second less: %d violations (%v), want 1", r.Doc.Violations, err)
	}
}

// A failure before the one before has been caught up: the first has no end of its
// own, the second is judged from its own time. One that had missed the target by then has missed it.
func TestInterrupted(t *testing.T) {
	s := builtin(t, "constant", 1)
	s.Failures = twin.Failures{Planned: []twin.Planned{{AtHours: 0.5, Kind: job.ProcessFailure, Times: 2, EverySeconds: 20}}}
	r, err := Case{Scenario: s, Contender: contender(t, Fixed, s), Seed: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Doc.Recoveries) != 2 {
		t.Fatalf("%d recoveries", len(r.Doc.Recoveries))
	}
	first, second := r.Doc.Recoveries[0], r.Doc.Recoveries[1]
	if first.AtSeconds > second.AtSeconds {
		first, second = second, first
	}
	if !first.Interrupted || first.MeasuredSeconds != nil || !first.Met {
		t.Errorf("the first: %+v, want it interrupted and not judged", first)
	}
	if second.Interrupted || second.MeasuredSeconds == nil || !second.DuringCatchUp {
		t.Errorf("the second: %+v, want it judged", second)
	}
}

// The best fixed settings are those that trying every setting finds.
func TestBestFixedAgreesWithTryingAll(t *testing.T) {
	s := builtin(t, "constant", 1)
	s.Space = twin.Space{
		IntervalSeconds: twin.Range{Min: 10, Max: 20}, Parallelism: twin.Range{Min: 2, Max: 12},
		Slots: twin.Range{Min: 1, Max: 2}, CPUCores: twin.Range{Min: 1, Max: 1.5}, MemoryGiB: twin.Range{Min: 1, Max: 1},
	}
	s.Failures = twin.Failures{EveryMinutes: 20, Kind: job.ProcessFailure}
	c := contender(t, Fixed, s)
	seeds := []uint64{2, 4}
	best, err := BestFixed(t.Context(), s, c, seeds, nil)
	if err != nil {
		t.Fatal(err)
	}
	cost := func(k job.Knobs) float64 { return k.PerHour(s.JobManager.Job(), c.Policy.Prices) }
	least := math.Inf(1)
	each(s, func(k job.Knobs) {
		for _, k.IntervalSeconds = range []float64{10, 12, 15, 20} {
			if ok, err := holds(t.Context(), s, c, k, seeds); err != nil {
				t.Fatal(err)
			} else if ok {
				least = min(least, cost(k))
			}
		}
	})
	if cost(best) != least {
		t.Errorf("%s costs %v an hour, trying all finds %v", best, cost(best), least)
	}
}

func TestSummaryAddsUp(t *testing.T) {
	s := builtin(t, "daily", 2)
	var docs []int
	for _, name := range Names() {
		if name == Hindsight {
			continue
		}
		r, err := Case{Scenario: s, Contender: contender(t, name, s), Seed: 4}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sum := Summary([]api.Simulation{r.Doc, r.Doc})
		if sum.Runs != 2 || sum.Failures != 2*r.Doc.Failures || math.Abs(sum.CPUCoreHours-2*r.Doc.CPUCoreHours) > 1e-9 ||
			math.Abs(sum.ChangesPerDay-float64(r.Doc.Changes)*12) > 1e-9 {
			t.Errorf("%s: %+v of two %+v", name, sum, r.Doc)
		}
		docs = append(docs, r.Doc.Failures)
	}
	if slices.Max(docs) == 0 {
		t.Error("nothing failed: the test adds up nothing")
	}
}
