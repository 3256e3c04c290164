package learn

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"rebound/internal/job"
)

// restarted is a measured restart with the phases that are named.
func restarted(at time.Time, phases ...job.PhaseTime) job.Measurement {
	total := 0.0
	for _, p := range phases {
		total += p.Seconds
	}
	return job.Measurement{Failure: job.ProcessFailure, At: at, Outcome: job.Recovers, DowntimeSeconds: &total, Phases: phases}
}

func phase(p job.Phase, s float64, source job.Source) job.PhaseTime {
	return job.PhaseTime{Phase: p, Seconds: s, Source: source}
}

// seen is a job of n TaskManagers that has been looked at once.
func seen(n int) (*Job, *synthetic) {
	j, s := named(), newSynthetic(9, pinned)
	s.knobs = knobs(n, 1, 2, 4)
	j.Observe(s.calm(0.5), Calm)
	s.now = s.now.Add(time.Minute)
	j.Observe(s.calm(0.5), Calm)
	return j, s
}

// What was believed before and only filled in teaches nothing: 9 s of detection
// that nobody saw leave it where the configuration has it.
func TestAssumedPhasesTeachNothing(t *testing.T) {
	j, s := seen(8)
	before := j.Behavior(s.knobs).Down[job.ProcessFailure].Phases
	for range 5 {
		j.Measured(restarted(s.now, phase(job.Detect, 9, job.Assumed), phase(job.BackOff, 9, job.Configured), phase(job.Resources, 12, job.Measured), phase(job.Restore, 19, job.Measured)))
	}
	after := j.Behavior(s.knobs).Down[job.ProcessFailure].Phases
	if before[0] != after[0] || before[1] != after[1] {
		t.Errorf("detect, back-off: %v, were %v", after[:2], before[:2])
	}
	near(t, "resources", after[2].Median, 12, 0.1)
	near(t, "restore", after[3].Median, 19, 0.1)
}

// Where only the end of the downtime was seen its sum is learned, and with it how
// far the sum is known: of one that took 44 s each time.
func TestOnlyTheSumIsSeen(t *testing.T) {
	j, s := seen(8)
	for range 6 {
		m := restarted(s.now, phase(job.Restore, 44, job.Measured))
		m.Failure, m.Change = "", job.Savepoint
		j.Measured(m)
	}
	for way, d := range map[job.Way]Downtime{job.Savepoint: j.Behavior(s.knobs).Change[job.Savepoint]} {
		sum, spread := 0.0, 0.0
		for _, p := range d.Phases {
			sum, spread = sum+p.Median, math.Hypot(spread, p.Spread)
		}
		near(t, "downtime of "+string(way), sum, 44, 0.05)
		if spread > 8 {
			t.Errorf("%s: ± %.1f s after six that were alike: %v", way, spread, d.Phases)
		}
	}
	if d := j.Behavior(s.knobs).Change[job.Savepoint]; d.Samples != 6 || d.Phases[0].Median != 0 || d.Phases[1].Median != 0 {
		t.Errorf("%d samples, phases %v: want 6, and nothing to detect", d.Samples, d.Phases)
	}
}

// What reading state takes is learned from any kind of restart: 6 s and 100 s·GiB/n
// from changes at 4 and 12 TaskManagers tell how a process failure restores at 8.
func TestRestoreCarriesOver(t *testing.T) {
	j, s := seen(4)
	for i, n := range []int{4, 12, 4, 12, 4, 12} {
		s.knobs = knobs(n, 1, 2, 4)
		m := restarted(s.now, phase(job.Resources, 25, job.Measured), phase(job.Restore, 6+20*5/float64(n), job.Measured))
		m.Failure, m.Change, m.Settings = "", job.LastState, s.knobs.With(map[string]int{"work": n})
		m.At = m.At.Add(time.Duration(i) * time.Hour)
		j.Measured(m)
	}
	d := j.Behavior(knobs(8, 1, 2, 4)).Down[job.ProcessFailure]
	want := 6 + 20*5/8.0
	if u := d.Phases[3]; math.Abs(u.Median-want) > u.Spread || u.Spread > 6 {
		t.Errorf("restore after a process failure at 8: %.1f ± %.1f s, want %.1f", u.Median, u.Spread, want)
	}
	if d.Samples != 0 || d.Source != job.Assumed {
		t.Errorf("%d samples, %s: none of its own was seen", d.Samples, d.Source)
	}
}

// A single restart of 300 s among many of 19 s moves little.
func TestOneOutlierMovesLittle(t *testing.T) {
	j, s := seen(8)
	for i := range 9 {
		restore := 19.0
		if i == 6 {
			restore = 300
		}
		j.Measured(restarted(s.now, phase(job.Detect, 2, ""), phase(job.BackOff, 1, ""), phase(job.Resources, 12, ""), phase(job.Restore, restore, "")))
	}
	near(t, "restore", j.Behavior(s.knobs).Down[job.ProcessFailure].Phases[3].Median, 19, 0.15)
}

// Old restarts fade: after a quarter of a year, a few new ones outweigh many.
func TestOldRestartsFade(t *testing.T) {
	j, s := seen(8)
	add := func(resources float64, days, n int) {
		at := s.now.AddDate(0, 0, days)
		for range n {
			j.Measured(restarted(at, phase(job.Detect, 2, ""), phase(job.BackOff, 1, ""), phase(job.Resources, resources, ""), phase(job.Restore, 19, "")))
		}
	}
	add(40, 0, 6)
	add(10, 90, 3)
	near(t, "resources", j.Behavior(s.knobs).Down[job.ProcessFailure].Phases[2].Median, 10, 0.15)
}

// All of a job in one process: only failed heartbeat calls tell of its death.
func TestOneTaskManagerIsNoticedLater(t *testing.T) {
	j, _ := seen(8)
	spread := j.Behavior(knobs(8, 1, 2, 4)).Down[job.ProcessFailure].Phases[0].Median
	alone := j.Behavior(knobs(4, 4, 2, 4)).Down[job.ProcessFailure].Phases[0].Median
	if spread > 1 || alone != 15 { // (2 − ½) heartbeats of 10 s
		t.Errorf("detection %.2f s spread, %.2f s in one process; want 0.45 and 15", spread, alone)
	}
}

// Downtimes of jobs whose phases scatter by 10 %, with a base and a bandwidth of
// their own: the 5–95 % interval of the next restore, at the size that was seen and
// at another, holds it in about 90 %.
func TestRestoreSpreadIsHonest(t *testing.T) {
	var same, other counter
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		base, perGiB := 1+6*rng.Float64(), 2+9*rng.Float64()
		took := func(n int) float64 { return (base + perGiB*20/float64(n)) * math.Exp(0.1*rng.NormFloat64()) }
		n := 3 + rng.IntN(8)
		j, s := seen(n)
		for range 1 + rng.IntN(4) {
			j.Measured(restarted(s.now, phase(job.Detect, 2, ""), phase(job.BackOff, 1, ""), phase(job.Resources, 12, ""), phase(job.Restore, took(n), "")))
		}
		check := func(c *counter, n int) {
			u, v := j.Behavior(knobs(n, 1, 2, 4)).Down[job.ProcessFailure].Phases[3], took(n)
			c.add(v >= u.Quantile(0.05) && v <= u.Quantile(0.95))
		}
		check(&same, n)
		check(&other, n*2)
	}
	for name, c := range map[string]counter{"the same size": same, "twice the size": other} {
		t.Logf("%s: %s", name, c)
		if share := c.share(); share < 0.84 || share > 0.98 {
			t.Errorf("%s: %s inside of 5–95 %%, want about 0.9", name, c)
		}
	}
}
