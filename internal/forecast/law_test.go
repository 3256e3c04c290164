package forecast_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"rebound/internal/forecast"
)

// whole draws a series of whole numbers with a day of 12 steps, so that shifting it is
// exact. Of a few values only, members do equally well, and rounding would decide
// between them.
func whole(t *rapid.T) []float64 {
	n := rapid.IntRange(8, 160).Draw(t, "n")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	height := float64(rapid.IntRange(0, 300).Draw(t, "height"))
	noise := float64(rapid.IntRange(1, 50).Draw(t, "noise"))
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Round(2000 + height*math.Sin(2*math.Pi*float64(i)/12) + noise*rng.NormFloat64())
	}
	return y
}

// learned has observed y, its first part at once.
func learned(t testing.TB, y []float64) *forecast.Forecaster {
	f := must(t, forecast.Options{Step: 7200, Horizon: 24})
	f.Fit(y[:len(y)/2])
	for _, v := range y[len(y)/2:] {
		f.Observe(v)
	}
	return f
}

// Twice the series, twice the forecast; a thousand more, a thousand more.
func TestScaleAndShift(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		y := whole(rt)
		factor := rapid.SampledFrom([]float64{1, 4, 1.0 / 1024}).Draw(rt, "factor")
		shift := float64(rapid.IntRange(0, 5000).Draw(rt, "shift"))
		moved := slices.Clone(y)
		for i := range moved {
			moved[i] = factor * (moved[i] + shift)
		}
		levels := []float64{0.1, 0.9}
		a, b := learned(t, y).Forecast(24, levels), learned(t, moved).Forecast(24, levels)
		for k, path := range [][]float64{a.Mean, a.Quantiles[0], a.Quantiles[1]} {
			other := [][]float64{b.Mean, b.Quantiles[0], b.Quantiles[1]}[k]
			for h, v := range path {
				if v == 0 || other[h] == 0 {
					continue // nothing falls below 0, wherever it is shifted from
				}
				if want := factor * (v + shift); math.Abs(other[h]-want) > 1e-6*want {
					rt.Fatalf("path %d, step %d: %v, want %v", k, h+1, other[h], want)
				}
			}
		}
	})
}

func TestQuantilesDoNotCross(t *testing.T) {
	levels := []float64{0.95, 0.01, 0.5, 0.99, 0.05, 0.3}
	order := []int{1, 4, 5, 2, 0, 3}
	rapid.Check(t, func(rt *rapid.T) {
		y := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 5, 100, 1e9, math.NaN(), math.Inf(1), -3}), 0, 80).Draw(rt, "y")
		f := learned(t, y)
		got := f.Forecast(40, levels)
		for h := range got.Mean {
			last := math.Inf(-1)
			for _, k := range order {
				v := got.Quantiles[k][h]
				if math.IsNaN(v) || math.IsInf(v, 0) || v < last {
					rt.Fatalf("step %d: %v after %v", h+1, v, last)
				}
				last = v
			}
		}
		if low, high := f.Peak(1, 30, 0.1), f.Peak(1, 30, 0.9); math.IsNaN(low) || low > high {
			rt.Fatalf("peaks %v and %v", low, high)
		}
	})
}

// What has a period goes on with it.
func TestPeriodic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		period := rapid.SliceOfN(rapid.Float64Range(1, 1000), 12, 12).Draw(rt, "period")
		period[0] = 2000 // it has a day, whatever was drawn
		y := make([]float64, 12*9)
		for i := range y {
			y[i] = period[i%12]
		}
		got := learned(t, y).Forecast(24, []float64{0.05, 0.95})
		for h, v := range got.Mean {
			if want := period[h%12]; math.Abs(v-want) > 1e-3*2000 {
				rt.Fatalf("step %d: %v, want %v", h+1, v, want)
			}
		}
	})
}

func TestConstantsAndZeros(t *testing.T) {
	for _, v := range []float64{0, 5, 1e12} {
		f := learned(t, slices.Repeat([]float64{v}, 100))
		got := f.Forecast(30, []float64{0.05, 0.95})
		for h, m := range got.Mean {
			if math.Abs(m-v) > 1e-9*v || math.Abs(got.Quantiles[0][h]-v) > 1e-6*v || math.Abs(got.Quantiles[1][h]-v) > 1e-6*v {
				t.Fatalf("constant %v, step %d: %v in [%v, %v]", v, h+1, m, got.Quantiles[0][h], got.Quantiles[1][h])
			}
		}
		if p := f.Peak(1, 30, 0.9); math.Abs(p-v) > 1e-6*v {
			t.Errorf("constant %v: peak %v", v, p)
		}
	}
}

// A calm that ends leaves intervals of the size of what ended it, not of a million
// times the calm.
func TestCalmEnds(t *testing.T) {
	for _, noise := range []float64{0, 1e-9, 1e-3} {
		f := must(t, forecast.Options{Step: 60, Horizon: 10})
		for i := range 300 {
			f.Observe(1000 + noise*float64(i*7%5))
		}
		inside := 0
		got := f.Forecast(10, []float64{0.05, 0.95})
		for i := range 300 {
			v := 2000 + 50*float64(i*7%5)
			if i >= 10 && i < 60 && v >= got.Quantiles[0][0] && v <= got.Quantiles[1][0] {
				inside++
			}
			f.Observe(v)
			got = f.Forecast(10, []float64{0.05, 0.95})
			for h, high := range got.Quantiles[1] {
				if high > 20_000 {
					t.Fatalf("noise %v, %d steps after: %.0f is not ruled out %d steps ahead", noise, i+1, high, h+1)
				}
			}
		}
		if inside < 40 {
			t.Errorf("noise %v: soon after, %d of 50 values lie inside", noise, inside)
		}
		if w := got.Quantiles[1][4] - got.Quantiles[0][4]; w > 1000 {
			t.Errorf("noise %v: five hours after, intervals are %.0f wide, the load varies by 200", noise, w)
		}
	}
}

// A load that falls to nothing at night is not forecast below it.
func TestNeverNegative(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	y := make([]float64, 24*15)
	for i := range y {
		y[i] = max(0, 100*math.Sin(2*math.Pi*float64(i)/24)+40*rng.NormFloat64())
	}
	f := must(t, forecast.Options{Step: 3600})
	for _, v := range y {
		f.Observe(v)
		got := f.Forecast(48, []float64{0.01})
		if low := min(slices.Min(got.Mean), slices.Min(got.Quantiles[0])); low < 0 {
			t.Fatalf("forecast of %v", low)
		}
	}
}

// errorOf is the mean error of the next day's forecast as a share of the day's mean.
func errorOf(f *forecast.Forecaster, truth []float64) float64 {
	var off, size float64
	for h, v := range f.Forecast(len(truth), nil).Mean {
		off += math.Abs(v - truth[h])
		size += truth[h]
	}
	return off / size
}

// Gaps, a spike of a counter that was reset and a lost hour at the change of the clocks
// do not spoil the forecast of a load whose noise is a twentieth.
func TestMishaps(t *testing.T) {
	const worst = 0.08
	for name, mishap := range map[string]func(y []float64){
		"none":      func([]float64) {},
		"gaps":      func(y []float64) { fillWith(y[200:230], math.NaN()); fillWith(y[355:359], math.NaN()) },
		"spikes":    func(y []float64) { y[150], y[250], y[340] = 1e9, 0, 1e9 },
		"spike":     func(y []float64) { y[350] = 1e9 },
		"reset":     func(y []float64) { y[350] = 0 },
		"long gap":  func(y []float64) { fillWith(y[300:345], math.NaN()) },
		"clock set": func(y []float64) { copy(y[240:], y[241:]) },
	} {
		t.Run(name, func(t *testing.T) {
			y := daily(24*16, 24, 5)
			mishap(y)
			truth := slices.Clone(daily(24*16, 24, 5)[24*15:])
			if name == "clock set" {
				truth = slices.Clone(y[24*15 : 24*16-1])
			}
			online := must(t, forecast.Options{Step: 3600})
			for _, v := range y[:24*15] {
				online.Observe(v)
			}
			atOnce := must(t, forecast.Options{Step: 3600})
			atOnce.Fit(y[:24*15])
			for _, f := range []*forecast.Forecaster{online, atOnce} {
				got := f.Forecast(12, []float64{0.05, 0.95})
				if w := got.Quantiles[1][0] - got.Quantiles[0][0]; w > 500 {
					t.Errorf("the next value is known to %.0f only, the load is 500 to 1500", w)
				}
			}
			if a, b := errorOf(online, truth), errorOf(atOnce, truth); a > worst || b > worst {
				t.Errorf("errs by %.3f online and %.3f fitted at once, want at most %v", a, b, worst)
			}
		})
	}
}

func fillWith(y []float64, v float64) {
	for i := range y {
		y[i] = v
	}
}

// A job of minutes with a day, and a surge to twice the load within 20 minutes that
// lasts three hours: the forecast follows it at once, the intervals widen and stay wide
// for a while after it, and before it the day was known three hours ahead.
func TestSurge(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const start = 3*1440 + 600
	y := make([]float64, 4*1440)
	var e float64
	for i := range y {
		e = 0.9*e + 0.01*rng.NormFloat64()
		y[i] = 50000 * (1 + 0.5*math.Sin(2*math.Pi*float64(i)/1440)) * (1 + e)
		if k := i - start; k >= 0 && k < 200 {
			y[i] *= min(2, 1+float64(k)/20)
		}
	}
	f := must(t, forecast.Options{Step: 60, Horizon: 180})
	f.Fit(y[:start-180])
	if got := errorOf(f, y[start-180:start]); got > 0.05 {
		t.Errorf("errs by %.3f over three hours of a usual day, want at most 0.05", got)
	}
	at := start - 180
	upTo := func(end int) forecast.Forecast {
		for ; at < end; at++ {
			f.Observe(y[at])
		}
		return f.Forecast(60, []float64{0.05, 0.95})
	}
	calm := upTo(start)
	early := upTo(start + 6)
	if early.Mean[4] < 0.95*y[start+5] {
		t.Errorf("after six minutes the forecast is %.0f, the load %.0f", early.Mean[4], y[start+5])
	}
	high := upTo(start + 40)
	if got := high.Mean[9] / y[start+49]; got < 0.9 || got > 1.1 {
		t.Errorf("ten minutes ahead in the surge it is off by a factor of %.2f", got)
	}
	if got := high.Mean[59]; got < 0.85*y[start+39] {
		t.Errorf("an hour ahead the surge is forecast as %.0f, the load is %.0f", got, y[start+39])
	}
	if high.Widened < 1.5 {
		t.Errorf("widened %.2f times in the surge, want 1.5 and more", high.Widened)
	}
	after := upTo(start + 290)
	if calm.Widened > 1.1 || after.Widened < 1.3 {
		t.Errorf("widened %.2f times before and %.2f times an hour and a half after it", calm.Widened, after.Widened)
	}
}

// The peak over the next two hours stays below its 90 % quantile nine times in ten.
func TestPeak(t *testing.T) {
	y := daily(24*160, 24, 9)
	f := must(t, forecast.Options{Step: 3600, Horizon: 12})
	f.Fit(y[:24*40])
	below, n := 0.0, 0.0
	for o := 24 * 40; o+6 <= len(y); o++ {
		if slices.Max(y[o:o+6]) <= f.Peak(1, 6, 0.9) {
			below++
		}
		n++
		f.Observe(y[o])
	}
	if share := below / n; share < 0.87 || share > 0.93 {
		t.Errorf("%.3f of the peaks stayed below, want 0.9", share)
	}
}

// Two weeks of seconds: the day is found by sums, not by 86,400 lags.
func TestSeconds(t *testing.T) {
	const n = 3 * 86400
	rng := rand.New(rand.NewPCG(2, 2))
	y := make([]float64, n+1800)
	for i := range y {
		y[i] = 1000 * (1 + 0.5*math.Sin(2*math.Pi*float64(i)/86400)) * (1 + 0.03*rng.NormFloat64())
	}
	f := must(t, forecast.Options{Step: 1, Horizon: 600})
	f.Fit(y[:n])
	if got := errorOf(f, y[n:]); got > 0.04 {
		t.Errorf("half an hour ahead it errs by %.3f, want at most 0.04", got)
	}
	if s := f.Forecast(1, nil).Season; !slices.Contains(s, 86400) {
		t.Errorf("seasons %v, want a day among them", s)
	}
}
