package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"rebound/internal/api"
	"rebound/internal/chart"
)

const (
	// forecastRows is how many steps a table lists.
	forecastRows = 12
	// wider is from when on a table says that intervals are wider than usual.
	wider = 1.2
)

// plot has the past, as long as it is of use, the mean and the band.
func (p prophecy) plot() chart.Plot {
	past := chart.Line{Name: "seen", Color: chart.Load}
	n := min(len(p.Values), p.shownPast())
	for i := len(p.Values) - n; i < len(p.Values); i++ {
		past.X, past.Y = append(past.X, p.at(i)), append(past.Y, p.Values[i])
	}
	mean := chart.Line{Name: "forecast", Color: chart.Forecast, Y: p.Mean}
	for i := range p.Mean {
		mean.X = append(mean.X, p.when(i))
		past.X, past.Y = append(past.X, p.when(i)), append(past.Y, math.NaN()) // nothing was seen there
	}
	plot := chart.Plot{
		Title: p.header, Lines: []chart.Line{past, mean}, FormatY: level,
		FormatX: p.axis(mean.X[len(mean.X)-1] - past.X[0]),
	}
	if last := len(p.levels) - 1; last > 0 {
		plot.Bands = []chart.Band{{
			Name:  fmt.Sprintf("%s–%s %%", percentile(p.levels[0]), percentile(p.levels[last])),
			Color: chart.Forecast, X: mean.X, Low: p.Quantiles[0], High: p.Quantiles[last],
		}}
	}
	return plot
}

// shownPast is how many steps of the past a chart shows: twice the horizon, or as
// far back as two seasons are, where that is not much longer.
func (p prophecy) shownPast() int {
	n := 2 * len(p.Mean)
	for _, s := range p.Season {
		if steps := int(math.Round(2 * s / p.seconds())); steps <= 5*len(p.Mean) {
			n = max(n, steps)
		}
	}
	return max(n, 20)
}

func percentile(q float64) string { return strconv.FormatFloat(100*q, 'f', -1, 64) }

// text draws the chart in characters: the edges of the band are lines.
func (p prophecy) text(w io.Writer) {
	plot := p.plot()
	for _, b := range plot.Bands {
		plot.Lines = append(plot.Lines,
			chart.Line{Name: percentile(p.levels[0]) + " %", X: b.X, Y: b.Low},
			chart.Line{Name: percentile(p.levels[len(p.levels)-1]) + " %", X: b.X, Y: b.High})
	}
	plot.Text(w, width, 12)
}

func (p prophecy) table(w io.Writer, file string, doc api.Forecast) error {
	wrap(w, p.heading(file), "")
	fmt.Fprintln(w)
	p.text(w)
	fmt.Fprintln(w)
	head := []string{"STEP", "", "MEAN"}
	if p.timed {
		head[1] = "TIME"
	}
	for _, q := range p.levels {
		head = append(head, percentile(q)+" %")
	}
	rows := [][]string{head}
	every := (len(p.Mean) + forecastRows - 1) / forecastRows
	for i := range p.Mean {
		if i > 0 && (i+1)%every != 0 && i != len(p.Mean)-1 {
			continue
		}
		row := []string{strconv.Itoa(i + 1), "", level(p.Mean[i])}
		if p.timed {
			row[1] = p.moment(p.when(i))
		}
		for k := range p.levels {
			row = append(row, level(p.Quantiles[k][i]))
		}
		rows = append(rows, row)
	}
	columns(w, rows)
	fmt.Fprintln(w)
	p.words(w, doc)
	return nil
}

// words says what the numbers alone do not.
func (p prophecy) words(w io.Writer, doc api.Forecast) {
	if len(p.levels) > 0 {
		var peak []string
		for _, q := range p.levels {
			peak = append(peak, fmt.Sprintf("%s (%s %%)", level(doc.Peak[levelName(q)]), percentile(q)))
		}
		wrap(w, fmt.Sprintf("Greatest of the next %s: %s.", number(len(p.Mean), "step"), strings.Join(peak, ", ")), "")
	}
	wrap(w, fmt.Sprintf("Season: %s. Members: %s.", p.seasonWords(doc.Season), orNone(doc.Members)), "")
	if p.Widened > wider {
		wrap(w, fmt.Sprintf("Forecasts have been wrong lately: the intervals are %.1f times as wide as usual.", p.Widened), "")
	}
}

// orNone lists names.
func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// seasonWords writes seasons as the document has them.
func (s *series) seasonWords(seasons []float64) string {
	if len(seasons) == 0 {
		return "none found"
	}
	var out []string
	for _, v := range seasons {
		switch {
		case s.timed:
			out = append(out, calendar(v))
		default:
			out = append(out, strconv.FormatFloat(v, 'f', -1, 64)+" steps")
		}
	}
	return strings.Join(out, ", ")
}

// rows is the flat form.
func (p prophecy) rows() [][]string {
	head := []string{"step", "time", "mean"}
	for _, q := range p.levels {
		head = append(head, levelName(q))
	}
	rows := [][]string{head}
	for i := range p.Mean {
		row := []string{strconv.Itoa(i + 1), "", exact(p.Mean[i])}
		if p.timed {
			at := p.when(i)
			row[1] = moment(&at, p.dated)
		}
		for k := range p.levels {
			row = append(row, exact(p.Quantiles[k][i]))
		}
		rows = append(rows, row)
	}
	return rows
}

// exact is a value of any size for a spreadsheet, to eight digits.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }

// calendar writes a length of time in whole days, hours, minutes or seconds, where it is that.
func calendar(seconds float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}} {
		if n := seconds / unit.seconds; n >= 1 && n == math.Trunc(n) {
			return fmt.Sprintf("%.0f %s", n, unit.name)
		}
	}
	return short(seconds)
}
