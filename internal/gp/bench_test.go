package gp

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// job is a data set of n observations of six inputs with a little noise.
func job(n int) Data {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	x := points(rng, n, 6)
	y := waves(x)
	for i := range y {
		y[i] += rng.NormFloat64() / 20
	}
	return Data{X: x, Y: y}
}

// Run by go test -run - -bench . -cpu 1 ./internal/gp.
func BenchmarkEvidence(b *testing.B) {
	for _, n := range []int{50, 100, 200, 400} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			s, err := standardize(job(n), Options{})
			if err != nil {
				b.Fatal(err)
			}
			sys, h := newSystem(s), Starts(6)[0]
			grad := make([]float64, 8)
			for b.Loop() {
				if _, err := sys.evidence(h, grad); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFit(b *testing.B) {
	for _, n := range []int{50, 100, 200, 400} {
		d := job(n)
		g := fit(b, d, Options{})
		for name, o := range map[string]Options{"cold": {}, "warm": {Starts: []Hyper{g.Hyper()}}} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					fit(b, d, o)
				}
			})
		}
	}
}

func BenchmarkGrid(b *testing.B) {
	c := points(rand.New(rand.NewPCG(1, 1)), 10_000, 6)
	for _, n := range []int{50, 100, 200, 400} {
		h := Starts(6)[0]
		g := fit(b, job(n), Options{Fixed: &h})
		b.Run(fmt.Sprintf("predict/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				g.Grid(c)
			}
		})
		grid := g.Grid(c)
		b.Run(fmt.Sprintf("append/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := grid.Clone().Believe(c[5], 0.01); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDraw(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	c := points(rng, 3000, 6)
	g := fit(b, job(86), Options{})
	b.Run("s=16", func(b *testing.B) {
		for b.Loop() {
			g.Draw(rng, c, 16)
		}
	})
}
