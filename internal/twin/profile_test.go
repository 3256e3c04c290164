package twin_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/twin"
)

// A copy of 20 subtasks at λ = 60,000 and μ = 200,000: ρ = 0.3, p95 of the latency
// 0.1 + 3·0.05·0.3/0.7, recovery at the greatest age of 32 s (20 + 0.3·32)/0.7 = 42.3 s.
func TestProfile(t *testing.T) {
	w := start(t, calm(t), 1)
	w.Advance(time.Hour)
	before := w.Truth()
	k := job.Knobs{IntervalSeconds: 30, Parallelism: 20, Slots: 1, CPUCores: 1, MemoryBytes: 2 * job.GiB}
	for range 2 { // the second time changes nothing
		if err := w.StartProfile(t.Context(), job.Trial{ID: "a", Knobs: k, Seconds: 600}); err != nil {
			t.Fatal(err)
		}
	}
	w.Advance(9 * time.Minute)
	if p := shown(t, w); p.State != job.ProfileRunning || p.Capacity != nil || math.Abs(p.CPUCoreHours-3.5*0.9) > 1e-6 {
		t.Errorf("after 9 of 10 min: %+v", p)
	}
	w.Advance(time.Minute)
	p := shown(t, w)
	if n := w.Truth().Copies; n != 1 {
		t.Errorf("%d copies, want 1", n)
	}
	if p.State != job.ProfileDone || p.Knobs != k || math.Abs(p.RatePerSecond-60000) > 1 || !p.At.Equal(w.Now()) {
		t.Errorf("profile of %v at a load of %v/s, at %v", p.Knobs, p.RatePerSecond, p.At)
	}
	if math.Abs(*p.Capacity/200000-1) > 0.05 || *p.CheckpointSecs != 2 {
		t.Errorf("capacity %v, checkpoint %v s; want about 200,000, 2", *p.Capacity, *p.CheckpointSecs)
	}
	if math.Abs(*p.RecoverySeconds-42.3) > 2 || math.Abs(*p.LatencySeconds-0.164) > 0.01 {
		t.Errorf("recovery %v s, latency %v s; want about 42.3 and 0.164", *p.RecoverySeconds, *p.LatencySeconds)
	}
	if p.Failure != job.ProcessFailure || math.Abs(*p.DowntimeSeconds-20) > 2 {
		t.Errorf("a %s failure with a downtime of %v s; want a process failure with about 20", p.Failure, *p.DowntimeSeconds)
	}
	// 20 TaskManagers and a JobManager for 10 min: 21/6 core-hours.
	after := w.Truth()
	if math.Abs(p.CPUCoreHours-3.5) > 1e-6 || math.Abs(after.Profiling.CPUCoreHours-3.5) > 1e-6 || math.Abs(p.GiBHours-7) > 1e-6 {
		t.Errorf("the copy cost %v core-hours and %v GiB-hours, counted as %v; want 3.5 and 7", p.CPUCoreHours, p.GiBHours, after.Profiling)
	}
	if d := after.Usage.CPUCoreHours - before.Usage.CPUCoreHours; math.Abs(d-3.5-11.0/6) > 1e-6 {
		t.Errorf("%v core-hours in all, want those of the job (11/6) and of the copy (3.5)", d)
	}
}

// A copy that cannot keep up shows a bound, not a number.
func TestProfileThatDoesNotRecover(t *testing.T) {
	w := start(t, calm(t), 1)
	k := job.Knobs{IntervalSeconds: 30, Parallelism: 5, Slots: 1, CPUCores: 1, MemoryBytes: 2 * job.GiB}
	if err := w.StartProfile(t.Context(), job.Trial{ID: "a", Knobs: k, Seconds: 600}); err != nil {
		t.Fatal(err)
	}
	w.Advance(10 * time.Minute)
	p := shown(t, w)
	if p.RecoverySeconds != nil || p.LatencySeconds != nil || p.AtLeastSeconds == nil || *p.AtLeastSeconds != 300 {
		t.Errorf("recovery %v, latency %v, at least %v; want only a bound of 300 s", deref(p.RecoverySeconds), deref(p.LatencySeconds), deref(p.AtLeastSeconds))
	}
}

// What a world has no room for, and what makes no sense, is refused with words, and
// is nothing that ran.
func TestProfileThatIsRefused(t *testing.T) {
	w := start(t, calm(t), 1)
	good := job.Trial{ID: "a", Knobs: job.Knobs{IntervalSeconds: 30, Parallelism: 5, Slots: 1, CPUCores: 1, MemoryBytes: 2 * job.GiB}, Seconds: 600}
	for want, spoil := range map[string]func(*job.Trial){
		"needs an ID":     func(a *job.Trial) { a.ID = "" },
		"24 partitions":   func(a *job.Trial) { a.Knobs.Parallelism = 25 },
		"there is no job": func(a *job.Trial) { a.Job.Name = "other" },
		"seconds: 0":      func(a *job.Trial) { a.Seconds = 0 },
		"seconds: NaN":    func(a *job.Trial) { a.Seconds = math.NaN() },
		"parallelism":     func(a *job.Trial) { a.Knobs.Parallelism = 0 },
	} {
		a := good
		spoil(&a)
		if err := w.StartProfile(t.Context(), a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for i := range 16 {
		good.ID = strconv.Itoa(i)
		if err := w.StartProfile(t.Context(), good); err != nil {
			t.Fatal(err)
		}
	}
	good.ID = "too many"
	if err := w.StartProfile(t.Context(), good); err == nil || !strings.Contains(err.Error(), "16 copies run") {
		t.Errorf("error %v, want that 16 copies run", err)
	}
	if _, known, err := w.Profile(t.Context(), "too many"); known || err != nil {
		t.Errorf("known %v, error %v of one that was refused", known, err)
	}
	w.Advance(10 * time.Minute)
	if n := w.Truth().Copies; n != 16 {
		t.Errorf("%d copies, want 16", n)
	}
}

// Of a copy that is lost nothing is known but what it cost.
func TestProfileThatIsLost(t *testing.T) {
	s := calm(t)
	s.Profiles.FailProbability = 1
	w := start(t, s, 1)
	k := job.Knobs{IntervalSeconds: 30, Parallelism: 20, Slots: 1, CPUCores: 1, MemoryBytes: 2 * job.GiB}
	if err := w.StartProfile(t.Context(), job.Trial{ID: "a", Knobs: k, Seconds: 600}); err != nil {
		t.Fatal(err)
	}
	w.Advance(10 * time.Minute)
	p := shown(t, w)
	if p.State != job.ProfileLost || p.Capacity != nil || p.Reason == "" || !(p.CPUCoreHours > 0 && p.CPUCoreHours < 3.5) {
		t.Errorf("%+v; want a loss before its end, with words and its cost", p)
	}
}

// shown is what the profile a has shown.
func shown(t *testing.T, w *twin.Twin) job.Profile {
	t.Helper()
	p, known, err := w.Profile(t.Context(), "a")
	if err != nil || !known {
		t.Fatalf("known %v, error %v", known, err)
	}
	return p
}

// A month fits in memory: what is kept is bounded but for one entry a failure or restart.
func TestAMonthIsBounded(t *testing.T) {
	s := scenario(t, "daily")
	s.StepSeconds = 10
	w := start(t, s, 1)
	w.Advance(30 * 24 * time.Hour)
	g := w.Truth()
	if n := len(g.Minutes); n < 2048 || n > 4096 {
		t.Errorf("%d points of the series, want 2048 to 4096", n)
	}
	covered, records := 0.0, 0.0
	for _, m := range g.Minutes {
		covered += m.Seconds
		records += m.Load * m.Seconds
	}
	if covered < 29.9*86400 || math.Abs(records/float64(g.In)-1) > 0.01 {
		t.Errorf("the series covers %v days and %v of %d records", covered/86400, records, g.In)
	}
	o, err := w.Observe(t.Context())
	if err != nil || len(o.Checkpointing.History) > 17 || len(o.Exceptions) > 16 {
		t.Errorf("error %v, %d checkpoints and %d exceptions remembered", err, len(o.Checkpointing.History), len(o.Exceptions))
	}
}
