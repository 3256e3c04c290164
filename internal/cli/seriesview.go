package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"rebound/internal/chart"
)

// heading says in one line what was read.
func (s *series) heading(file string) string {
	text := fmt.Sprintf("%s of %s: %s", s.header, file, number(s.Known, "value"))
	if gaps := len(s.Values) - s.Known; gaps > 0 {
		text += ", " + number(gaps, "gap")
	}
	if s.timed {
		text += ", a step is " + calendar(s.Step)
	}
	return text
}

// number counts things in words.
func number(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return thousands(float64(n), 0) + " " + noun
}

// moment writes the time of a step for people.
func (s *series) moment(x float64) string {
	switch {
	case !s.dated:
		return strconv.FormatFloat(math.Round(1000*x)/1000, 'f', -1, 64)
	case s.Step < 60:
		return utc(x).Format(time.DateTime)
	}
	return utc(x).Format("2006-01-02 15:04")
}

// axis writes moments of a chart that spans so many seconds.
func (s *series) axis(span float64) func(x float64) string {
	form := "Jan 2"
	switch {
	case !s.dated:
		return func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	case span < 600:
		form = time.TimeOnly
	case span < 4*oneDay.Seconds():
		form = "Mon 15:04"
	}
	return func(x float64) string { return utc(x).Format(form) }
}

func utc(seconds float64) time.Time {
	return time.UnixMilli(int64(math.Round(seconds * 1000))).UTC()
}

// level writes a value for people, to four digits.
func level(v float64) string {
	switch {
	case v < 0:
		return "-" + digits(-v)
	case v == 0:
		return "0" // and not −0, as an axis may have it
	}
	return digits(v)
}

// charted is the flag of a command whose result may be drawn.
type charted struct {
	Output string `short:"o" help:"Form of the result: table, json, yaml, csv or svg." enum:"table,json,yaml,csv,svg" default:"table"`
}

func (c charted) write(w io.Writer, v view, p chart.Plot) error {
	if c.Output == "svg" {
		return p.SVG(w)
	}
	return output(c).write(w, v)
}
