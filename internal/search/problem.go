package search

import (
	"errors"
	"fmt"
	"math"
)

// MaxSettings is how many settings can be listed: all are scored at every step.
const MaxSettings = 20_000

// Problem is what is searched. The zero value of the fields that say so is useful.
type Problem struct {
	// Settings lists all that can be tried, in the unit cube. Nil: every point of
	// the unit box of Dim inputs.
	Settings [][]float64
	Dim      int // inputs of a box; 0 where Settings are given

	Outputs []Output

	// Level is what is not chosen but changes the outputs, such as the load, in the
	// unit cube: it is another input of the models, so that trials at other levels
	// tell about this one. Nil: none.
	Level []float64

	// Start are tried first, in this order. Nil: spread points, as many as twice
	// the inputs and two more, unless there are trials already.
	Start [][]float64

	// Harm is how probable a violation of a limit may be at most for a setting that
	// is asked, in (0, 1]. 0: 1, no bound. It does not hold back the start.
	Harm float64
	// Harmless says that trials that violate limits do no harm, as those of a copy:
	// then only what a trial tells counts.
	Harmless bool
	// Safe is how probable it must be that all limits are met where a setting is
	// recommended, in [0.5, 1). 0: 0.9.
	Safe float64
	// Price of a trial in units of the improvement (the product of those of the
	// objectives): what is expected to gain less is not worth it. 0: free.
	Price float64

	Seed uint64
}

// Output is a quantity that a trial measures, or that is known.
type Output struct {
	Name string

	// Minimize makes it an objective. Ref is the worst value that counts.
	Minimize bool
	Ref      float64
	// Limit is what it may be at most. Nil: no limit.
	Limit *float64

	// Known is the exact value of a setting. Nil: it is learned.
	Known func(x []float64) float64
	// Noise is the standard deviation of a measurement, 0 for an exact one. Nil: it
	// is learned.
	Noise *float64
	// Mean is what is believed before any data, at a setting followed by the level:
	// a formula of physics. Nil: a constant.
	Mean func(x []float64) float64
	// Misfit is by how much the truth is off Mean, about: a standard deviation. It
	// changes over about half the cube: an input of less effect has a smaller
	// range. 0: as the trials say, of which a few that are alike say too little.
	Misfit float64
}

// exact says whether measurements are the truth.
func (o Output) exact() bool { return o.Known != nil || o.Noise != nil && *o.Noise == 0 }

func (p Problem) withDefaults() Problem {
	if p.Harm == 0 {
		p.Harm = 1
	}
	if p.Safe == 0 {
		p.Safe = 0.9
	}
	if len(p.Settings) > 0 {
		p.Dim = len(p.Settings[0])
	}
	return p
}

// Validate names everything that is wrong, a line each.
func (p Problem) Validate() error {
	p = p.withDefaults()
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf("search: "+format, args...)) }
	switch {
	case p.Settings != nil && (len(p.Settings) == 0 || len(p.Settings) > MaxSettings):
		add("settings: %d, want 1 to %d", len(p.Settings), MaxSettings)
	case p.Dim < 1:
		add("dim: %d, want at least 1", p.Dim)
	}
	for i, x := range p.Settings {
		errs = cube(errs, fmt.Sprintf("settings[%d]", i), x, p.Dim)
	}
	for i, x := range p.Start {
		errs = cube(errs, fmt.Sprintf("start[%d]", i), x, p.Dim)
	}
	errs = cube(errs, "level", p.Level, len(p.Level))
	if !(p.Harm > 0 && p.Harm <= 1) {
		add("harm: %g, want a probability above 0", p.Harm)
	}
	if !(p.Safe >= 0.5 && p.Safe < 1) {
		add("safe: %g, want a probability from 0.5 to below 1", p.Safe)
	}
	if !(p.Price >= 0) || math.IsInf(p.Price, 0) {
		add("price: %g, want a number of at least 0", p.Price)
	}
	return errors.Join(append(errs, p.outputs()...)...)
}

func (p Problem) outputs() []error {
	var errs []error
	objectives := 0
	for i, o := range p.Outputs {
		if o.Minimize {
			objectives++
			if math.IsNaN(o.Ref) || math.IsInf(o.Ref, 0) {
				errs = append(errs, fmt.Errorf("search: outputs[%d] %s: ref: %g, want a number", i, o.Name, o.Ref))
			}
		}
		if o.Limit != nil && (math.IsNaN(*o.Limit) || math.IsInf(*o.Limit, 0)) {
			errs = append(errs, fmt.Errorf("search: outputs[%d] %s: limit: %g, want a number", i, o.Name, *o.Limit))
		}
		if !(o.Misfit >= 0) || math.IsInf(o.Misfit, 0) {
			errs = append(errs, fmt.Errorf("search: outputs[%d] %s: misfit: %g, want a standard deviation of at least 0", i, o.Name, o.Misfit))
		}
		if o.Noise != nil && (!(*o.Noise >= 0) || math.IsInf(*o.Noise, 0)) {
			errs = append(errs, fmt.Errorf("search: outputs[%d] %s: noise: %g, want a standard deviation of at least 0", i, o.Name, *o.Noise))
		}
	}
	if objectives < 1 || objectives > 3 {
		errs = append(errs, fmt.Errorf("search: outputs: %d objectives, want 1 to 3", objectives))
	}
	return errs
}

// cube adds what is wrong with a point of d inputs in the unit cube.
func cube(errs []error, name string, x []float64, d int) []error {
	if len(x) != d {
		return append(errs, fmt.Errorf("search: %s: %d inputs, want %d", name, len(x), d))
	}
	for j, v := range x {
		if !(v >= 0 && v <= 1) {
			errs = append(errs, fmt.Errorf("search: %s[%d]: %g, want 0 to 1", name, j, v))
		}
	}
	return errs
}
