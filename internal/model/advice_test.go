package model

import (
	"strings"
	"testing"

	"rebound/internal/job"
)

func target(s float64) Target {
	return Target{Seconds: s, Risk: 0.01, Failures: []job.Failure{job.TaskFailure, job.ProcessFailure}}
}

func TestVerdict(t *testing.T) {
	m := New(Evidence{Now: observed(0.5)})
	worst, _ := m.worst(target(1), m.knobs)
	tests := map[string]struct {
		target float64
		want   job.Verdict
	}{
		"a minute more": {worst + 60, job.Met},
		"a bit less":    {worst - 2, job.Missed},
		"one second":    {1, job.Infeasible},
		"none":          {0, job.Unknown},
	}
	for name, tt := range tests {
		if got := m.Verdict(target(tt.target)); got != tt.want {
			t.Errorf("%s: %s, want %s (worst %.1f s)", name, got, tt.want, worst)
		}
	}
}

// At the longest interval the target is just kept, and a little longer misses it.
func TestLongestInterval(t *testing.T) {
	m := New(Evidence{Now: observed(0.5)})
	longest, ok := m.LongestInterval(target(60))
	if !ok {
		t.Fatal("60 s are feasible")
	}
	k := m.knobs
	k.interval = longest
	if v, _ := m.worst(target(60), k); v > 60 || v < 57 {
		t.Errorf("at %.1f s: recovery %.1f s, want just 60 s", longest, v)
	}
	if _, ok := m.LongestInterval(target(2)); ok {
		t.Error("2 s are less than the downtime")
	}
}

func TestNeededCapacity(t *testing.T) {
	m := New(Evidence{Now: observed(0.8)})
	factor, ok := m.NeededCapacity(target(60))
	if !ok || factor <= 1 {
		t.Fatalf("factor %v, %v", factor, ok)
	}
	k := m.knobs
	k.capacity = factor
	if v, _ := m.worst(target(60), k); v > 60 || v < 55 {
		t.Errorf("with %.2f × the capacity: %.1f s, want just 60 s", factor, v)
	}
	if _, ok := m.NeededCapacity(target(1)); ok {
		t.Error("no capacity shortens the downtime")
	}
}

// Where one phase dominates, the advice is about that phase, in Flink's own key,
// and says what it would bring.
func TestAdviceNamesWhatDominates(t *testing.T) {
	tests := map[string]struct {
		change  func(*job.Observation)
		target  float64
		failure job.Failure
		setting string
	}{
		"interval": {func(o *job.Observation) { o.Checkpointing.IntervalSeconds = new(120.0) }, 60, job.ProcessFailure, "execution.checkpointing.interval"},
		"heartbeat": {func(o *job.Observation) {
			o.Config["heartbeat.interval"], o.Config["heartbeat.timeout"] = "10 s", "50 s"
		}, 60, job.NodeFailure, "heartbeat.interval"},
		"back-off": {func(o *job.Observation) { o.Config["restart-strategy.fixed-delay.delay"] = "30 s" }, 60, job.TaskFailure, "restart-strategy.fixed-delay.delay"},
		"spare":    {func(o *job.Observation) { o.TaskManagers = o.TaskManagers[:2] }, 60, job.ProcessFailure, "spare TaskManagers"},
		"capacity": {func(o *job.Observation) { *o = observed(0.9) }, 60, job.ProcessFailure, "parallelism of work"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := observed(0.5)
			tt.change(&o)
			want := Target{Seconds: tt.target, Risk: 0.01, Failures: []job.Failure{tt.failure}}
			m := New(Evidence{Now: o})
			worst, _ := m.worst(want, m.knobs)
			for _, a := range m.Advice(want) {
				if a.Setting != tt.setting {
					continue
				}
				if after, ok := a.Recovery[tt.failure]; !ok || after >= worst {
					t.Errorf("%s: %s would bring %v, now %.1f s", a.Setting, a.Want, a.Recovery, worst)
				}
				return
			}
			t.Errorf("no advice on %s in %+v", tt.setting, m.Advice(want))
		})
	}
}

// A job that is fine gets no advice but that it may checkpoint less often.
func TestNoAdviceWithoutNeed(t *testing.T) {
	for _, a := range New(Evidence{Now: observed(0.3)}).Advice(target(600)) {
		if !strings.HasPrefix(a.Setting, "execution.checkpointing.interval") {
			t.Errorf("advice on %s although the target is met by far", a.Setting)
		}
	}
}
