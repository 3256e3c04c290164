// Package chart draws series as text: what people would rather look at than read.
package chart

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Point is one value at one moment.
type Point struct{ X, Y float64 }

// Mark is a moment with a name, drawn below the axis.
type Mark struct {
	X    float64
	Name string
}

// Area is a filled curve from 0 up, with marks on the axis below.
type Area struct {
	Points []Point // in order of X
	Marks  []Mark  // in order of X
	Width  int     // columns in all, the numbers on the left included
	Height int     // rows of the curve
	Format func(y float64) string
}

// eighths are the parts of a cell that is filled from below.
const eighths = " ▁▂▃▄▅▆▇█"

// Draw writes the chart. Nothing is drawn of no points or of points at one X.
func (a Area) Draw(w io.Writer) {
	if len(a.Points) == 0 || a.Points[len(a.Points)-1].X <= a.Points[0].X {
		return
	}
	top := 0.0
	for _, p := range a.Points {
		top = math.Max(top, p.Y)
	}
	label, zero := a.Format(top), a.Format(0)
	left := max(len([]rune(label)), len([]rune(zero)))
	columns := a.columns(max(1, a.Width-left-2))
	for row := a.Height - 1; row >= 0; row-- {
		y := ""
		switch row {
		case a.Height - 1:
			y = label
		case 0:
			y = zero
		}
		line := make([]rune, 0, len(columns))
		for _, v := range columns {
			fill := 0.0
			if top > 0 {
				fill = math.Min(1, math.Max(0, v/top*float64(a.Height)-float64(row)))
			}
			line = append(line, []rune(eighths)[int(math.Round(fill*8))])
		}
		fmt.Fprintf(w, "%*s ┤%s\n", left, y, strings.TrimRight(string(line), " "))
	}
	a.axis(w, left+2, len(columns))
}

// columns is the greatest value in each column; a column without a point
// continues the one before.
func (a Area) columns(n int) []float64 {
	out := make([]float64, n)
	seen := make([]bool, n)
	for _, p := range a.Points {
		i := a.column(p.X, n)
		if !seen[i] || p.Y > out[i] {
			out[i], seen[i] = p.Y, true
		}
	}
	for i := 1; i < n; i++ {
		if !seen[i] {
			out[i] = out[i-1]
		}
	}
	return out
}

func (a Area) column(x float64, n int) int {
	from, to := a.Points[0].X, a.Points[len(a.Points)-1].X
	return min(n-1, max(0, int((x-from)/(to-from)*float64(n))))
}

// axis draws the marks: a tick each, and the names in as few rows as they fit in.
func (a Area) axis(w io.Writer, indent, n int) {
	ticks := []rune(strings.Repeat("─", n))
	var rows [][]rune
	for _, m := range a.Marks {
		at := a.column(m.X, n)
		ticks[at] = '┬'
		name := []rune(m.Name)
		at = max(0, min(at, n-len(name)))
		placed := false
		for i, r := range rows {
			if len(r) == 0 || len(r) < at {
				rows[i], placed = append(append(r, []rune(strings.Repeat(" ", at-len(r)))...), name...), true
				break
			}
		}
		if !placed {
			rows = append(rows, append([]rune(strings.Repeat(" ", at)), name...))
		}
	}
	pad := strings.Repeat(" ", indent)
	fmt.Fprintf(w, "%s%s\n", strings.Repeat(" ", indent-1)+"└", string(ticks))
	for _, r := range rows {
		fmt.Fprintf(w, "%s%s\n", pad, string(r))
	}
}
