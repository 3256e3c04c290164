package gp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

// points are n random points in the unit cube.
func points(rng *rand.Rand, n, d int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, d)
		for j := range out[i] {
			out[i][j] = rng.Float64()
		}
	}
	return out
}

// wave is a smooth function of up to three inputs.
func wave(x []float64) float64 {
	y := math.Sin(5 * x[0])
	for j, v := range x[1:] {
		y += v * v / float64(j+1)
	}
	return y
}

func waves(x [][]float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = wave(x[i])
	}
	return y
}

func fit(t rapid.TB, d Data, o Options) *GP {
	t.Helper()
	g, err := Fit(d, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Two observations 3 and 1: their mean is 2, their standard deviation 1, so the
// standardized ones are 1 and -1. With ℓ = 1/2 and distance 1/2 s = √5, and
// k = (1 + √5 + 5/3)e^{-√5} = 0.5239941088318203. By symmetry (K+N)⁻¹(1,-1)' is
// (1,-1)'/(1 + 0.1 - k). Half way, both covariances are q = k(√5/2) =
// (1 + √5/2 + 5/12)e^{-√5/2} = 0.8286491424181255, and mean 2 + q·1 - q·1 = 2;
// variance 1 - 2q²/(1.1 + k). At the first point the mean is
// 2 + (1-k)/(1.1-k).
func TestPredictTwoPoints(t *testing.T) {
	k := (1 + math.Sqrt(5) + 5./3) * math.Exp(-math.Sqrt(5))
	q := (1 + math.Sqrt(5)/2 + 5./12) * math.Exp(-math.Sqrt(5)/2)
	near(t, "k", k, 0.5239941088318203, 1e-12)
	near(t, "q", q, 0.8286491424181255, 1e-12)
	g := fit(t, Data{X: [][]float64{{0}, {0.5}}, Y: []float64{3, 1}, Noise: []float64{0.1, 0.1}},
		Options{Fixed: &Hyper{Lengths: []float64{0.5}, Signal: 1}})
	mean, variance := g.Predict([]float64{0.25})
	near(t, "mean half way", mean, 2, 1e-12)
	near(t, "variance half way", variance, 1-2*q*q/(1.1+k), 1e-7)
	mean, _ = g.Predict([]float64{0})
	near(t, "mean at the first", mean, 2+(1-k)/(1.1-k), 1e-7)
	// log N((1,-1); 0, K+N) with eigenvalues 1.1±k: (1,-1) lies in that of 1.1-k.
	want := -1/(1.1-k) - math.Log(1.1*1.1-k*k)/2 - math.Log(2*math.Pi)
	near(t, "log likelihood", g.LogLikelihood(), want, 1e-7)
}

// dumb is a Gaussian process by the textbook, with an explicit inverse.
type dumb struct {
	g     *GP
	noise []float64
	inv   mat.Dense
}

func (m *dumb) cov(a, b []float64) float64 {
	r2 := 0.0
	for j, l := range m.g.hyper.Lengths {
		r2 += (a[j] - b[j]) * (a[j] - b[j]) / (l * l)
	}
	r := math.Sqrt(5 * r2)
	return m.g.hyper.Signal * (1 + r + r*r/3) * math.Exp(-r)
}

func newDumb(t rapid.TB, g *GP, noise []float64) *dumb {
	n := g.Len()
	m := &dumb{g: g, noise: noise}
	k := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			k.Set(i, j, m.cov(g.input(i), g.input(j)))
		}
		k.Set(i, i, g.hyper.Signal*(1+g.jitter)+noise[i])
	}
	if err := m.inv.Inverse(k); err != nil {
		t.Fatal(err)
	}
	return m
}

// between is the posterior covariance of f at a and b in standardized units.
func (m *dumb) between(a, b []float64) float64 {
	n := m.g.Len()
	sum := m.cov(a, b)
	for i := range n {
		for j := range n {
			sum -= m.cov(a, m.g.input(i)) * m.inv.At(i, j) * m.cov(m.g.input(j), b)
		}
	}
	return sum
}

func (m *dumb) mean(x []float64, y []float64) float64 {
	sum := 0.0
	for i := range y {
		for j := range y {
			sum += m.cov(x, m.g.input(i)) * m.inv.At(i, j) * y[j]
		}
	}
	return sum
}

// Predict, PredictAll, Grid, appended points and the textbook agree.
func TestGridAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, d := rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "d")
		more := rapid.IntRange(0, 3).Draw(t, "more")
		x := points(rng, n+more, d)
		y := waves(x)
		noise := make([]float64, n+more)
		for i := range noise {
			noise[i] = 0.01 + rng.Float64()/10
		}
		h := Hyper{Lengths: make([]float64, d), Signal: 0.5 + rng.Float64()}
		for j := range h.Lengths {
			h.Lengths[j] = 0.2 + rng.Float64()
		}
		prior := func(x []float64) float64 { return 3 * x[0] }
		g := fit(t, Data{X: x[:n], Y: y[:n], Noise: noise[:n]}, Options{Fixed: &h, Mean: prior})
		c := points(rng, 70, d)
		grid := g.Grid(c)
		for i := n; i < n+more; i++ {
			for _, err := range []error{g.Append(x[i], y[i], noise[i]), grid.Append(x[i], y[i], noise[i])} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		scale := g.from.scale
		std := make([]float64, n+more)
		for i := range std {
			std[i] = noise[i] / (scale * scale)
		}
		twin := newDumb(t, g, std)
		all, allVar := g.PredictAll(c)
		for i, x := range c {
			mean, variance := g.Predict(x)
			want := prior(x) + g.from.center + scale*twin.mean(x, g.targets)
			wantVar := scale * scale * twin.between(x, x)
			for _, got := range [][2]float64{{mean, variance}, {all[i], allVar[i]}, {grid.Mean[i], grid.Variance[i]}} {
				if math.Abs(got[0]-want) > 1e-8 || math.Abs(got[1]-wantVar) > 1e-8 {
					t.Fatalf("at %v: %v, want %v %v", x, got, want, wantVar)
				}
			}
		}
	})
}

// Appending the last observations gives the process that is fitted to all, if
// center and scale are the same.
func TestAppendIsFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := points(rng, 20, 2)
	y := waves(x)
	h := Hyper{Lengths: []float64{0.4, 0.7}, Signal: 1.3, Noise: 0.01}
	whole := fit(t, Data{X: x, Y: y}, Options{Fixed: &h})
	s := *whole.from
	s.x, s.y, s.share, s.exact = s.x[:15], s.y[:15], s.share[:15], s.exact[:15]
	part, err := condition(newSystem(&s), h)
	if err != nil {
		t.Fatal(err)
	}
	kept := part.Clone()
	for i := 15; i < 20; i++ {
		if err := part.Append(x[i], y[i], part.Noise()); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range points(rng, 10, 2) {
		m1, v1 := whole.Predict(p)
		m2, v2 := part.Predict(p)
		near(t, "mean", m2, m1, 1e-10)
		near(t, "variance", v2, v1, 1e-10)
	}
	if kept.Len() != 15 || len(kept.z) != 15 {
		t.Error("appending to a process changed its clone")
	}
}

// The mean at a point that is only believed stays everywhere, and clones do not
// see each other's points.
func TestBelieveKeepsMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := points(rng, 12, 2)
	g := fit(t, Data{X: x, Y: waves(x)}, Options{})
	c := points(rng, 50, 2)
	grid := g.Grid(c)
	before := grid.Clone()
	other := grid.Clone()
	if err := grid.Believe(c[7], g.Noise()); err != nil {
		t.Fatal(err)
	}
	if err := other.Append(c[9], 5, g.Noise()); err != nil {
		t.Fatal(err)
	}
	for i := range c {
		near(t, "mean", grid.Mean[i], before.Mean[i], 1e-12)
		if grid.Variance[i] > before.Variance[i] {
			t.Errorf("variance at %d grew", i)
		}
	}
	// The second append to a clone did not overwrite what the first one shares.
	for i := range c {
		mean, variance := grid.GP().Predict(c[i])
		near(t, "mean of the grid's process", mean, grid.Mean[i], 1e-9)
		near(t, "its variance", variance, grid.Variance[i], 1e-9)
	}
	again := before.Clone()
	if err := again.Believe(c[7], g.Noise()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Variance, grid.Variance) || !slices.Equal(again.Mean, grid.Mean) {
		t.Error("two clones with the same point differ")
	}
	if grid.GP().Len() != 13 {
		t.Errorf("the grid's process has %d points, want 13", grid.GP().Len())
	}
}

// Leaving one out by hand gives the closed form.
func TestLeaveOneOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := points(rng, 10, 2)
	y := waves(x)
	h := Hyper{Lengths: []float64{0.4, 0.7}, Signal: 1.3, Noise: 0.05}
	g := fit(t, Data{X: x, Y: y}, Options{Fixed: &h})
	mean, variance := g.LeaveOneOut()
	for i := range x {
		s := *g.from
		without := func(v []float64) []float64 { return slices.Delete(slices.Clone(v), i, i+1) }
		s.x = slices.Delete(slices.Clone(s.x), i, i+1)
		s.y, s.share, s.exact = without(s.y), without(s.share), s.exact[:9]
		left, err := condition(newSystem(&s), h)
		if err != nil {
			t.Fatal(err)
		}
		m, v := left.Predict(x[i])
		near(t, "mean", mean[i], m, 1e-6)
		near(t, "variance", variance[i], v+g.Noise(), 1e-6)
	}
}
