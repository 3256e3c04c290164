package gp

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// law draws a problem with fixed hyper-parameters.
func law(t *rapid.T) (d Data, h Hyper, rng *rand.Rand) {
	rng = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n, inputs := rapid.IntRange(2, 12).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "inputs")
	d.X = points(rng, n, inputs)
	d.Y = waves(d.X)
	for range inputs {
		h.Lengths = append(h.Lengths, 0.1+rng.Float64())
	}
	h.Signal, h.Noise = 0.5+rng.Float64(), math.Pow(10, rapid.Float64Range(-6, 0).Draw(t, "log noise"))
	return d, h, rng
}

// Variance is never above the prior's and never grows by an observation.
func TestVarianceShrinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, h, rng := law(t)
		g := fit(t, d, Options{Fixed: &h})
		for _, x := range points(rng, 5, len(d.X[0])) {
			_, before := g.Predict(x)
			if prior := g.from.scale * g.from.scale * h.Signal; before > prior*(1+1e-12) {
				t.Fatalf("variance %g above the prior's %g", before, prior)
			}
			more := g.Clone()
			if err := more.Append(x, rng.NormFloat64(), g.Noise()); err != nil {
				t.Fatal(err)
			}
			if _, after := more.Predict(x); after > before*(1+1e-9) {
				t.Fatalf("variance grew from %g to %g by an observation there", before, after)
			}
		}
	})
}

// The order of the data does not matter.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, h, rng := law(t)
		g := fit(t, d, Options{Fixed: &h})
		perm := rng.Perm(len(d.Y))
		other := Data{}
		for _, i := range perm {
			other.X, other.Y = append(other.X, d.X[i]), append(other.Y, d.Y[i])
		}
		p := fit(t, other, Options{Fixed: &h})
		for _, x := range points(rng, 5, len(d.X[0])) {
			m1, v1 := g.Predict(x)
			m2, v2 := p.Predict(x)
			if math.Abs(m1-m2) > 1e-6 || math.Abs(v1-v2) > 1e-6 {
				t.Fatalf("%g ± %g, in another order %g ± %g", m1, v1, m2, v2)
			}
		}
	})
}

// Without noise the mean goes through the observations.
func TestInterpolates(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	x := points(rng, 30, 2)
	d := Data{X: x, Y: waves(x), Noise: make([]float64, 30)}
	g := fit(t, d, Options{})
	for i, x := range d.X {
		mean, variance := g.Predict(x)
		near(t, "mean", mean, d.Y[i], 1e-4)
		near(t, "variance", variance, 0, 1e-4)
	}
	for _, x := range points(rng, 50, 2) {
		mean, _ := g.Predict(x)
		near(t, "mean between", mean, wave(x), 0.05)
	}
}

// Scale and shift of the outputs commute with everything, from 1e-12 to 1e12,
// and so does the prior mean.
func TestScaleAndShift(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	x := points(rng, 15, 2)
	d := Data{X: x, Y: waves(x)}
	g := fit(t, d, Options{})
	at := points(rng, 5, 2)
	for _, scale := range []float64{1e-12, 1, 1e12} {
		shift := 3 * scale
		moved := Data{X: x}
		for _, y := range d.Y {
			moved.Y = append(moved.Y, y*scale+shift)
		}
		m := fit(t, moved, Options{Mean: func([]float64) float64 { return shift / 2 }})
		// A density of 15 values in other units.
		near(t, "log likelihood", m.LogLikelihood(), g.LogLikelihood()-15*math.Log(scale), 1e-4)
		for _, x := range at {
			mean, variance := g.Predict(x)
			mean2, variance2 := m.Predict(x)
			near(t, "mean", (mean2-shift)/scale, mean, 1e-3)
			near(t, "variance", variance2/(scale*scale), variance, 1e-3)
		}
	}
}

// The process finds what it was drawn with: an input that does nothing gets a
// long length, noise its variance, and 90 % intervals hold 90 % of new values.
func TestLearns(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	x := points(rng, 80, 3)
	var y []float64
	for _, p := range x {
		y = append(y, math.Sin(6*p[0])+p[1]+rng.NormFloat64()/10)
	}
	g := fit(t, Data{X: x, Y: y}, Options{})
	h := g.Hyper()
	if h.Lengths[2] < 3*h.Lengths[0] {
		t.Errorf("lengths %v: the third input does nothing", h.Lengths)
	}
	if sd := math.Sqrt(g.Noise()); sd < 0.07 || sd > 0.13 {
		t.Errorf("noise %g, want about 0.1", sd)
	}
	held := 0
	for _, p := range points(rng, 1000, 3) {
		mean, variance := g.Predict(p)
		seen := math.Sin(6*p[0]) + p[1] + rng.NormFloat64()/10
		if math.Abs(seen-mean) < 1.645*math.Sqrt(variance+g.Noise()) {
			held++
		}
	}
	if held < 860 || held > 960 {
		t.Errorf("%d of 1000 values in 90 %% intervals, want about 900", held)
	}
	// A value that the process expects is more likely than one it does not.
	mean, _ := g.Predict(x[0])
	if g.LogDensity(x[0], mean, g.Noise()) <= g.LogDensity(x[0], mean+1, g.Noise()) {
		t.Error("an odd value is as likely as the mean")
	}
}

// A search on a part of the data, then in a metric, ends where one on all does.
func TestRoughSearch(t *testing.T) {
	d := job(150)
	s, err := standardize(d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sys := newSystem(s)
	best := math.Inf(1)
	for _, h := range Starts(6) {
		_, value := sys.localOptimum(h.logs(true), nil)
		best = min(best, value)
	}
	at, err := sys.optimum([][]float64{Starts(6)[0].logs(true), Starts(6)[1].logs(true)})
	if err != nil {
		t.Fatal(err)
	}
	if value, _ := sys.posterior(at); value > best+0.2 {
		t.Errorf("log posterior %g, by searching all %g", -value, -best)
	}
}

// Same data, same bits, on one processor or more; and hyper-parameters survive
// JSON.
func TestDeterminism(t *testing.T) {
	run := func(procs int) (Hyper, []float64, [][]float64) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		g := fit(t, job(130), Options{})
		rng := rand.New(rand.NewPCG(1, 1))
		d := g.Draw(rng, points(rng, 300, 6), 4)
		return g.Hyper(), d.Variance, d.Mean
	}
	h1, v1, m1 := run(1)
	h2, v2, m2 := run(4)
	if diff := cmp.Diff(h1, h2); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(v1, v2) || !cmp.Equal(m1, m2) {
		t.Error("predictions differ between one processor and four")
	}
	text, err := json.Marshal(h1)
	if err != nil {
		t.Fatal(err)
	}
	var back Hyper
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h1, back); diff != "" {
		t.Error(diff)
	}
}

func TestFitRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := [][]float64{{0.5}}
	ok := Data{X: one, Y: []float64{1}}
	for name, c := range map[string]struct {
		d    Data
		o    Options
		want string
	}{
		"no data":      {Data{}, Options{}, "no data"},
		"no inputs":    {Data{X: [][]float64{{}}, Y: []float64{1}}, Options{}, "no data"},
		"lengths":      {Data{X: one, Y: []float64{1, 2}}, Options{}, "X: 1 values, want 2"},
		"inputs":       {Data{X: [][]float64{{1}, {1, 2}}, Y: []float64{1, 2}}, Options{}, "X[1]: 2 inputs, want 1"},
		"NaN in X":     {Data{X: [][]float64{{nan}}, Y: []float64{1}}, Options{}, "X[0][0]: NaN"},
		"Inf in Y":     {Data{X: one, Y: []float64{inf}}, Options{}, "Y[0]: +Inf"},
		"noise":        {Data{X: one, Y: []float64{1}, Noise: []float64{-1}}, Options{}, "Noise[0]: -1"},
		"NaN in noise": {Data{X: one, Y: []float64{1}, Noise: []float64{nan}}, Options{}, "Noise[0]: NaN"},
		"count":        {Data{X: one, Y: []float64{1}, Count: []int{0}}, Options{}, "Count[0]: 0"},
		"within":       {Data{X: one, Y: []float64{1}, Within: -1}, Options{}, "Within: -1"},
		"prior mean":   {ok, Options{Mean: func([]float64) float64 { return nan }}, "prior mean at X[0]: NaN"},
		"fixed":        {ok, Options{Fixed: &Hyper{Lengths: []float64{1, 1}, Signal: nan}}, "lengths: 2 values, want 1"},
		"start":        {ok, Options{Starts: []Hyper{{Lengths: []float64{0}, Signal: 1, Noise: 1}}}, "lengths[0]: 0"},
	} {
		if _, err := Fit(c.d, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	g := fit(t, ok, Options{})
	for name, err := range map[string]error{
		"inputs": g.Append([]float64{1, 2}, 1, 0),
		"NaN":    g.Append([]float64{nan}, 1, 0),
		"noise":  g.Grid(one).Append([]float64{1}, 1, -1),
		"y":      g.Append([]float64{1}, inf, 0),
	} {
		if err == nil {
			t.Errorf("append with bad %s is taken", name)
		}
	}
	if _, err := g.Sample(nil, nil, 3); err == nil {
		t.Error("no points are drawn")
	}
}

// Whatever the data, Fit gives finite predictions or words: equal points, one
// point, constant outputs, all scales, any mixture of noise and bounds.
func FuzzFit(f *testing.F) {
	f.Add(uint64(1), uint8(1), uint8(1), 1.0, uint8(0))
	f.Add(uint64(2), uint8(9), uint8(2), 1e12, uint8(1))
	f.Add(uint64(3), uint8(9), uint8(3), 1e-12, uint8(2))
	f.Add(uint64(4), uint8(12), uint8(1), 0.0, uint8(3))
	f.Add(uint64(5), uint8(12), uint8(2), 1e90, uint8(7))
	f.Add(uint64(6), uint8(12), uint8(2), math.NaN(), uint8(7))
	f.Add(uint64(7), uint8(20), uint8(1), 1e-300, uint8(15))
	f.Fuzz(func(t *testing.T, seed uint64, n, inputs uint8, scale float64, kind uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x := points(rng, int(n%24)+1, int(inputs%4)+1)
		d := Data{X: x, Y: waves(x)}
		for i := range d.Y {
			d.Y[i] *= scale
			if kind&1 != 0 && i > 0 && rng.IntN(2) == 0 {
				d.X[i] = d.X[0]
			}
			if kind&2 != 0 {
				d.Noise = append(d.Noise, max(0, rng.NormFloat64())*scale*scale)
			}
			if kind&4 != 0 {
				d.Censored = append(d.Censored, rng.IntN(2) == 0)
			}
			if kind&8 != 0 {
				d.Y[i] = scale
			}
		}
		g, err := Fit(d, Options{})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "gp: ") {
				t.Fatalf("no words: %v", err)
			}
			return
		}
		at := append(points(rng, 3, len(x[0])), x[0])
		mean, variance := g.PredictAll(at)
		loo, looVariance := g.LeaveOneOut()
		for _, v := range slices.Concat(mean, variance, loo, looVariance) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("mean %v variance %v left out %v %v", mean, variance, loo, looVariance)
			}
		}
		grid := g.Grid(at)
		if err := grid.Believe(x[0], 0); err != nil {
			t.Fatal(err)
		}
		draws := g.Draw(rng, at, 3)
		if err := draws.Append(rng, x[0]); err != nil {
			t.Fatal(err)
		}
		for _, v := range slices.Concat(append(draws.Mean, draws.Variance, grid.Mean, grid.Variance)...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("draws %v ± %v", draws.Mean, draws.Variance)
			}
		}
	})
}
