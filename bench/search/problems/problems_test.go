package problems

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"rebound/internal/pareto"
)

// reference.json was printed by the rivals' problems.py.
type reference struct {
	Points [][]float64 `json:"points"`
	Boxes  map[string]struct {
		F [][]float64 `json:"f"`
		G [][]float64 `json:"g"`
	} `json:"boxes"`
	Stream map[string]struct {
		Index    []int     `json:"index"`
		Cost     []float64 `json:"cost"`
		Latency  []float64 `json:"latency"`
		Recovery []float64 `json:"recovery"`
		Best     float64   `json:"best"`
		Feasible int       `json:"feasible"`
		Near     int       `json:"near"`
		Unstable int       `json:"unstable"`
	} `json:"stream"`
	Hypervolume []struct {
		Points [][]float64 `json:"points"`
		Ref    []float64   `json:"ref"`
		Value  float64     `json:"value"`
	} `json:"hypervolume"`
}

func read(t *testing.T) reference {
	t.Helper()
	b, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

func TestBoxesAgreeWithReference(t *testing.T) {
	r := read(t)
	for name, want := range r.Boxes {
		b, ok := Named(name)
		if !ok {
			t.Fatalf("%s: no such problem", name)
		}
		for i, p := range r.Points {
			f, g := b.At(p[:b.Dim])
			if len(g) != b.Constraints || len(want.G[i]) != b.Constraints {
				t.Fatalf("%s: %d slacks, want %d", name, len(g), b.Constraints)
			}
			for j := range f {
				if !near(f[j], want.F[i][j]) {
					t.Errorf("%s objective %d at %v: %g, want %g", name, j, p, f[j], want.F[i][j])
				}
			}
			for j := range g {
				if !near(g[j], want.G[i][j]) {
					t.Errorf("%s slack %d at %v: %g, want %g", name, j, p, g[j], want.G[i][j])
				}
			}
		}
	}
	for _, h := range r.Hypervolume {
		if got := pareto.Hypervolume(h.Points, h.Ref); !near(got, h.Value) {
			t.Errorf("hypervolume %g, want %g", got, h.Value)
		}
	}
}

// Worked by hand in the middle of the box, but for the beam, whose shear is
// checked at a corner where the lever is simple.
func TestFormulas(t *testing.T) {
	middle := []float64{0.5, 0.5, 0.5, 0.5}
	tests := map[string]struct {
		u, f, g []float64
	}{
		// x = 2.5, y = 1.5: 4·(6.25+2.25) = 34; 6.25+12.25 = 18.5; 25-6.25-2.25; 30.25+20.25-7.7.
		"bnh": {middle[:2], []float64{34, 18.5}, []float64{16.5, 42.8}},
		// x = y = 0: 2+4+1 = 7; -1; 225; -10.
		"srn": {middle[:2], []float64{7, -1}, []float64{225, -10}},
		// g = 1 + 3·2·0.25 = 2.5; f = (1.25, 2.5·√0.75); |f|² = 6.25, angle π/3:
		// sin(4π/3)² = 3/4.
		"mw7": {middle, []float64{1.25, 2.5 * math.Sqrt(0.75)}, []float64{
			math.Pow(1.2+0.4*math.Pow(0.75, 8), 2) - 6.25, 6.25 - math.Pow(1.15-0.2*math.Pow(0.75, 4), 2),
		}},
		// x = (67.5, 92.5, 2000, 15.5): area 4000, cubes 791453.125 - 307546.875 = 483906.25.
		"discbrake": {middle, []float64{4.9e-5 * 4000 * 14.5, 9.82e6 * 4000 / (2000 * 15.5 * 483906.25)}, []float64{
			5, 0.4 - 2000/(3.14*4000), 1 - 2.22e-3*2000*483906.25/16e6, 2.66e-2*2000*15.5*483906.25/4000 - 900,
		}},
		// h = 5, l = t = 10, b = 5: cost 1.10471·250 + 0.04811·50·24, deflection
		// 2.1952/5000. lever² = (100+225)/4 = 81.25, J = √2·50·(100/12+56.25),
		// bending 504000/500 = 1008.
		"weldedbeam": {[]float64{1, 1, 1, 1}, []float64{1.10471*250 + 0.04811*50*24, 2.1952 / 5000}, []float64{
			1 - shearAtCorner()/13600, 1 - 1008.0/30000, 0, 64746.022*(1-0.282346)*10*125/6000 - 1,
		}},
	}
	for name, tt := range tests {
		b, _ := Named(name)
		f, g := b.At(tt.u)
		for j := range f {
			if !near(f[j], tt.f[j]) {
				t.Errorf("%s objective %d: %g, want %g", name, j, f[j], tt.f[j])
			}
		}
		for j := range g {
			if !near(g[j], tt.g[j]) {
				t.Errorf("%s slack %d: %g, want %g", name, j, g[j], tt.g[j])
			}
		}
	}
}

// shearAtCorner combines τ' = 6000/(√2·50) with τ″ = 6000·19·√81.25/J at the
// angle whose cosine is l/2 over the lever.
func shearAtCorner() float64 {
	direct := 6000 / (math.Sqrt2 * 50)
	torsion := 114000 * math.Sqrt(81.25) / (math.Sqrt2 * 50 * (100.0/12 + 56.25))
	return math.Sqrt(direct*direct + torsion*torsion + 2*direct*torsion*5/math.Sqrt(81.25))
}

// A fine grid comes close to the best hypervolume known, never above it.
func TestBestIsReachedByGrid(t *testing.T) {
	for _, name := range []string{"branincurrin", "cbranincurrin", "bnh", "srn"} {
		b, _ := Named(name)
		var points [][]float64
		for i := range 301 {
			for j := range 301 {
				points = append(points, []float64{float64(i) / 300, float64(j) / 300})
			}
		}
		share := b.Hypervolume(points) / b.Best
		if share > 1 || share < 0.98 {
			t.Errorf("%s: a grid of 301 × 301 has %.4f of the best hypervolume", name, share)
		}
	}
}

// Random points never have more than the best known.
func TestBestIsAnUpperBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, b := range Boxes() {
		points := make([][]float64, 20000)
		for i := range points {
			points[i] = make([]float64, b.Dim)
			for j := range points[i] {
				points[i][j] = rng.Float64()
			}
		}
		if got := b.Hypervolume(points); got > b.Best || got == 0 {
			t.Errorf("%s: 20,000 random points have %g, the best known is %g", b.Name, got, b.Best)
		}
	}
}

func TestStreamAgreesWithReference(t *testing.T) {
	for name, want := range read(t).Stream {
		s := NewStream(Rates()[name])
		units, values := s.Settings()
		for i, at := range want.Index {
			latency, recovery := s.Truth(values[at])
			if !near(s.Cost(values[at]), want.Cost[i]) || !near(latency, want.Latency[i]) || !near(recovery, want.Recovery[i]) {
				t.Errorf("%s setting %d: %g, %g, %g", name, at, s.Cost(values[at]), latency, recovery)
			}
		}
		best := s.Optimum()
		feasible, close, unstable := 0, 0, 0
		for i, v := range values {
			if s.Snap(units[i]) != i {
				t.Fatalf("setting %d snaps to %d", i, s.Snap(units[i]))
			}
			_, r := s.Truth(v)
			if r <= s.Target {
				feasible++
				if s.Cost(v) <= 1.05*best {
					close++
				}
			}
			if r >= Unstable {
				unstable++
			}
		}
		if !near(best, want.Best) || feasible != want.Feasible || close != want.Near || unstable != want.Unstable {
			t.Errorf("%s: optimum %g, %d feasible, %d near, %d unstable; want %+v", name, best, feasible, close, unstable, want)
		}
	}
}

func TestStart(t *testing.T) {
	for _, dim := range []int{2, 4, 6} {
		for _, seed := range []uint64{0, 19, 20} {
			got, err := Start(dim, 6, seed)
			if err != nil || len(got) != 6 {
				t.Fatalf("%d points, %v", len(got), err)
			}
			for _, p := range got {
				for _, v := range p {
					if len(p) != dim || v < 0 || v >= 1 {
						t.Errorf("start point %v", p)
					}
				}
			}
		}
	}
	// The first coordinate of seed 0 in two dimensions, by scipy.
	if got, _ := Start(2, 1, 0); got[0][0] != 913309191.0/(1<<30) {
		t.Errorf("first start point %v", got[0])
	}
}
