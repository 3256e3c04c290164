package gp

// Options say how to fit. The zero value learns everything from cold.
type Options struct {
	// Mean is the prior mean in units of Y at a point in the unit cube: what is
	// believed before any data, such as a formula of physics. Nil: 0. The constant
	// by which it is off on average is learned. It is called again by every
	// prediction and must be finite.
	Mean func(x []float64) float64

	// Unit, above 0, is what outputs and hyper-parameters are measured in, from the
	// prior mean: for physics that is right on average, and off by about as much.
	// 0: outputs are standardized by their own mean and standard deviation, which
	// those of a few points that happen to be alike make far too sure.
	Unit float64

	// Starts are where the search for the hyper-parameters begins, one local
	// search each; the best result wins. Nil: Starts(d), the cold start. With
	// the hyper-parameters of an earlier fit alone it is a warm start and takes
	// a few evaluations.
	Starts []Hyper

	// Prior of the length scales. Nil: DefaultPrior. Signal is that of the logarithm
	// of the variance of the function; nil: mean 0, variance 9.
	Prior, Signal *Prior

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
	s, err := standardize(d, o)
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
	logs := make([][]float64, len(starts))
	for i, h := range starts {
		if err := h.validate(inputs, s.learnsNoise()); err != nil {
			return nil, err
		}
		logs[i] = h.logs(s.learnsNoise())
	}
	best, err := sys.optimum(logs)
	if err != nil {
		return nil, err
	}
	return condition(sys, fromLogs(best, inputs, make([]bool, len(best))))
}
