package pareto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

func TestFront(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		points [][]float64
		want   []int
	}{
		"none":      {nil, nil},
		"dominated": {[][]float64{{1, 1}, {2, 2}, {0, 3}}, []int{0, 2}},
		"equal":     {[][]float64{{1, 1}, {1, 1}, {1, 1}}, []int{0}},
		"tie":       {[][]float64{{1, 2}, {1, 1}, {2, 1}}, []int{1}},
		"NaN":       {[][]float64{{nan, 0}, {1, 1}, {0, nan}}, []int{1}},
		"three":     {[][]float64{{1, 1, 3}, {1, 2, 1}, {1, 2, 2}, {3, 1, 1}}, []int{0, 1, 3}},
	} {
		if got := Front(c.points); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestLayers(t *testing.T) {
	got := Layers([][]float64{{1, 1}, {2, 2}, {0, 3}, {2, 2}, {math.NaN(), 0}})
	if want := [][]int{{0, 2}, {1}, {3}}; !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Three squares of side 2 whose corners step down a stair, reference (4, 4): the
// areas are by counting unit squares, 1·3 + 2·2 - … drawn below.
//
//	4 ┌─┬─┬─┐
//	3 ├─┼─┼─┤ (1,3) dominates 3 squares of the top row, (2,2) two of the next
//	2   ├─┼─┤ and (3,1) one: 3 + 2 + 1 = 6
//	1     ├─┤
//	0 1 2 3 4
func TestHypervolumeStair(t *testing.T) {
	stair := [][]float64{{1, 3}, {2, 2}, {3, 1}, {3, 3}, {4, 0}, {5, -1}}
	near(t, "area", Hypervolume(stair, []float64{4, 4}), 6, 0)
	near(t, "nothing", Hypervolume(nil, []float64{4, 4}), 0, 0)
	near(t, "one objective", Hypervolume([][]float64{{3}, {1}, {2}}, []float64{4}), 3, 0)
	// Cubes (0,0,1), (0,1,0), (1,0,0) up to (2,2,2): 4 each; each pair shares a
	// volume of 2·1·1, all three 1: 12 - 6 + 1 = 7.
	cubes := [][]float64{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}
	near(t, "three objectives", Hypervolume(cubes, []float64{2, 2, 2}), 7, 0)
	four := [][]float64{{0, 0, 0, 1}, {1, 1, 0, 0}}
	near(t, "four objectives", Hypervolume(four, []float64{2, 2, 2, 2}), 8+4-2, 0)
}

// grid draws points on a coarse grid, so that ties and equal points happen.
func grid(t *rapid.T, objectives int) [][]float64 {
	points := make([][]float64, rapid.IntRange(0, 9).Draw(t, "points"))
	for i := range points {
		points[i] = make([]float64, objectives)
		for j := range points[i] {
			points[i][j] = float64(rapid.IntRange(-2, 8).Draw(t, "value"))
		}
	}
	return points
}

// counted is the hypervolume by counting unit cells of [-2, 7)ᵐ, the dumb twin
// for points on a grid and a reference at 7.
func counted(points [][]float64, m int) float64 {
	cell := make([]float64, m)
	var count func(j int) float64
	count = func(j int) float64 {
		if j == m {
			for _, p := range points {
				if slices.Equal(p, cell) || Dominates(p, cell) {
					return 1
				}
			}
			return 0
		}
		sum := 0.0
		for v := -2.0; v < 7; v++ {
			cell[j] = v
			sum += count(j + 1)
		}
		return sum
	}
	return count(0)
}

// The hypervolume is the number of cells, and the gain of a point is what its
// addition changes.
func TestHypervolumeCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 4).Draw(t, "objectives")
		points := grid(t, m)
		ref := slices.Repeat([]float64{7}, m)
		before := Hypervolume(points, ref)
		if want := counted(points, m); before != want {
			t.Fatalf("hypervolume %g, counted %g", before, want)
		}
		if m > maxObjectives {
			return
		}
		r, err := NewRegion(points, ref)
		if err != nil {
			t.Fatal(err)
		}
		if front := len(inside(points, ref)); len(r.boxes) > 2*front+1 {
			t.Fatalf("%d boxes for %d points", len(r.boxes), front)
		}
		for _, y := range grid(t, m) {
			want := Hypervolume(append(slices.Clone(points), y), ref) - before
			if got := r.Gain(y); got != want {
				t.Fatalf("gain of %v is %g, want %g", y, got, want)
			}
		}
	})
}

// A front given by hand: expected improvement against draws of the objectives.
func TestLogImprovementDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		points              [][]float64
		ref, mean, variance []float64
	}{
		"one":            {[][]float64{{2}}, []float64{4}, []float64{2.5}, []float64{1}},
		"two":            {[][]float64{{1, 3}, {2, 2}, {3, 1}}, []float64{4, 4}, []float64{2, 1.5}, []float64{1, 0.25}},
		"two, no front":  {nil, []float64{4, 4}, []float64{5, 3}, []float64{1, 0.25}},
		"two, one known": {[][]float64{{1, 3}, {2, 2}, {3, 1}}, []float64{4, 4}, []float64{1.5, 2.5}, []float64{0, 1}},
		"three":          {[][]float64{{1, 1, 3}, {1, 3, 1}, {3, 1, 1}, {2, 2, 2}}, []float64{4, 4, 4}, []float64{2, 1.5, 1}, []float64{1, 1, 0.5}},
	} {
		r, err := NewRegion(c.points, c.ref)
		if err != nil {
			t.Fatal(err)
		}
		const draws = 200_000
		sum, squares := 0.0, 0.0
		y := make([]float64, len(c.ref))
		for range draws {
			for j := range y {
				y[j] = c.mean[j] + math.Sqrt(c.variance[j])*rng.NormFloat64()
			}
			g := r.Gain(y)
			sum, squares = sum+g, squares+g*g
		}
		mean := sum / draws
		se := math.Sqrt((squares/draws - mean*mean) / draws)
		got := math.Exp(r.LogImprovement(c.mean, c.variance))
		if math.Abs(got-mean) > 4*se+1e-12 {
			t.Errorf("%s: %g, draws say %g ± %g", name, got, mean, se)
		}
	}
}

// In one objective the expected improvement is s·h((best-m)/s); the case of
// best = m has s/√(2π).
func TestLogImprovementOneObjective(t *testing.T) {
	r, err := NewRegion([][]float64{{2}, {3}}, []float64{10})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "log improvement", r.LogImprovement([]float64{2}, []float64{9}), math.Log(3/math.Sqrt(2*math.Pi)), 1e-14)
}

// Both forms give the same where both can, and logarithms go on where the plain
// form is 0: at 60 standard deviations, log h(-60) is about
// -60²/2 - log √(2π) - 2·log 60 = -1809.108, a smaller one farther away.
func TestLogImprovementFarAway(t *testing.T) {
	r, err := NewRegion([][]float64{{1, 3}, {2, 2}, {3, 1}}, []float64{4, 4})
	if err != nil {
		t.Fatal(err)
	}
	psi := [][]float64{make([]float64, len(r.cuts[0])), make([]float64, len(r.cuts[1]))}
	for _, m := range []float64{0, 3, 6, 9} {
		r.excess(0, psi[0], m, 0.5)
		r.excess(1, psi[1], m, 0.5)
		plain := math.Log(r.sum(psi))
		r.logExcess(0, psi[0], m, 0.5)
		r.logExcess(1, psi[1], m, 0.5)
		near(t, "log form", r.logSum(psi), plain, 1e-10)
	}
	a := r.LogImprovement([]float64{64, 0}, []float64{1, 1e-6})
	b := r.LogImprovement([]float64{65, 0}, []float64{1, 1e-6})
	// ψ(b₃=1) = 1 in the second objective, where y is 0.
	near(t, "60 away", a, -1809.108, 1e-5)
	if !(b < a) {
		t.Errorf("farther away %g is not below %g", b, a)
	}
	if got := r.LogImprovement([]float64{3, 3}, []float64{0, 0}); !math.IsInf(got, -1) {
		t.Errorf("a known dominated point improves by e^%g", got)
	}
}

func TestNewRegionRefuses(t *testing.T) {
	for _, ref := range [][]float64{nil, {1, 2, 3, 4}, {math.NaN(), 1}, {math.Inf(1), 1}} {
		if _, err := NewRegion(nil, ref); err == nil {
			t.Errorf("%v is taken", ref)
		}
	}
}
