package learn

import "math"

// factor replaces the lower triangle of the symmetric n×n matrix a, by rows, by
// its Cholesky factor. False: a is not positive definite.
func factor(a []float64, n int) bool {
	for i := range n {
		for j := range i + 1 {
			s := a[i*n+j]
			for k := range j {
				s -= a[i*n+k] * a[j*n+k]
			}
			if i != j {
				a[i*n+j] = s / a[j*n+j]
				continue
			}
			if !(s > 0) {
				return false
			}
			a[i*n+i] = math.Sqrt(s)
		}
	}
	return true
}

// forward solves L·x = b in place.
func forward(l []float64, b []float64) {
	n := len(b)
	for i := range b {
		row, s := l[i*n:i*n+i], b[i]
		for k, v := range row {
			s -= v * b[k]
		}
		b[i] = s / l[i*n+i]
	}
}

// backward solves Lᵀ·x = b in place.
func backward(l []float64, b []float64) {
	n := len(b)
	for i := n - 1; i >= 0; i-- {
		s := b[i]
		for k := i + 1; k < n; k++ {
			s -= l[k*n+i] * b[k]
		}
		b[i] = s / l[i*n+i]
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
