package forecast

// grid is the horizons, ascending and in steps from 1, at which forecasts are compared
// with what came: all of the first ones, then ever fewer. Others lie between two of
// them.
type grid []int

// newGrid covers the horizons 1 to last.
func newGrid(last int) grid {
	var g grid
	for h := 1; h < last; h += max(1, h/6) {
		g = append(g, h)
	}
	return append(g, last)
}

// place finds the horizon h between the places a and a+1 of the grid: the share of
// a+1. Beyond the ends it is the end.
func (g grid) place(h int) (a int, share float64) {
	if len(g) == 1 || h <= g[0] {
		return 0, 0
	}
	a = 0
	for a < len(g)-2 && g[a+1] <= h {
		a++
	}
	share = float64(h-g[a]) / float64(g[a+1]-g[a])
	return a, min(share, 1)
}

// between is the value at horizon h of a function known at the grid.
func (g grid) between(at []float64, h int) float64 {
	a, share := g.place(h)
	if share == 0 {
		return at[a]
	}
	return at[a] + share*(at[a+1]-at[a])
}
