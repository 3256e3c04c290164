package model

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebound/internal/job"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// observed is a job of a source and a keyed vertex, two subtasks each, on two of
// three TaskManagers: heartbeat 1 s / 5 s, fixed delay 1 s, interval 10 s.
func observed(busy float64) job.Observation {
	o := job.Observation{
		Job: job.Identity{Cluster: "test", Name: "ads"}, ID: "a1", At: noon, ServerTime: noon,
		State: "RUNNING", Type: "STREAMING", WindowSeconds: new(15.0),
		Config: job.Options{
			"heartbeat.interval": "1 s", "heartbeat.timeout": "5 s",
			"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "1 s",
			"high-availability.type": "zookeeper",
		},
		Checkpointing: job.Checkpointing{Enabled: true, Mode: "exactly_once", IntervalSeconds: new(10.0)},
		TaskManagers: []job.TaskManager{
			{ID: "tm1", Slots: 1, CPUCores: new(1.0), CPUUsedCores: new(0.12)},
			{ID: "tm2", Slots: 1, CPUCores: new(1.0), CPUUsedCores: new(0.12)},
			{ID: "tm3", Slots: 1, FreeSlots: 1},
		},
	}
	for i := range 5 {
		o.Checkpointing.History = append(o.Checkpointing.History, job.Checkpoint{
			ID: int64(9 - i), Status: "COMPLETED", TriggeredAt: noon.Add(-time.Duration(2+10*i) * time.Second), DurationSeconds: new(0.1),
		})
	}
	for _, v := range []struct {
		id     string
		inputs []string
		busy   float64
	}{{"source", nil, busy / 4}, {"work", []string{"source"}, busy}} {
		vertex := job.Vertex{ID: v.id, Name: v.id, Parallelism: 2, Inputs: v.inputs}
		for i, tm := range []string{"tm1", "tm2"} {
			vertex.Subtasks = append(vertex.Subtasks, job.Subtask{
				Index: i, State: "RUNNING", TaskManager: tm, BusyRatio: new(v.busy), RecordsInPerSecond: new(500.0),
			})
		}
		o.Vertices = append(o.Vertices, vertex)
	}
	return o
}

// past is a recovery of the job above in which the downtime was longer by so many
// seconds than its configuration had said, all of it in the restore.
func past(longer, catchUp float64) Past {
	const busy = 0.5
	m := New(Evidence{Now: observed(busy)})
	configured := m.Configured(job.ProcessFailure)
	p := Past{SameJob: true, Measurement: job.Measurement{
		Failure: job.ProcessFailure, Topology: job.Spread, Process: job.Cold, Configured: configured,
		Utilization: new(0.5), CatchUpUtilization: new(catchUp),
	}}
	for _, c := range configured {
		if c.Phase == job.Restore {
			c.Seconds += longer
		}
		p.Phases = append(p.Phases, c)
	}
	return p
}

func median(t *testing.T, m *Model, q Question) float64 {
	t.Helper()
	r, ok := m.Predict(q)
	if !ok || r.MedianSeconds == nil {
		t.Fatalf("no prediction: %+v", r)
	}
	return *r.MedianSeconds
}

// With everything in the middle: detect 0.45 s, back-off 1 s, the dead slot is out
// of the pool after 1.5 s (0.05 + 0.5 s of waste), restore 2.4 s: T_d = 4.4 s.
// ρ = 0.5 · 1.02 = 0.51, A = 5 s: R = (4.4 + 0.51·5)/0.49 = 14.2 s. The median of a
// sum of skewed phases lies above the sum of their medians, and the slower of two
// subtasks above either: a tenth more at most.
func TestPredictAgainstTheFormula(t *testing.T) {
	m := New(Evidence{Now: observed(0.5)})
	age := 5.0
	got := median(t, m, Question{Failure: job.ProcessFailure, Risk: 0.01, Age: &age})
	if want := (4.4 + 0.51*5) / 0.49; got < want || got > 1.12*want {
		t.Errorf("median %.1f s, want about %.1f s", got, want)
	}
}

// The phases that are shown add up to the median that is shown, each is there,
// and the quantiles are in order.
func TestPhasesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := observed(rapid.Float64Range(0.05, 0.9).Draw(t, "busy"))
		o.Checkpointing.IntervalSeconds = new(rapid.Float64Range(1, 120).Draw(t, "interval"))
		f := rapid.SampledFrom(job.Failures()).Draw(t, "failure")
		r, ok := New(Evidence{Now: o}).Predict(Question{Failure: f, Risk: 0.01})
		if !ok || r.MedianSeconds == nil {
			t.Fatalf("no prediction for a %s failure", f)
		}
		sum := 0.0
		for i, p := range r.Phases {
			if p.Phase != job.Phases()[i] || p.Seconds < 0 {
				t.Fatalf("phase %d is %+v", i, p)
			}
			sum += p.Seconds
		}
		if math.Abs(sum-*r.MedianSeconds) > 1e-6**r.MedianSeconds {
			t.Fatalf("phases add up to %v, the median is %v", sum, *r.MedianSeconds)
		}
		if *r.P05Seconds > *r.MedianSeconds || r.P95Seconds != nil && *r.P95Seconds < *r.MedianSeconds {
			t.Fatalf("quantiles out of order: %v %v %v", *r.P05Seconds, *r.MedianSeconds, r.P95Seconds)
		}
		if r.FirstCommitSeconds == nil || *r.VisibleSeconds < *r.FirstCommitSeconds {
			t.Fatalf("visible before the first commit: %v %v", r.FirstCommitSeconds, *r.VisibleSeconds)
		}
	})
}

// More load, an older checkpoint, a longer downtime: never an earlier recovery.
func TestWorseIsNeverSooner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		busy := rapid.Float64Range(0.05, 0.7).Draw(t, "busy")
		age := rapid.Float64Range(0, 60).Draw(t, "age")
		more := rapid.Float64Range(0, 0.2).Draw(t, "more")
		at := func(busy, age float64) float64 {
			r, _ := New(Evidence{Now: observed(busy)}).Predict(Question{Failure: job.ProcessFailure, Risk: 0.01, Age: &age})
			if r.MedianSeconds == nil {
				return math.Inf(1)
			}
			return *r.MedianSeconds
		}
		if base := at(busy, age); at(busy+more, age) < base-1e-9 || at(busy, age+10*more) < base-1e-9 {
			t.Fatalf("sooner with more")
		}
	})
}

func TestTopologyDecidesDetection(t *testing.T) {
	o := observed(0.5)
	spread := New(Evidence{Now: o})
	for v := range o.Vertices {
		for s := range o.Vertices[v].Subtasks {
			o.Vertices[v].Subtasks[s].TaskManager = "tm1"
		}
	}
	o.Config["heartbeat.interval"], o.Config["heartbeat.timeout"] = "10 s", "50 s"
	one := New(Evidence{Now: o})
	detect := func(m *Model, f job.Failure) float64 {
		v, _ := job.PhaseSeconds(m.Configured(f), job.Detect)
		return v
	}
	if got := detect(spread, job.ProcessFailure); got > 1 {
		t.Errorf("a closed connection is seen after %v s", got)
	}
	// Two failed heartbeats of 10 s, the first under way: 10 to 20 s (15.1 and 15.9 measured).
	if got := detect(one, job.ProcessFailure); got != 15 {
		t.Errorf("in one TaskManager: %v s, want 15 s", got)
	}
	if got := detect(one, job.NodeFailure); got != 45 {
		t.Errorf("a silent node: %v s, want 45 s, the time-out less half an interval", got)
	}
}

// Restarts into a dead slot: seen with Flink's default heartbeat were 12.6 s until
// the restart that came through. Detection 0.45 + back-off 1 + waiting must be
// two failed heartbeats and half a back-off.
func TestDeadSlot(t *testing.T) {
	o := observed(0.5)
	delete(o.Config, "heartbeat.interval")
	delete(o.Config, "heartbeat.timeout")
	sum := 0.0
	for _, p := range New(Evidence{Now: o}).Configured(job.ProcessFailure) {
		if p.Phase != job.Restore {
			sum += p.Seconds
		}
	}
	if want := 15.5; math.Abs(sum-want) > 1e-9 {
		t.Errorf("%v s until the restart, want %v s", sum, want)
	}
}

// A measured downtime moves the next prediction most of the way, more of them
// all but the whole; the spread shrinks, and stays above its floor.
func TestDowntimeIsLearned(t *testing.T) {
	restore := func(n int) (value, spread float64) {
		e := Evidence{Now: observed(0.5)}
		for range n {
			e.Past = append(e.Past, past(4, 0.51))
		}
		for _, p := range New(e).phases(job.ProcessFailure, New(e).knobs) {
			if p.phase == job.Restore {
				return p.length.Median, p.length.Spread
			}
		}
		return 0, 0
	}
	v0, s0 := restore(0)
	v1, s1 := restore(1)
	v9, s9 := restore(9)
	if !(v1-v0 > 2.4 && v1-v0 < 3.2) {
		t.Errorf("after one that took 4 s longer: %.2f s longer", v1-v0)
	}
	if !(v9-v0 > 3.7 && v9-v0 <= 4) {
		t.Errorf("after nine that took 4 s longer: %.2f s longer", v9-v0)
	}
	if !(s1 < s0 && s9 < s1 && s9 >= leastPhaseSpread) {
		t.Errorf("spreads %v, %v, %v", s0, s1, s9)
	}
}

// A recovery on a starved machine says little of one on a calm machine.
func TestStarvedRecoveriesCountLittle(t *testing.T) {
	restore := func(starved float64) float64 {
		p := past(10, 0.51)
		p.StarvedRatio = &starved
		m := New(Evidence{Now: observed(0.5), Past: []Past{p}})
		for _, d := range m.phases(job.ProcessFailure, m.knobs) {
			if d.phase == job.Restore {
				return d.length.Median
			}
		}
		return 0
	}
	if calm, busy := restore(0), restore(20); calm < 9 || busy > 5 {
		t.Errorf("after one that took 10 s longer than 3 s: %.1f s on a calm machine, %.1f s on a busy one", calm, busy)
	}
}

// What is learned is the difference to what configuration says: another heartbeat
// moves the prediction without a new drill.
func TestLearningOutlivesConfiguration(t *testing.T) {
	e := Evidence{Now: observed(0.5), Past: []Past{past(2, 0.51), past(2, 0.51)}}
	before := median(t, New(e), Question{Failure: job.NodeFailure, Risk: 0.01, Age: new(5.0)})
	e.Now.Config["heartbeat.timeout"] = "25 s"
	after := median(t, New(e), Question{Failure: job.NodeFailure, Risk: 0.01, Age: new(5.0)})
	if after-before < 20 {
		t.Errorf("20 s more until a silent node is noticed, and recovery goes from %.0f to %.0f s", before, after)
	}
}

// Busy time said 0.5, the catch-up showed 0.6: so does the next prediction.
func TestBusyTimeIsCorrected(t *testing.T) {
	e := Evidence{Now: observed(0.5)}
	for range 6 {
		e.Past = append(e.Past, past(0, 0.6))
	}
	m := New(e)
	if got := m.corrected(m.subtasks[len(m.subtasks)-1]).Median; math.Abs(got-0.6) > 0.02 {
		t.Errorf("utilization %.3f, want about 0.6", got)
	}
}

// A fresh JVM under a CPU limit starts slow; one that waits does not.
func TestWarmupFollowsComputation(t *testing.T) {
	waiting := New(Evidence{Now: observed(0.5)})
	o := observed(0.5)
	for i := range o.TaskManagers[:2] {
		o.TaskManagers[i].CPUCores, o.TaskManagers[i].CPUUsedCores = new(0.4), new(0.35)
	}
	computing := New(Evidence{Now: o})
	from1, _, _ := waiting.warmup(job.Cold)
	from2, _, _ := computing.warmup(job.Cold)
	if !(from1.Median > 0.85 && from2.Median < 0.65) {
		t.Errorf("start at %.2f waiting and %.2f computing", from1.Median, from2.Median)
	}
	q := Question{Failure: job.ProcessFailure, Risk: 0.01, Age: new(5.0)}
	if a, b := median(t, waiting, q), median(t, computing, q); b < 1.15*a {
		t.Errorf("recovery %.1f s waiting, %.1f s computing", a, b)
	}
}

func TestUnknownIsNotPredicted(t *testing.T) {
	o := observed(0.5)
	o.Checkpointing = job.Checkpointing{}
	if _, ok := New(Evidence{Now: o}).Predict(Question{Failure: job.TaskFailure, Risk: 0.01}); ok {
		t.Error("predicted without checkpoints")
	}
	o = observed(0.5)
	for v := range o.Vertices {
		for s := range o.Vertices[v].Subtasks {
			o.Vertices[v].Subtasks[s].BusyRatio = nil
		}
	}
	m := New(Evidence{Now: o})
	if _, ok := m.Predict(Question{Failure: job.TaskFailure, Risk: 0.01}); ok {
		t.Error("predicted without busy time")
	}
	if len(m.Missing()) == 0 {
		t.Error("nothing is said to be missing")
	}
}

// A job that cannot keep up never recovers, and no number says otherwise.
func TestOverload(t *testing.T) {
	r, ok := New(Evidence{Now: observed(1)}).Predict(Question{Failure: job.ProcessFailure, Risk: 0.01})
	if !ok || r.Outcome != job.Never || r.MedianSeconds != nil || r.AtRiskSeconds != nil || len(r.Phases) != 0 {
		t.Errorf("got %+v", r)
	}
}

// Without high availability the job is gone with its JobManager: no number, and
// no advice can make one of it.
func TestJobManagerWithoutHighAvailability(t *testing.T) {
	o := observed(0.3)
	delete(o.Config, "high-availability.type")
	m := New(Evidence{Now: o})
	r, ok := m.Predict(Question{Failure: job.JobManagerFailure, Risk: 0.01})
	if !ok || r.Outcome != job.Never || r.AtRiskOutcome != job.Never || r.MedianSeconds != nil {
		t.Errorf("got %+v", r)
	}
	want := Target{Seconds: 600, Risk: 0.01, Failures: []job.Failure{job.JobManagerFailure}}
	if v := m.Verdict(want); v != job.Infeasible {
		t.Errorf("verdict %s", v)
	}
}

// In catch-up a job reads what it can take, not what comes: 1000 records/s at full
// load with a backlog that shrinks by 500 a second is a load of one half.
func TestCatchUpIsNotOverload(t *testing.T) {
	o := observed(1)
	for i := range o.Vertices[0].Subtasks {
		o.Vertices[0].Subtasks[i].PendingSlope = new(-250.0)
	}
	catching := New(Evidence{Now: o})
	if got := catching.subtasks[len(catching.subtasks)-1].busy.Median; math.Abs(got-0.5) > 1e-9 {
		t.Errorf("utilization %v, want 0.5", got)
	}
	o = observed(1)
	o.StartedAt = o.ServerTime.Add(-20 * time.Second)
	if _, ok := New(Evidence{Now: o}).Predict(Question{Failure: job.TaskFailure, Risk: 0.01}); ok {
		t.Error("a job that has just started was judged overloaded")
	}
	o.StartedAt = o.ServerTime.Add(-time.Hour)
	if r, ok := New(Evidence{Now: o}).Predict(Question{Failure: job.TaskFailure, Risk: 0.01}); !ok || r.Outcome != job.Never {
		t.Errorf("always busy for an hour: %+v, %v", r, ok)
	}
}
