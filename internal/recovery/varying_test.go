package recovery

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func path(t interface{ Fatal(...any) }, samples ...float64) *Path {
	var at, v []float64
	for i := 0; i < len(samples); i += 2 {
		at, v = append(at, samples[i]), append(v, samples[i+1])
	}
	p, err := NewPath(at, v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPath(t *testing.T) {
	p := path(t, 0, 1, 10, 3, 10, 5, 20, 5) // a slope, a jump, a level
	for at, want := range map[float64]float64{-5: 1, 0: 1, 5: 2, 10: 5, 15: 5, 99: 5} {
		if got := p.At(at); got != want {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
	for _, c := range []struct{ a, b, want float64 }{
		{0, 10, 20}, {10, 20, 50}, {-10, 0, 10}, {20, 30, 50}, {0, 5, 7.5}, {5, 12, 22.5}, {12, 5, -22.5}, {7, 7, 0},
	} {
		if got := p.Integral(c.a, c.b); !near(got, c.want, 1e-12) {
			t.Errorf("∫ %v to %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestNewPathRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct{ t, v []float64 }{
		"nothing":         {nil, nil},
		"lengths":         {[]float64{1}, []float64{1, 2}},
		"time goes back":  {[]float64{2, 1}, []float64{1, 1}},
		"three at a time": {[]float64{1, 1, 1}, []float64{1, 2, 3}},
		"no time":         {[]float64{nan}, []float64{1}},
		"no value":        {[]float64{1}, []float64{nan}},
		"endless":         {[]float64{1}, []float64{inf}},
		"negative":        {[]float64{1}, []float64{-1}},
	} {
		if p, err := NewPath(c.t, c.v); err == nil {
			t.Errorf("%s: %+v, want an error", name, p)
		}
	}
}

// drawPath is a random path of up to 12 samples over 2000 s, with jumps.
func drawPath(t *rapid.T, name string, low, high float64) *Path {
	n := rapid.IntRange(1, 12).Draw(t, name+" samples")
	at, v := make([]float64, n), make([]float64, n)
	for i := range at {
		if i > 0 {
			at[i] = at[i-1] + rapid.Float64Range(0, 300).Draw(t, name+" gap")
		}
		if i > 1 && at[i] == at[i-2] {
			at[i]++
		}
		v[i] = rapid.Float64Range(low, high).Draw(t, name)
	}
	p, err := NewPath(at, v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A path that does not change is the constant case, warm-up and all.
func TestVaryingAgreesWithCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		v := Varying{
			Rate: Constant(c.Rate), Capacity: path(t, 0, c.Capacity, 500, c.Capacity, 1e4, c.Capacity),
			Warmup: c.Warmup, Age: c.Age, Downtime: c.Downtime, Horizon: 1e9,
		}
		t0 := rapid.Float64Range(-1e4, 1.7e9).Draw(t, "t0")
		if got, want := v.Time(t0), c.Time(); got.Outcome != want.Outcome || math.Abs(got.Seconds-want.Seconds) > 1e-6*(10+want.Seconds) {
			t.Errorf("%+v at %v: %+v, want %+v", c, t0, got, want)
		}
	})
}

// The work lost to a warm-up is a closed form on each piece of a capacity that
// changes: here it rises from 0 by 1 a second, so that
// ∫₀²⁰ u·e^(−u/10) du = 100·(1 − 3e⁻²), half of which is lost with Start = ½,
// however the way there is cut.
func TestLostWhileCapacityChanges(t *testing.T) {
	v := Varying{Rate: Constant(0), Capacity: path(t, 0, 0, 7, 7, 50, 50), Warmup: Warmup{0.5, 10}}
	for _, steps := range [][]float64{{20}, {1, 12, 7}, {0.5, 0.5, 19}} {
		m := v.march(0)
		for _, s := range steps {
			m.advance(s)
		}
		if want := 50 * (1 - 3*math.Exp(-2)); !near(m.lost, want, 1e-12) {
			t.Errorf("in steps of %v: %v lost, want %v", steps, m.lost, want)
		}
	}
}

// stepwiseVarying is the dumb twin of Varying.
func stepwiseVarying(v Varying, t0, step float64) Time {
	backlog := 0.0
	for t := t0 - v.Age; t < t0+v.Downtime-step/2; t += step {
		backlog += step * v.Rate.At(t+step/2)
	}
	for x := 0.0; v.Downtime+x <= v.Horizon; x += step {
		if backlog <= 0 {
			return Time{Seconds: v.Downtime + x}
		}
		now := t0 + v.Downtime + x + step/2
		backlog += step * (v.Rate.At(now) - v.Capacity.At(now)*v.Warmup.at(x+step/2))
	}
	return Time{Outcome: BeyondHorizon} // or never: it does not know
}

func TestVaryingAgreesWithStepwise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := Varying{
			Rate: drawPath(t, "λ", 0, 100), Capacity: drawPath(t, "μ", 20, 150),
			Warmup:   Warmup{rapid.Float64Range(0, 1.2).Draw(t, "start"), rapid.Float64Range(0, 60).Draw(t, "τ")},
			Age:      math.Round(rapid.Float64Range(0, 100).Draw(t, "age")),
			Downtime: math.Round(rapid.Float64Range(1, 100).Draw(t, "downtime")),
			Horizon:  2000,
		}
		t0 := rapid.Float64Range(-100, 2000).Draw(t, "t0")
		const step = 1.0 / 128
		got, twin := v.Time(t0), stepwiseVarying(v, t0, step)
		if got.Outcome != Recovers && twin.Outcome != Recovers {
			return
		}
		// The two must agree in time, or else in that next to nothing waits at the
		// time that one of them names: a backlog that comes within a few steps'
		// error at a jump of nothing, and grows again.
		for _, at := range []Time{got, twin} {
			if at.Outcome != Recovers {
				continue
			}
			if got.Outcome == twin.Outcome && math.Abs(got.Seconds-twin.Seconds) < 0.1 {
				continue
			}
			m := v.march(t0)
			m.advance(at.Seconds - v.Downtime)
			if left := m.backlog(); math.Abs(left) > 10 {
				t.Errorf("%+v, twin %+v, at which %v wait", got, twin, left)
			}
		}
	})
}

// At the time that is found nothing waits, and a moment before something did.
func TestVaryingIsTheFirstEnd(t *testing.T) {
	// 10 a second come in, 20 go out, but 30 come in from 35 to 100. A failure at
	// 0 with A = 10, T_d = 10: 200 wait, gone after 20 s more, at 30, before the
	// peak. With T_d = 11, 210 wait, 31 + 1 s. With T_d = 16, 70 wait at 35 …
	rate := path(t, 0, 10, 35, 10, 35, 30, 100, 30, 100, 10)
	v := Varying{Rate: rate, Capacity: Constant(20), Age: 10, Downtime: 10, Horizon: 1000}
	if got := v.Time(0); !near(got.Seconds, 30, 1e-9) {
		t.Errorf("%+v, want 30", got)
	}
	// … 260 − 190 = 70 wait at 35, 720 at 100, none at 172.
	v.Downtime = 16
	if got := v.Time(0); !near(got.Seconds, 172, 1e-9) {
		t.Errorf("%+v, want 172", got)
	}
	v.Horizon = 90
	if got := v.Time(0); got.Outcome != Never {
		t.Errorf("within the peak %+v, want never while it lasts", got)
	}
	v.Horizon = 150
	if got := v.Time(0); got.Outcome != BeyondHorizon {
		t.Errorf("after the peak %+v, want beyond the horizon", got)
	}
	v.Horizon = 10
	if got := v.Time(0); got.Outcome != BeyondHorizon {
		t.Errorf("a horizon within the downtime: %+v, want beyond it", got)
	}
	if start, end, ok := v.Peak(0, 1000); !ok || start != 35 || end != 100 {
		t.Errorf("peak %v to %v, %v, want 35 to 100", start, end, ok)
	}
	if start, end, ok := v.Peak(100, 1000); ok {
		t.Errorf("peak %v to %v after it", start, end)
	}
}

// A rate that rises from 0 to 100 in 100 s and falls again crosses capacity 60
// at 60 and at 140.
func TestPeakOfASlope(t *testing.T) {
	v := Varying{Rate: path(t, 0, 0, 100, 100, 200, 0), Capacity: Constant(60)}
	if start, end, ok := v.Peak(-50, 500); !ok || !near(start, 60, 1e-12) || !near(end, 140, 1e-12) {
		t.Errorf("peak %v to %v, %v, want 60 to 140", start, end, ok)
	}
}

// The worst failure time is no better than any on a fine grid.
func TestWorstIsWorst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := Varying{
			Rate: drawPath(t, "λ", 0, 100), Capacity: Constant(rapid.Float64Range(101, 200).Draw(t, "μ")),
			Age: rapid.Float64Range(0, 100).Draw(t, "age"), Downtime: rapid.Float64Range(1, 100).Draw(t, "downtime"),
			Horizon: 1e6,
		}
		at, worst := v.Worst(0, 2000)
		if again := v.Time(at); again != worst {
			t.Errorf("worst %+v at %v, where it is %+v", worst, at, again)
		}
		for t0 := 0.0; t0 <= 2000; t0 += 5 {
			if got := v.Time(t0); got.Seconds > worst.Seconds*1.002+0.02 {
				t.Errorf("at %v %+v, worse than %+v at %v", t0, got, worst, at)
			}
		}
	})
	v := Varying{Rate: path(t, 0, 10, 500, 10, 500, 90, 520, 90, 520, 10), Capacity: Constant(20), Downtime: 10, Horizon: 5000}
	// 90 a second for 20 s: 1800 more than usual, drained at 20 − 10 a second.
	if at, worst := v.Worst(0, 1000); at < 480 || at > 520 || worst.Seconds < 150 {
		t.Errorf("worst %+v at %v, want it around the peak", worst, at)
	}
}

// Over a day of one-second samples, 20 000 solves stay cheap because a step may
// jump over many samples.
func BenchmarkVarying(b *testing.B) {
	at, v := make([]float64, 86400), make([]float64, 86400)
	for i := range at {
		at[i], v[i] = float64(i), 50e3*(1+0.5*math.Sin(float64(i)/13751)+0.1*math.Sin(float64(i)*7))
	}
	rate, err := NewPath(at, v)
	if err != nil {
		b.Fatal(err)
	}
	recover := Varying{
		Rate: rate, Capacity: Constant(90e3), Warmup: Warmup{0.5, 16}, Age: 30, Downtime: 20, Horizon: 7200,
	}
	i := 0
	for b.Loop() {
		recover.Time(float64(i % 86400))
		i += 977
	}
}
