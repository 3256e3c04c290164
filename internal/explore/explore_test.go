package explore_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebound/internal/explore"
	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/plan"
	"rebound/internal/policy"
	"rebound/internal/recovery"
)

// line is a job whose capacity is per TaskManager and core, of which only what it
// has run with is known well.
type line struct {
	perCore float64
	proven  job.Knobs
}

func (l line) Behavior(k job.Knobs) learn.Behavior {
	exactly := recovery.Exactly
	d := learn.Downtime{Phases: [4]recovery.Uncertain{exactly(1), exactly(1), exactly(18), exactly(10)}, Source: job.Measured}
	v := l.perCore * float64(k.TaskManagers()) * k.CPUCores
	return learn.Behavior{
		Capacity: recovery.Uncertain{Median: v, Spread: 0.03 * v}, Duration: exactly(1), LatencyBase: exactly(0.1),
		Cold: learn.Warmup{Start: exactly(1), Tau: exactly(1)}, Warm: learn.Warmup{Start: exactly(1), Tau: exactly(1)},
		Down:   map[job.Failure]learn.Downtime{job.ProcessFailure: d},
		Change: map[job.Way]learn.Downtime{job.InPlace: d, job.Savepoint: d, job.LastState: d}, Proven: k.SameResources(l.proven),
	}
}

// settings in force and what may be chosen: TaskManagers of one slot.
func input(rate, now float64) explore.Input {
	k := job.Knobs{IntervalSeconds: 10, Parallelism: 20, Slots: 1, CPUCores: 1, MemoryBytes: 2 * job.GiB}
	p := policy.Default()
	p.RecoveryTime, p.Failures = 180*time.Second, []job.Failure{job.ProcessFailure}
	p.Knobs = policy.Knobs{
		CheckpointInterval: policy.Range{Min: 10, Max: 60}, Parallelism: policy.Range{Min: 2, Max: 24},
		CPU: policy.Range{List: []float64{1, 2, 3}}, Memory: policy.Range{Min: 2 * job.GiB, Max: 2 * job.GiB},
	}
	mean := make([]float64, 180)
	for i := range mean {
		mean[i] = now
	}
	return explore.Input{
		Rate: rate, CoreHours: 1000,
		Input: plan.Input{
			Now: k, Policy: p, Model: line{1000, k}, Seed: 3, Partitions: 24,
			Load: plan.Load{Now: now, Step: 60, Mean: mean},
			World: job.Capabilities{Restart: map[job.Knob]job.Way{
				job.KnobInterval: job.Savepoint, job.KnobParallelism: job.Savepoint, job.KnobSlots: job.Savepoint, job.KnobCPU: job.Savepoint, job.KnobMemory: job.Savepoint,
			}},
		},
	}
}

// shown is a copy that has shown its capacity.
func shown(k job.Knobs, capacity float64) job.Profile {
	return job.Profile{State: job.ProfileDone, Knobs: k, Capacity: &capacity, RatePerSecond: 1}
}

// What is asked pays for itself, is within the budget, keeps up with the input, is not
// what runs now, and is the same each time.
func TestWhatIsAskedPays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(1e3, 20e3).Draw(t, "rate")
		in := input(rate, rate*rapid.Float64Range(0.1, 1).Draw(t, "share"))
		in.CoreHours = rapid.Float64Range(0, 8).Draw(t, "budget")
		for range rapid.IntRange(0, 6).Draw(t, "copies") {
			k := in.Now
			k.Parallelism, k.CPUCores = rapid.IntRange(2, 24).Draw(t, "p"), rapid.SampledFrom([]float64{1, 2, 3}).Draw(t, "cpu")
			in.History = append(in.History, shown(k, 1000*float64(k.Parallelism)*math.Pow(k.CPUCores, rapid.Float64Range(0.5, 1.5).Draw(t, "law"))))
		}
		e, ok, why := explore.Next(in)
		if why == "" {
			t.Fatal("without a reason")
		}
		again, same, _ := explore.Next(in)
		if e != again || ok != same {
			t.Fatalf("asked %+v, then %+v", e, again)
		}
		if !ok {
			if e != (job.Exploration{}) || !strings.HasPrefix(why, "nothing is profiled: ") {
				t.Fatalf("no: %+v, %s", e, why)
			}
			return
		}
		hours := e.Knobs.Cores(in.JobManager) * e.Seconds / 3600
		price := e.Knobs.PerHour(in.JobManager, in.Policy.Prices) * e.Seconds / 3600
		switch {
		case math.Abs(e.CoreHours-hours) > 1e-9 || e.CoreHours > in.CoreHours:
			t.Fatalf("%v core-hours of %v, counted as %v", hours, in.CoreHours, e.CoreHours)
		case math.Abs(e.Price-price) > 1e-9 || e.SavesPerHour*24 < e.Price*(1-1e-9):
			t.Fatalf("it costs %v (said %v) and saves %v a day", price, e.Price, 24*e.SavesPerHour)
		case e.Copes < 0.8 || e.Met < 0 || e.Met > 1:
			t.Fatalf("copes %v, met %v", e.Copes, e.Met)
		case e.Seconds < 600 || e.RatePerSecond != rate:
			t.Fatalf("%v s for %v/s", e.Seconds, e.RatePerSecond)
		case e.Knobs.Parallelism < 2 || e.Knobs.Parallelism > 24 || e.Knobs.IntervalSeconds < 10 || e.Knobs.IntervalSeconds > 60:
			t.Fatalf("%s is not allowed", e.Knobs)
		}
	})
}

// A copy is not asked for again and again, whatever it shows: told the truth each time
// it ends, and with the cheapest settings known.
func TestItEnds(t *testing.T) {
	for name, power := range map[string]float64{"as believed": 1, "more than believed": 1.5, "less than believed": 0.5} {
		in := input(8000, 2000)
		truth := func(k job.Knobs) float64 { return 1000 * float64(k.Parallelism) * math.Pow(k.CPUCores, power) }
		n := 0
		for ; n < 40; n++ {
			e, ok, _ := explore.Next(in)
			if !ok {
				break
			}
			in.History = append(in.History, shown(e.Knobs, truth(e.Knobs)))
		}
		if n == 0 || n > 15 {
			t.Errorf("%s: ended after %d copies", name, n)
		}
	}
}

// One that runs is not asked for a second time, and one that only showed that it does
// not recover is no reason to ask for less.
func TestWhatRunsAndWhatFailedCount(t *testing.T) {
	in := input(8000, 2000)
	first, ok, why := explore.Next(in)
	if !ok {
		t.Fatal(why)
	}
	in.History = []job.Profile{{State: job.ProfileRunning, Knobs: first.Knobs}}
	if e, ok, _ := explore.Next(in); ok && e.Knobs.SameResources(first.Knobs) {
		t.Errorf("%s runs and is asked for again", e.Knobs)
	}
	in.History = []job.Profile{{State: job.ProfileDone, Knobs: first.Knobs, RatePerSecond: 2000, AtLeastSeconds: new(300.0)}}
	if e, ok, _ := explore.Next(in); ok && e.Knobs.CPUCores == first.Knobs.CPUCores && e.Knobs.Parallelism <= first.Knobs.Parallelism {
		t.Errorf("%s did not recover in time at a quarter of the rate, and %s is asked for", first.Knobs, e.Knobs)
	}
	in.History = []job.Profile{{State: job.ProfileLost, Knobs: first.Knobs}}
	if e, ok, _ := explore.Next(in); !ok || e != first {
		t.Errorf("one that was lost has changed what is asked: %+v", e)
	}
}

// Each no has its reason.
func TestWhyNothingIsProfiled(t *testing.T) {
	for want, spoil := range map[string]func(*explore.Input){
		"the input rate is not known": func(in *explore.Input) { in.Load = plan.Load{} },
		"there is no target":          func(in *explore.Input) { in.Policy.RecoveryTime = 0 },
		"leaves no resources free": func(in *explore.Input) {
			in.Policy.Knobs = policy.Knobs{CheckpointInterval: policy.Range{Min: 10, Max: 60}}
		},
		"are left of the budget":        func(in *explore.Input) { in.CoreHours = 0.1 },
		"no copy would keep up":         func(in *explore.Input) { in.Load.Now = 1e6 },
		"is expected to lower the cost": func(in *explore.Input) { in.Model = line{1000, job.Knobs{}}; in.Rate = 1 },
		"would have to save":            func(in *explore.Input) { in.Worth = time.Second },
	} {
		in := input(8000, 2000)
		spoil(&in)
		if e, ok, why := explore.Next(in); ok || !strings.Contains(why, want) {
			t.Errorf("want that %s, got %v: %s %+v", want, ok, why, e)
		}
	}
}

// Whatever a journal and a forecast hold, nothing breaks.
func FuzzNext(f *testing.F) {
	f.Add(8000.0, 2000.0, 100.0, 5000.0, 4, 2.0, 50.0)
	f.Add(0.0, 1e-300, 1e12, math.NaN(), 0, 0.0, math.Inf(1))
	f.Fuzz(func(t *testing.T, rate, now, budget, capacity float64, p int, cpu, least float64) {
		in := input(rate, now)
		in.CoreHours = budget
		k := in.Now
		k.Parallelism, k.CPUCores = p, cpu
		bound := shown(k, capacity)
		bound.Capacity, bound.AtLeastSeconds, bound.RatePerSecond = nil, &least, now
		in.History = []job.Profile{shown(k, capacity), bound, shown(in.Now, capacity)}
		e, ok, why := explore.Next(in)
		if why == "" || ok && !(e.CoreHours <= budget) {
			t.Errorf("%v %+v: %s", ok, e, why)
		}
	})
}
