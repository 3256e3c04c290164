package kafka

import (
	"errors"
	"fmt"
	"math"
	"sort"
)

// Knot is a rate at a time.
type Knot struct {
	T    float64 // seconds since the start
	Rate float64 // records/s
}

// NewPolyline returns a load that is linear between the knots and constant before
// the first and after the last. Two knots at one time are a step. Times must not
// decrease; rates are from 0 to ten million records/s.
func NewPolyline(line ...Knot) (Load, error) { return knots(line).load() }

type knots []Knot

// load checks p and makes it ready for use.
func (p knots) load() (Load, error) {
	if len(p) == 0 {
		return nil, errors.New("no rates")
	}
	for i, k := range p {
		switch {
		case !(k.Rate >= 0) || k.Rate > maxRate:
			return nil, fmt.Errorf("rate %v at %vs: want 0 to %.0f records/s", k.Rate, k.T, maxRate)
		case !(k.T >= 0) || math.IsInf(k.T, 0):
			return nil, fmt.Errorf("time %v: want seconds from 0", k.T)
		case i > 0 && k.T < p[i-1].T:
			return nil, fmt.Errorf("time %vs after %vs: want increasing times", k.T, p[i-1].T)
		}
	}
	if p[0].T > 0 {
		p = append(knots{{0, p[0].Rate}}, p...)
	}
	l := &polyline{knots: p, total: make([]float64, len(p))}
	for i := 1; i < len(p); i++ {
		l.total[i] = l.total[i-1] + (p[i].T-p[i-1].T)*(p[i].Rate+p[i-1].Rate)/2
	}
	return l, nil
}

// polyline carries the integral up to each knot, by the trapezoidal rule, which
// is exact here.
type polyline struct {
	knots knots
	total []float64
}

// segment is the index of the last knot at or before t.
func (l *polyline) segment(t float64) int {
	return sort.Search(len(l.knots), func(i int) bool { return l.knots[i].T > t }) - 1
}

// slope is by how much the rate grows in a second after knot i.
func (l *polyline) slope(i int) float64 {
	if i+1 == len(l.knots) {
		return 0
	}
	a, b := l.knots[i], l.knots[i+1]
	return (b.Rate - a.Rate) / (b.T - a.T)
}

// Rate is the rate at t; at a step, the one after it.
func (l *polyline) Rate(t float64) float64 {
	i := max(0, l.segment(t))
	return l.knots[i].Rate + l.slope(i)*(t-l.knots[i].T)
}

func (l *polyline) Total(t float64) float64 {
	i := max(0, l.segment(t))
	x := t - l.knots[i].T
	return l.total[i] + x*(l.knots[i].Rate+l.slope(i)*x/2)
}

// Time finds the segment and solves r·x + s·x²/2 = d in the form that loses no
// digits where s is small: x = 2d / (r + √(r² + 2sd)).
func (l *polyline) Time(n float64) float64 {
	i := max(0, sort.Search(len(l.total), func(i int) bool { return l.total[i] > n })-1)
	k, d := l.knots[i], n-l.total[i]
	last := i+1 == len(l.knots)
	switch {
	case last && k.Rate == 0:
		return math.Inf(1)
	case d == 0:
		return k.T
	}
	t := k.T + 2*d/(k.Rate+math.Sqrt(max(0, k.Rate*k.Rate+2*l.slope(i)*d)))
	if last {
		return t
	}
	return min(t, l.knots[i+1].T)
}
