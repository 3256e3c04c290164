package pareto

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rebound/internal/normal"
)

// maxObjectives is for how many the part that is not dominated is cut.
const maxObjectives = 3

// Region is the part of a box up to a reference point that a set of points does
// not dominate, cut into disjoint boxes: k+1 of them for k points of two
// objectives, at most 2k+1 for three. It does not change, and may be used from
// several goroutines.
type Region struct {
	ref   []float64
	cuts  [][]float64 // by objective, ascending; the first is -Inf
	boxes []box
	nodes *normal.Nodes
}

// box is from cuts[j][lo[j]] to cuts[j][hi[j]] in objective j.
type box struct{ lo, hi [maxObjectives]int }

// edges are the corners of a box.
type edges struct{ lo, hi [maxObjectives]float64 }

// NewRegion cuts what points leave of the box up to ref, which must be finite.
// There may be one, two or three objectives and no points at all; points may be
// dominated or beyond ref.
func NewRegion(points [][]float64, ref []float64) (*Region, error) {
	if len(ref) < 1 || len(ref) > maxObjectives {
		return nil, fmt.Errorf("pareto: %d objectives, want 1 to %d", len(ref), maxObjectives)
	}
	for j, v := range ref {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("pareto: reference of objective %d: %g, want a number", j, v)
		}
	}
	front := inside(points, ref)
	for _, p := range front {
		if slices.Contains(p, math.Inf(-1)) {
			return nil, errors.New("pareto: a point at -Inf leaves nothing to improve")
		}
	}
	var cut []edges
	switch len(ref) {
	case 1:
		cut = []edges{open(ref)}
		if len(front) > 0 {
			cut[0].hi[0] = front[0][0]
		}
	case 2:
		cut = strips(front, ref)
	case 3:
		cut = slabs(front, ref)
	}
	return index(cut, slices.Clone(ref)), nil
}

// open is the whole box.
func open(ref []float64) edges {
	var e edges
	for j, r := range ref {
		e.lo[j], e.hi[j] = math.Inf(-1), r
	}
	return e
}

// strips cut the plane at the first objectives of the front: strip i lies
// between points i and i+1 and below point i.
func strips(front [][]float64, ref []float64) []edges {
	byObjective(front, 0)
	left := open(ref)
	var out []edges
	for _, p := range front {
		right := left
		left.hi[0], right.lo[0], right.hi[1] = p[0], p[0], p[1]
		out = append(out, left)
		left = right
	}
	return append(out, left)
}

// slabs sweeps the third objective upwards and keeps the strips of the points
// below. A strip that a point cuts is closed at its level, and what remains of
// it begins there.
func slabs(front [][]float64, ref []float64) []edges {
	byObjective(front, 2)
	live := []edges{open(ref)}
	var done []edges
	closed := func(e edges, level float64) {
		if e.hi[2] = level; e.lo[2] < level {
			done = append(done, e)
		}
	}
	for _, p := range front {
		first := slices.IndexFunc(live, func(e edges) bool { return e.hi[0] > p[0] })
		last := first
		for last < len(live) && live[last].hi[1] > p[1] {
			closed(live[last], p[2])
			last++
		}
		left, right := live[first], live[last-1]
		left.hi[0], left.lo[2] = p[0], p[2]
		right.lo[0], right.hi[1], right.lo[2] = p[0], p[1], p[2]
		fresh := []edges{left, right}
		if left.lo[0] == p[0] {
			fresh = fresh[1:]
		}
		live = slices.Replace(live, first, last, fresh...)
	}
	for _, e := range live {
		closed(e, ref[2])
	}
	return done
}

// index replaces corners by their place among the cuts, so that ψ is computed
// once for each cut.
func index(cut []edges, ref []float64) *Region {
	r := &Region{ref: ref, boxes: make([]box, len(cut)), nodes: normal.NewNodes()}
	for j := range ref {
		cuts := []float64{math.Inf(-1)}
		for _, e := range cut {
			cuts = append(cuts, e.lo[j], e.hi[j])
		}
		slices.Sort(cuts)
		r.cuts = append(r.cuts, slices.Compact(cuts))
	}
	for i, e := range cut {
		for j, cuts := range r.cuts {
			r.boxes[i].lo[j], _ = slices.BinarySearch(cuts, e.lo[j])
			r.boxes[i].hi[j], _ = slices.BinarySearch(cuts, e.hi[j])
		}
	}
	return r
}

// Gain is the improvement of the hypervolume by a point y: 0 if it is dominated
// or beyond the reference.
func (r *Region) Gain(y []float64) float64 {
	sameLength(y, r.ref)
	sum := 0.0
	for _, b := range r.boxes {
		side := 1.0
		for j, v := range y {
			side *= max(0, r.cuts[j][b.hi[j]]-max(r.cuts[j][b.lo[j]], v))
		}
		sum += side
	}
	return sum
}
