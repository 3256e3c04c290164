package chart

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// front is cost against latency: three settings, one of whose latencies has no
// upper bound.
func front() Plot {
	x, y := []float64{0.4, 0.7, 1.1}, []float64{1.8, 1.3, 1.1}
	return Plot{
		Title: "Cost against latency", Unit: "s", PlainX: true,
		FormatX: func(v float64) string { return fmt.Sprintf("%.2f", v) },
		FormatY: func(v float64) string { return fmt.Sprintf("%.1f s", v) },
		Rules:   []Rule{{Name: "limit", Y: 2}},
		Dots: []Dots{
			{Name: "allowed", Color: Predicted, X: x, Y: y, Words: []string{"p 8", "p 12", "p 24"}},
			{Name: "now", Color: Measured, X: []float64{1}, Y: []float64{1.5}},
		},
		Bars: []Bars{{Name: "5–95 %", Color: Predicted, X: x, Low: []float64{1.5, 1.2, 1}, High: []float64{2.1, 1.4, math.Inf(1)}}},
	}
}

// A single dot has an axis, too, and what has no value is left out: no line is
// wider than asked, and the SVG has no NaN.
func TestScatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-1e6, 1e9), rapid.Just(math.NaN()), rapid.Just(math.Inf(1)), rapid.Just(0.0))
		n := rapid.IntRange(0, 6).Draw(t, "n")
		d, b := Dots{Name: "a", Color: Cost}, Bars{Name: "b", Color: Cost}
		for range n {
			x := rapid.Float64Range(-1, 10).Draw(t, "x")
			d.X, d.Y = append(d.X, x), append(d.Y, value.Draw(t, "y"))
			b.X, b.Low, b.High = append(b.X, x), append(b.Low, value.Draw(t, "low")), append(b.High, value.Draw(t, "high"))
		}
		p := Plot{Title: "t", PlainX: true, Dots: []Dots{d}, Bars: []Bars{b}}
		var svg, txt bytes.Buffer
		if err := p.SVG(&svg); err != nil {
			t.Fatal(err)
		}
		if s := svg.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Fatalf("a coordinate that is none: %s", s)
		}
		p.Scatter(&txt, 60, 6)
		for _, line := range strings.Split(txt.String(), "\n")[1:] {
			if len([]rune(line)) > 60 {
				t.Fatalf("%d columns: %q", len([]rune(line)), line)
			}
		}
	})
	one := new(strings.Builder)
	Plot{Title: "one", PlainX: true, Dots: []Dots{{X: []float64{3}, Y: []float64{2}}}}.Scatter(one, 30, 3)
	if !strings.Contains(one.String(), "●") {
		t.Errorf("the dot is missing:\n%s", one)
	}
}
