package search

import (
	"math"
	"strings"
	"testing"
)

// Everything that is wrong is named, in one go.
func TestValidate(t *testing.T) {
	cost := Output{Name: "cost", Minimize: true, Ref: 1}
	tests := map[string]struct {
		p    Problem
		want []string
	}{
		"good":          {Problem{Dim: 2, Outputs: []Output{cost}}, nil},
		"nothing":       {Problem{}, []string{"dim: 0, want at least 1", "outputs: 0 objectives, want 1 to 3"}},
		"empty list":    {Problem{Settings: [][]float64{}, Outputs: []Output{cost}}, []string{"settings: 0, want 1 to 20000"}},
		"ragged list":   {Problem{Settings: [][]float64{{0, 1}, {0}}, Outputs: []Output{cost}}, []string{"settings[1]: 1 inputs, want 2"}},
		"outside":       {Problem{Dim: 1, Start: [][]float64{{1.5}}, Outputs: []Output{cost}}, []string{"start[0][0]: 1.5, want 0 to 1"}},
		"level":         {Problem{Dim: 1, Level: []float64{math.NaN()}, Outputs: []Output{cost}}, []string{"level[0]: NaN, want 0 to 1"}},
		"probabilities": {Problem{Dim: 1, Harm: 2, Safe: 0.2, Outputs: []Output{cost}}, []string{"harm: 2", "safe: 0.2"}},
		"price":         {Problem{Dim: 1, Price: -1, Outputs: []Output{cost}}, []string{"price: -1"}},
		"outputs": {Problem{Dim: 1, Outputs: []Output{
			{Name: "a", Minimize: true, Ref: math.Inf(1)}, {Name: "b", Limit: new(math.NaN()), Noise: new(-1.0)},
		}}, []string{"outputs[0] a: ref: +Inf", "outputs[1] b: limit: NaN", "outputs[1] b: noise: -1"}},
	}
	for name, tt := range tests {
		err := tt.p.Validate()
		if (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, w := range tt.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q is not in %q", name, w, err)
			}
		}
	}
}

func TestTellRefuses(t *testing.T) {
	s := begin(t, disc(1))
	tests := map[string]struct {
		trial Trial
		want  string
	}{
		"outside":  {Trial{X: []float64{2, 0}, Results: make([]Result, 3)}, "x[0]: 2, want 0 to 1"},
		"short":    {Trial{X: []float64{0}, Results: make([]Result, 3)}, "x: 1 inputs, want 2"},
		"results":  {Trial{X: []float64{0, 0}}, "results: 0, want one for each of 3 outputs"},
		"level":    {Trial{X: []float64{0, 0}, Level: []float64{1}, Results: make([]Result, 3)}, "level: 1 inputs, want 0"},
		"no value": {Trial{X: []float64{0, 0}, Results: []Result{Seen(math.NaN()), {}, {}}}, "results[0] a: NaN, want a number, or not seen"},
	}
	for name, tt := range tests {
		if err := s.Tell(tt.trial); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if len(s.trials) != 0 {
		t.Errorf("%d trials were kept", len(s.trials))
	}
}
