package forecast

import "math"

// spread is the usual size of an error one step ahead: the geometric mean of a slow
// and a fast moving average, so that a surge widens what comes next at once and a
// single outlier hardly does.
type spread struct {
	slow, fast float64
	count      int
}

const (
	spreadSlow = 0.004
	spreadFast = 0.06
)

func (s *spread) add(size float64) {
	s.count++
	// A plain mean until the moving average has its length.
	s.slow += max(spreadSlow, 1/float64(s.count)) * (size - s.slow)
	s.fast += max(spreadFast, 1/float64(s.count)) * (size - s.fast)
}

// now is the spread; 0 while nothing was seen or nothing ever went wrong.
func (s *spread) now() float64 {
	return math.Sqrt(s.slow * max(s.fast, s.slow/4))
}

func (s *spread) code(c *codec) {
	c.float(&s.slow)
	c.float(&s.fast)
	c.int(&s.count)
}

// studentT3 is the quantile q of Student's t distribution with three degrees of
// freedom, scaled to a mean absolute value of 1, by bisection of its distribution
// function F(t) = ½ + (x/(1 + x²) + atan x)/π, where x = t/√3. It has the tails of
// what is not known yet.
func studentT3(q float64) float64 {
	lo, hi := -60.0, 60.0
	for range 50 {
		x := (lo + hi) / 2
		if 0.5+(x/(1+x*x)+math.Atan(x))/math.Pi < q {
			lo = x
		} else {
			hi = x
		}
	}
	return (lo + hi) / 2 * math.Pi / 2 // E|T| = 2√3/π
}
