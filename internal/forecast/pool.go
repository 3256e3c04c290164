package forecast

import (
	"math"
	"slices"
)

// pool is the last errors of one horizon, in order of time and of size.
type pool struct {
	errs   ring
	sorted []float64
}

func newPool(room int) pool { return pool{errs: newRing(room)} }

// add keeps e and drops the oldest error when the pool is full.
func (p *pool) add(e float64) {
	if p.errs.full {
		i, _ := slices.BinarySearch(p.sorted, p.errs.at(p.errs.len()))
		p.sorted = slices.Delete(p.sorted, i, i+1)
	}
	p.errs.push(e)
	i, _ := slices.BinarySearch(p.sorted, e)
	p.sorted = slices.Insert(p.sorted, i, e)
}

// quantile is the error that the share level of the pool and of one more error lies
// below: split conformal prediction, V. Vovk, A. Gammerman, G. Shafer, Algorithmic
// Learning in a Random World, 2005, section 2.2. A level that this many errors cannot
// give, or one beyond (0, 1), goes on outwards in a straight line: each tenth of a
// level is half as far again from the middle.
func (p *pool) quantile(level float64) float64 {
	n := len(p.sorted)
	if n == 0 {
		return 0
	}
	at := level*float64(n+1) - 1
	const tenth, again = 0.1, 0.5
	middle := p.sorted[n/2]
	switch last := float64(n - 1); {
	case at < 0:
		out := -at / float64(n+1) / tenth * again
		return p.sorted[0] + out*(p.sorted[0]-middle)
	case at > last:
		out := (at - last) / float64(n+1) / tenth * again
		return p.sorted[n-1] + out*(p.sorted[n-1]-middle)
	case at == last:
		return p.sorted[n-1]
	}
	i := int(at)
	return p.sorted[i] + (at-math.Floor(at))*(p.sorted[i+1]-p.sorted[i])
}

func (p *pool) code(c *codec) {
	p.errs.code(c)
	c.floats(&p.sorted)
	if c.reading && (len(p.sorted) != p.errs.len() || !slices.IsSorted(p.sorted)) {
		c.err = errState
		*p = newPool(1)
	}
}
