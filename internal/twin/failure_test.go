package twin_test

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/twin"
)

// downtimes of the recoveries so far.
func downtimes(g twin.Truth) (all []float64) {
	for _, r := range g.Recoveries {
		sum := 0.0
		for _, p := range r.Phases {
			if p.Phase.Downtime() {
				sum += p.Seconds
			}
		}
		all = append(all, sum)
	}
	return all
}

// Exponential delay 1, 2, 4, 5 s (the most), whose level is kept until the job has run
// for 10 min; a task failure takes 5 s beside.
func TestBackOffKeepsItsLevel(t *testing.T) {
	s := calm(t)
	s.Restart.BackOff = twin.BackOff{InitialSeconds: 1, MaxSeconds: 5, Multiplier: 2, ResetSeconds: 600}
	w := start(t, s, 1)
	w.Advance(time.Hour)
	for range 5 {
		w.Inject(job.TaskFailure)
		w.Advance(5 * time.Minute)
	}
	w.Advance(10 * time.Minute)
	w.Inject(job.TaskFailure)
	w.Advance(5 * time.Minute)
	want := []float64{6, 7, 9, 10, 10, 6}
	got := downtimes(w.Truth())
	for i := range want {
		if len(got) != len(want) || math.Abs(got[i]-want[i]) > 1e-6 {
			t.Fatalf("downtimes %v, want %v", got, want)
		}
	}
}

// A spare saves the process start (12 s of 20), once until another has started.
func TestSpareTaskManagers(t *testing.T) {
	s := calm(t)
	s.Restart.Spares = 1
	w := start(t, s, 1)
	w.Advance(time.Hour)
	if o := look(t, w); len(o.TaskManagers) != 11 || o.TaskManagers[10].FreeSlots != 1 {
		t.Errorf("%d TaskManagers, want 11 with one free", len(o.TaskManagers))
	}
	w.Inject(job.ProcessFailure)
	w.Advance(10 * time.Second)
	if o := look(t, w); len(o.TaskManagers) != 10 {
		t.Errorf("%d TaskManagers while the spare is in use, want 10", len(o.TaskManagers))
	}
	w.Inject(job.ProcessFailure)
	w.Advance(10 * time.Minute)
	w.Inject(job.ProcessFailure)
	w.Advance(10 * time.Minute)
	got := downtimes(w.Truth())
	// The first was cut short after 10 s by the second, which took 20 s.
	for i, want := range []float64{30, 20, 8} {
		if len(got) != 3 || math.Abs(got[i]-want) > 1e-6 {
			t.Fatalf("downtimes %v, want 30, 20, 8", got)
		}
	}
	hours := w.Now().Sub(twin.Epoch()).Hours()
	if c := w.Truth().Usage.CPUCoreHours; math.Abs(c-12*hours) > 1e-6 {
		t.Errorf("%v core hours, want those of 10 TaskManagers, a spare and a JobManager: %v", c, 12*hours)
	}
}

// Reading 4 GiB back at 100 MiB/s in 10 TaskManagers takes 4.096 s; local recovery
// spares it, but only where the processes live.
func TestRestoreReadsTheState(t *testing.T) {
	for _, local := range []bool{false, true} {
		s := calm(t)
		s.Restart.MiBPerSecond, s.Restart.LocalRecovery = 100, local
		w := start(t, s, 1)
		w.Advance(time.Hour)
		w.Inject(job.TaskFailure)
		w.Advance(10 * time.Minute)
		w.Inject(job.ProcessFailure)
		w.Advance(10 * time.Minute)
		want := []float64{10.096, 24.096}
		if local {
			want[0] = 6
		}
		if got := downtimes(w.Truth()); math.Abs(got[0]-want[0]) > 1e-6 || math.Abs(got[1]-want[1]) > 1e-6 {
			t.Errorf("local %v: downtimes %v, want %v", local, got, want)
		}
	}
}

// A failure during catch-up is judged from its own time; both end at once.
func TestAFailureDuringCatchUp(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(10*time.Minute + 20*time.Second)
	w.Inject(job.ProcessFailure) // A = 20
	w.Advance(30 * time.Second)  // up for 10 s: no checkpoint since
	w.Inject(job.ProcessFailure) // A = 50: (20 + 0.6·50)/0.4 = 125 s
	w.Advance(10 * time.Minute)
	r := w.Truth().Recoveries
	if len(r) != 2 || math.Abs(r[1].Seconds-125) > 0.01 || math.Abs(r[0].Seconds-155) > 0.01 {
		t.Fatalf("recoveries %+v, want 155 s and 125 s", r)
	}
	if !r[0].Interrupted || r[0].DuringCatchUp || !r[1].DuringCatchUp || r[1].Interrupted {
		t.Errorf("interrupted %v %v, during catch-up %v %v", r[0].Interrupted, r[1].Interrupted, r[0].DuringCatchUp, r[1].DuringCatchUp)
	}
}

// Records processed in [failure, caught up] are not calm; those after it are.
func TestCalmRecords(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(10 * time.Minute)
	before := w.Truth()
	w.Inject(job.ProcessFailure)
	w.Advance(60 * time.Second)
	during := w.Truth()
	if a, b := before.Calm.Records(), during.Calm.Records(); a != before.In || a != b {
		t.Errorf("%d calm records of %d before the failure, %d while it is caught up", a, before.In, b)
	}
	w.Advance(9 * time.Minute)
	caughtUp := w.Truth()
	w.Advance(time.Hour)
	after := w.Truth()
	if n := after.Calm.Records() - caughtUp.Calm.Records(); n != 3600*60000 {
		t.Errorf("%d calm records in a calm hour, want all 216,000,000", n)
	}
	if after.Latency.Records() != after.Processed || after.Latency.Quantile(0.999) < 20 || after.Calm.Quantile(1) > 0.5 {
		t.Errorf("%d records, p99.9 %v s, calm at most %v s", after.Latency.Records(), after.Latency.Quantile(0.999), after.Calm.Quantile(1))
	}
}

// Warm-up costs capacity: (1 − start)·τ·μ records that the backlog has more. With
// start 0.5 and τ = 12 s it is 6 s of downtime more, once warm: 0.4·R = 20 + 6 +
// 0.6·30.
func TestWarmupCosts(t *testing.T) {
	s := calm(t)
	s.Warmup = twin.Warmup{StartRatio: 0.5, TimeSeconds: 12}
	w := start(t, s, 1)
	w.Advance(10*time.Minute + 29*time.Second)
	w.Inject(job.ProcessFailure)
	w.Advance(10 * time.Minute)
	r := w.Truth().Recoveries[0]
	if want := (20 + 6 + 0.6*29) / 0.4; math.Abs(r.Seconds-want) > 0.1 {
		t.Errorf("it took %v s, want %v", r.Seconds, want)
	}
}

// Watermark alignment caps the drain: drift 2 s a second, capacity 6 times the load,
// a backlog of 1800 s: 1800/(2 − 1) s.
func TestAlignmentCap(t *testing.T) {
	s := calm(t)
	s.Load.MeanPerSecond, s.Start.Parallelism, s.Capacity.AlignmentRatio = 100000.0/6, 10, 2
	s.Restart.ProcessStartSeconds = 1800 - 2 - 1 - 5
	w := start(t, s, 1)
	w.Advance(10 * time.Minute)
	w.Inject(job.ProcessFailure)
	w.Advance(3 * time.Hour)
	r := w.Truth().Recoveries[0]
	// Downtime 1800 s, age 30 s.
	if want := 1800 + (1800.0 + r.AgeSeconds); math.Abs(r.Seconds-want) > 1 {
		t.Errorf("it took %v s, want %v", r.Seconds, want)
	}
}

// Over capacity there is no end, and retention takes records away.
func TestNever(t *testing.T) {
	s := calm(t)
	s.Load.MeanPerSecond, s.Kafka.RetentionHours = 150000, 0.5
	w := start(t, s, 1)
	w.Advance(10 * time.Minute)
	w.Inject(job.ProcessFailure)
	w.Advance(5 * time.Hour)
	g := w.Truth()
	if len(g.Recoveries) != 1 || g.Recoveries[0].Done || math.Abs(g.Recoveries[0].Seconds-5*3600) > 1 {
		t.Errorf("recoveries %+v, want one that goes on for 5 h", g.Recoveries)
	}
	for range 10 { // what a checkpoint has made visible stays processed, whatever is lost
		w.Inject(job.TaskFailure)
		w.Advance(5 * time.Second) // it is down
		if g := w.Truth(); g.Out > g.Processed {
			t.Fatalf("%d are visible, but %d processed", g.Out, g.Processed)
		}
		w.Advance(45 * time.Second)
	}
	g = w.Truth()
	if g.Lost == 0 || g.In != g.Processed+g.Waiting+g.Lost {
		t.Errorf("in %d, processed %d, waiting %d, lost %d", g.In, g.Processed, g.Waiting, g.Lost)
	}
	// What waits is at most half an hour old.
	if most := int64(150000 * 1801); g.Waiting > most {
		t.Errorf("%d wait, want at most %d", g.Waiting, most)
	}
}

// Poisson failures have the mean of the scenario and come at random ages.
func TestPoissonFailures(t *testing.T) {
	s := scenario(t, "constant")
	s.Failures, s.StepSeconds = twin.Failures{EveryMinutes: 45, Poisson: true}, 5
	n, early := 0, 0
	for seed := uint64(1); seed < 20; seed += 2 {
		w := start(t, s, seed)
		w.Advance(7 * 24 * time.Hour)
		for _, r := range w.Truth().Recoveries {
			n++
			if r.AgeSeconds < 17 { // of ages from 2 to 32 s
				early++
			}
		}
	}
	// 10 weeks: 2240 expected, standard deviation 47.
	if n < 2240-190 || n > 2240+190 {
		t.Errorf("%d failures in 10 weeks, want about 2240", n)
	}
	if share := float64(early) / float64(n); share < 0.4 || share > 0.55 {
		t.Errorf("%v of the failures at less than the mean age, want about half", share)
	}
}
