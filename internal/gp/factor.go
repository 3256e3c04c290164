package gp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// factor is the Cholesky factor L of K+N in a form that grows by a row at a
// time. Rows and points are never changed once they are in, so that clones share
// them.
type factor struct {
	kernel
	jitter float64     // times the signal variance
	points [][]float64 // scaled coordinates
	rows   [][]float64 // row i of L has i+1 values
}

func (f *factor) clone() *factor {
	c := *f
	c.points, c.rows = slices.Clip(f.points), slices.Clip(f.rows)
	return &c
}

// solve replaces b by L⁻¹b.
func (f *factor) solve(b []float64) {
	for i, row := range f.rows {
		b[i] = (b[i] - floats.Dot(row[:i], b[:i])) / row[i]
	}
}

// coefficients are v = L⁻¹k(X, u): the covariance of f(u) with the observations,
// made independent. Then mean = v'z and variance = k(u,u) - v'v, [RW] algorithm
// 2.1.
func (f *factor) coefficients(u []float64) []float64 {
	v := make([]float64, len(f.points), len(f.points)+1)
	for i, p := range f.points {
		v[i] = f.at(u, p)
	}
	f.solve(v)
	return v
}

// extend appends the point at u, observed with the given variance of noise, and
// returns its row of L: O(n²).
func (f *factor) extend(u []float64, noise float64) []float64 {
	v := f.coefficients(u)
	rest := f.signal*(1+f.jitter) + noise - floats.Dot(v, v)
	// In exact arithmetic the rest is at least the jitter.
	v = append(v, math.Sqrt(max(rest, f.signal*f.jitter/2)))
	f.points = append(f.points, u)
	f.rows = append(f.rows, v)
	return v
}

// width is how many candidates are solved together: their columns of V stay in
// the cache next to the processor while L passes by.
const width = 64

// field holds V = L⁻¹K(X, C) for candidates C, so that a further point costs
// O(nm) instead of O(n²m).
type field struct {
	*factor
	cols  [][]float64 // coordinates of the candidates
	first blas64.General
	more  [][]float64 // rows of V beyond first
}

func newField(f *factor, candidates [][]float64) *field {
	n, m := len(f.rows), len(candidates)
	e := &field{
		factor: f.clone(), cols: f.columns(candidates),
		first: blas64.General{Rows: n, Cols: m, Stride: max(1, m), Data: make([]float64, n*m)},
	}
	scratch := make([]float64, n*width)
	for c := 0; c < m; c += width {
		e.solveBlock(scratch, c, min(width, m-c))
	}
	return e
}

// solveBlock solves for w candidates from number c on. Row i of V is
// (K_i - Σ_{j<i} L_ij V_j)/L_ii, a matrix times a vector over the rows so far,
// for which there is a kernel in assembly.
func (e *field) solveBlock(scratch []float64, c, w int) {
	for i, l := range e.rows {
		dst := scratch[i*w : (i+1)*w]
		e.row(dst, e.points[i], e.cols, c)
		if i > 0 {
			done := blas64.General{Rows: i, Cols: w, Stride: w, Data: scratch}
			blas64.Gemv(blas.Trans, -1, done, vector(l[:i]), 1, vector(dst))
		}
		floats.Scale(1/l[i], dst)
		copy(e.first.Data[i*e.first.Stride+c:], dst)
	}
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }

// rowAt is row i of V.
func (e *field) rowAt(i int) []float64 {
	if i < e.first.Rows {
		return e.first.Data[i*e.first.Stride : i*e.first.Stride+e.first.Cols]
	}
	return e.more[i-e.first.Rows]
}

// weighted adds Σ_i z_i V_i to dst.
func (e *field) weighted(dst, z []float64) {
	if n := e.first.Rows; n > 0 && len(dst) > 0 {
		blas64.Gemv(blas.Trans, 1, e.first, vector(z[:n]), 1, vector(dst))
	}
	for i, row := range e.more {
		floats.AddScaled(dst, z[e.first.Rows+i], row)
	}
}

// variances are k(c,c) - v'v of the candidates.
func (e *field) variances() []float64 {
	out := slices.Repeat([]float64{e.signal}, e.first.Cols)
	for i := range e.rows {
		for c, v := range e.rowAt(i) {
			out[c] -= v * v
		}
	}
	return out
}

// extend appends a point and returns the new rows of L and of V.
func (e *field) extend(u []float64, noise float64) (l, v []float64) {
	n := len(e.rows)
	l = e.factor.extend(u, noise)
	v = make([]float64, e.first.Cols)
	minus := slices.Clone(l[:n])
	floats.Scale(-1, minus)
	e.row(v, u, e.cols, 0)
	e.weighted(v, minus)
	floats.Scale(1/l[n], v)
	e.more = append(e.more, v)
	return l, v
}

func (e *field) clone() *field {
	c := *e
	c.factor, c.more = e.factor.clone(), slices.Clip(e.more)
	return &c
}
