package recovery

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Interval too long: λ 50 000, μ 80 000, I 10 min, D 30 s, T_d 60 s, target
// 600 s. ρ = 0.625, A ≤ 630: (60 + 393.75)/0.375 = 1210. The longest age is
// (600·0.375 − 60)/0.625 = 264, the longest interval 30 less.
func TestIntervalTooLong(t *testing.T) {
	c := Case{Rate: 50e3, Capacity: 80e3, Downtime: 60}
	for interval, want := range map[float64]float64{600: 1210, 180: 510, 234: 600} {
		_, c.Age = AgeRange(EffectiveInterval(interval, 0, 30), 30, 0)
		if got := c.Time().Seconds; !near(got, want, 1e-12) {
			t.Errorf("interval %v: %v, want %v", interval, got, want)
		}
	}
	if age, ok := c.LongestAge(600); !ok || !near(age, 264, 1e-12) {
		t.Errorf("longest age %v, %v, want 264", age, ok)
	}
	if got, ok := LongestInterval(600, 0.625, 60, 30); !ok || !near(got, 234, 1e-12) {
		t.Errorf("longest interval %v, %v, want 234", got, ok)
	}
	if got, ok := LongestInterval(160, 0.625, 60, 30); ok {
		t.Errorf("longest interval %v, want none: 160·0.375 is the downtime", got)
	}
	if _, ok := LongestInterval(1e9, 1, 60, 30); ok {
		t.Error("an interval for ρ = 1")
	}
	if got, ok := LongestInterval(61, 0, 60, 30); !ok || !math.IsInf(got, 1) {
		t.Errorf("without input %v, %v, want any", got, ok)
	}
}

func TestAgeRange(t *testing.T) {
	if got := EffectiveInterval(10, 5, 12); got != 17 {
		t.Errorf("effective interval %v, want 17: duration and pause are longer", got)
	}
	if got := EffectiveInterval(30, 5, 12); got != 30 {
		t.Errorf("effective interval %v, want 30", got)
	}
	mean, worst := AgeRange(30, 4, 2)
	if mean != 19 || worst != 94 { // 30/2 + 4; 30·3 + 4
		t.Errorf("age %v to %v, want 19 and 94", mean, worst)
	}
}

// At the bounds that the inverses give, recovery takes exactly the target.
func TestInversesMeetTheTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		target := rapid.Float64Range(0, 3000).Draw(t, "target")
		duration := rapid.Float64Range(0, 30).Draw(t, "duration")
		if interval, ok := c.LongestInterval(target, duration); ok {
			at := c
			at.Age = interval + duration
			if got := at.Time().Seconds; !near(got, target, 1e-7) {
				t.Errorf("interval %v of %+v: %v, want %v", interval, c, got, target)
			}
		} else if at := c; true {
			at.Age = duration
			if got := at.Time(); got.Within(target * (1 - 1e-9)) {
				t.Errorf("no interval of %+v for %v, yet %v at age %v", c, target, got, duration)
			}
		}
		capacity, ok := c.NeededCapacity(target)
		if ok != (target > c.Downtime) {
			t.Errorf("capacity %v, %v for %v after downtime %v", capacity, ok, target, c.Downtime)
		}
		if at := c; ok {
			at.Capacity = capacity
			if got := at.Time().Seconds; !near(got, target, 1e-6) {
				t.Errorf("capacity %v of %+v: %v, want %v", capacity, c, got, target)
			}
		}
	})
}

// ρ ≤ (R* − T_d)/(R* + A) = (300 − 40)/(300 + 90) = 2/3.
func TestNeededUtilization(t *testing.T) {
	if rho, ok := NeededUtilization(300, 40, 90); !ok || !near(rho, 2.0/3, 1e-15) {
		t.Errorf("ρ = %v, %v, want 2/3", rho, ok)
	}
	if rho, ok := NeededUtilization(40, 40, 90); ok {
		t.Errorf("ρ = %v for a target no longer than the downtime", rho)
	}
}

// Reference: T* = 200.286 s, of which 170.29 s work, Young 189.7, Daly 170.26 for
// c = 30, M = 600; work 261.703 s for c = 10, M = 3600.
func TestOptimalInterval(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
		tolerance float64
	}{
		{"exact", Exact(30, 600), 200.286, 5e-4},
		{"exact work", Exact(30, 600) - 30, 170.29, 5e-3},
		{"exact work, rare failures", Exact(10, 3600) - 10, 261.703, 5e-4},
		{"Young", Young(30, 600), 189.7, 0.05},
		{"Daly", Daly(30, 600), 170.26, 5e-3},
		{"Daly, costly checkpoints", Daly(1200, 600), 600, 0},
		{"for a target", IntervalForTarget(60, 3, 0.3), 8.48, 5e-3},
	} {
		if math.Abs(c.got-c.want) > c.tolerance {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// onePlusW solves u + ln(1 − u) = −x. The dumb twin bisects with 300 bits in the
// form that has no logarithm, (1 − u)·e^u = e^(−x), where big.Float has no
// exponential: so as the alternating series u²/2 + u³/3 + … = x.
func TestExactIsWellConditioned(t *testing.T) {
	series := func(u *big.Float) *big.Float {
		sum, power := new(big.Float).SetPrec(300), new(big.Float).SetPrec(300).Set(u)
		for k := int64(2); k < 200; k++ {
			power.Mul(power, u)
			sum.Add(sum, new(big.Float).SetPrec(300).Quo(power, new(big.Float).SetInt64(k)))
		}
		return sum
	}
	for _, x := range []float64{1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 4e-3, 0.0054, 0.01, 0.1, 0.39, 0.41} {
		low, high := new(big.Float).SetPrec(300), new(big.Float).SetPrec(300).SetFloat64(0.9)
		for range 100 {
			middle := new(big.Float).SetPrec(300).Add(low, high)
			middle.Quo(middle, big.NewFloat(2))
			if series(middle).Cmp(big.NewFloat(x)) < 0 {
				low = middle
			} else {
				high = middle
			}
		}
		want, _ := low.Float64()
		if got := onePlusW(x); math.Abs(got-want) > 4e-15*want {
			t.Errorf("x = %v: %v, want %v, off by %v", x, got, want, got/want-1)
		}
	}
}

// No interval gives more useful time than the exact one; for rare failures Young
// and Daly come close to it; and where a checkpoint costs more than a failure,
// the interval tends to M longer than the checkpoint.
func TestExactIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := math.Exp(rapid.Float64Range(-7, 7).Draw(t, "ln c"))
		m := math.Exp(rapid.Float64Range(-2, 12).Draw(t, "ln M"))
		useful := func(interval float64) float64 { return (interval - c) / m / math.Expm1(interval/m) }
		best := Exact(c, m)
		for _, factor := range []float64{0.5, 0.99, 1.01, 2} {
			if other := useful(best * factor); other > useful(best) {
				t.Errorf("c = %v, M = %v: %v beats %v", c, m, best*factor, best)
			}
		}
		if c < m/1e4 && !near(Daly(c, m)+c, best, 1e-3) {
			t.Errorf("c = %v, M = %v: Daly %v, exact %v", c, m, Daly(c, m)+c, best)
		}
	})
	if got := Exact(1e5, 1); !near(got, 1e5+1, 1e-12) {
		t.Errorf("costly checkpoints: %v, want c + M", got)
	}
	if got := Exact(0, 600); got != 0 {
		t.Errorf("free checkpoints: %v, want 0", got)
	}
}

// With the interval for a target, no other needs less raw capacity:
// μ₀ = λ(R* + T + D)/R*/(1 − b/T), up to a factor, at downtime 0.
func TestIntervalForTargetIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		target := rapid.Float64Range(10, 1000).Draw(t, "target")
		d := rapid.Float64Range(0.1, 60).Draw(t, "D")
		beta := rapid.Float64Range(0.01, 1).Draw(t, "β")
		raw := func(interval float64) float64 { return (target + interval + d) / (1 - beta*d/interval) }
		best := IntervalForTarget(target, d, beta)
		for _, factor := range []float64{0.9, 0.999, 1.001, 1.1} {
			if other := best * factor; other > beta*d && raw(other) < raw(best) {
				t.Errorf("%v beats %v", other, best)
			}
		}
	})
}

// Transaction timeout: I 300 s, D 40 s, worst downtime 600 s: 940 s. Alignment
// cap: drift 2 s each second and a backlog of 1800 s drain in 1800/(2 − 1) s,
// not in the 1800/(6 − 1) of μ/λ = 6.
func TestBounds(t *testing.T) {
	if got := TransactionBound(300, 40, 600, 0); got != 940 {
		t.Errorf("transaction %v, want 940", got)
	}
	if got := TransactionBound(300, 40, 600, 2); got != 1540 {
		t.Errorf("transaction after two failed checkpoints %v, want 1540", got)
	}
	if got := Visibility(300, 40); got != 340 {
		t.Errorf("visible after %v, want 340", got)
	}
	if got := FirstCommit(20, 300, 55); got != 375 {
		t.Errorf("first commit after %v, want 375", got)
	}
	for drift, want := range map[float64]float64{2: 1800, 0: 360, 100: 360} {
		c := Case{Rate: 50, Capacity: min(6*50, AlignmentLimit(50, drift, 1)), Downtime: 1800}
		if _, catchUp := c.Phases(); !near(catchUp.Seconds, want, 1e-12) {
			t.Errorf("drift %v: drains in %v, want %v", drift, catchUp.Seconds, want)
		}
	}
}
