package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebound/internal/api"
	"rebound/internal/trace"
)

// seriesFile are the flags of a command that reads one series and forecasts it.
type seriesFile struct {
	File    string   `short:"f" required:"" placeholder:"FILE" help:"A series, CSV or JSON lines; - for standard input."`
	Column  []string `sep:"none" placeholder:"[NAME=]HEADER" help:"The file's own header of the values, or NAME=HEADER with NAME rate or time. By default the last column of numbers."`
	Horizon int      `default:"48" help:"How many steps ahead, 1 to 10000."`
	Season  []string `placeholder:"24h,168h" help:"One season or two, as lengths of time, or as numbers of steps. By default they are found in the data."`
}

// stepless is the length of a step (s) where the file has no time: so long that no
// season of a calendar has two of them, and all are looked for in the values.
const stepless = 1e9

// mostAhead is the longest horizon, in steps.
const mostAhead = 10000

// largest is how great a value may be: squares of it must be numbers.
const largest = 1e100

// errNoValue says that a file has nothing to forecast from.
var errNoValue = errors.New("no value")

// series is what was read: values at even steps.
type series struct {
	trace.Even        // where there is no time, a row is a step
	header     string // of the values
	timed      bool   // the file has a time
	dated      bool   // which is a date
}

// read lays the file on even steps.
func (c *seriesFile) read(e *env) (*series, error) {
	if c.Horizon < 1 || c.Horizon > mostAhead {
		return nil, &exit{exitUsage, fmt.Errorf("--horizon %d: want 1 to %d steps", c.Horizon, mostAhead)}
	}
	content, err := readInput(c.File)
	if err != nil {
		return nil, err
	}
	s, err := c.parse(content)
	if errors.Is(err, trace.ErrEmpty) || errors.Is(err, trace.ErrUneven) || errors.Is(err, errNoValue) {
		return nil, &exit{exitNoData, fmt.Errorf("%s: %w", c.File, err)}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	if s.Shared > 0 {
		e.log.Warn("rows of one moment: their mean is taken", "rows", s.Shared, "file", c.File)
	}
	return s, nil
}

// readInput reads a file, or standard input, as far as one may be long.
func readInput(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, trace.MaxBytes+1))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, trace.MaxBytes+1))
	return b, errors.Join(err, f.Close())
}

func (c *seriesFile) parse(content []byte) (*series, error) {
	columns, err := c.columns(content)
	if err != nil {
		return nil, err
	}
	table, err := trace.Read(bytes.NewReader(content), columns)
	if err != nil {
		return nil, err
	}
	s := &series{dated: table.Dated("time")}
	s.header, _ = table.Header("rate")
	values, _ := table.Floats("rate")
	if i := slices.IndexFunc(values, func(v float64) bool { return math.Abs(v) > largest }); i >= 0 {
		return nil, fmt.Errorf("line %d, column %q: %v, want at most %g: if it stands for a missing value, leave the cell empty", table.Line(i), s.header, values[i], largest)
	}
	times, timed := table.Floats("time")
	if s.timed = timed; timed {
		s.Even, err = trace.Evenly(times, values)
	} else {
		s.Even = trace.Even{Step: 1, Values: values}
		for _, v := range values {
			if !math.IsNaN(v) {
				s.Known++
			}
		}
	}
	if err == nil && s.Known == 0 {
		err = fmt.Errorf("%w: column %q has no number in any row", errNoValue, s.header)
	}
	return s, err
}

// columns are the time, where there is one, and the values.
func (c *seriesFile) columns(content []byte) ([]trace.Column, error) {
	at, rate := timeColumn(), trace.Column{Name: "rate", Required: true}
	for _, given := range c.Column {
		name, header, named := strings.Cut(given, "=")
		switch {
		case named && name == "time":
			at.Header = header
		case named && name == "rate":
			rate.Header = header
		case named:
			return nil, &exit{exitUsage, fmt.Errorf("--column %s: no such column, want time=HEADER, rate=HEADER or HEADER", given)}
		default:
			rate.Header = given
		}
	}
	if rate.Header != "" {
		return []trace.Column{at, rate}, nil
	}
	at.Kind = trace.Text // which column it is, not yet what it holds
	table, err := trace.Read(bytes.NewReader(content), []trace.Column{at})
	if err != nil {
		return nil, err
	}
	at.Kind = trace.Time
	time, _ := table.Header("time")
	for _, h := range table.Numeric() {
		if h != time {
			rate.Header = h // the last one stays
		}
	}
	if rate.Header == "" {
		return nil, fmt.Errorf("%w: no column of numbers beside the time: the file has %s", errNoValue, strings.Join(table.Unused(), ", "))
	}
	return []trace.Column{at, rate}, nil
}

// seconds is the length of a step as a forecaster gets it.
func (s *series) seconds() float64 {
	if s.timed {
		return s.Step
	}
	return stepless
}

// seasons reads --season in seconds; nil: none was given.
func (c *seriesFile) seasons(s *series) ([]float64, error) {
	var out []float64
	for _, text := range c.Season {
		steps, err := strconv.ParseFloat(text, 64)
		if err != nil {
			d, err := time.ParseDuration(text)
			if err != nil || !s.timed {
				return nil, &exit{exitUsage, fmt.Errorf("--season %s: want a length of time as 24h, where the file has times, or a number of steps", text)}
			}
			steps = d.Seconds() / s.Step
		}
		if !(steps >= 2) || steps > 1e8 {
			return nil, &exit{exitUsage, fmt.Errorf("--season %s: want at least two steps%s", text, s.stepWords())}
		}
		out = append(out, steps*s.seconds())
	}
	if len(out) > 2 {
		return nil, &exit{exitUsage, fmt.Errorf("--season %s: want one season or two", strings.Join(c.Season, ","))}
	}
	return out, nil
}

func (s *series) stepWords() string {
	if !s.timed {
		return ""
	}
	return ", which are " + calendar(2*s.Step)
}

// shown are seasons as the document has them: in seconds, or steps.
func (s *series) shown(seasons []float64) []float64 {
	out := make([]float64, len(seasons))
	for i, v := range seasons {
		if out[i] = v; !s.timed {
			out[i] = math.Round(v / stepless)
		}
	}
	return out
}

// document says what was read.
func (s *series) document() api.Series {
	doc := api.Series{Column: s.header, Values: s.Known, Gaps: len(s.Values) - s.Known}
	if s.timed {
		doc.StepSeconds = &s.Step
	}
	return doc
}

// at is when step i is, from 0; where there is no time it is the row, from 1.
func (s *series) at(i int) float64 {
	if s.timed {
		return s.Start + float64(i)*s.Step
	}
	return float64(i + 1)
}
