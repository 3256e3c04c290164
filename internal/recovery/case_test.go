package recovery

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// near reports whether a and b agree to a relative or absolute tolerance.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

// The table of the model: R = (T_d + ρA)/(1 − ρ). First row by hand, ρ = 1/3:
// (110 + 10/3)/(2/3) = 170.
func TestTimeAtConstantRate(t *testing.T) {
	for _, c := range []struct{ rate, age, downtime, want float64 }{
		{50e3, 10, 110, 170},
		{100e3, 10, 110, 350},
		{120e3, 10, 110, 590},
		{140e3, 10, 110, 1790},
		{160e3, 10, 110, math.Inf(1)},
		{150e3, 10, 110, math.Inf(1)}, // ρ = 1: the backlog stays
		{100e3, 90, 40, 300},
		{100e3, 10, 40, 140},
		{0, 10, 40, 40},
	} {
		got := Case{Rate: c.rate, Capacity: 150e3, Age: c.age, Downtime: c.downtime}.Time()
		if math.IsInf(c.want, 1) {
			if got.Outcome != Never {
				t.Errorf("%+v: %+v, want never", c, got)
			}
		} else if got.Outcome != Recovers || !near(got.Seconds, c.want, 1e-12) {
			t.Errorf("%+v: %+v, want %v", c, got, c.want)
		}
	}
}

// Detection, ρ 0.5, I 30, D 5, so A = 35 at worst: R = 2·T_d + 35. (a) a process
// dies: 20 + 1 + 30 + 15; (b) a black hole: 50 + 1 + 30 + 15; (c) a spare
// TaskManager and a heartbeat of 5 s: 10 + 1 + 15.
func TestTimeByDetection(t *testing.T) {
	_, age := AgeRange(EffectiveInterval(30, 0, 5), 5, 0)
	for downtime, want := range map[float64]float64{66: 167, 96: 227, 26: 87} {
		if got := (Case{Rate: 1, Capacity: 2, Age: age, Downtime: downtime}).Time(); got.Seconds != want {
			t.Errorf("downtime %v: %v, want %v", downtime, got.Seconds, want)
		}
	}
}

func TestNotANumberIsNever(t *testing.T) {
	nan := math.NaN()
	for _, c := range []Case{
		{nan, 2, 1, 1, Warmup{}},
		{1, nan, 1, 1, Warmup{}},
		{1, 2, nan, 1, Warmup{}},
		{1, 2, 1, nan, Warmup{0.5, 10}},
		{1, 2, math.Inf(1), 1, Warmup{}},
		{0, 0, 1, 1, Warmup{}},
	} {
		if got := c.Time(); got.Outcome != Never {
			t.Errorf("%+v: %+v, want never", c, got)
		}
	}
	if _, ok := LongestInterval(60, nan, 1, 1); ok {
		t.Error("an interval for an unknown utilization")
	}
}

// With ρ = 1/2, A = 10, T_d = 20 and μ from 0.2 to full with τ = 10, what is
// missing in the first x seconds is 8(1 − e^(−x/10)), so x/2 = 15 + 8(1 − e^…):
// near x = 44.9, 8·(1 − 0.0112) = 7.910 and x = 2·22.910.
func TestTimeWithWarmup(t *testing.T) {
	c := Case{Rate: 1, Capacity: 2, Age: 10, Downtime: 20, Warmup: Warmup{Start: 0.2, Tau: 10}}
	x := c.Time().Seconds - 20
	if left := x/2 - 15 - 8*(1-math.Exp(-x/10)); math.Abs(left) > 1e-9 || math.Abs(x-45.8) > 0.1 {
		t.Errorf("x = %v leaves %v", x, left)
	}
	for _, warm := range []Warmup{{}, {1, 10}, {2, 10}, {0.2, 0}, {0.2, -1}} {
		c.Warmup = warm
		if got := c.Time().Seconds; got != 50 {
			t.Errorf("%+v: %v, want 50, as if warm at once", warm, got)
		}
	}
}

// drawCase is any subtask that recovers, in records/s and seconds.
func drawCase(t *rapid.T) Case {
	capacity := math.Exp(rapid.Float64Range(0, 14).Draw(t, "ln μ"))
	return Case{
		Rate:     capacity * rapid.Float64Range(0.01, 0.97).Draw(t, "ρ"),
		Capacity: capacity,
		Age:      rapid.Float64Range(0.1, 1000).Draw(t, "age"),
		Downtime: rapid.Float64Range(0.1, 300).Draw(t, "downtime"),
		Warmup: Warmup{
			Start: rapid.Float64Range(0, 1.2).Draw(t, "start"),
			Tau:   rapid.Float64Range(-1, 60).Draw(t, "τ"),
		},
	}
}

// stepwise is the dumb twin: it lets records come in and go out in small steps.
func stepwise(c Case, step float64) float64 {
	backlog, t := c.Rate*(c.Age+c.Downtime), 0.0
	for backlog > 0 {
		middle := t + step/2
		backlog += step * (c.Rate - c.Capacity*c.Warmup.at(middle))
		t += step
	}
	return c.Downtime + t
}

func TestTimeAgreesWithStepwise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		got := c.Time().Seconds
		step := got / 20e3
		if want := stepwise(c, step); math.Abs(got-want) > 2*step/(1-c.Utilization()) {
			t.Errorf("%+v: %v, stepwise %v", c, got, want)
		}
	})
}

// The parts of a recovery add up to it; by the end of the replay, exactly what
// lay between the restored offsets and the failure has been processed.
func TestPhasesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		replay, catchUp := c.Phases()
		if sum, want := c.Downtime+replay.Seconds+catchUp.Seconds, c.Time().Seconds; !near(sum, want, 1e-9) {
			t.Errorf("%+v: phases add up to %v, want %v", c, sum, want)
		}
		done := c.Capacity * (replay.Seconds - c.Warmup.lost(replay.Seconds))
		if !near(done, c.Rate*c.Age, 1e-9) {
			t.Errorf("%+v: replayed %v, want %v", c, done, c.Rate*c.Age)
		}
	})
	replay, catchUp := Case{Rate: 3, Capacity: 2, Age: 10, Downtime: 5}.Phases()
	if replay.Seconds != 15 || catchUp.Outcome != Never {
		t.Errorf("overloaded: replay %+v and catch-up %+v, want 15 s and never", replay, catchUp)
	}
}

// A later failure, a longer downtime, more input, less capacity, a colder start
// or a slower warm-up never make recovery shorter; and the unit of a record does
// not matter.
func TestTimeIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		more := rapid.Float64Range(1, 2).Draw(t, "more")
		worse := map[string]Case{"age": c, "downtime": c, "rate": c, "capacity": c, "start": c, "tau": c}
		for name, w := range worse {
			switch name {
			case "age":
				w.Age *= more
			case "downtime":
				w.Downtime *= more
			case "rate":
				w.Rate *= more
			case "capacity":
				w.Capacity /= more
			case "start":
				w.Warmup.Start /= more
			case "tau":
				w.Warmup.Tau *= more
			}
			got, base := w.Time(), c.Time()
			if got.Outcome == Recovers && got.Seconds < base.Seconds*(1-1e-9) {
				t.Errorf("more %s by %v: %v, before %v", name, more, got, base)
			}
		}
		k := c
		k.Rate, k.Capacity = c.Rate*1000, c.Capacity*1000
		if got, want := k.Time(), c.Time(); got.Outcome != want.Outcome || !near(got.Seconds, want.Seconds, 1e-9) {
			t.Errorf("in thousandths of a record: %v, want %v", got, want)
		}
	})
}

// doneBy is true from Time on and not before.
func TestDoneBy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		r := c.Time().Seconds
		if c.doneBy(Time{Seconds: r * (1 - 1e-6)}) || !c.doneBy(Time{Seconds: r * (1 + 1e-6)}) {
			t.Errorf("%+v: not as its time, %v", c, r)
		}
	})
}

func TestSlowest(t *testing.T) {
	cases := []Case{
		{Rate: 1, Capacity: 2, Age: 10, Downtime: 5},                          // 20
		{Rate: 1, Capacity: 2, Age: 10, Downtime: 12},                         // 34: it starts last
		{Rate: 3, Capacity: 4, Age: 1, Downtime: 5},                           // 23
		{Rate: 1, Capacity: 2, Age: 10, Downtime: 5, Warmup: Warmup{0.5, 10}}, // < 30
	}
	if i, got := Slowest(cases); i != 1 || got.Seconds != 34 {
		t.Errorf("subtask %d after %v, want 1 after 34", i, got)
	}
	if i, got := Slowest(append(cases, Case{Rate: 2, Capacity: 2})); i != 4 || got.Outcome != Never {
		t.Errorf("subtask %d after %v, want 4, never", i, got)
	}
	if i, _ := Slowest(nil); i != -1 {
		t.Errorf("subtask %d of none", i)
	}
}

// Backlog at the end of the downtime is A + T_d old; at ρ = 1/2 it gets younger
// by one second a second, and is gone at R = 2·20 + 10 = 50.
func TestOldestUnread(t *testing.T) {
	c := Case{Rate: 1, Capacity: 2, Age: 10, Downtime: 20}
	for at, want := range map[float64]float64{0: 10, 20: 30, 30: 20, 50: 0, 60: 0} {
		if got := c.OldestUnread(at); got != want {
			t.Errorf("after %v: %v, want %v", at, got, want)
		}
	}
	if got := c.Retention(); got.Seconds != 60 {
		t.Errorf("retention %v, want 60", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		if got := c.OldestUnread(c.Time().Seconds); got > 1e-6*c.Retention().Seconds {
			t.Errorf("%+v: %v old when it has recovered", c, got)
		}
	})
}

func BenchmarkTimeWithWarmup(b *testing.B) {
	c := Case{Rate: 0.7, Capacity: 1, Age: 20, Downtime: 10, Warmup: Warmup{0.5, 16}}
	for b.Loop() {
		c.Time()
	}
}
