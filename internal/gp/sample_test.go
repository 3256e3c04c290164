package gp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// noisy is a process of eight noisy observations.
func noisy(t testing.TB) *GP {
	rng := rand.New(rand.NewPCG(15, 16))
	x := points(rng, 8, 2)
	h := Hyper{Lengths: []float64{0.6, 0.9}, Signal: 1.2, Noise: 0.3}
	y := waves(x)
	for i := range y {
		y[i] *= 3
	}
	return fit(t, Data{X: x, Y: y}, Options{Fixed: &h, Mean: func(x []float64) float64 { return 5 * x[1] }})
}

// columns turns draws around: one sample for each point.
func columns(draws [][]float64) [][]float64 {
	out := make([][]float64, len(draws[0]))
	for i := range out {
		for _, d := range draws {
			out[i] = append(out[i], d[i])
		}
	}
	return out
}

// Draws have the mean, the variance and the covariance of the textbook. Errors
// of 4,000 draws are below 4/√4000 = 0.06 standard deviations.
func TestSampleMoments(t *testing.T) {
	g := noisy(t)
	std := slices.Repeat([]float64{g.hyper.Noise}, 8)
	twin := newDumb(t, g, std)
	at := points(rand.New(rand.NewPCG(17, 18)), 5, 2)
	at = append(at, at[0])
	draws, err := g.Sample(rand.New(rand.NewPCG(1, 1)), at, 4000)
	if err != nil {
		t.Fatal(err)
	}
	cols := columns(draws)
	for i, x := range at {
		mean, variance := g.Predict(x)
		near(t, "mean", stat.Mean(cols[i], nil), mean, 0.06*math.Sqrt(variance))
		for j, y := range at {
			want := g.from.scale * g.from.scale * twin.between(x, y)
			near(t, "covariance", stat.Covariance(cols[i], cols[j], nil), want, 0.06)
		}
	}
	if !slices.Equal(cols[0], cols[5]) {
		// Equal points are equal in every draw but for the tolerance of pivots.
		for k := range cols[0] {
			near(t, "equal points", cols[0][k], cols[5][k], 1e-4)
		}
	}
}

// The means of sixteen evenly spread draws are about half as far off as those of
// independent ones, on average over seeds.
func TestSampleIsSpread(t *testing.T) {
	g := noisy(t)
	at := points(rand.New(rand.NewPCG(19, 20)), 10, 2)
	sum, count := 0.0, 0.0
	for seed := range uint64(40) {
		draws, err := g.Sample(rand.New(rand.NewPCG(seed, 1)), at, 16)
		if err != nil {
			t.Fatal(err)
		}
		for i, col := range columns(draws) {
			mean, variance := g.Predict(at[i])
			off := (stat.Mean(col, nil) - mean) / math.Sqrt(variance)
			sum, count = sum+off*off, count+1
		}
	}
	if rms := math.Sqrt(sum / count); rms > 0.6/math.Sqrt(16) {
		t.Errorf("means of 16 draws are off by %g standard deviations, chance would be %g", rms, 1/math.Sqrt(16))
	}
}

// The law of total expectation and variance: over draws of the values observed,
// the conditional means average to the prediction, and their variance and the
// conditional variance add up to its variance. The same after a pending point,
// whose drawn values are those that are expected there.
func TestDrawsAddUp(t *testing.T) {
	g := noisy(t)
	rng := rand.New(rand.NewPCG(21, 22))
	at := points(rng, 6, 2)
	d := g.Draw(rng, at, 4000)
	check := func() {
		t.Helper()
		for c, x := range at {
			mean, variance := g.Predict(x)
			means := make([]float64, len(d.Mean))
			for k := range means {
				means[k] = d.Mean[k][c]
			}
			near(t, "mean", stat.Mean(means, nil), mean, 0.05*math.Sqrt(variance))
			near(t, "variance", stat.Variance(means, nil)+d.Variance[c], variance, 0.05)
		}
	}
	check()
	before := slices.Clone(d.Variance)
	pending := []float64{0.4, 0.6}
	if err := d.Append(rng, pending); err != nil {
		t.Fatal(err)
	}
	check()
	for c := range before {
		if d.Variance[c] > before[c] {
			t.Errorf("variance at %d grew by a pending point", c)
		}
	}
	mean, variance := g.Predict(pending)
	values := columns(d.Values)
	if len(values) != 9 {
		t.Fatalf("%d values a draw, want 9", len(values))
	}
	near(t, "mean of the values at the pending point", stat.Mean(values[8], nil), mean, 0.05*math.Sqrt(variance))
	near(t, "their variance", stat.Variance(values[8], nil), variance, 0.05)
}

// Given a draw, the mean is that of a noise-free process through its values.
func TestDrawsInterpolate(t *testing.T) {
	g := noisy(t)
	var at [][]float64
	for i := range g.Len() {
		at = append(at, g.input(i))
	}
	d := g.Draw(rand.New(rand.NewPCG(23, 24)), at, 5)
	for k := range d.Mean {
		for c := range at {
			near(t, "mean at an observed point", d.Mean[k][c], d.Values[k][c], 1e-3)
		}
	}
	for _, v := range d.Variance {
		if v > 1e-3 {
			t.Errorf("variance %g at an observed point", v)
		}
	}
	// The same at a point that is appended.
	pending := []float64{0.4, 0.6}
	rng := rand.New(rand.NewPCG(1, 1))
	d = g.Draw(rng, [][]float64{pending}, 5)
	if err := d.Append(rng, pending); err != nil {
		t.Fatal(err)
	}
	for k := range d.Mean {
		near(t, "mean at a pending point", d.Mean[k][0], d.Values[k][8], 1e-3)
	}
}

// Deviates are normal in every coordinate, also beyond the Halton sequence.
func TestDeviates(t *testing.T) {
	z := mat.NewDense(512, 20, nil)
	for k, row := range deviates(rand.New(rand.NewPCG(25, 26)), 512, 20) {
		z.SetRow(k, row)
	}
	for j := range 20 {
		col := mat.Col(nil, j, z)
		near(t, "mean", stat.Mean(col, nil), 0, 0.03)
		near(t, "variance", stat.Variance(col, nil), 1, 0.05)
	}
}
