package recovery

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// Spread is half of (95 % − 5 %), whatever the law.
func TestUncertainKeepsMedianAndSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := Uncertain{
			Median: rapid.Float64Range(0, 100).Draw(t, "median"),
			Spread: rapid.Float64Range(0, 300).Draw(t, "spread"),
		}
		low, middle, high := u.Quantile(0.05), u.Quantile(0.5), u.Quantile(0.95)
		if !near(middle, u.Median, 1e-6) || !near((high-low)/2, u.Spread, 1e-9) || low < 0 {
			t.Errorf("%+v: %v, %v, %v", u, low, middle, high)
		}
	})
}

// Without uncertainty but of the age, R is uniform between its values at the
// ends: ρ = 1/2, T_d = 20, A from 10 to 50: R = 2·20 + A.
func TestDrawOfAge(t *testing.T) {
	s := Scenario{
		Subtasks: []Subtask{{Utilization: Exactly(0.5)}, {Utilization: Exactly(0.2)}},
		Age:      AgeModel{10, 50}, Downtime: []Uncertain{Exactly(5), Exactly(0), Exactly(15)},
	}
	sample := s.Draw(seeded(1), 4000)
	for p, want := range map[float64]float64{0: 50, 0.05: 52, 0.5: 70, 0.95: 88, 1: 90} {
		if got := sample.Quantile(p); got.Outcome != Recovers || math.Abs(got.Seconds-want) > 1.5 {
			t.Errorf("%v quantile %+v, want %v", p, got, want)
		}
	}
	if got := sample.Decisive(); got != 0 {
		t.Errorf("subtask %d decides, want 0", got)
	}
	s.Age = AgeModel{30, 30}
	sample = s.Draw(seeded(1), 100)
	phases, ok := sample.MedianPhases() // replay ρA = 15; the rest of 70
	if diff := cmp.Diff([]float64{5, 0, 15, 15, 35}, phases); !ok || diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	s.Subtasks[1].Lag = Exactly(60) // (80 + 0.2·30)/0.8 = 107.5: the late one decides
	sample = s.Draw(seeded(1), 100)
	phases, _ = sample.MedianPhases()
	if diff := cmp.Diff([]float64{5, 0, 75, 6, 21.5}, phases); diff != "" || sample.Decisive() != 1 {
		t.Errorf("subtask %d decides, phases (-want +got):\n%s", sample.Decisive(), diff)
	}
	s.Subtasks[0].Lag, s.Subtasks[1].Lag = Exactly(-99), Exactly(-99) // cannot run before the restore begins
	phases, _ = s.Draw(seeded(1), 100).MedianPhases()
	if diff := cmp.Diff([]float64{5, 0, 0, 15, 20}, phases); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
}

// Where one in so many draws is overloaded, that many never recover, and the
// quantiles above say so: ρ = 0.7·e^(σZ) ≥ 1 for σZ ≥ 0.357; with spread 0.35,
// σ = asinh(0.5)/1.645 = 0.2926, so Z ≥ 1.219, in 11.1 % of draws.
func TestDrawsThatNeverEnd(t *testing.T) {
	s := Scenario{Subtasks: []Subtask{{Utilization: Uncertain{0.7, 0.35}}}, Age: AgeModel{5, 35}, Downtime: []Uncertain{Exactly(20)}}
	sample := s.Draw(seeded(3), 10000)
	if got := 1 - sample.Recovered(); math.Abs(got-0.111) > 0.01 {
		t.Errorf("%v never recover, want 0.111", got)
	}
	if a, b := sample.Quantile(0.85), sample.Quantile(0.93); a.Outcome != Recovers || b.Outcome != Never {
		t.Errorf("quantiles %+v and %+v, want a number and never", a, b)
	}
	s.Load = Exactly(2)
	if _, ok := s.Draw(seeded(3), 1000).MedianPhases(); ok {
		t.Error("median phases although the median never ends")
	}
	if got := (Scenario{}).Draw(seeded(3), 0).Quantile(0.5); got.Outcome != Never {
		t.Errorf("of nothing: %+v, want never", got)
	}
}

func drawUncertain(t *rapid.T, name string, high float64) Uncertain {
	median := rapid.Float64Range(0, high).Draw(t, name)
	return Uncertain{median, median * rapid.Float64Range(0, 0.8).Draw(t, name+" spread")}
}

func drawScenario(t *rapid.T) Scenario {
	s := Scenario{Age: AgeModel{2, 2 + rapid.Float64Range(0, 60).Draw(t, "interval")}}
	for range rapid.IntRange(0, 4).Draw(t, "phases") {
		s.Downtime = append(s.Downtime, drawUncertain(t, "phase", 30))
	}
	for range rapid.IntRange(0, 4).Draw(t, "subtasks") {
		s.Subtasks = append(s.Subtasks, Subtask{
			Utilization: drawUncertain(t, "ρ", 0.9), Lag: drawUncertain(t, "lag", 10),
			WarmupStart: drawUncertain(t, "start", 1), WarmupTau: drawUncertain(t, "τ", 30),
		})
	}
	return s
}

// Quantiles do not cross, the phases add up to the median, and the same seed
// gives the same sample.
func TestSampleLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		s.Scale = rapid.SampledFrom([]float64{0, 0.5, 1, 3}).Draw(t, "scale")
		a, b := s.Draw(seeded(7), 200), s.Draw(seeded(7), 200)
		before := Time{}
		for p := 0.0; p <= 1; p += 0.05 {
			q := a.Quantile(p)
			if q.Compare(before) < 0 {
				t.Errorf("quantile %v is %+v, the one before %+v", p, q, before)
			}
			if q != b.Quantile(p) {
				t.Errorf("quantile %v is %+v and then %+v", p, q, b.Quantile(p))
			}
			before = q
		}
		phases, ok := a.MedianPhases()
		median, sum := a.Quantile(0.5), 0.0
		for _, v := range phases {
			sum += v
		}
		if ok != (median.Outcome == Recovers) || ok && !near(sum, median.Seconds, 1e-12) {
			t.Errorf("phases %v, median %+v", phases, median)
		}
	})
}

// With the same seed a better setting is better at every quantile, and a further
// subtask makes none sooner.
func TestCommonRandomNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		better, wider := s, s
		better.Age.High = 2 + (s.Age.High-2)/2
		wider.Subtasks = append(slices.Clone(s.Subtasks), Subtask{Utilization: Uncertain{0.6, 0.1}})
		base := s.Draw(seeded(7), 100)
		shorter, more := better.Draw(seeded(7), 100), wider.Draw(seeded(7), 100)
		for p := 0.0; p <= 1; p += 0.1 {
			q, slack := base.Quantile(p), 1e-6
			if u := shorter.Quantile(p); u.after(-slack*(1+u.Seconds)).Compare(q) > 0 {
				t.Errorf("quantile %v: %+v with a shorter interval, %+v before", p, u, q)
			}
			if u := more.Quantile(p); u.after(slack*(1+u.Seconds)).Compare(q) < 0 {
				t.Errorf("quantile %v: %+v with one more subtask, %+v before", p, u, q)
			}
		}
	})
}

// A scale of 2 doubles the logarithm of every quantile's ratio to the median.
func TestScaleStretchesAboutTheMedian(t *testing.T) {
	s := Scenario{Subtasks: []Subtask{{Utilization: Uncertain{0.5, 0.1}}}, Age: AgeModel{5, 35}, Downtime: []Uncertain{{20, 5}}}
	once := s.Draw(seeded(5), 1000)
	s.Scale = 2
	twice := s.Draw(seeded(5), 1000)
	median := once.Quantile(0.5).Seconds
	for _, p := range []float64{0.05, 0.5, 0.95} {
		want := math.Pow(once.Quantile(p).Seconds/median, 2)
		if got := twice.Quantile(p).Seconds / median; !near(got, want, 1e-12) {
			t.Errorf("quantile %v: %v of the median, want %v", p, got, want)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	s := Scenario{Age: AgeModel{2, 32}, Downtime: []Uncertain{{1, 1}, {1, 0.1}, {2, 2}, {4, 2}}}
	for range 8 {
		s.Subtasks = append(s.Subtasks, Subtask{
			Utilization: Uncertain{0.6, 0.05}, Lag: Uncertain{0, 1}, WarmupStart: Uncertain{0.5, 0.2}, WarmupTau: Uncertain{16, 8},
		})
	}
	for b.Loop() {
		s.Draw(seeded(1), 4000)
	}
}
