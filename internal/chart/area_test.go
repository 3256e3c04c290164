package chart

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A triangle of height 4 in 4 rows: the middle column is full, the ends empty; a
// name that does not fit beside its neighbor goes to the next row.
func TestDraw(t *testing.T) {
	a := Area{
		Points: []Point{{0, 0}, {1, 2}, {2, 4}, {3, 2}, {4, 0}},
		Marks:  []Mark{{0, "down"}, {1, "up"}, {4, "end"}},
		Width:  14, Height: 4, Format: func(y float64) string { return fmt.Sprintf("%.0f s", y) },
	}
	b := new(strings.Builder)
	a.Draw(b)
	want := `
4 s ┤    ██
    ┤    ██
    ┤  ██████
0 s ┤  ██████
    └┬─┬─────┬
     down  end
       up
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("got%swant%s", got, want)
	}
}

// Whatever the points, no line is longer than the width.
func TestWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Area{Width: rapid.IntRange(20, 100).Draw(t, "width"), Height: rapid.IntRange(1, 12).Draw(t, "height"), Format: func(y float64) string { return fmt.Sprintf("%.0f", y) }}
		x := 0.0
		for _, y := range rapid.SliceOfN(rapid.Float64Range(0, 1e6), 2, 200).Draw(t, "y") {
			x += rapid.Float64Range(0.01, 5).Draw(t, "step")
			a.Points = append(a.Points, Point{x, y})
		}
		for _, m := range rapid.SliceOfN(rapid.Float64Range(-10, 500), 0, 8).Draw(t, "marks") {
			a.Marks = append(a.Marks, Mark{m, "catch-up"})
		}
		b := new(strings.Builder)
		a.Draw(b)
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > a.Width {
				t.Fatalf("%d columns, want at most %d: %q", n, a.Width, line)
			}
		}
	})
}
