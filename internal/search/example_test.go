package search_test

import (
	"fmt"

	"rebound/internal/search"
)

// The cheapest of a hundred sizes that recovers within 60 seconds, where a size of s
// takes 30/s seconds and costs s.
func Example() {
	limit, noise := 60.0, 1.0
	var sizes [][]float64
	for i := range 100 {
		sizes = append(sizes, []float64{float64(i) / 99})
	}
	size := func(x []float64) float64 { return 0.1 + x[0] }
	s, err := search.New(search.Problem{
		Settings: sizes,
		Start:    [][]float64{{1}, sizes[50]},
		Harm:     0.5,
		Price:    0.005,
		Outputs: []search.Output{
			{Name: "cost", Minimize: true, Ref: 2, Known: size},
			{Name: "recovery", Limit: &limit, Noise: &noise},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 20 {
		asked, err := s.Ask(1)
		if err != nil || len(asked) == 0 || !asked[0].Worth {
			break
		}
		took := 30 / size(asked[0].X)
		if err := s.Tell(search.Trial{X: asked[0].X, Results: []search.Result{{}, search.Seen(took)}}); err != nil {
			fmt.Println(err)
			return
		}
	}
	best, safe, err := s.Recommend()
	fmt.Printf("%.2f %v %v\n", best.Objectives[0], safe, err)
	// Output: 0.51 true <nil>
}
