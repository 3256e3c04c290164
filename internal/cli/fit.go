package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/recovery"
	"rebound/internal/trace"
)

type fitCmd struct {
	output
	File   string            `short:"f" required:"" placeholder:"FILE" help:"Measured recoveries, CSV or JSON lines; - for standard input."`
	Column map[string]string `placeholder:"NAME=HEADER" help:"The file's own header of a column: interval, rate or recovery. Repeat as needed."`
}

// Help is the example of --help.
func (fitCmd) Help() string {
	return `Example:
  rebound fit -f recoveries.csv --column recovery=duration_s

A row is one recovery: checkpoint interval in seconds, input rate in records a
second (any unit that is the same in all rows), and the measured recovery in
seconds. Fitted are downtime, capacity and the age of the restored offsets as a
share of the interval. Each row is then predicted, with a 90 % interval, by a
fit that has seen no recovery at its interval.`
}

func (c *fitCmd) Run(e *env) error {
	columns, err := c.columns()
	if err != nil {
		return err
	}
	rows, skipped, err := c.read(columns)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if skipped > 0 {
		e.log.Warn("rows without a value are left out", "rows", skipped, "file", c.File)
	}
	v, err := recovery.Validate(rows)
	if errors.Is(err, recovery.ErrUndetermined) {
		return &exit{exitNoData, fmt.Errorf("%s: %w", c.File, err)}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	doc := fitDocument(rows, v)
	return c.write(e.stdout, view{
		doc:   doc,
		table: func(w io.Writer) error { return fitTable(w, doc) },
		rows:  func() [][]string { return fitRows(doc) },
	})
}

// columns are the three that are needed.
func (c *fitCmd) columns() ([]trace.Column, error) {
	known := []trace.Column{
		{Name: "interval", Required: true, Aliases: []string{
			"interval_s", "interval_seconds", "checkpoint_interval", "checkpoint_interval_s", "checkpoint_interval_seconds",
		}},
		{Name: "rate", Required: true, Aliases: []string{
			"rate_rps", "rate_per_second", "input_rate", "input_rps", "throughput", "throughput_rps", "rps",
		}},
		{Name: "recovery", Required: true, MinusOneMissing: true, Aliases: []string{
			"recovery_s", "recovery_seconds", "recovery_time", "recovery_time_s", "recovery_time_seconds",
		}},
	}
	return named(known, c.Column)
}

// read returns the recoveries, and how many rows lack a value.
func (c *fitCmd) read(columns []trace.Column) (rows []recovery.Observed, skipped int, err error) {
	in, done := io.Reader(os.Stdin), func() error { return nil }
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return nil, 0, errors.Unwrap(err) // the path is said already
		}
		in, done = f, f.Close
	}
	table, err := trace.Read(in, columns)
	err = errors.Join(err, done())
	if errors.Is(err, trace.ErrEmpty) {
		return nil, 0, &exit{exitNoData, err}
	}
	if err != nil {
		return nil, 0, err
	}
	return observed(table, columns)
}

// observed takes the rows from a table that has all columns. A value that is not
// above 0 is no measurement: which one is said, for all columns at once.
func observed(table *trace.Table, columns []trace.Column) (rows []recovery.Observed, skipped int, err error) {
	var errs []error
	values := make([][]float64, len(columns))
	for k, column := range columns {
		values[k], _ = table.Floats(column.Name)
		header, _ := table.Header(column.Name)
		if i := slices.IndexFunc(values[k], func(v float64) bool { return v <= 0 }); i >= 0 {
			errs = append(errs, fmt.Errorf("line %d, column %q: %v, want more than 0; leave the cell empty where nothing was measured", table.Line(i), header, values[k][i]))
		}
	}
	for i := range table.Len() {
		r := recovery.Observed{Interval: values[0][i], Rate: values[1][i], Seconds: values[2][i]}
		if math.IsNaN(r.Interval + r.Rate + r.Seconds) {
			skipped++
			continue
		}
		rows = append(rows, r)
	}
	return rows, skipped, errors.Join(errs...)
}

func fitDocument(rows []recovery.Observed, v recovery.Validation) api.Fit {
	doc := api.Fit{
		Header: api.NewHeader("Fit"), N: len(rows),
		DowntimeSeconds: v.Model.Downtime, CapacityPerSecond: v.Model.Capacity, AgeFactor: v.Model.AgeFactor,
		MAPEInSample: v.InSample, MAPELeaveOneInterval: v.LeaveInterval, MAPELeaveOneBand: v.LeaveBand,
		Coverage90: v.Coverage, Rows: make([]api.FitRow, len(rows)),
	}
	for i, r := range rows {
		row := api.FitRow{IntervalSeconds: r.Interval, RatePerSecond: r.Rate, RecoverySeconds: r.Seconds}
		h := v.Rows[i]
		switch {
		case !h.Known:
		case h.Predicted.Outcome == recovery.Recovers:
			row.Outcome, row.PredictedSeconds = job.Recovers, &h.Predicted.Seconds
		default:
			row.Outcome = job.Never
		}
		if h.Bounded {
			row.P05Seconds, row.P95Seconds = &h.Low, &h.High
		}
		doc.Rows[i] = row
	}
	return doc
}

// fitRows is the flat form: a line a recovery.
func fitRows(doc api.Fit) [][]string {
	rows := [][]string{strings.Split("interval_seconds,rate_per_second,recovery_seconds,outcome,predicted_seconds,p05_seconds,p95_seconds", ",")}
	for _, r := range doc.Rows {
		rows = append(rows, []string{
			plain(&r.IntervalSeconds), plain(&r.RatePerSecond), plain(&r.RecoverySeconds), string(r.Outcome),
			plain(r.PredictedSeconds), plain(r.P05Seconds), plain(r.P95Seconds),
		})
	}
	return rows
}
