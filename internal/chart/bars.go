package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// Bars are ranges of values at single places, as of dots whose values are not
// known exactly.
type Bars struct {
	Name         string
	Color        Color
	X, Low, High []float64
}

// there says whether bar i has both ends.
func (b Bars) there(i int) bool {
	return !math.IsNaN(b.X[i]) && !math.IsNaN(b.Low[i]) && !math.IsNaN(b.High[i]) && !math.IsInf(b.High[i], 0)
}

// bars draws each as a line with caps.
func (d *drawing) bars(b Bars) {
	const capWidth = 4
	for i, at := range b.X {
		if !b.there(i) {
			continue
		}
		x, low, high := d.x(at), d.y(b.Low[i]), d.y(b.High[i])
		d.printf(`<path class="line thin" stroke="var(--%s)" d="M%s %sH%sM%s %sV%sM%s %sH%s"><title>%s</title></path>`, b.Color,
			px(x-capWidth), px(low), px(x+capWidth), px(x), px(low), px(high), px(x-capWidth), px(high), px(x+capWidth), html.EscapeString(b.Name))
	}
}

// dotGlyphs are how series of dots are drawn, in their order.
const dotGlyphs = "●○◆◇"

// Scatter draws dots and bars in width columns and height rows: what differs along
// a number, not along time.
func (p Plot) Scatter(w io.Writer, width, height int) {
	x0, x1, y0, y1, ok := p.extent()
	if !ok || len(p.Dots) == 0 {
		fmt.Fprintln(w, p.Title+": no data")
		return
	}
	high, low := format(p.FormatY, y1), format(p.FormatY, y0)
	left := max(len([]rune(high)), len([]rune(low)))
	c := canvas{cells: make([][]rune, height), columns: max(1, width-left-2), x0: x0, x1: x1, y0: y0, y1: y1}
	for i := range c.cells {
		c.cells[i] = []rune(strings.Repeat(" ", c.columns))
	}
	for _, r := range p.Rules {
		for i := range c.columns {
			c.cells[c.row(r.Y)][i] = '╌'
		}
	}
	for _, b := range p.Bars {
		c.bars(b)
	}
	for k, s := range p.Dots {
		for i, x := range s.X {
			if !math.IsNaN(x) && !math.IsNaN(s.Y[i]) {
				c.cells[c.row(s.Y[i])][c.column(x)] = []rune(dotGlyphs)[k%len([]rune(dotGlyphs))]
			}
		}
	}
	fmt.Fprintln(w, p.Title+p.dotKey())
	for row, cells := range c.cells {
		y := ""
		switch row {
		case 0:
			y = high
		case height - 1:
			y = low
		}
		fmt.Fprintf(w, "%*s ┤%s\n", left, y, strings.TrimRight(string(cells), " "))
	}
	fmt.Fprintf(w, "%*s └%s\n", left, "", strings.Repeat("─", c.columns))
	from, to := format(p.FormatX, x0), format(p.FormatX, x1)
	fmt.Fprintf(w, "%*s%s%s%s\n", left+2, "", from, strings.Repeat(" ", max(1, c.columns-len([]rune(from))-len([]rune(to)))), to)
}

// dotKey names the dots by the sign that each is drawn with.
func (p Plot) dotKey() string {
	parts := make([]string, len(p.Dots))
	for k, s := range p.Dots {
		parts[k] = string([]rune(dotGlyphs)[k%len([]rune(dotGlyphs))]) + " " + s.Name
	}
	return ": " + strings.Join(parts, "  ")
}

// canvas is a chart of characters.
type canvas struct {
	cells          [][]rune
	columns        int
	x0, x1, y0, y1 float64
}

func (c *canvas) row(y float64) int {
	n := len(c.cells)
	return n - 1 - min(n-1, max(0, int((y-c.y0)/(c.y1-c.y0)*float64(n))))
}

func (c *canvas) column(x float64) int {
	return min(c.columns-1, max(0, int((x-c.x0)/(c.x1-c.x0)*float64(c.columns))))
}

func (c *canvas) bars(b Bars) {
	for i, x := range b.X {
		if !b.there(i) {
			continue
		}
		for row := c.row(b.High[i]); row <= c.row(b.Low[i]); row++ {
			c.cells[row][c.column(x)] = '│'
		}
	}
}
