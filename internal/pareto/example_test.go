package pareto_test

import (
	"fmt"
	"math"

	"rebound/internal/pareto"
)

// Cost and latency of three settings, and what a fourth is expected to add.
func ExampleRegion() {
	tried := [][]float64{{1, 3}, {2, 2}, {3, 1}}
	worst := []float64{4, 4}
	fmt.Println("dominated:", pareto.Hypervolume(tried, worst))
	r, err := pareto.NewRegion(tried, worst)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("gain if it is (1.5, 1.5):", r.Gain([]float64{1.5, 1.5}))
	expected := r.LogImprovement([]float64{1.5, 1.5}, []float64{0.25, 0.25})
	fmt.Printf("expected gain if each is 1.5 ± 0.5: %.3f\n", math.Exp(expected))
	// Output:
	// dominated: 6
	// gain if it is (1.5, 1.5): 1.25
	// expected gain if each is 1.5 ± 0.5: 1.415
}
