package forecast

import (
	"math"
	"slices"
)

// scale maps values to the numbers that a member works on, so that all of them are
// of the order of 1 whatever the unit: (x − low)/width, or the logarithm of it plus
// an offset. The offset is a constant share of the width and not the series' own
// distance from zero, so that shifting a series shifts its forecast.
type scale struct {
	low, width float64
	kind       scaleKind
}

// scaleKind is one of the scales that members work on.
type scaleKind int

const (
	plain scaleKind = iota
	logarithmic
	scales // how many there are
)

// logOffset is where the low end of a series lies on the logarithmic scale, in
// widths: small enough to bend, large enough that the low end does not explode.
const logOffset = 0.25

// to maps a value to the member's numbers.
func (s scale) to(x float64) float64 {
	u := (x - s.low) / s.width
	if s.kind == plain {
		return u
	}
	return math.Log(max(u+logOffset, logOffset/8))
}

// from is the inverse of to.
func (s scale) from(v float64) float64 {
	if s.kind == logarithmic {
		v = math.Exp(min(v, 5)) - logOffset
	}
	return v*s.width + s.low
}

// scaleOf finds low and width in values: the 1st and 99th hundredths, or where they
// are one, the least and the greatest value. A constant series has width 1.
func scaleOf(values []float64, kind scaleKind) scale {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	lo, hi := sorted[n/100], sorted[n-1-n/100]
	if hi <= lo {
		lo, hi = sorted[0], sorted[n-1]
	}
	s := scale{low: lo, width: hi - lo, kind: kind}
	if s.width <= 0 {
		s.width = 1
	}
	return s
}

func (s *scale) code(c *codec) {
	c.float(&s.low)
	c.float(&s.width)
}
