// Package pareto compares points that have several objectives, all of them to be
// minimized: which are not dominated, how much they dominate together (the
// hypervolume), and how much more is expected from a point whose objectives are
// only believed.
//
// A point dominates another if it is nowhere larger and somewhere smaller. The
// hypervolume of a set is the volume that it dominates within a box up to a
// reference point, the worst that anybody cares for; points that are not below
// the reference in every objective count for nothing.
//
// The expected improvement of the hypervolume is computed from the part of the
// box that is not dominated, cut into disjoint boxes: over a box with corners l
// and u, the improvement of a point y is Π_j max(0, u_j - max(l_j, y_j)), and for
// independent normal objectives its expectation is a product of
// ψ(u_j) - ψ(l_j) with ψ(t) = E max(0, t - y_j) = s·h((t-m)/s): exact for two
// objectives and for three. See M. Emmerich, K. Yang, A. Deutz, H. Wang and C. M.
// Fonseca, A Multicriteria Generalization of Bayesian Global Optimization, 2016,
// and R. Lacour, K. Klamroth and C. M. Fonseca, A Box Decomposition Algorithm to
// Compute the Hypervolume Indicator, 2017. Logarithms, as by S. Ament, S.
// Daulton, D. Eriksson, M. Balandat and E. Bakshy, Unexpected Improvements to
// Expected Improvement for Bayesian Optimization, NeurIPS 2023, tell candidates
// apart whose improvement is far below the range of float64.
//
// Points with a NaN are never part of a front. All points of a call have the
// same number of objectives; it is a bug of the caller if not, and panics.
package pareto

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Dominates says whether a is nowhere larger than b and somewhere smaller.
func Dominates(a, b []float64) bool {
	smaller := false
	for j, v := range a {
		if !(v <= b[j]) {
			return false
		}
		smaller = smaller || v < b[j]
	}
	return smaller
}

// Front lists the points that no other dominates, by index, ascending. Of equal
// points the first is listed.
func Front(points [][]float64) []int {
	order := make([]int, 0, len(points))
	for i, p := range points {
		sameLength(p, points[0])
		if !slices.ContainsFunc(p, math.IsNaN) {
			order = append(order, i)
		}
	}
	// A point can be dominated only by one that is before it in this order.
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(points[a], points[b]) })
	var front []int
	for _, i := range order {
		beaten := func(f int) bool {
			return Dominates(points[f], points[i]) || slices.Equal(points[f], points[i])
		}
		if !slices.ContainsFunc(front, beaten) {
			front = append(front, i)
		}
	}
	slices.Sort(front)
	return front
}

// Layers sorts points into fronts: the first is Front, the next is the front of
// what remains, and so on. Equal points are in layers one after another; points
// with a NaN in none.
func Layers(points [][]float64) [][]int {
	rest := make([]int, len(points))
	for i := range rest {
		rest[i] = i
	}
	var out [][]int
	for {
		left := make([][]float64, len(rest))
		for k, i := range rest {
			left[k] = points[i]
		}
		front := Front(left)
		if len(front) == 0 {
			return out
		}
		layer := make([]int, len(front))
		for k, f := range front {
			layer[k] = rest[f]
		}
		out = append(out, layer)
		rest = slices.DeleteFunc(rest, func(i int) bool { return slices.Contains(layer, i) })
	}
}

// inside are the points of the front below ref in every objective.
func inside(points [][]float64, ref []float64) [][]float64 {
	var below [][]float64
	for _, p := range points {
		sameLength(p, ref)
		out := func(j int) bool { return !(p[j] < ref[j]) }
		if !slices.ContainsFunc(indices(len(ref)), out) {
			below = append(below, p)
		}
	}
	front := Front(below)
	kept := make([][]float64, len(front))
	for k, i := range front {
		kept[k] = below[i]
	}
	return kept
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func sameLength(p, q []float64) {
	if len(p) != len(q) {
		panic(fmt.Sprintf("pareto: a point of %d objectives among points of %d", len(p), len(q)))
	}
}

// byObjective orders points by objective j.
func byObjective(points [][]float64, j int) {
	slices.SortStableFunc(points, func(a, b []float64) int { return cmp.Compare(a[j], b[j]) })
}
