package facts

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebound/internal/hazard"
	"rebound/internal/job"
	"rebound/internal/recovery"
)

// orders is a job with 50,000 of 80,000 records/s, 10 min between checkpoints of
// 30 s, a downtime of 60 s.
func orders() Facts {
	return Facts{
		Name: "orders", Risk: 0.01, Target: new(600.0), Rate: Rate{Mean: 50000}, Capacity: Law{Total: new(80000.0)},
		Checkpoint: Checkpoint{Interval: new(600.0), Durations: []float64{30}}, Downtime: Downtime{Total: new(60.0)},
	}
}

func close(a *float64, b float64) bool { return a != nil && math.Abs(*a-b) < 1e-6 }

// From the oldest checkpoint it takes (60 + 0.625·630)/0.375 = 1210 s; with 3 min
// (60 + 0.625·210)/0.375 = 510 s; the longest interval is (600·0.375 − 60)/0.625 −
// 30 = 234 s.
func TestIntervalTooLong(t *testing.T) {
	f, process := orders(), []job.Failure{job.ProcessFailure}
	r, ok := f.Recovery(job.ProcessFailure)
	if !ok || !close(r.WorstSeconds, 1210) || f.Verdict(process) != job.Missed {
		t.Errorf("worst %v, verdict %s, want 1210 and missed", r.WorstSeconds, f.Verdict(process))
	}
	sum := 0.0
	for _, p := range r.Phases {
		sum += p.Seconds
	}
	if !close(r.MedianSeconds, sum) {
		t.Errorf("phases add up to %v, median %v", sum, *r.MedianSeconds)
	}
	advice := f.Advice(process)
	if len(advice) != 2 || advice[0].Want != "234 s" || advice[0].Now != "10 min" {
		t.Errorf("advice %+v, want 234 s first", advice)
	}
	f.Checkpoint.Interval = new(180.0)
	if r, _ := f.Recovery(job.ProcessFailure); !close(r.WorstSeconds, 510) || f.Verdict(process) != job.Met {
		t.Errorf("3 min: worst %v, verdict %s, want 510 and met", r.WorstSeconds, f.Verdict(process))
	}
}

// A TaskManager that is killed: detect 20 s, 167 s in all; one that falls silent
// for 50 s: 227 s; with a spare and a heartbeat of 5 s, detect 10 s: 87 s.
func TestDetection(t *testing.T) {
	for name, tt := range map[string]struct{ detect, resources, want float64 }{
		"killed": {20, 30, 167}, "silent": {50, 30, 227}, "spare": {10, 0, 87},
	} {
		f := orders()
		f.Rate, f.Capacity, f.Utilization = Rate{}, Law{}, new(0.5)
		f.Checkpoint = Checkpoint{Interval: new(30.0), Durations: []float64{5}}
		f.Downtime = Downtime{Detect: &tt.detect, BackOff: new(1.0), Resources: &tt.resources, Restore: new(15.0)}
		if r, ok := f.Recovery(job.ProcessFailure); !ok || !close(r.WorstSeconds, tt.want) {
			t.Errorf("%s: %v, want %v", name, r.WorstSeconds, tt.want)
		}
	}
}

// Of 20 checkpoints 5 ran into the time-out of 60 s: they count for the duration,
// whose median of all is 51.5 s and the real period; a hazard says so.
func TestIntervalBelowDuration(t *testing.T) {
	f := orders()
	f.Checkpoint = Checkpoint{
		Interval: new(10.0), Timeout: new(60.0), MinPause: new(0.0), TolerableFailures: new(0),
		Durations: []float64{38, 41, 44, 47, 52, 58, 61, 63, 40, 45, 49, 55, 59, 62, 64, 43, 46, 51, 57, 60.5},
	}
	if d, _ := f.Checkpoint.duration(); d != 51.5 {
		t.Errorf("duration %v, want 51.5", d)
	}
	if e, _ := f.Checkpoint.effective(); e != 51.5 {
		t.Errorf("effective interval %v, want 51.5", e)
	}
	found := map[string]bool{}
	for _, h := range hazard.Find(f.Observation(time.Unix(0, 0)), f.Known(nil)) {
		found[h.ID] = true
	}
	if !found["interval-below-duration"] || !found["checkpoint-timeouts-near"] {
		t.Errorf("hazards %v", found)
	}
}

// What nobody states is missing, and nothing is said.
func TestMissing(t *testing.T) {
	f := Facts{Name: "x", Risk: 0.01, Target: new(60.0)}
	if _, ok := f.Recovery(job.TaskFailure); ok || f.Verdict(job.Failures()) != job.Unknown || len(f.Missing()) != 2 {
		t.Errorf("verdict %s, missing %v", f.Verdict(job.Failures()), f.Missing())
	}
}

// The forms of capacity agree where they say the same: 1,000·p^0.9.
func TestLaw(t *testing.T) {
	power := Law{PerSlot: 1000, Exponent: 0.9}
	table := Law{ByParallelism: map[int]float64{2: 1000 * math.Pow(2, 0.9), 16: 1000 * math.Pow(16, 0.9)}}
	for _, p := range []int{1, 2, 5, 16, 40} {
		a, _ := power.At(p, 4)
		if b, ok := table.At(p, 4); !ok || math.Abs(a-b) > 1e-6*a {
			t.Errorf("p %d: %v and %v", p, a, b)
		}
	}
	if v, ok := (Law{Total: new(800.0)}).At(6, 4); !ok || v != 1200 {
		t.Errorf("in proportion: %v, want 1200", v)
	}
	if _, ok := (Law{}).At(4, 4); ok {
		t.Error("no law says something")
	}
}

// A sine is at its mean where it begins and at its peak a quarter later; samples
// of a day repeat.
func TestRate(t *testing.T) {
	r := Rate{Mean: 100, Amplitude: 50, Period: 400}
	if r.At(0) != 100 || math.Abs(r.At(100)-150) > 1e-9 || r.Peak() != 150 {
		t.Errorf("sine: %v, %v, %v", r.At(0), r.At(100), r.Peak())
	}
	r = Rate{Times: []float64{0, 43200, 86400}, Values: []float64{1, 5, 1}}
	if r.At(50000) != 5 || r.At(86400+50000) != 5 || r.At(10) != 1 || r.Peak() != 5 {
		t.Errorf("samples: %v, %v", r.At(50000), r.At(86400+50000))
	}
}

// The advised interval is the longest: the target is met at it from the oldest
// checkpoint, and not at one that is 2 s longer.
func TestAdviceHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := orders()
		f.Rate.Mean = rapid.Float64Range(20000, 70000).Draw(t, "rate")
		f.Target = new(rapid.Float64Range(100, 2000).Draw(t, "target"))
		f.Downtime.Total = new(rapid.Float64Range(5, 100).Draw(t, "downtime"))
		f.Checkpoint.Interval = new(4000.0)
		for _, a := range f.Advice([]job.Failure{job.TaskFailure}) {
			if a.Setting != "execution.checkpointing.interval" {
				continue
			}
			text, err := job.ParseDuration(a.Want)
			if err != nil {
				t.Fatal(err)
			}
			worst := func(interval float64) float64 {
				e := recovery.EffectiveInterval(interval, 0, 30)
				return recovery.Case{Rate: f.Rate.Mean, Capacity: 80000, Age: e + 30, Downtime: *f.Downtime.Total}.Time().Seconds
			}
			if worst(text) > *f.Target+1e-6 || worst(text+2) < *f.Target {
				t.Fatalf("%s: %v, and 2 s longer %v, target %v", a.Want, worst(text), worst(text+2), *f.Target)
			}
		}
	})
}
