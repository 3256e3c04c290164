package chart

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// overlays are how the lines after the first are drawn over it.
const overlays = "─╌·"

// Text draws the chart in width columns and height rows: the first line as a
// filled curve, the others over it, the marks on the axis. Where several values
// fall into a column the greatest is shown.
func (p Plot) Text(w io.Writer, width, height int) {
	x0, x1, y0, y1, ok := p.extent()
	if !ok || len(p.Lines) == 0 {
		fmt.Fprintln(w, p.Title+": no data")
		return
	}
	high, low := format(p.FormatY, y1), format(p.FormatY, y0)
	left := max(len([]rune(high)), len([]rune(low)))
	n := max(1, width-left-2)
	cells := make([][]rune, height)
	for i := range cells {
		cells[i] = []rune(strings.Repeat(" ", n))
	}
	level := func(v float64) float64 { return (v - y0) / (y1 - y0) * float64(height) }
	for i, v := range p.Lines[0].columns(x0, x1, n) {
		for row := range height {
			fill := math.Min(1, math.Max(0, level(v)-float64(height-1-row)))
			if !math.IsNaN(v) {
				cells[row][i] = []rune(eighths)[int(math.Round(fill*8))]
			}
		}
	}
	for k, l := range p.Lines[1:] {
		glyph := []rune(overlays)[k%len([]rune(overlays))]
		for i, v := range l.columns(x0, x1, n) {
			if math.IsNaN(v) {
				continue
			}
			row := height - 1 - min(height-1, max(0, int(level(v))))
			cells[row][i] = glyph
		}
	}
	fmt.Fprintf(w, "%s%s\n", p.Title, p.key())
	for row, c := range cells {
		y := ""
		switch row {
		case 0:
			y = high
		case height - 1:
			y = low
		}
		fmt.Fprintf(w, "%*s ┤%s\n", left, y, strings.TrimRight(string(c), " "))
	}
	frame := Area{Points: []Point{{X: x0}, {X: x1}}, Marks: p.Marks}
	if len(frame.Marks) == 0 {
		for _, t := range ticks(x0, x1, max(1, n/16), clock) {
			frame.Marks = append(frame.Marks, Mark{X: t, Name: format(p.FormatX, t)})
		}
	}
	frame.axis(w, left+2, n)
}

// key names the lines by the sign that each is drawn with.
func (p Plot) key() string {
	parts := []string{"█ " + p.Lines[0].Name}
	for k, l := range p.Lines[1:] {
		parts = append(parts, string([]rune(overlays)[k%len([]rune(overlays))])+" "+l.Name)
	}
	return ": " + strings.Join(parts, "  ")
}

// columns is the greatest value of the line in each of n columns; a column
// without a value continues the one before, where that is not a gap.
func (l Line) columns(x0, x1 float64, n int) []float64 {
	out := make([]float64, n)
	seen := make([]bool, n)
	for i := range out {
		out[i] = math.NaN()
	}
	for i, x := range l.X {
		c := min(n-1, max(0, int((x-x0)/(x1-x0)*float64(n))))
		if !seen[c] || l.Y[i] > out[c] {
			out[c], seen[c] = l.Y[i], true
		}
	}
	for i := 1; i < n; i++ {
		if !seen[i] {
			out[i] = out[i-1]
		}
	}
	return out
}
