package gp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rebound/internal/normal"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// censoredCase is a small problem in standardized units, so that integrals can be
// taken by brute force.
type censoredCase struct {
	x        [][]float64
	y, noise []float64
	censored []bool
	h        Hyper
}

func (c censoredCase) fit(t *testing.T) *GP {
	t.Helper()
	s, err := standardize(Data{X: c.x, Y: c.y, Noise: c.noise, Censored: c.censored}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	copy(s.y, c.y)
	copy(s.noise, c.noise)
	s.center, s.scale = 0, 1
	g, err := condition(newSystem(s), c.h)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// moments integrates over the values at all points and at a further one by a
// grid of steps in whitened coordinates: mean and variance at the further one,
// and the likelihood.
func (c censoredCase) moments(at []float64) (mean, variance, likelihood float64) {
	all := append(slices.Clone(c.x), at)
	k := mat.NewSymDense(len(all), nil)
	kernel := newKernel(c.h)
	for i, a := range all {
		for j := range i + 1 {
			k.SetSym(i, j, kernel.at(kernel.scale(a), kernel.scale(all[j])))
		}
		k.SetSym(i, i, c.h.Signal*(1+minJitter))
	}
	var chol mat.Cholesky
	chol.Factorize(k)
	var l mat.TriDense
	chol.LTo(&l)
	z, f := make([]float64, len(all)), make([]float64, len(all))
	var sums [3]float64
	var visit func(i int, weight float64)
	visit = func(i int, weight float64) {
		if i == len(all) {
			for p, moment := range []float64{1, f[i-1], f[i-1] * f[i-1]} {
				sums[p] += weight * moment
			}
			return
		}
		const step = 0.1
		for z[i] = -7; z[i] < 7+step/2; z[i] += step {
			f[i] = 0
			for j := range i + 1 {
				f[i] += l.At(i, j) * z[j]
			}
			w := weight * normal.PDF(z[i]) * step
			if i < len(c.x) {
				sd := math.Sqrt(c.noise[i])
				if c.censored[i] {
					w *= normal.CDF((f[i] - c.y[i]) / sd)
				} else {
					w *= normal.PDF((c.y[i]-f[i])/sd) / sd
				}
			}
			visit(i+1, w)
		}
	}
	visit(0, 1)
	mean = sums[1] / sums[0]
	return mean, sums[2]/sums[0] - mean*mean, sums[0]
}

// Against numerical integration: exact for one censored observation, whose first
// two moments expectation propagation matches; of two that depend on each other
// the variance is one part in a hundred too small.
func TestCensoredIntegral(t *testing.T) {
	h := Hyper{Lengths: []float64{0.7}, Signal: 1.5}
	for name, c := range map[string]struct {
		censoredCase
		tolerance float64
	}{
		"one": {censoredCase{
			x: [][]float64{{0.2}}, y: []float64{1}, noise: []float64{0.3}, censored: []bool{true}, h: h,
		}, 1e-6},
		"one beside an exact": {censoredCase{
			x: [][]float64{{0.2}, {0.5}}, y: []float64{1, 0}, noise: []float64{0.3, 0.2}, censored: []bool{true, false}, h: h,
		}, 1e-6},
		"one against the data": {censoredCase{
			x: [][]float64{{0.2}, {0.3}}, y: []float64{2.5, -1}, noise: []float64{0.1, 0.2}, censored: []bool{true, false}, h: h,
		}, 1e-6},
		"two": {censoredCase{
			x: [][]float64{{0.2}, {0.4}}, y: []float64{1, 1.5}, noise: []float64{0.3, 0.2}, censored: []bool{true, true}, h: h,
		}, 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			g := c.fit(t)
			at := []float64{0.6}
			mean, variance := g.Predict(at)
			m, v, z := c.moments(at)
			near(t, "mean", mean, m, c.tolerance)
			near(t, "variance", variance, v, c.tolerance)
			near(t, "log likelihood", g.LogLikelihood(), math.Log(z), c.tolerance)
		})
	}
}

// A bound far below what is believed changes nothing; one far above pulls the
// mean up to about itself.
func TestCensoredExtremes(t *testing.T) {
	x := [][]float64{{0.1}, {0.5}, {0.9}}
	h := Hyper{Lengths: []float64{0.3}, Signal: 1}
	base := censoredCase{x: x, y: []float64{0, -40, 0.5}, noise: []float64{0.01, 0.01, 0.01}, censored: []bool{false, true, false}, h: h}
	without := base
	without.x, without.y, without.noise, without.censored = [][]float64{x[0], x[2]}, []float64{0, 0.5}, []float64{0.01, 0.01}, make([]bool, 2)
	m1, v1 := base.fit(t).Predict(x[1])
	m2, v2 := without.fit(t).Predict(x[1])
	near(t, "mean", m1, m2, 1e-6)
	near(t, "variance", v1, v2, 1e-6)
	base.y = []float64{0, 4, 0.5}
	if m, _ := base.fit(t).Predict(x[1]); m < 3.9 || m > 4.5 {
		t.Errorf("mean at a point with a bound of 4: %g", m)
	}
}

// Raising a bound never lowers the mean there, and a bound never leaves more
// variance there than there was without it.
func TestCensoredLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(2, 8).Draw(t, "n")
		x := points(rng, n, 2)
		y, noise, censored := make([]float64, n), make([]float64, n), make([]bool, n)
		for i := range y {
			y[i], noise[i], censored[i] = rng.NormFloat64(), rng.Float64()+0.001, rng.IntN(2) == 0
		}
		censored[0] = true
		at := func(raise float64, with int) (float64, float64) {
			s, err := standardize(Data{X: x[:with], Y: y[:with], Noise: noise[:with], Censored: censored[:with]}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			copy(s.y, y)
			copy(s.noise, noise)
			s.center, s.scale = 0, 1
			s.y[0] += raise
			g, err := condition(newSystem(s), Hyper{Lengths: []float64{0.5, 0.5}, Signal: 1})
			if err != nil {
				t.Fatal(err)
			}
			return g.Predict(x[0])
		}
		low, variance := at(0, n)
		high, _ := at(rapid.Float64Range(0, 20).Draw(t, "raise"), n)
		if high < low-1e-6 {
			t.Fatalf("mean %g after raising the bound, %g before", high, low)
		}
		if variance > 1+1e-9 {
			t.Fatalf("variance %g above the prior's", variance)
		}
	})
}

// Learning with bounds: the truth is a slope, cut off at 1. Taken at their face
// value the cut observations flatten it; as bounds they do not.
func TestCensoredSlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	var d Data
	for i := range 24 {
		x := float64(i) / 23
		y := 2*x + rng.NormFloat64()/20
		d.X, d.Y, d.Censored = append(d.X, []float64{x}), append(d.Y, min(1, y)), append(d.Censored, y > 1)
	}
	bounds, _ := fit(t, d, Options{}).Predict([]float64{0.8})
	d.Censored = nil
	values, _ := fit(t, d, Options{}).Predict([]float64{0.8})
	if math.Abs(values-1) > 0.05 || bounds < 1.3 || bounds > 2 {
		t.Errorf("mean where 1.6 is true: %g with bounds, %g with values", bounds, values)
	}
}

// The dumb twin: the same fixed point by inverting matrices at every step,
// started elsewhere.
func TestPropagationTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for n := 1; n < 6; n++ {
		prior := mat.NewSymDense(n, nil)
		root := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				root.Set(i, j, rng.NormFloat64())
			}
		}
		prior.SymOuterK(1, root)
		mean, bound, noise := make([]float64, n), make([]float64, n), make([]float64, n)
		tau, nu := make([]float64, n), make([]float64, n)
		for i := range n {
			mean[i], bound[i], noise[i], tau[i] = rng.NormFloat64(), rng.NormFloat64(), rng.Float64(), 1
		}
		cov := mat.NewSymDense(n, nil)
		cov.CopySym(prior)
		p := propagation{mean: slices.Clone(mean), cov: cov, bound: bound, noise: noise}
		p.run()
		var inv, s mat.Dense
		if err := inv.Inverse(prior); err != nil {
			t.Fatal(err)
		}
		for range 200 {
			for i := range n {
				q := mat.DenseCopyOf(&inv)
				b := mat.NewVecDense(n, nil)
				b.MulVec(&inv, mat.NewVecDense(n, mean))
				for k := range n {
					q.Set(k, k, q.At(k, k)+tau[k])
					b.SetVec(k, b.AtVec(k)+nu[k])
				}
				if err := s.Inverse(q); err != nil {
					t.Fatal(err)
				}
				var m mat.VecDense
				m.MulVec(&s, b)
				precision := 1/s.At(i, i) - tau[i]
				v := 1 / precision
				mu := v * (m.AtVec(i)/s.At(i, i) - nu[i])
				// [RW] equation 3.58.
				z := (mu - bound[i]) / math.Sqrt(v+noise[i])
				rate := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / (math.Erfc(-z/math.Sqrt2) / 2)
				m1 := mu + v*rate/math.Sqrt(v+noise[i])
				v1 := v - v*v*rate/(v+noise[i])*(z+rate)
				tau[i], nu[i] = 1/v1-precision, m1/v1-mu*precision
			}
		}
		for i := range n {
			near(t, "tau", p.tau[i], tau[i], 1e-7)
			near(t, "nu", p.nu[i], nu[i], 1e-7)
		}
	}
}
