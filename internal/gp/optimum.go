package gp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

const (
	// A slope of the log posterior below this moves no hyper-parameter by more
	// than a few percent of its posterior's width.
	gradientThreshold = 1e-2
	// With a metric slopes are in units of that width: within this of the
	// optimum, the log posterior is off by less than 1e-2.
	metricThreshold = 2e-2
	maxEvaluations  = 60 // of one local search; 20 to 25 are usual, 5 to 8 with a metric

	// Several starts are searched from on this many of the data first, and on all
	// of them only from where those ended; the metric is of this many as well. At
	// 200 observations an evaluation takes 20 times as long.
	manageable = 64
	// Optima are one if no logarithm differs by more.
	sameOptimum = 0.2
)

// optimum is where the posterior density is greatest, of the local searches from
// starts.
func (s *system) optimum(starts [][]float64) ([]float64, error) {
	rough := s
	if len(s.y) > 3*manageable/2 {
		rough = newSystem(s.part(manageable))
		if len(starts) > 1 {
			starts = rough.ends(starts)
		}
	}
	var best []float64
	least := math.Inf(1)
	for _, start := range starts {
		var metric *mat.TriDense
		if rough != s {
			metric = rough.metric(start, float64(len(s.y))/manageable)
		}
		if end, value := s.localOptimum(start, metric); value < least {
			best, least = end, value
		}
	}
	if best == nil {
		return nil, ErrSingular
	}
	return best, nil
}

// ends are the different local optima from starts, or where there are none the
// starts.
func (s *system) ends(starts [][]float64) [][]float64 {
	var ends [][]float64
	for _, start := range starts {
		end, _ := s.localOptimum(start, nil)
		same := func(e []float64) bool { return floats.Distance(e, end, math.Inf(1)) < sameOptimum }
		if end != nil && !slices.ContainsFunc(ends, same) {
			ends = append(ends, end)
		}
	}
	if ends == nil {
		return starts
	}
	return ends
}

// localOptimum is the best point that a local search saw, nil if it saw none.
// Its status is of no interest: a line search may end on another point, and one
// that is cut short is as good as it is. In the coordinates of a metric, the
// posterior is about as wide in every direction, and few steps are needed.
func (s *system) localOptimum(start []float64, metric *mat.TriDense) ([]float64, float64) {
	l := &search{system: s, value: math.Inf(1), origin: start, metric: metric}
	problem := optimize.Problem{
		Func: func(p []float64) float64 { l.evaluate(p); return l.lastF },
		Grad: func(grad, p []float64) { l.evaluate(p); copy(grad, l.lastGrad) },
	}
	settings := &optimize.Settings{
		GradientThreshold: gradientThreshold, FuncEvaluations: maxEvaluations,
		Converger: optimize.NeverTerminate{}, // the gradient decides
	}
	if metric != nil {
		settings.GradientThreshold = metricThreshold
	}
	_, _ = optimize.Minimize(problem, make([]float64, len(start)), settings, &optimize.LBFGS{Linesearcher: &optimize.MoreThuente{}})
	return l.at, l.value
}

// metric is the lower Cholesky factor of the curvature that the log posterior of
// more data, by a factor, should have near t. It is nil where it has none.
func (s *system) metric(t []float64, factor float64) *mat.TriDense {
	const step = 1e-2
	n := len(t)
	curvature := mat.NewSymDense(n, nil)
	up, down := &search{system: s, value: math.Inf(1)}, &search{system: s, value: math.Inf(1)}
	for i := range n {
		p := slices.Clone(t)
		p[i] += step
		up.evaluate(p)
		p[i] -= 2 * step
		down.evaluate(p)
		for j := range n {
			c := factor * (up.lastGrad[j] - down.lastGrad[j]) / (2 * step)
			curvature.SetSym(i, j, curvature.At(i, j)+c/2)
			if i == j {
				curvature.SetSym(i, i, c)
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(curvature) {
		return nil
	}
	var l mat.TriDense
	chol.LTo(&l)
	return &l
}

// search keeps the best point seen, and the last. Its points are origin + L⁻ᵀp
// for a metric LL', or origin + p.
type search struct {
	*system
	origin []float64
	metric *mat.TriDense

	value float64
	at    []float64

	last     []float64
	lastF    float64
	lastGrad []float64
}

// evaluate is minus the log posterior density at p and its gradient, once for
// the value and the gradient that an optimizer asks for in turn.
func (s *search) evaluate(p []float64) {
	if s.last != nil && slices.Equal(p, s.last) {
		return
	}
	s.last = append(s.last[:0], p...)
	t := slices.Clone(p)
	if s.metric != nil {
		v := mat.NewVecDense(len(t), t)
		_ = v.SolveVec(s.metric.T(), v) // the factor of a matrix that was found positive
	}
	if s.origin != nil {
		floats.Add(t, s.origin)
	}
	s.lastF, s.lastGrad = s.posterior(t)
	if s.lastF < s.value {
		s.value, s.at = s.lastF, t
	}
	if s.metric != nil {
		v := mat.NewVecDense(len(t), s.lastGrad)
		_ = v.SolveVec(s.metric, v)
	}
}

// posterior is minus the log posterior density of the hyper-parameters whose
// logarithms are t, and its gradient. It is +Inf where there is none.
func (s *system) posterior(t []float64) (float64, []float64) {
	d := len(s.x[0])
	grad, inside := make([]float64, len(t)), make([]bool, len(t))
	value, err := s.evidence(fromLogs(t, d, inside), grad)
	if err != nil || math.IsNaN(value) {
		return math.Inf(1), grad
	}
	for i, in := range inside {
		if !in {
			grad[i] = 0
		}
	}
	return value + s.penalty(t, grad), grad
}
