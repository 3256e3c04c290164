package gp_test

import (
	"fmt"
	"math"

	"rebound/internal/gp"
)

// Recovery times at five checkpoint intervals, in logarithms, over a rough
// formula as prior mean. The longest was cut off after 90 s: at least that.
func ExampleFit() {
	formula := func(x []float64) float64 { return math.Log(30 + 40*x[0]) }
	g, err := gp.Fit(gp.Data{
		X:        [][]float64{{0}, {0.2}, {0.4}, {0.7}, {1}},
		Y:        []float64{math.Log(38), math.Log(49), math.Log(58), math.Log(71), math.Log(90)},
		Censored: []bool{false, false, false, false, true},
	}, gp.Options{Mean: formula})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range []float64{0.3, 1} {
		mean, variance := g.Predict([]float64{x})
		sd := math.Sqrt(variance)
		fmt.Printf("at %.1f: %.0f s, 90 %% between %.0f and %.0f s\n", x, math.Exp(mean), math.Exp(mean-1.645*sd), math.Exp(mean+1.645*sd))
	}
	// Output:
	// at 0.3: 54 s, 90 % between 53 and 54 s
	// at 1.0: 91 s, 90 % between 89 and 93 s
}
