package twin_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rebound/internal/job"
	"rebound/internal/twin"
)

func scenario(t testing.TB, name string) twin.Scenario {
	t.Helper()
	s, err := twin.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func start(t testing.TB, s twin.Scenario, seed uint64) *twin.Twin {
	t.Helper()
	w, err := twin.New(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Without noise, checkpoint cost and warm-up a failure at constant load recovers in
// (T_d + ρA)/(1 − ρ). constant: λ = 60,000, μ = 100,000, ρ = 0.6, T_d = 2 + 1 + 12 +
// 5 = 20 s. With A = 30 s: (20 + 18)/0.4 = 95 s.
func TestConstantLoadRecoversByTheFormula(t *testing.T) {
	w := start(t, scenario(t, "constant"), 0)
	w.Advance(6 * time.Hour)
	truth := w.Truth()
	if len(truth.Recoveries) != 5 {
		t.Fatalf("%d failures in 6 h, one an hour from the first hour on, want 5", len(truth.Recoveries))
	}
	for _, r := range truth.Recoveries {
		if want := (20 + 0.6*r.AgeSeconds) / 0.4; math.Abs(r.Seconds-want) > 0.01 {
			t.Errorf("with an age of %v s it took %v s, want %v", r.AgeSeconds, r.Seconds, want)
		}
		// The greatest age is interval + duration = 32 s; 95 % of it 30.4 s: it fires at
		// the first whole second after.
		if r.AgeSeconds < 30.4 || r.AgeSeconds > 31.5 {
			t.Errorf("it fired at an age of %v s, want 30.4 to 31.5", r.AgeSeconds)
		}
	}
}

func TestRandomConstantLoadsRecoverByTheFormula(t *testing.T) {
	base := scenario(t, "constant")
	rapid.Check(t, func(rt *rapid.T) {
		s := base
		s.Failures = twin.Failures{}
		rho := rapid.Float64Range(0.05, 0.9).Draw(rt, "rho")
		s.Load.MeanPerSecond = math.Floor(100000 * rho)
		s.StepSeconds = rapid.SampledFrom([]float64{0.25, 0.5, 1, 2}).Draw(rt, "step")
		s.Restart.ProcessStartSeconds = rapid.Float64Range(0, 60).Draw(rt, "start")
		s.Start.IntervalSeconds = rapid.Float64Range(3, 100).Draw(rt, "interval")
		kind := rapid.SampledFrom([]job.Failure{job.TaskFailure, job.ProcessFailure, job.NodeFailure}).Draw(rt, "kind")
		w := start(t, s, 0)
		w.Advance(time.Duration(rapid.IntRange(300, 600).Draw(rt, "at")) * 2 * time.Second)
		w.Inject(kind)
		w.Advance(2 * time.Hour)
		got := w.Truth().Recoveries
		if len(got) != 1 || !got[0].Done {
			rt.Fatalf("recoveries: %+v, want one that is done", got)
		}
		down := map[job.Failure]float64{
			job.TaskFailure: 0 + 1 + 5, job.ProcessFailure: 2 + 1 + s.Restart.ProcessStartSeconds + 5,
			job.NodeFailure: 20 + 1 + s.Restart.ProcessStartSeconds + 5,
		}[kind]
		rho = s.Load.MeanPerSecond / 100000
		want := (down + rho*got[0].AgeSeconds) / (1 - rho)
		if math.Abs(got[0].Seconds-want) > 0.02 {
			rt.Errorf("it took %v s, want %v (T_d %v, ρ %v, A %v)", got[0].Seconds, want, down, rho, got[0].AgeSeconds)
		}
		sum := 0.0
		for _, p := range got[0].Phases {
			sum += p.Seconds
		}
		if math.Abs(sum-got[0].Seconds) > 1e-6 {
			rt.Errorf("the phases add up to %v, want %v", sum, got[0].Seconds)
		}
	})
}

// Whatever fails and changes, every record that came in has been processed once,
// waits, or was taken away by retention.
func TestRecordsAreCountedExactly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := scenario(t, rapid.SampledFrom(twin.Names()).Draw(rt, "scenario"))
		if s.Load.File != "" {
			return
		}
		s.Kafka.RetentionHours = rapid.SampledFrom([]float64{0, 0, 0.2}).Draw(rt, "retention")
		w := start(t, s, rapid.Uint64Range(0, 100).Draw(rt, "seed"))
		for range rapid.IntRange(1, 8).Draw(rt, "acts") {
			act(rt, w)
			w.Advance(time.Duration(rapid.IntRange(1, 1800).Draw(rt, "seconds")) * time.Second)
			g := w.Truth()
			if g.In != g.Processed+g.Waiting+g.Lost || g.Waiting < 0 || g.Processed < 0 || g.Lost < 0 {
				rt.Fatalf("in %d, processed %d, waiting %d, lost %d", g.In, g.Processed, g.Waiting, g.Lost)
			}
			if g.Out > g.Processed {
				rt.Fatalf("%d are visible, but %d processed", g.Out, g.Processed)
			}
			// A record that is replayed is no new one.
			if n := g.Latency.Records(); n < g.Processed || g.Waiting == 0 && g.Lost == 0 && n != g.Processed {
				rt.Fatalf("%d records were processed for the first time, of %d, while %d wait", n, g.Processed, g.Waiting)
			}
		}
	})
}

// act does something to the job that its world may refuse.
func act(rt *rapid.T, w *twin.Twin) {
	if rapid.Bool().Draw(rt, "fail") {
		w.Inject(rapid.SampledFrom(job.Failures()).Draw(rt, "kind"))
		return
	}
	p := rapid.IntRange(2, 24).Draw(rt, "parallelism")
	want := job.Settings{Parallelism: parallelism(w, p)}
	way := job.InPlace
	if rapid.Bool().Draw(rt, "more") {
		way = rapid.SampledFrom([]job.Way{job.Savepoint, job.LastState}).Draw(rt, "way")
		want.CheckpointIntervalSeconds = new(rapid.Float64Range(5, 60).Draw(rt, "interval"))
	}
	_ = w.Apply(rt.Context(), job.Change{ID: rapid.StringN(8, 8, 8).Draw(rt, "id"), Want: want, Way: way})
}

// parallelism gives every vertex the same.
func parallelism(w *twin.Twin, p int) map[string]int {
	return w.Parallelism(p)
}

func TestSameSeedSameBytes(t *testing.T) {
	run := func() twin.Truth {
		w := start(t, scenario(t, "daily"), 7)
		for range 40 {
			w.Advance(15 * time.Minute)
			o, err := w.Observe(t.Context())
			if err == nil && o.Restarts != nil && *o.Restarts%3 == 1 {
				_ = w.Apply(t.Context(), job.Change{ID: o.At.String(), Want: job.Settings{Parallelism: w.Parallelism(12)}, Way: job.InPlace})
			}
		}
		return w.Truth()
	}
	procs := runtime.GOMAXPROCS(1)
	one := run()
	runtime.GOMAXPROCS(procs)
	if diff := cmp.Diff(one, run(), cmp.AllowUnexported(twin.Histogram{}, twin.Recovery{})); diff != "" {
		t.Errorf("another run of the same seed differs (−first +second):\n%s", diff)
	}
}

// What a policy does leaves the load and the moments of random failures alone.
func TestActsDoNotChangeTheDraws(t *testing.T) {
	calm, busy := start(t, scenario(t, "daily"), 3), start(t, scenario(t, "daily"), 3)
	for i := range 20 {
		calm.Advance(30 * time.Minute)
		_ = busy.Checkpoint(t.Context(), "")
		_ = busy.Apply(t.Context(), job.Change{ID: string(rune('a' + i)), Want: job.Settings{Parallelism: busy.Parallelism(16 + i%8)}, Way: job.InPlace})
		busy.Advance(30 * time.Minute)
	}
	a, b := calm.Truth(), busy.Truth()
	if a.In != b.In {
		t.Errorf("%d records came in, and %d in a job that is changed", a.In, b.In)
	}
	if len(b.Restarts) == 0 || len(a.Recoveries) < 5 {
		t.Fatalf("%d restarts and %d failures prove nothing", len(b.Restarts), len(a.Recoveries))
	}
	for i := range min(len(a.Recoveries), len(b.Recoveries)) {
		if !a.Recoveries[i].At.Equal(b.Recoveries[i].At) {
			t.Errorf("failure %d at %v, and at %v in a job that is changed", i, a.Recoveries[i].At, b.Recoveries[i].At)
		}
	}
}

// More parallelism never recovers later, without noise.
func TestMoreParallelismIsNotSlower(t *testing.T) {
	base := scenario(t, "daily")
	base.Load.Noise.Ratio, base.Capacity.Noise.Ratio, base.Restart.Jitter, base.Checkpoint.Jitter = 0, 0, 0, 0
	base.Failures, base.Capacity.TaskManagerEfficiency = twin.Failures{}, 1
	rapid.Check(t, func(rt *rapid.T) {
		s := base
		s.Load.MeanPerSecond = rapid.Float64Range(5000, 20000).Draw(rt, "load")
		p, seconds := rapid.IntRange(6, 23).Draw(rt, "p"), rapid.IntRange(100, 300).Draw(rt, "at")
		took := func(p int) float64 {
			s.Start.Parallelism = p
			w := start(t, s, 0)
			w.Advance(time.Duration(seconds) * time.Second)
			w.Inject(job.ProcessFailure)
			w.Advance(time.Hour)
			r := w.Truth().Recoveries
			if len(r) != 1 {
				rt.Fatalf("%d recoveries, want 1", len(r))
			}
			return r[0].Seconds
		}
		if few, many := took(p), took(p+1); many > few+0.01 {
			rt.Errorf("p %d: %v s, p %d: %v s", p, few, p+1, many)
		}
	})
}

// Steps of 1 s and 0.5 s agree within 1 %.
func TestStepsAgree(t *testing.T) {
	for _, name := range []string{"constant", "daily", "surge"} {
		s := scenario(t, name)
		s.Restart.Jitter, s.Checkpoint.Jitter = 0, 0
		s.Failures = twin.Failures{}
		run := func(step float64) (twin.Truth, float64) {
			s.StepSeconds = step
			w := start(t, s, 2)
			for range 10 {
				w.Advance(90 * time.Minute)
				w.Inject(job.ProcessFailure)
			}
			w.Advance(time.Hour)
			sum := 0.0
			g := w.Truth()
			for _, r := range g.Recoveries {
				sum += r.Seconds
			}
			return g, sum
		}
		one, r1 := run(1)
		half, r2 := run(0.5)
		for _, c := range []struct {
			what string
			a, b float64
		}{
			{"records", float64(one.In), float64(half.In)},
			{"recovery seconds", r1, r2},
			{"mean latency", one.Latency.Mean(), half.Latency.Mean()},
			{"core hours", one.Usage.CPUCoreHours, half.Usage.CPUCoreHours},
			{"checkpoints", float64(one.Checkpoints.Completed), float64(half.Checkpoints.Completed)},
		} {
			if math.Abs(c.a-c.b) > 0.01*math.Abs(c.b) {
				t.Errorf("%s: %s %v in steps of 1 s, %v in steps of 0.5 s", name, c.what, c.a, c.b)
			}
		}
	}
}

func BenchmarkDay18Hours(b *testing.B) {
	s := scenario(b, "daily")
	b.ReportAllocs()
	for b.Loop() {
		w := start(b, s, 1)
		w.Advance(18 * time.Hour)
	}
}

func BenchmarkObserve(b *testing.B) {
	w := start(b, scenario(b, "daily"), 1)
	w.Advance(time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Observe(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
