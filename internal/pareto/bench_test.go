package pareto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Run by go test -run - -bench . -cpu 1 ./internal/pareto.
func BenchmarkLogImprovements(b *testing.B) {
	for _, m := range []int{2, 3} {
		rng := rand.New(rand.NewPCG(1, uint64(m)))
		// A front of 20 points on a sphere around the reference.
		points := make([][]float64, 20)
		for i := range points {
			points[i] = make([]float64, m)
			norm := 0.0
			for j := range points[i] {
				points[i][j] = math.Abs(rng.NormFloat64())
				norm += points[i][j] * points[i][j]
			}
			for j := range points[i] {
				points[i][j] = 1 - points[i][j]/math.Sqrt(norm)
			}
		}
		ref := []float64{1, 1, 1}[:m]
		r, err := NewRegion(points, ref)
		if err != nil {
			b.Fatal(err)
		}
		const candidates = 10_000
		mean, variance := make([][]float64, m), make([][]float64, m)
		for j := range m {
			for range candidates {
				mean[j] = append(mean[j], rng.Float64()*1.2)
				sd := 0.02 + rng.Float64()/5
				variance[j] = append(variance[j], sd*sd)
			}
		}
		dst := make([]float64, candidates)
		b.Run(fmt.Sprintf("objectives=%d/boxes=%d", m, len(r.boxes)), func(b *testing.B) {
			for b.Loop() {
				r.LogImprovements(dst, mean, variance)
			}
		})
	}
}
