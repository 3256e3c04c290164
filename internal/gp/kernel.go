package gp

import "math"

// matern is the Matérn kernel of smoothness 5/2 and unit variance at s = √5·r,
// r the distance in length scales, [RW] equation 4.17: (1 + s + s²/3)e⁻ˢ.
func matern(s float64) float64 {
	return (1 + s + s*s/3) * math.Exp(-s)
}

// kernel is the covariance of f between points in scaled coordinates, in which
// the Euclidean distance is s = √5·r.
type kernel struct {
	weights []float64 // √5/ℓ of each input
	signal  float64
}

func newKernel(h Hyper) kernel {
	k := kernel{weights: make([]float64, len(h.Lengths)), signal: h.Signal}
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
	for j, a := range u {
		col := cols[j][first : first+len(dst)]
		for c, b := range col {
			dst[c] += (a - b) * (a - b)
		}
	}
	for c, s2 := range dst {
		dst[c] = k.signal * matern(math.Sqrt(s2))
	}
}

// at is the covariance between two points.
func (k kernel) at(u, v []float64) float64 {
	s2 := 0.0
	for j, a := range u {
		s2 += (a - v[j]) * (a - v[j])
	}
	return k.signal * matern(math.Sqrt(s2))
}
