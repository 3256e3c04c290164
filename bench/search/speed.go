package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"rebound/bench/search/problems"
	"rebound/internal/search"
)

// speed measures one suggestion over the settings of the stream job after n random
// trials: cold, and after one more result. Three outputs are learned: cost and
// latency are minimized, recovery is limited.
func (k work) speed(ctx context.Context, kept *store) error {
	steps := []string{"cold", "appended"}
	var wall, cpu [2][]float64
	for repeat := range k.Repeats + 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, tell, err := played(k.N, uint64(repeat))
		if err != nil {
			return err
		}
		for i := range steps {
			if i > 0 {
				if err := tell(); err != nil {
					return err
				}
			}
			began, burnt := time.Now(), burned()
			if _, err := s.Ask(1); err != nil {
				return err
			}
			if repeat > 0 { // the first warms up
				wall[i] = append(wall[i], time.Since(began).Seconds())
				cpu[i] = append(cpu[i], burned()-burnt)
			}
		}
	}
	for i, step := range steps {
		kept.results = append(kept.results, line{
			Bench: "suggest", Rival: "rebound", N: k.N, Step: step, Seconds: median(wall[i]), CPU: median(cpu[i]),
		})
	}
	return nil
}

// played is a search that was told n random trials, and how to tell it another.
func played(n int, seed uint64) (*search.Search, func() error, error) {
	job := problems.NewStream(problems.Rates()["mid"])
	units, values := job.Settings()
	rng := rand.New(rand.NewPCG(seed, 4))
	order := rng.Perm(len(units))
	results := make([][]float64, n+1)
	for i := range results {
		v := values[order[i]]
		latency, recovery := job.Trial(v, rng)
		results[i] = []float64{math.Log(job.Cost(v)), math.Log(latency), math.Log(recovery)}
	}
	limit := math.Log(job.Target)
	p := search.Problem{Settings: units, Seed: seed, Outputs: []search.Output{
		{Name: "log cost", Minimize: true, Ref: worst(results, 0)},
		{Name: "log latency", Minimize: true, Ref: worst(results, 1)},
		{Name: "log recovery", Limit: &limit},
	}, Start: [][]float64{}}
	s, err := search.New(p)
	if err != nil {
		return nil, nil, err
	}
	told := 0
	tell := func() error {
		t := search.Trial{X: units[order[told]]}
		for _, y := range results[told] {
			t.Results = append(t.Results, search.Seen(y))
		}
		told++
		return s.Tell(t)
	}
	for range n {
		if err := tell(); err != nil {
			return nil, nil, err
		}
	}
	return s, tell, nil
}

func worst(results [][]float64, j int) float64 {
	return slices.MaxFunc(results, func(a, b []float64) int {
		if a[j] < b[j] {
			return -1
		}
		return 1
	})[j]
}
