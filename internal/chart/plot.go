package chart

import "math"

// Plot is a chart of series over one axis of X, drawn as SVG or as text. It says
// one thing, in its title. NaN is a gap.
type Plot struct {
	Title string
	Unit  string // of Y, beside the title
	Lines []Line
	Bands []Band
	Dots  []Dots
	Bars  []Bars
	Rules []Rule // horizontal: a target
	Spans []Span // stretches of X that are shaded: failures
	Marks []Mark // moments, on the axis: decisions

	FormatX, FormatY func(v float64) string
	PlainX           bool    // X is a number as any other, not a time in seconds
	MinY             float64 // the axis reaches down to it, and to 0
	MaxY             float64 // the axis does not reach beyond it; 0: as far as the data
}

// Color is what a series stands for: the same thing has the same color on every
// chart.
type Color string

// Colors, by meaning.
const (
	Load      Color = "load"
	Capacity  Color = "capacity"
	Processed Color = "processed"
	Forecast  Color = "forecast"
	Predicted Color = "predicted"
	Measured  Color = "measured"
	Limit     Color = "limit" // a target or what violates it
	Cost      Color = "cost"
	Other     Color = "other"
)

// Line is a series of values.
type Line struct {
	Name  string
	Color Color
	X, Y  []float64
	Step  bool // holds until the next value
	Thin  bool
}

// Band is a range between two series: an uncertainty.
type Band struct {
	Name         string
	Color        Color
	X, Low, High []float64
}

// Dots are single values; each may have words of its own.
type Dots struct {
	Name  string
	Color Color
	X, Y  []float64
	Words []string // shown on pointing; may be nil
}

// Rule is a horizontal line.
type Rule struct {
	Name string
	Y    float64
}

// Span is a stretch of X.
type Span struct {
	From, To float64
	Name     string
}

// extent is the range of the data.
func (p Plot) extent() (x0, x1, y0, y1 float64, ok bool) {
	x0, x1, y0, y1 = math.Inf(1), math.Inf(-1), math.Min(0, p.MinY), 0
	see := func(xs, ys []float64) {
		for i, x := range xs {
			if i < len(ys) && !math.IsNaN(ys[i]) && !math.IsInf(ys[i], 0) && !math.IsNaN(x) {
				x0, x1 = math.Min(x0, x), math.Max(x1, x)
				y0, y1 = math.Min(y0, ys[i]), math.Max(y1, ys[i])
			}
		}
	}
	for _, l := range p.Lines {
		see(l.X, l.Y)
	}
	for _, b := range p.Bands {
		see(b.X, b.Low)
		see(b.X, b.High)
	}
	for _, d := range p.Dots {
		see(d.X, d.Y)
	}
	for _, b := range p.Bars {
		see(b.X, b.Low)
		see(b.X, b.High)
	}
	for _, r := range p.Rules {
		y1 = math.Max(y1, r.Y)
	}
	if p.MaxY > 0 {
		y1 = math.Min(y1, p.MaxY)
	}
	if y1 <= y0 {
		y1 = y0 + 1
	}
	if p.PlainX { // nothing begins or ends at the frame
		if x1 == x0 {
			x0, x1 = x0-1, x1+1
		}
		room := (x1 - x0) / 20
		x0, x1 = x0-room, x1+room
	}
	return x0, x1, y0, y1, x1 > x0
}

// ticks are round values from lo to hi, about n of them.
func ticks(lo, hi float64, n int, bases []float64) []float64 {
	step := niceStep((hi-lo)/float64(max(1, n)), bases)
	var out []float64
	for v := math.Ceil(lo/step-1e-9) * step; v <= hi+step*1e-9; v += step {
		out = append(out, v)
	}
	return out
}

// decimal steps are 1, 2 and 5 times a power of ten; those of clock are seconds,
// minutes, hours and days.
var (
	decimal = []float64{1, 2, 5, 10}                                                              //nolint:gochecknoglobals // a constant
	clock   = []float64{1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400} //nolint:gochecknoglobals // a constant
)

// niceStep is the least step of the bases that is not below want; decimal bases
// are scaled by a power of ten, those of a clock go on by whole days.
func niceStep(want float64, bases []float64) float64 {
	scale := 1.0
	if bases[len(bases)-1] == 10 {
		scale = math.Pow(10, math.Floor(math.Log10(want)))
	}
	for _, b := range bases {
		if b*scale >= want*(1-1e-9) {
			return b * scale
		}
	}
	last := bases[len(bases)-1] * scale
	return last * math.Ceil(want/last)
}
