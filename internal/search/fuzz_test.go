package search

import (
	"math"
	"math/rand/v2"
	"testing"
)

// FuzzAsk tells degenerate results: equal points, constant outputs, extreme scales,
// outputs that were never seen. What is asked lies in the box, or an error says why
// not.
func FuzzAsk(f *testing.F) {
	f.Add(uint64(1), 1.0, uint8(0), uint8(6))
	f.Add(uint64(2), 1e12, uint8(1), uint8(3))
	f.Add(uint64(3), 1e-12, uint8(2), uint8(9))
	f.Add(uint64(4), 0.0, uint8(3), uint8(1))
	f.Add(uint64(5), -1.0, uint8(7), uint8(8))
	f.Add(uint64(6), 1.0, uint8(12), uint8(8))
	f.Fuzz(func(t *testing.T, seed uint64, scale float64, kind, n uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := disc(seed)
		if kind&1 != 0 {
			p.Outputs[0].Noise, p.Outputs[2].Noise = nil, nil
		}
		p.Outputs[0].Ref = max(-1e15, min(1e15, scale))
		s, err := New(p)
		if err != nil {
			return
		}
		for range n % 12 {
			x := []float64{rng.Float64(), rng.Float64()}
			if kind&2 != 0 {
				x = []float64{0.25, 1}
			}
			tr := throw(x)
			for j := range tr.Results {
				tr.Results[j].Value *= scale
				tr.Results[j].AtLeast = kind&4 != 0 && rng.IntN(2) == 0
			}
			if kind&8 != 0 {
				tr.Results[rng.IntN(3)] = Result{}
			}
			if s.Tell(tr) != nil {
				return
			}
		}
		asked, err := s.Ask(2)
		if err != nil {
			return
		}
		for _, a := range asked {
			for _, v := range a.X {
				if !(v >= 0 && v <= 1) {
					t.Errorf("asked %v", a.X)
				}
			}
			if a.Met < 0 || a.Met > 1+1e-9 || math.IsNaN(a.Gain) {
				t.Errorf("asked %+v", a)
			}
		}
		if _, _, err := s.Recommend(); err != nil {
			t.Errorf("asks but does not recommend: %v", err)
		}
	})
}
