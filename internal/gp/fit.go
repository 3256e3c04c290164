package gp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// Options say how to fit. The zero value learns everything from cold.
type Options struct {
	// Mean is the prior mean in units of Y at a point in the unit cube: what is
	// believed before any data, such as a formula of physics. Nil: 0. The constant
	// by which it is off on average is learned. It is called again by every
	// prediction and must be finite.
	Mean func(x []float64) float64

	// Starts are where the search for the hyper-parameters begins, one local
	// search each; the best result wins. Nil: Starts(d), the cold start. With
	// the hyper-parameters of an earlier fit alone it is a warm start and takes
	// a few evaluations.
	Starts []Hyper

	// Fixed hyper-parameters are taken as they are. Nil: they are learned.
	Fixed *Hyper
}

// Fit finds the hyper-parameters of greatest posterior density (MAP) and
// conditions the process on d. Each evaluation costs O(n³); 20 to 30 are usual
// from cold.
func Fit(d Data, o Options) (*GP, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	s, err := standardize(d, o.Mean)
	if err != nil {
		return nil, err
	}
	sys := newSystem(s)
	inputs := len(s.x[0])
	if o.Fixed != nil {
		if err := o.Fixed.validate(inputs, s.learnsNoise()); err != nil {
			return nil, err
		}
		return condition(sys, *o.Fixed)
	}
	starts := o.Starts
	if starts == nil {
		starts = Starts(inputs)
	}
	best := search{system: sys, value: math.Inf(1)}
	for _, h := range starts {
		if err := h.validate(inputs, s.learnsNoise()); err != nil {
			return nil, err
		}
		best.from(h.logs(s.learnsNoise()))
	}
	if math.IsInf(best.value, 1) {
		return nil, ErrSingular
	}
	return condition(sys, fromLogs(best.at, inputs, make([]bool, len(best.at))))
}

const (
	// A slope of the log posterior below this moves no hyper-parameter by more
	// than a few percent of its posterior's width.
	gradientThreshold = 1e-2
	maxEvaluations    = 60 // of one local search; 10 to 15 are usual
)

// search keeps the best point that was seen, since a line search may end on
// another.
type search struct {
	*system
	value float64
	at    []float64

	last     []float64 // where lastGrad and lastValue are from
	lastF    float64
	lastGrad []float64
}

// from runs one local search. Its status is of no interest: what was seen best
// counts.
func (s *search) from(start []float64) {
	s.last = nil
	problem := optimize.Problem{
		Func: func(t []float64) float64 { s.evaluate(t); return s.lastF },
		Grad: func(grad, t []float64) { s.evaluate(t); copy(grad, s.lastGrad) },
	}
	settings := &optimize.Settings{GradientThreshold: gradientThreshold, FuncEvaluations: maxEvaluations, Converger: optimize.NeverTerminate{}}
	_, _ = optimize.Minimize(problem, start, settings, &optimize.LBFGS{})
}

// evaluate is minus the log posterior density at t and its gradient, once for
// the value and the gradient that an optimizer asks for in turn.
func (s *search) evaluate(t []float64) {
	if s.last != nil && slices.Equal(t, s.last) {
		return
	}
	s.last = append(s.last[:0], t...)
	s.lastGrad = slices.Grow(s.lastGrad[:0], len(t))[:len(t)]
	clear(s.lastGrad)
	inside := make([]bool, len(t))
	h := fromLogs(t, len(s.x[0]), inside)
	value, err := s.evidence(h, s.lastGrad)
	if err != nil || math.IsNaN(value) {
		s.lastF = math.Inf(1)
		return
	}
	for i, in := range inside {
		if !in {
			s.lastGrad[i] = 0
		}
	}
	s.lastF = value + penalty(t, len(s.x[0]), s.lastGrad)
	if s.lastF < s.value {
		s.value, s.at = s.lastF, append(s.at[:0], t...)
	}
}
