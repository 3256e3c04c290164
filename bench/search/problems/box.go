// Package problems holds test problems of constrained optimization whose best
// value is known: two objectives over the unit box, and a stream job with 10,080
// settings. All are minimized and written down from their formulas; those that
// the rivals' scripts know as well are tested against values printed by these.
//
// A point is feasible when every slack is at least 0.
package problems

import (
	"slices"

	"rebound/internal/pareto"
)

// Box is a problem over the unit box and how many trials it is given.
type Box struct {
	Name        string
	Dim         int
	Constraints int
	Ref         []float64 // the worst that counts, of each objective
	NoiseSD     []float64 // standard deviation of the noise of each objective
	Initial     int       // trials at given start points
	Batches, Q  int       // then so many batches of Q trials
	Best        float64   // the largest hypervolume known
	Floor       float64   // the goal of ours; 0: none

	eval func(u []float64) (objectives, slacks []float64)
}

// At is the truth at a point of the unit box, without noise.
func (b Box) At(u []float64) (objectives, slacks []float64) { return b.eval(u) }

// Hypervolume is what the feasible points of a history dominate together.
func (b Box) Hypervolume(points [][]float64) float64 {
	var kept [][]float64
	for _, u := range points {
		f, slacks := b.eval(u)
		if !slices.ContainsFunc(slacks, func(s float64) bool { return s < 0 }) {
			kept = append(kept, f)
		}
	}
	return pareto.Hypervolume(kept, b.Ref)
}

// Named is the problem of that name.
func Named(name string) (Box, bool) {
	all := Boxes()
	i := slices.IndexFunc(all, func(b Box) bool { return b.Name == name })
	if i < 0 {
		return Box{}, false
	}
	return all[i], true
}

// Boxes lists the problems over the unit box. Best values are those of long
// searches by NSGA-II (2 × 160,000 evaluations) but for DTLZ2, whose is exact.
func Boxes() []Box {
	clean := []float64{0, 0}
	return []Box{
		{
			Name: "branincurrin", Dim: 2, Ref: []float64{18, 6}, NoiseSD: []float64{15.19, 0.63},
			Initial: 6, Batches: 20, Q: 4, Best: 59.4022, Floor: 57.9, eval: braninCurrin,
		},
		{
			Name: "cbranincurrin", Dim: 2, Constraints: 1, Ref: []float64{80, 12}, NoiseSD: clean,
			Initial: 6, Batches: 20, Q: 2, Best: 609.2140, Floor: 605.7, eval: constrainedBraninCurrin,
		},
		{
			Name: "c2dtlz2", Dim: 4, Constraints: 1, Ref: []float64{1.1, 1.1}, NoiseSD: clean,
			Initial: 10, Batches: 20, Q: 2, Best: 0.400019, Floor: 0.375, eval: c2DTLZ2,
		},
		{
			Name: "osy", Dim: 6, Constraints: 6, Ref: []float64{-75, 75}, NoiseSD: clean,
			Initial: 14, Batches: 20, Q: 2, Best: 10100.77, Floor: 9600, eval: osy,
		},
		{
			Name: "dtlz2", Dim: 6, Ref: []float64{1.1, 1.1}, NoiseSD: clean,
			Initial: 14, Batches: 30, Q: 2, Best: 0.424602, Floor: 0.407, eval: dtlz2,
		},
		{
			Name: "bnh", Dim: 2, Constraints: 2, Ref: []float64{140, 50}, NoiseSD: clean,
			Initial: 6, Batches: 10, Q: 2, Best: 5285.0896, Floor: 5175, eval: bnh,
		},
		{
			Name: "srn", Dim: 2, Constraints: 2, Ref: []float64{301, 72}, NoiseSD: clean,
			Initial: 6, Batches: 10, Q: 2, Best: 62737.8085, Floor: 61100, eval: srn,
		},
		{
			Name: "mw7", Dim: 4, Constraints: 2, Ref: []float64{1.2, 1.2}, NoiseSD: clean,
			Initial: 10, Batches: 30, Q: 2, Best: 0.503988, Floor: 0.44, eval: mw7,
		},
		{
			Name: "weldedbeam", Dim: 4, Constraints: 4, Ref: []float64{40, 0.015}, NoiseSD: clean,
			Initial: 10, Batches: 20, Q: 2, Best: 0.512748, Floor: 0.455, eval: weldedBeam,
		},
		{
			Name: "discbrake", Dim: 4, Constraints: 4, Ref: []float64{5.7771, 3.9651}, NoiseSD: clean,
			Initial: 10, Batches: 20, Q: 2, Best: 11.219806, Floor: 11.13, eval: discBrake,
		},
	}
}
