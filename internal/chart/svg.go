package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Size of a chart and its margins, in the units of its viewBox.
const (
	svgWidth, svgHeight    = 960.0, 240.0
	left, right            = 64.0, 12.0
	top, bottom            = 34.0, 34.0
	ticksAcross, ticksDown = 8, 4
)

// Style is the CSS that SVG expects on its page, for light and dark screens. It
// is part of each chart, so that one stands alone as a file, too.
const Style = `svg.chart{--ink:#1b1f24;--faint:#d7dce1;--paper:#fff;--load:#3572c6;--capacity:#8a8f98;--processed:#2a9d8f;--forecast:#9b6bd3;--predicted:#d08a1d;--measured:#1b1f24;--limit:#c43c3c;--cost:#4d8b31;--other:#7a6a58;font:12px system-ui,sans-serif;background:var(--paper)}
@media(prefers-color-scheme:dark){svg.chart{--ink:#e6e8ea;--faint:#3a4048;--paper:#16191d;--load:#6ba4f0;--capacity:#9aa0a8;--processed:#58c7b9;--forecast:#bb93ea;--predicted:#eeb255;--measured:#f2f3f4;--limit:#f07070;--cost:#8cc96b;--other:#b5a48f}}
svg.chart text{fill:var(--ink)}svg.chart .title{font-weight:600;font-size:13px}svg.chart .grid{stroke:var(--faint)}svg.chart .axis{stroke:var(--ink)}svg.chart .line{fill:none;stroke-width:1.6;stroke-linejoin:round}svg.chart .thin{stroke-width:.8}svg.chart .band{opacity:.22;stroke:none}svg.chart .span{fill:var(--limit);opacity:.14}svg.chart .mark{stroke:var(--ink);stroke-dasharray:2 3;opacity:.7}svg.chart .rule{stroke:var(--limit);stroke-dasharray:6 4}`

// SVG draws the chart as an element that scales with its page. A chart without
// data says so.
func (p Plot) SVG(w io.Writer) error {
	d := drawing{plot: p}
	x0, x1, y0, y1, ok := p.extent()
	d.printf(`<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-label="%s"><style>%s</style>`,
		svgWidth, svgHeight, html.EscapeString(p.Title), Style)
	d.printf(`<text class="title" x="%g" y="16">%s</text>`, left, html.EscapeString(p.Title))
	if !ok {
		d.printf(`<text x="%g" y="%g">no data</text></svg>`, left, svgHeight/2)
		_, err := io.WriteString(w, d.String())
		return err
	}
	d.x0, d.x1, d.y0, d.y1 = x0, x1, y0, y1+(y1-y0)*0.04
	d.grid()
	d.spans()
	for _, b := range p.Bands {
		d.band(b)
	}
	for _, l := range p.Lines {
		d.line(l)
	}
	d.rules()
	for _, b := range p.Bars {
		d.bars(b)
	}
	for _, s := range p.Dots {
		d.dots(s)
	}
	d.marks()
	d.legend()
	d.printf("</svg>\n")
	_, err := io.WriteString(w, d.String())
	return err
}

type drawing struct {
	strings.Builder
	plot           Plot
	x0, x1, y0, y1 float64
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *drawing) x(v float64) float64 {
	return left + (v-d.x0)/(d.x1-d.x0)*(svgWidth-left-right)
}

// y is clipped to the frame: what is beyond the axis is drawn at its end.
func (d *drawing) y(v float64) float64 {
	v = math.Max(d.y0, math.Min(d.y1, v))
	return svgHeight - bottom - (v-d.y0)/(d.y1-d.y0)*(svgHeight-top-bottom)
}

func (d *drawing) grid() {
	for _, v := range ticks(d.y0, d.y1, ticksDown, decimal) {
		d.printf(`<line class="grid" x1="%g" x2="%g" y1="%s" y2="%s"/><text x="%g" y="%s" text-anchor="end" dy=".35em">%s</text>`,
			left, svgWidth-right, px(d.y(v)), px(d.y(v)), left-6, px(d.y(v)), html.EscapeString(format(d.plot.FormatY, v)))
	}
	bases := clock
	if d.plot.PlainX {
		bases = decimal
	}
	for _, v := range ticks(d.x0, d.x1, ticksAcross, bases) {
		d.printf(`<line class="grid" x1="%s" x2="%s" y1="%g" y2="%g"/><text x="%s" y="%g" text-anchor="middle">%s</text>`,
			px(d.x(v)), px(d.x(v)), top, svgHeight-bottom, px(d.x(v)), svgHeight-bottom+18, html.EscapeString(format(d.plot.FormatX, v)))
	}
	d.printf(`<line class="axis" x1="%g" x2="%g" y1="%s" y2="%s"/>`, left, svgWidth-right, px(d.y(d.y0)), px(d.y(d.y0)))
}

func (d *drawing) spans() {
	for _, s := range d.plot.Spans {
		width := math.Max(1.5, d.x(s.To)-d.x(s.From))
		d.printf(`<rect class="span" x="%s" width="%s" y="%g" height="%g"><title>%s</title></rect>`,
			px(d.x(s.From)), px(width), top, svgHeight-bottom-top, html.EscapeString(s.Name))
	}
}

func (d *drawing) band(b Band) {
	var there, back strings.Builder
	for i, x := range b.X {
		if math.IsNaN(b.Low[i]) || math.IsNaN(b.High[i]) {
			continue
		}
		fmt.Fprintf(&there, "%s,%s ", px(d.x(x)), px(d.y(b.High[i])))
		j := len(b.X) - 1 - i
		if !math.IsNaN(b.Low[j]) && !math.IsNaN(b.High[j]) {
			fmt.Fprintf(&back, "%s,%s ", px(d.x(b.X[j])), px(d.y(b.Low[j])))
		}
	}
	d.printf(`<polygon class="band" fill="var(--%s)" points="%s%s"><title>%s</title></polygon>`, b.Color, there.String(), back.String(), html.EscapeString(b.Name))
}

func (d *drawing) line(l Line) {
	class := "line"
	if l.Thin {
		class = "line thin"
	}
	d.printf(`<path class="%s" stroke="var(--%s)" d="`, class, l.Color)
	pen, last := "M", 0.0
	for i, x := range l.X {
		if math.IsNaN(l.Y[i]) || math.IsInf(l.Y[i], 0) {
			pen = "M"
			continue
		}
		if l.Step && pen == "L" {
			d.printf("L%s %s", px(d.x(x)), px(d.y(last)))
		}
		d.printf("%s%s %s", pen, px(d.x(x)), px(d.y(l.Y[i])))
		pen, last = "L", l.Y[i]
	}
	d.printf(`"><title>%s</title></path>`, html.EscapeString(l.Name))
}

func (d *drawing) rules() {
	for _, r := range d.plot.Rules {
		d.printf(`<line class="rule" x1="%g" x2="%g" y1="%s" y2="%s"/><text x="%g" y="%s" text-anchor="end" dy="-4">%s</text>`,
			left, svgWidth-right, px(d.y(r.Y)), px(d.y(r.Y)), svgWidth-right-4, px(d.y(r.Y)), html.EscapeString(r.Name))
	}
}

func (d *drawing) dots(s Dots) {
	for i, x := range s.X {
		if math.IsNaN(s.Y[i]) {
			continue
		}
		words := s.Name
		if i < len(s.Words) {
			words = s.Words[i]
		}
		d.printf(`<circle r="3" cx="%s" cy="%s" fill="var(--%s)"><title>%s</title></circle>`, px(d.x(x)), px(d.y(s.Y[i])), s.Color, html.EscapeString(words))
	}
}

func (d *drawing) marks() {
	for _, m := range d.plot.Marks {
		d.printf(`<line class="mark" x1="%s" x2="%s" y1="%g" y2="%g"><title>%s</title></line>`,
			px(d.x(m.X)), px(d.x(m.X)), top, svgHeight-bottom, html.EscapeString(m.Name))
	}
}

// legend names the series in the row of the title, from the right.
func (d *drawing) legend() {
	type entry struct {
		name  string
		color Color
	}
	var all []entry
	for _, l := range d.plot.Lines {
		all = append(all, entry{l.Name, l.Color})
	}
	for _, b := range d.plot.Bands {
		all = append(all, entry{b.Name, b.Color})
	}
	for _, s := range d.plot.Dots {
		all = append(all, entry{s.Name, s.Color})
	}
	const perRune, box = 6.4, 22.0
	x := svgWidth - right
	for _, e := range slices.Backward(all) {
		x -= perRune*float64(len([]rune(e.name))) + box
		d.printf(`<rect x="%s" y="8" width="10" height="10" fill="var(--%s)"/><text x="%s" y="17">%s</text>`,
			px(x), e.color, px(x+14), html.EscapeString(e.name))
	}
	if d.plot.Unit != "" {
		d.printf(`<text x="4" y="%g" opacity=".7">%s</text>`, top-4, html.EscapeString(d.plot.Unit))
	}
}

// px is a coordinate to a tenth.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func format(f func(float64) string, v float64) string {
	if f == nil {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return f(v)
}
