package gp

import (
	"math"

	"rebound/internal/normal"
)

// kernel is the Matérn kernel of smoothness 5/2, [RW] equation 4.17:
// σ_f²(1 + s + s²/3)e⁻ˢ with s = √5·r, r the distance in length scales. Points
// are in scaled coordinates, in which s is the Euclidean distance.
type kernel struct {
	weights []float64 // √5/ℓ of each input
	signal  float64
	powers  *normal.Powers
}

func newKernel(h Hyper) kernel {
	k := kernel{weights: make([]float64, len(h.Lengths)), signal: h.Signal, powers: normal.NewPowers()}
	for j, l := range h.Lengths {
		k.weights[j] = math.Sqrt(5) / l
	}
	return k
}

// scale are the coordinates of x.
func (k kernel) scale(x []float64) []float64 {
	out := make([]float64, len(x))
	for j, v := range x {
		out[j] = v * k.weights[j]
	}
	return out
}

// columns are the coordinates of many points, input by input: what the loops
// over candidates read in order.
func (k kernel) columns(points [][]float64) [][]float64 {
	flat := make([]float64, len(points)*len(k.weights))
	out := make([][]float64, len(k.weights))
	for j, w := range k.weights {
		col := flat[j*len(points) : (j+1)*len(points)]
		for c, x := range points {
			col[c] = x[j] * w
		}
		out[j] = col
	}
	return out
}

// row fills dst with the covariances between the point at coordinates u and the
// points first, first+1, … of cols.
func (k kernel) row(dst, u []float64, cols [][]float64, first int) {
	clear(dst)
	// Two inputs at a time: half as many loads and stores of dst.
	for j := 0; j < len(u); j += 2 {
		p := cols[j][first : first+len(dst)]
		if j+1 == len(u) {
			for c, v := range p {
				dst[c] += (v - u[j]) * (v - u[j])
			}
			break
		}
		q := cols[j+1][first : first+len(dst)]
		a, b := u[j], u[j+1]
		for c := range dst {
			x, y := p[c]-a, q[c]-b
			dst[c] += x*x + y*y
		}
	}
	for c, s2 := range dst {
		s := math.Sqrt(s2)
		dst[c] = k.signal * (1 + s + s2/3) * k.powers.Exp(s)
	}
}

// at is the covariance between two points.
func (k kernel) at(u, v []float64) float64 {
	s2 := 0.0
	for j, a := range u {
		s2 += (a - v[j]) * (a - v[j])
	}
	s := math.Sqrt(s2)
	return k.signal * (1 + s + s2/3) * k.powers.Exp(s)
}
