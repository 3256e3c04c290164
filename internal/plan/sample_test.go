package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// At a constant rate the distribution is that of a scenario of package recovery,
// drawn 100 times as often, within 3 %.
func TestRecoveryAgreesWithScenario(t *testing.T) {
	in := referenceInput(flat(30000, 0.06))
	b, f := in.Model.Behavior(in.Now), job.ProcessFailure
	got := Recovery(b, in.Load, Question{Knobs: in.Now, Failure: f, Risk: 0.01, At: new(0.0)})
	rho := 30000 / (b.Capacity.Median * (1 - b.Loss.Median*b.Duration.Median/30))
	down := b.Down[f].Phases
	s := recovery.Scenario{
		Subtasks: []recovery.Subtask{{
			Utilization: recovery.Uncertain{Median: rho, Spread: rho * math.Sinh(upperZ*math.Hypot(0.06, b.Capacity.LogSpread()))},
			WarmupStart: b.Cold.Start, WarmupTau: b.Cold.Tau,
		}},
		Age: recovery.AgeModel{Low: b.Duration.Median, High: 30 + b.Duration.Median}, Downtime: down[:],
	}
	want := s.Draw(rand.New(rand.NewPCG(1, 1)), 100*draws)
	s.Age.Low = s.Age.High
	worst := s.Draw(rand.New(rand.NewPCG(1, 1)), 100*draws)
	for name, x := range map[string]struct {
		got  *float64
		want recovery.Time
	}{
		"p05": {got.P05Seconds, want.Quantile(0.05)}, "median": {got.MedianSeconds, want.Quantile(0.5)},
		"p95": {got.P95Seconds, want.Quantile(0.95)}, "at risk": {got.AtRiskSeconds, worst.Quantile(0.99)},
		"worst": {got.WorstSeconds, worst.Quantile(0.5)},
	} {
		if math.Abs(*x.got/x.want.Seconds-1) > 0.03 {
			t.Errorf("%s %v, want %v", name, *x.got, x.want.Seconds)
		}
	}
}

// The phases add up to the median, and the downtime is that of the behavior.
func TestPhasesAddUp(t *testing.T) {
	in := referenceInput(flat(30000, 0.03))
	r := Recovery(in.Model.Behavior(in.Now), in.Load, Question{Knobs: in.Now, Failure: job.ProcessFailure, Risk: 0.01})
	sum, down := 0.0, 0.0
	for i, p := range r.Phases {
		if p.Phase != job.Phases()[i] {
			t.Errorf("phase %d is %s", i, p.Phase)
		}
		sum += p.Seconds
		if p.Phase.Downtime() {
			down += p.Seconds
		}
	}
	if math.Abs(sum-*r.MedianSeconds) > 1e-9 {
		t.Errorf("phases add up to %v, median %v", sum, *r.MedianSeconds)
	}
	// 2 + 1 + 12 + 6 + 102/8 = 33.75 s.
	if math.Abs(down-33.75) > 3 {
		t.Errorf("downtime %v, want about 33.75", down)
	}
}

// A given age is what is replayed; the older, the longer.
func TestGivenAge(t *testing.T) {
	in := referenceInput(flat(30000, 0.03))
	b, last := in.Model.Behavior(in.Now), 0.0
	for _, age := range []float64{0, 10, 40, 90} {
		r := Recovery(b, in.Load, Question{Knobs: in.Now, Failure: job.TaskFailure, Risk: 0.01, Age: &age, At: new(0.0)})
		if *r.MedianSeconds <= last || *r.AgeSeconds != age {
			t.Errorf("age %v: %v s, after %v", age, *r.MedianSeconds, last)
		}
		last = *r.MedianSeconds
	}
}

// A scale of 2 doubles the width of the interval on the logarithm.
func TestScaleWidens(t *testing.T) {
	in := referenceInput(flat(30000, 0.03))
	b, q := in.Model.Behavior(in.Now), Question{Knobs: in.Now, Failure: job.ProcessFailure, Risk: 0.01, At: new(0.0)}
	plain := Recovery(b, in.Load, q)
	q.Scale = 2
	wide := Recovery(b, in.Load, q)
	if got, want := math.Log(*wide.P95Seconds / *wide.MedianSeconds), 2*math.Log(*plain.P95Seconds / *plain.MedianSeconds); math.Abs(got-want) > 1e-9 {
		t.Errorf("log width %v, want %v", got, want)
	}
}

// What cannot recover says so; no number stands for it.
func TestNeverRecovers(t *testing.T) {
	in := referenceInput(flat(200000, 0.03))
	r := Recovery(in.Model.Behavior(in.Now), in.Load, Question{Knobs: in.Now, Failure: job.ProcessFailure, Risk: 0.01})
	want := job.Recovery{
		Failure: job.ProcessFailure, Outcome: job.Never, P95Outcome: job.Never, AtRiskOutcome: job.Never, Phases: []job.PhaseTime{},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}
