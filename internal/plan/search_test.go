package plan

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rebound/internal/job"
	"rebound/internal/policy"
	"rebound/internal/recovery"
)

// intervalOnly is a job of which everything is known and only the interval free.
func intervalOnly(rate, capacity, down, duration, target float64) Input {
	return Input{
		Now: job.Knobs{IntervalSeconds: 1, Parallelism: 4, Slots: 1, CPUCores: 1, MemoryBytes: job.GiB},
		Policy: policy.Policy{
			RecoveryTime: time.Duration(target * float64(time.Second)), Risk: 0.01, Utilization: 0.99,
			Knobs: policy.Knobs{CheckpointInterval: policy.Range{Min: 1, Max: 3600}}, Prices: job.DefaultPrices(),
		},
		Model: exact{capacity: capacity, down: down, duration: duration},
		Load:  Load{Now: rate, Step: 60, Mean: []float64{rate, rate, rate}}, World: everyWay(),
	}
}

// With only the interval free and a flat load the choice is the longest interval
// of the model, in whole seconds: I_e = (R*(1 − ρ) − T_d)/ρ − D.
func TestIntervalOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(0.2, 0.8).Draw(t, "ρ")
		down := rapid.Float64Range(10, 60).Draw(t, "T_d")
		d := rapid.Float64Range(0.5, 5).Draw(t, "D")
		target := rapid.Float64Range(100, 900).Draw(t, "R*")
		// The rate of a forecast is never known better than leastLoadSpread.
		doubt := math.Exp(quantileZ(0.99) * leastLoadSpread)
		want, ok := recovery.LongestInterval(target, rho*doubt, down, d)
		if !ok || want < d+1 || want > 3600 {
			t.Skip("no interval works, or any")
		}
		in := intervalOnly(rho*1000, 1000, down, d, target)
		in.Now.IntervalSeconds = 3600 // which is too long
		got := Search{}.Plan(in)
		if !got.Feasible || math.Abs(got.Want.IntervalSeconds-math.Floor(want)) > 1e-6 {
			t.Fatalf("interval %v, feasible %v, want %v: %s", got.Want.IntervalSeconds, got.Feasible, want, got.Reason)
		}
	})
}

// The case "interval too long": λ 50 000, μ 80 000, D 30 s, T_d 60 s, target 600 s
// allow 234 s: (600·0.375 − 60)/0.625 − 30.
func TestIntervalTooLong(t *testing.T) {
	in := intervalOnly(50000/math.Exp(quantileZ(0.99)*leastLoadSpread), 80000, 60, 30, 600)
	in.Now.IntervalSeconds = 600
	got := Search{}.Plan(in)
	if got.Want.IntervalSeconds != 234 || got.Way != job.Savepoint {
		t.Errorf("interval %v by %q, want 234 by a savepoint: %s", got.Want.IntervalSeconds, got.Way, got.Reason)
	}
	// At the present 600 s: (60 + 0.625·630)/0.375 = 1210 s.
	r := Recovery(in.Model.Behavior(in.Now), Load{Now: 50000}, Question{Knobs: in.Now, Failure: job.TaskFailure, Risk: 0.01})
	if *r.WorstSeconds != 1210 || *r.AtRiskSeconds != 1210 {
		t.Errorf("present recovery %v, want 1210", *r.WorstSeconds)
	}
}

// A plan is a function of its input.
func TestSameInputSamePlan(t *testing.T) {
	in := referenceInput(day(50000, 7))
	if diff := cmp.Diff(Search{}.Plan(in), Search{}.Plan(in)); diff != "" {
		t.Errorf("-first +second:\n%s", diff)
	}
}

// What nothing is known of is left alone, with the reason.
func TestNothingKnown(t *testing.T) {
	for name, spoil := range map[string]func(*Input){
		"no rate":   func(in *Input) { in.Load = Load{} },
		"NaN":       func(in *Input) { in.Load.Mean, in.Load.Paths, in.Load.Now = []float64{math.NaN()}, nil, math.NaN() },
		"no target": func(in *Input) { in.Policy.RecoveryTime = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			in := referenceInput(day(50000, 7))
			spoil(&in)
			got := Search{}.Plan(in)
			if got.Want != in.Now || got.Feasible || got.Reason == "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// The plan of a job that catches up in time is to wait: its backlog of 1.2 million
// records drains at 64,000·0.9… − 30,000 a second.
func TestWaitsForCatchUp(t *testing.T) {
	in := referenceInput(flat(30000, 0.03))
	in.LagRecords = 1.2e6
	got := Search{}.Plan(in)
	if got.Want != in.Now || got.Way != "" || got.Reason[:11] != "catching up" {
		t.Errorf("got %s: %s", got.Want, got.Reason)
	}
}

// Quotas, ranges and the step of a change are kept whatever the load asks for.
func TestStaysInLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := referenceInput(day(rapid.Float64Range(5000, 90000).Draw(t, "mean"), rapid.Float64Range(0, 24).Draw(t, "hour")))
		in.Policy.Limits.CPUCores = rapid.Float64Range(16, 40).Draw(t, "cores")
		in.Policy.Limits.StepRatio = rapid.Float64Range(1.1, 4).Draw(t, "step")
		in.MaxParallelism = rapid.IntRange(16, 24).Draw(t, "max")
		got := Search{}.Plan(in)
		if got.Want == in.Now {
			return
		}
		old, next := in.Model.Behavior(in.Now).Capacity.Median, in.Model.Behavior(got.Want).Capacity.Median
		if r := math.Exp(math.Abs(math.Log(next / old))); r > in.Policy.Limits.StepRatio*1.001 {
			t.Errorf("capacity by %v", r)
		}
		if c := got.Want.Cores(in.JobManager); c > in.Policy.Limits.CPUCores {
			t.Errorf("%v cores", c)
		}
		if got.Want.Parallelism > in.MaxParallelism || got.Way == "" {
			t.Errorf("%s by %q", got.Want, got.Way)
		}
	})
}

func BenchmarkDay(b *testing.B) {
	in := referenceInput(day(50000, 10))
	for b.Loop() {
		Search{}.Plan(in)
	}
}

func BenchmarkPacing(b *testing.B) {
	in := referenceInput(day(50000, 10))
	in.World.Pacing, in.Policy.Mode = true, job.ModeApply
	for b.Loop() {
		Search{}.Plan(in)
	}
}

func BenchmarkRecovery(b *testing.B) {
	in := referenceInput(day(50000, 10))
	x := in.Model.Behavior(in.Now)
	for b.Loop() {
		Recovery(x, in.Load, Question{Knobs: in.Now, Failure: job.ProcessFailure, Risk: 0.01, At: new(0.0)})
	}
}
