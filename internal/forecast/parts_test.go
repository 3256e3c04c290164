package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A ring holds what a slice's tail would.
func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		room := rapid.IntRange(1, 9).Draw(t, "room")
		all := rapid.SliceOfN(rapid.Float64(), 1, 40).Draw(t, "values")
		r := newRing(room)
		for i, v := range all {
			r.push(v)
			want := all[max(0, i+1-room) : i+1]
			if !slices.Equal(r.values(), want) || r.len() != len(want) || r.at(1) != v || r.at(len(want)) != want[0] {
				t.Fatalf("after %v: %v, want %v", all[:i+1], r.values(), want)
			}
		}
	})
}

// A pool's order is that of its last errors, and its quantile lies between the two
// that it should. By hand for 1 2 3 4: the level 0.5 is at 0.5·5 − 1 = 1.5: 2.5; the
// level 0.9 at 3.5, half a place beyond 4: the tenth of a level that it is out, half the
// way again from the middle 3, so 4 + 0.1/0.1·0.5·(4 − 3) = 4.5.
func TestPool(t *testing.T) {
	p := newPool(4)
	for _, v := range []float64{9, 4, 2, 3, 1} { // 9 is forgotten
		p.add(v)
	}
	for level, want := range map[float64]float64{0.5: 2.5, 0.2: 1, 0.8: 4, 0.9: 4.5} {
		if got := p.quantile(level); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v: %v, want %v", level, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 60).Draw(t, "errors")
		p := newPool(16)
		for _, v := range all {
			p.add(v)
		}
		want := slices.Sorted(slices.Values(all[max(0, len(all)-16):]))
		if !slices.Equal(p.sorted, want) {
			t.Fatalf("%v, want %v", p.sorted, want)
		}
		if a, b := p.quantile(0.3), p.quantile(0.6); a > b {
			t.Fatalf("quantiles cross: %v, %v", a, b)
		}
	})
}

// The recursive estimate is that of the whole weighted least squares problem, which
// newRecursive solves, but for the ridge, which is forgotten too.
func TestRecursive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const p, n, ridge = 4, 60, 1e-9
	var x [][]float64
	var y []float64
	for range n {
		row := make([]float64, p)
		for i := range row {
			row[i] = rng.NormFloat64()
		}
		x, y = append(x, row), append(y, rng.NormFloat64())
	}
	whole := newRecursive(x, y, 0.98, ridge)
	step := newRecursive(x[:20], y[:20], 0.98, ridge)
	for i := 20; i < n; i++ {
		step.update(x[i], y[i])
	}
	for i := range p {
		if math.Abs(step.theta[i]-whole.theta[i]) > 1e-7 {
			t.Errorf("coefficient %d: %v step by step, %v at once", i, step.theta[i], whole.theta[i])
		}
	}
}

// By hand: one regressor of 2, twice y = 6, no forgetting, ridge 2: θ = 24/(8 + 2).
func TestRidge(t *testing.T) {
	r := newRecursive([][]float64{{2}, {2}}, []float64{6, 6}, 1, 2)
	if math.Abs(r.theta[0]-2.4) > 1e-12 {
		t.Errorf("θ = %v, want 2.4", r.theta[0])
	}
}

// A constant carries no news: P stays within its bound and the estimate finite.
func TestRecursiveStaysBounded(t *testing.T) {
	r := startRecursive(3, 0.99, 0.2)
	for range 100_000 {
		r.update([]float64{1, 1, 0}, 1)
	}
	trace := r.p[0] + r.p[4] + r.p[8]
	if !(trace <= 1.1*r.bound) || math.Abs(r.predict([]float64{1, 1, 0})-1) > 1e-6 {
		t.Errorf("trace %v of at most %v, forecast %v", trace, r.bound, r.predict([]float64{1, 1, 0}))
	}
}

// A million updates with regressors that are all but one another keep P symmetric and
// the forecast right.
func TestRecursiveLastsLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	r := startRecursive(3, 0.999, 0.2)
	phi := make([]float64, 3)
	for range 1_000_000 {
		v := rng.NormFloat64()
		phi[0], phi[1], phi[2] = v, v*(1+1e-9*rng.NormFloat64()), 1
		r.update(phi, 2*v+1)
	}
	if got := r.predict([]float64{3, 3, 1}); math.Abs(got-7) > 1e-3 {
		t.Errorf("forecast %v, want 7", got)
	}
	for i := range 3 {
		for j := range i {
			if r.p[i*3+j] != r.p[j*3+i] {
				t.Errorf("P is not symmetric at %d, %d", i, j)
			}
		}
	}
}

// The path is what the equation says, looked up lag by lag.
func TestAutoregressionPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		season := rapid.SampledFrom([]int{0, 3, 7}).Draw(t, "season")
		lags := rapid.SliceOfNDistinct(rapid.IntRange(1, 9), 1, 4, rapid.ID).Draw(t, "lags")
		y := rapid.SliceOfN(rapid.Float64Range(-1, 1), 40, 60).Draw(t, "y")
		past := newRing(20)
		for _, v := range y {
			past.push(v)
		}
		a := newAutoregression(lags, season, &past, y)
		got := make([]float64, 12)
		a.predict(got)
		all := slices.Clone(y)
		for h := range got {
			at := func(lag int) float64 { return all[len(all)-lag] }
			want := a.reg.theta[len(lags)]
			for i, l := range lags {
				z := at(l)
				if season > 0 {
					z -= at(l + season)
				}
				want += a.reg.theta[i] * z
			}
			if season > 0 {
				want += at(season)
			}
			all = append(all, want)
			if math.Abs(got[h]-want) > 1e-9*max(1, math.Abs(want)) {
				t.Fatalf("step %d: %v, want %v", h+1, got[h], want)
			}
		}
	})
}

// By hand: level 10, season +1 −1, rates λ 0.5, δ 0.1, φ 0.5. The value 13 where 11 was
// due errs by 2: the level is 11, this place of the season +1.2; next 11 − 1 + 1, then
// 11 + 1.2 + 0.5.
func TestSmoothing(t *testing.T) {
	m := &smoothing{level: 10, day: []float64{1, -1}, rates: smoothingRates{level: 0.5, day: 0.1, phi: 0.5}}
	m.observe(13)
	path := make([]float64, 2)
	m.predict(path)
	for h, want := range []float64{11, 12.7} {
		if math.Abs(path[h]-want) > 1e-12 {
			t.Errorf("step %d: %v, want %v", h+1, path[h], want)
		}
	}
}

// Learning at once is observing one by one, whichever seasons there are.
func TestSmoothingLearns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seasons := rapid.SampledFrom([][]int{nil, {3}, {3, 7}}).Draw(t, "seasons")
		y := rapid.SliceOfN(rapid.Float64Range(-10, 10), 20, 50).Draw(t, "y")
		a, b := startOfSmoothing(seasons, y), startOfSmoothing(seasons, y)
		a.rates = smoothingRates{level: 0.3, day: 0.2, week: 0.1, phi: 0.6}
		b.rates = a.rates
		var want float64
		for _, v := range y {
			one := make([]float64, 1)
			a.predict(one)
			want += (v - one[0]) * (v - one[0])
			a.observe(v)
		}
		got := b.learn(y)
		pa, pb := make([]float64, 9), make([]float64, 9)
		a.predict(pa)
		b.predict(pb)
		for h := range pa {
			if math.Abs(pa[h]-pb[h]) > 1e-9 || math.Abs(got-want) > 1e-6 {
				t.Fatalf("paths %v and %v, errors %v and %v", pa, pb, want, got)
			}
		}
	})
}

// Ratios of 0.5 and 1.5 to the mean error weigh as 3⁶ to 1, but for the doubt.
func TestMixture(t *testing.T) {
	m := newMixture(3, grid{1})
	here := []bool{true, true, false}
	for range 2000 {
		m.score(0, []float64{11, 13, math.NaN()}, 10) // errs by 1 and 3
	}
	m.reweigh(0, here)
	w := m.weights[0]
	if w[2] != 0 || math.Abs(w[0]+w[1]-1) > 1e-12 {
		t.Errorf("weights %v, want none for who is not there, and a sum of 1", w)
	}
	// 100 + 6·… scores count; five of average size are added to each.
	const memory = mixtureMemory + mixtureSteps
	want := math.Pow((1.5*memory+mixtureDoubt)/(0.5*memory+mixtureDoubt), 6)
	if got := w[0] / w[1]; math.Abs(got/want-1) > 1e-6 {
		t.Errorf("weighs %v times as much, want %v", got, want)
	}
}

// Votes 1 2 3 of weights 0.3 0.4 0.3: a fifth of the weight falls off each side, so 1
// and 3 count 0.1 and 2 counts 0.4.
func TestCombine(t *testing.T) {
	got := combine([]vote{{value: 3, weight: 0.3}, {value: 1, weight: 0.3}, {value: 2, weight: 0.4}})
	if math.Abs(got-2) > 1e-12 {
		t.Errorf("%v, want 2", got)
	}
	if got := combine([]vote{{value: 5, weight: 0.9}, {value: 900, weight: 0.1}}); got != 5 {
		t.Errorf("%v, want 5: a tenth of the weight is trimmed", got)
	}
	if got := combine(nil); got != 0 {
		t.Errorf("%v of none, want 0", got)
	}
}

// What is promised is kept, though errors treble on the way.
func TestBandFollowsDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	b := newBand(1)
	priors := make([]float64, promises)
	inside, n := 0.0, 0.0
	for i := range 6000 {
		e := rng.NormFloat64() * (1 + 2*float64(i)/6000)
		issued := b.issue(priors, 1)
		if i > 500 {
			n++
			if issued[2] <= e && e <= issued[8] { // 5 % to 95 %
				inside++
			}
		}
		b.learn(e, e, issued)
	}
	if share := inside / n; share < 0.89 || share > 0.91 {
		t.Errorf("%.3f inside, want 0.9", share)
	}
}

// A wild error counts as ten times what nine in ten lie within, which is 1 here.
func TestBandIsTame(t *testing.T) {
	b := newBand(1)
	issued := make([]float64, promises)
	for i := range 100 {
		b.learn(0, float64(1-i%2*2), issued)
	}
	b.learn(0, 1e6, issued)
	if got := slices.Max(b.pool.sorted); got != 10 {
		t.Errorf("kept as %v, want 10", got)
	}
}

// The distribution function of the quantile is the level; the mean size is 1 by its
// definition: E|T| = 2√3/π for T with three degrees of freedom.
func TestStudent(t *testing.T) {
	if v := studentT3(0.5); math.Abs(v) > 1e-9 {
		t.Errorf("median %v", v)
	}
	// 2.3534 is the 95th hundredth of T in any table.
	if got, want := studentT3(0.95), 2.3534*math.Pi/(2*math.Sqrt(3)); math.Abs(got-want) > 1e-3 {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := newGrid(rapid.IntRange(1, 400).Draw(t, "last"))
		at := make([]float64, len(g))
		for i, h := range g {
			at[i] = 3*float64(h) + 1 // a line is met everywhere
		}
		h := rapid.IntRange(1, g[len(g)-1]).Draw(t, "h")
		if got := g.between(at, h); math.Abs(got-at[0]-3*float64(h-g[0])) > 1e-9 {
			t.Fatalf("%v at %d on %v", got, h, g)
		}
	})
}

// The spread of single steps reaches the mean of a path of sums.
func TestCoarsePath(t *testing.T) {
	c := &coarse{size: 4, prior: 10, path: []float64{14, 18}, engine: newEngine([]int{2}, nil, 2)}
	// Means are 4 apart and a step is 1: from the middle of the last mean, 2.5 steps
	// before the next one, the path is 10 + 2.5.
	for h, want := range map[int]float64{1: 12.5, 2: 13.5, 5: 16.5, 20: 18} {
		if got := c.at(h); math.Abs(got-want) > 1e-12 {
			t.Errorf("step %d: %v, want %v", h, got, want)
		}
	}
}

// A shift is the least of three errors on one side that are each more than four usual
// ones; the usual size is 1 here.
func TestLift(t *testing.T) {
	var l lift
	for i := range 100 {
		l.add(float64(1 - i%2*2))
	}
	for i, c := range []struct{ e, want float64 }{{9, 0}, {7, 0}, {8, 7}, {-9, 0}, {-6, 0}, {-5, -5}, {3, 0}} {
		l.add(c.e)
		if got := l.shift(); got != c.want {
			t.Errorf("error %d of %v: shift %v, want %v", i, c.e, got, c.want)
		}
	}
}

// Paths are sorted at each step, each in the place of its quantile.
func TestUncross(t *testing.T) {
	paths := [][]float64{{5, 1}, {3, 2}, {4, 3}}
	uncross([]float64{0.9, 0.1, 0.5}, paths)
	for i, want := range [][]float64{{5, 3}, {3, 1}, {4, 2}} {
		if !slices.Equal(paths[i], want) {
			t.Errorf("path %d: %v, want %v", i, paths[i], want)
		}
	}
}
