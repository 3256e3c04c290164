package control

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/outage"
)

// history makes what is observed of a job that fails once: λ records/s arrive, μ
// can be processed, it is dead from failed on for down seconds and replays age
// seconds of input. The backlog in calm times is base.
type history struct {
	lambda, mu, base  float64
	failed, down, age float64
	every             float64 // s between looks
}

// caughtUp is when the backlog is gone by the closed form (T_d + ρA)/(1 − ρ).
func (h history) caughtUp() float64 {
	rho := h.lambda / h.mu
	return h.failed + (h.down+rho*h.age)/(1-rho)
}

// lag is the backlog at t.
func (h history) lag(t float64) float64 {
	switch {
	case t < h.failed:
		return h.base
	case t < h.failed+h.down:
		return h.base + h.lambda*(t-h.failed)
	}
	return h.base + math.Max(0, h.lambda*(h.down+h.age)-(h.mu-h.lambda)*(t-h.failed-h.down))
}

func (h history) observe(t float64) job.Observation {
	at := noon.Add(seconds(t))
	rate := h.lambda
	state, since := "RUNNING", noon.Add(-time.Hour)
	switch before := t - h.every; {
	case t < h.failed:
	case t < h.failed+h.down:
		rate, state = 0, "DEPLOYING"
	default:
		since = noon.Add(seconds(h.failed + h.down))
		replays := 0.0
		if before < h.failed+h.down {
			replays = h.lambda * h.age
		}
		rate = math.Max(0, (h.lag(before)-h.lag(t)+replays)/h.every+h.lambda)
	}
	s := job.Subtask{State: state, RecordsInPerSecond: &rate, PendingRecords: new(h.lag(t)), PendingSlope: new((h.lag(t) - h.lag(t-h.every)) / h.every)}
	o := job.Observation{Job: job.Identity{Name: "words"}, At: at, ServerTime: at, State: "RUNNING", StartedAt: since, WindowSeconds: &h.every, Restarts: new(0)}
	if state == "RUNNING" {
		s.RunningSince = &since
	} else {
		o.State, o.StartedAt = "RESTARTING", time.Time{}
	}
	if t >= h.failed {
		o.Restarts = new(1)
		o.Exceptions = []job.Exception{{At: noon.Add(seconds(h.failed)), Name: "java.lang.RuntimeException"}}
	}
	o.Vertices = []job.Vertex{{ID: "src", Parallelism: 1, Subtasks: []job.Subtask{s}}}
	return o
}

// What is followed look by look is what package outage finds in the series of the
// same looks afterwards, and what the formula says, within what lies between looks.
func TestTrackerAgreesWithOutage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := history{
			lambda: rapid.Float64Range(500, 5000).Draw(t, "λ"), failed: 600 + rapid.Float64Range(0, 60).Draw(t, "failed"),
			down: rapid.Float64Range(15, 60).Draw(t, "down"), age: rapid.Float64Range(0, 60).Draw(t, "age"), every: 5,
		}
		h.mu = h.lambda / rapid.Float64Range(0.3, 0.8).Draw(t, "ρ")
		h.base = h.lambda * rapid.Float64Range(0, 0.5).Draw(t, "base")
		var obs []job.Observation
		var tr tracker
		var ended []*interruption
		for at := 0.0; at < h.caughtUp()+300; at += h.every {
			o := h.observe(at)
			obs = append(obs, o)
			k := newLook(o)
			_, e := tr.see(&k, nil)
			ended = append(ended, e...)
		}
		found, err := outage.Find(outage.Observed(obs), outage.Params{})
		if err != nil || len(found) != 1 || len(ended) != 1 {
			t.Fatalf("%d outages found (%v), %d followed", len(found), err, len(ended))
		}
		m := ended[0].measurement(believed{})
		if m.RecoverySeconds == nil || found[0].RecoverySeconds == nil {
			t.Fatal("no recovery")
		}
		want := h.caughtUp() - h.failed
		if got := *m.RecoverySeconds; math.Abs(got-want) > 0.5*h.every+1+0.05*want {
			t.Errorf("recovered in %.1f s, by the formula %.1f s", got, want)
		}
		if got, later := *m.RecoverySeconds, *found[0].RecoverySeconds; math.Abs(got-later) > 2*found[0].ResolutionSeconds+0.05*want {
			t.Errorf("recovered in %.1f s, package outage says %.1f ± %.1f s", got, later, found[0].ResolutionSeconds)
		}
		if got := *m.DowntimeSeconds; math.Abs(got-h.down) > 0.01 {
			t.Errorf("down for %.2f s, want %.2f", got, h.down)
		}
		total := 0.0
		for _, p := range m.Phases {
			total += p.Seconds
		}
		if math.Abs(total-*m.RecoverySeconds) > 1e-6 {
			t.Errorf("the phases are %.3f s, the recovery %.3f s: %+v", total, *m.RecoverySeconds, m.Phases)
		}
	})
}

// RUNNING but not running: the job and its first subtasks run at once, the last
// one after minutes; until then the job is down.
func TestLastSubtaskDecides(t *testing.T) {
	h := history{lambda: 1000, mu: 3000, failed: 600, down: 10, every: 5}
	var tr tracker
	for at := 0.0; at < 900; at += h.every {
		o := h.observe(at)
		if at >= 600 && at < 800 {
			o.State, o.StartedAt = "RUNNING", noon.Add(605*time.Second)
			o.Vertices[0].Subtasks = append(o.Vertices[0].Subtasks, job.Subtask{Index: 1, State: "INITIALIZING"})
		}
		k := newLook(o)
		s, _ := tr.see(&k, nil)
		if down := at >= 600 && at < 800; (s == learn.Down) != down {
			t.Fatalf("at %v s the job is %s", at, s)
		}
	}
}

// A job that falls behind is seen to; one that catches up, or has a steady backlog,
// does not.
func TestOverload(t *testing.T) {
	for name, tt := range map[string]struct {
		lag  func(t float64) float64
		busy float64
		want bool
	}{
		"grows":           {func(t float64) float64 { return max(0, t-300) * 50 }, 1, true},
		"grows, idle":     {func(t float64) float64 { return max(0, t-300) * 50 }, 0.5, false},
		"falls":           {func(t float64) float64 { return max(0, 60000-t*50) }, 1, false},
		"steady":          {func(t float64) float64 { return min(1, max(0, t-300)) * 20000 }, 1, false},
		"a blip":          {func(t float64) float64 { return max(0, 3000-math.Abs(t-600)*100) }, 1, false},
		"grows and stops": {func(t float64) float64 { return min(30000, max(0, t-300)*200) }, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var tr tracker
			for at := 0.0; at <= 900; at += 5 {
				o := history{lambda: 1000, mu: 3000, failed: 1e9, every: 5}.observe(at)
				s := &o.Vertices[0].Subtasks[0]
				s.PendingRecords, s.PendingSlope, s.BusyRatio = new(tt.lag(at)), new(0.0), new(tt.busy)
				k := newLook(o)
				tr.see(&k, nil)
			}
			if tr.growing != tt.want {
				t.Errorf("falls behind: %v, want %v", tr.growing, tt.want)
			}
		})
	}
}

// A backlog that is there to stay becomes the usual one, so that a job whose
// backlog has changed for good is not left alone for ever.
func TestSteadyBacklogBecomesUsual(t *testing.T) {
	var tr tracker
	var s learn.Situation
	for at := 0.0; at <= 3000; at += 5 {
		o := history{lambda: 1000, mu: 3000, failed: 1e9, every: 5}.observe(at)
		if at > 600 {
			o.Vertices[0].Subtasks[0].PendingRecords = new(20000.0)
		}
		k := newLook(o)
		s, _ = tr.see(&k, nil)
		if at == 900 && s != learn.CatchingUp {
			t.Errorf("after 5 min it is %s", s)
		}
	}
	if s != learn.Calm {
		t.Errorf("after 40 min it is %s", s)
	}
}

func TestKindOfFailure(t *testing.T) {
	gone := []string{"tm-1"}
	for _, tt := range []struct {
		exception string
		i         interruption
		want      job.Failure
	}{
		{"org.apache.flink.runtime.io.network.netty.exception.RemoteTransportException", interruption{gone: gone}, job.ProcessFailure},
		{"org.apache.flink.runtime.jobmaster.JobMasterException", interruption{}, job.ProcessFailure},
		{"org.apache.flink.runtime.rpc.exceptions.RecipientUnreachableException", interruption{}, job.ProcessFailure},
		{"java.util.concurrent.TimeoutException", interruption{gone: gone}, job.NodeFailure},
		{"java.util.concurrent.TimeoutException", interruption{}, job.TaskFailure},
		{"java.lang.RuntimeException", interruption{}, job.TaskFailure},
		{"", interruption{gone: gone}, job.ProcessFailure},
		{"", interruption{unreachable: true}, job.JobManagerFailure},
		{"", interruption{}, job.TaskFailure},
	} {
		var e *job.Exception
		if tt.exception != "" {
			e = &job.Exception{Name: tt.exception, TaskManager: "tm-7"}
		}
		if got := tt.i.kindOf(e); got != tt.want {
			t.Errorf("%q, %v gone: %s, want %s", tt.exception, tt.i.gone, got, tt.want)
		}
	}
}

func TestBand(t *testing.T) {
	var b band
	for i := range 100 {
		b.add(float64(i%10)*10, 100)
	}
	// The last 40 hold 0, 10, … 90 four times each: median 50, 95 % of them at most
	// 90, half as much again 135.
	if b.usual() != 50 || b.high(100) != 135 {
		t.Errorf("usual %v, high %v, want 50 and 135", b.usual(), b.high(100))
	}
	if got := b.high(200); got != 270 {
		t.Errorf("at twice the input high %v, want 270", got)
	}
	if got := b.high(1000); got != 1350 {
		t.Errorf("at ten times the input high %v, want 1350", got)
	}
	var empty band
	if got := empty.high(500); got != 500 {
		t.Errorf("without a past high %v, want a second of input", got)
	}
}
