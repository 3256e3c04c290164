package pareto

// Hypervolume is the volume dominated by points within the box up to ref, exact
// for any number of objectives: O(n log n) for two, and n times as much for each
// more. It is 0 where no point is below ref. Points at -Inf make it +Inf.
func Hypervolume(points [][]float64, ref []float64) float64 {
	if len(ref) == 0 {
		return 0
	}
	return volume(inside(points, ref), ref)
}

// volume is Hypervolume for points that do not dominate each other in all of
// their objectives, and are below ref.
func volume(points [][]float64, ref []float64) float64 {
	last := len(ref) - 1
	if len(points) == 0 {
		return 0
	}
	byObjective(points, last)
	if last == 0 {
		return ref[0] - points[0][0]
	}
	if last == 1 {
		return area(points, ref)
	}
	sum := 0.0
	for i, p := range points {
		next := ref[last]
		if i+1 < len(points) {
			next = points[i+1][last]
		}
		if next == p[last] {
			continue
		}
		slice := make([][]float64, i+1)
		for k, q := range points[:i+1] {
			slice[k] = q[:last]
		}
		sum += (next - p[last]) * volume(inside(slice, ref[:last]), ref[:last])
	}
	return sum
}

// area sweeps points that rise in the second objective, and so fall in the
// first.
func area(points [][]float64, ref []float64) float64 {
	sum := 0.0
	for i, p := range points {
		top := ref[1]
		if i+1 < len(points) {
			top = points[i+1][1]
		}
		sum += (ref[0] - p[0]) * (top - p[1])
	}
	return sum
}
