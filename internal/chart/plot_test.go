package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func day() Plot {
	p := Plot{
		Title: "Load and capacity", Unit: "records/s",
		FormatX: func(v float64) string { return fmt.Sprintf("%02.0f:00", v/3600) },
		FormatY: func(v float64) string { return fmt.Sprintf("%.0f k", v/1000) },
		Marks:   []Mark{{X: 6 * 3600, Name: "8→12"}, {X: 20 * 3600, Name: "12→8"}},
		Rules:   []Rule{{Name: "limit", Y: 90e3}},
		Spans:   []Span{{From: 12 * 3600, To: 12*3600 + 120, Name: "process failure"}},
	}
	load, capacity := Line{Name: "load", Color: Load}, Line{Name: "capacity", Color: Capacity, Step: true}
	band := Band{Name: "forecast 5–95 %", Color: Forecast}
	for h := 0.0; h <= 24; h += 0.5 {
		v := 50e3 - 25e3*math.Cos(h/24*2*math.Pi)
		load.X, load.Y = append(load.X, h*3600), append(load.Y, v)
		band.X, band.Low, band.High = append(band.X, h*3600), append(band.Low, 0.9*v), append(band.High, 1.1*v)
		c := 60e3
		if h >= 6 && h < 20 {
			c = 95e3
		}
		capacity.X, capacity.Y = append(capacity.X, h*3600), append(capacity.Y, c)
	}
	load.Y[7] = math.NaN() // a gap
	p.Lines, p.Bands = []Line{load, capacity}, []Band{band}
	p.Dots = []Dots{{Name: "recovery", Color: Measured, X: []float64{12 * 3600}, Y: []float64{80e3}, Words: []string{"116 s & <fine>"}}}
	return p
}

func TestPlotGolden(t *testing.T) {
	for name, draw := range map[string]func(io.Writer) error{
		"day.svg":   day().SVG,
		"day.txt":   func(w io.Writer) error { day().Text(w, 80, 10); return nil },
		"front.svg": front().SVG,
		"front.txt": func(w io.Writer) error { front().Scatter(w, 60, 8); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := draw(&got); err != nil {
				t.Fatal(err)
			}
			file := "testdata/" + name
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// Whatever the data, the SVG is well-formed, holds no NaN, and no line of text is
// wider than asked.
func TestPlotProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-1e6, 1e9), rapid.Just(math.NaN()), rapid.Just(math.Inf(1)), rapid.Just(0.0))
		n := rapid.IntRange(0, 20).Draw(t, "n")
		l := Line{Name: rapid.StringMatching(`[a-z<&"]{0,12}`).Draw(t, "name"), Color: Load, Step: rapid.Bool().Draw(t, "step")}
		for i := range n {
			l.X, l.Y = append(l.X, float64(i)), append(l.Y, value.Draw(t, "y"))
		}
		p := Plot{Title: "a < b & c", Lines: []Line{l, l}, Marks: []Mark{{X: 1, Name: "m"}}}
		var svg, txt bytes.Buffer
		if err := p.SVG(&svg); err != nil {
			t.Fatal(err)
		}
		if s := svg.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Fatalf("a coordinate that is none: %s", s)
		}
		dec := xml.NewDecoder(&svg)
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		p.Text(&txt, 60, 6)
		for _, line := range strings.Split(txt.String(), "\n")[1:] {
			if len([]rune(line)) > 60 {
				t.Fatalf("%d columns: %q", len([]rune(line)), line)
			}
		}
	})
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		bases  []float64
		want   []float64
	}{
		{0, 100, 4, decimal, []float64{0, 50, 100}},
		{0, 80e3, 4, decimal, []float64{0, 20e3, 40e3, 60e3, 80e3}},
		{0, 86400, 8, clock, []float64{0, 10800, 21600, 32400, 43200, 54000, 64800, 75600, 86400}},
		{0, 14 * 86400, 7, clock, []float64{0, 172800, 345600, 518400, 691200, 864000, 1036800, 1209600}},
	} {
		if diff := cmp.Diff(c.want, ticks(c.lo, c.hi, c.n, c.bases)); diff != "" {
			t.Errorf("%v..%v: %s", c.lo, c.hi, diff)
		}
	}
}
