package recovery

import (
	"errors"
	"fmt"
	"math"
	"sort"
)

// Path is a function of time: linear between its samples, constant before the
// first and after the last. Two samples at one time are a jump. It is integrated
// exactly, with no steps to round. A Path is immutable.
type Path struct {
	t, v     []float64
	integral []float64 // from t[0] to t[i]
	low, top float64
}

// NewPath makes a path of the values v at the times t, which it copies. Times
// must not go back, no three may be equal, and values are rates: not negative.
func NewPath(t, v []float64) (*Path, error) {
	switch {
	case len(t) != len(v):
		return nil, fmt.Errorf("path: %d times for %d values", len(t), len(v))
	case len(t) == 0:
		return nil, errors.New("path: no samples, want at least 1")
	}
	p := &Path{
		t: append([]float64(nil), t...), v: append([]float64(nil), v...),
		integral: make([]float64, len(t)), low: v[0], top: v[0],
	}
	for i := range t {
		switch {
		case math.IsNaN(t[i]) || math.IsInf(t[i], 0):
			return nil, fmt.Errorf("path: time %v in sample %d, want a finite number", t[i], i)
		case !(v[i] >= 0) || math.IsInf(v[i], 1):
			return nil, fmt.Errorf("path: value %v in sample %d, want a finite number, at least 0", v[i], i)
		case i > 0 && t[i] < t[i-1]:
			return nil, fmt.Errorf("path: time goes back from %v to %v in sample %d", t[i-1], t[i], i)
		case i > 1 && t[i] == t[i-2]:
			return nil, fmt.Errorf("path: three samples at time %v", t[i])
		}
		p.low, p.top = min(p.low, v[i]), max(p.top, v[i])
		if i > 0 {
			p.integral[i] = p.integral[i-1] + (t[i]-t[i-1])*(v[i]+v[i-1])/2
		}
	}
	return p, nil
}

// Constant is a path that is v at all times, v being finite and at least 0.
func Constant(v float64) *Path {
	return &Path{t: []float64{0}, v: []float64{v}, integral: []float64{0}, low: v, top: v}
}

// At is the value at time x; in a jump, the one after it.
func (p *Path) At(x float64) float64 { return p.in(p.after(x), x) }

// Integral is ∫ from a to b, negative where b < a.
func (p *Path) Integral(a, b float64) float64 { return p.upTo(b) - p.upTo(a) }

// after is the index of the first sample later than x.
func (p *Path) after(x float64) int {
	return sort.Search(len(p.t), func(i int) bool { return p.t[i] > x })
}

// in is the value at x, continued from the segment that ends at sample i.
func (p *Path) in(i int, x float64) float64 {
	switch {
	case i == 0:
		return p.v[0]
	case i == len(p.t):
		return p.v[i-1]
	}
	share := (x - p.t[i-1]) / (p.t[i] - p.t[i-1])
	return p.v[i-1] + share*(p.v[i]-p.v[i-1])
}

// upTo is the integral from the first sample to x.
func (p *Path) upTo(x float64) float64 {
	i := p.after(x)
	if i == 0 {
		return (x - p.t[0]) * p.v[0]
	}
	return p.integral[i-1] + (x-p.t[i-1])*(p.v[i-1]+p.in(i, x))/2
}

// segment is the piece of a path around a time, up to its end.
type segment struct {
	from, value float64 // the time asked for, and the value there
	slope, end  float64
}

// at is the value of the segment at x.
func (s segment) at(x float64) float64 { return s.value + s.slope*(x-s.from) }

// segment is the piece that begins at or before x; the last has no end.
func (p *Path) segment(x float64) segment {
	i := p.after(x)
	s := segment{from: x, value: p.in(i, x), end: math.Inf(1)}
	if i < len(p.t) {
		s.end = p.t[i]
	}
	if i > 0 && i < len(p.t) {
		s.slope = (p.v[i] - p.v[i-1]) / (p.t[i] - p.t[i-1])
	}
	return s
}
