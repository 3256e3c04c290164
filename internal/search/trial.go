package search

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Trial is a setting that was tried and what came of it.
type Trial struct {
	X []float64 `json:"x"`
	// Level at which it was tried. Nil: that of the problem.
	Level []float64 `json:"level,omitempty"`
	// Results, one for each output; those of known outputs are not looked at.
	Results []Result `json:"results"`
}

// Result is one output of a trial. The zero value is one that was not seen.
type Result struct {
	Seen  bool    `json:"seen"`
	Value float64 `json:"value"`
	// AtLeast says that only a lower bound was seen: the trial ended before.
	AtLeast bool `json:"at_least,omitempty"`
}

// Seen is a result that was measured.
func Seen(value float64) Result { return Result{Seen: true, Value: value} }

// AtLeast is a result of which only a lower bound was seen.
func AtLeast(bound float64) Result { return Result{Seen: true, Value: bound, AtLeast: true} }

func (p Problem) check(t Trial) error {
	errs := cube(nil, "x", t.X, p.Dim)
	if t.Level != nil {
		errs = cube(errs, "level", t.Level, len(p.Level))
	}
	if len(t.Results) != len(p.Outputs) {
		return errors.Join(append(errs, fmt.Errorf("search: results: %d, want one for each of %d outputs", len(t.Results), len(p.Outputs)))...)
	}
	for i, r := range t.Results {
		if r.Seen && p.Outputs[i].Known == nil && (math.IsNaN(r.Value) || math.IsInf(r.Value, 0)) {
			errs = append(errs, fmt.Errorf("search: results[%d] %s: %g, want a number, or not seen", i, p.Outputs[i].Name, r.Value))
		}
	}
	return errors.Join(errs...)
}

// clone keeps nothing of the caller's.
func (t Trial) clone() Trial {
	return Trial{X: slices.Clone(t.X), Level: slices.Clone(t.Level), Results: slices.Clone(t.Results)}
}
