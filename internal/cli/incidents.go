package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/outage"
	"rebound/internal/trace"
)

type incidentsCmd struct {
	output
	File    string            `short:"f" required:"" placeholder:"FILE" help:"Recorded series, CSV or JSON lines; - for standard input."`
	Column  map[string]string `placeholder:"NAME=HEADER" help:"The file's own header of a column: time, rate, lag, age, latency, input, restarts, state, records (a counter), job, vertex, subtask, holder. Repeat as needed."`
	Job     string            `help:"Only the rows of this job, where the file holds several."`
	Failed  []string          `placeholder:"TIME" help:"A moment at which something is known to have failed, as the file writes times. Repeat as needed."`
	Target  time.Duration     `help:"Recovery time that should be met: exit code 3 if an outage missed it."`
	Hold    time.Duration     `default:"30s" help:"How long all must be calm before the job counts as recovered."`
	Timeout time.Duration     `default:"1h" help:"How long a recovery is followed; beyond, only a bound is given."`
}

// Help is the example of --help.
func (incidentsCmd) Help() string {
	return `Example:
  rebound incidents -f metrics.csv --column rate=records_out

An outage is a pause of processing while input came, or a restart that the
cluster reports; it ends when the lag is back in the band that it had before.
Needed: a time, and a processed rate (or a counter), a lag, or a state.`
}

func (c *incidentsCmd) Run(e *env) error {
	if c.Target < 0 || c.Hold <= 0 || c.Timeout <= 0 {
		return &exit{exitUsage, errors.New("--target, --hold and --timeout: want lengths of time above 0")}
	}
	content, err := readInput(c.File)
	if err != nil {
		return err
	}
	rec, err := c.recording(content)
	if err != nil {
		return undecided(fmt.Errorf("%s: %w", c.File, err))
	}
	rec.series.Marks.Failed, err = c.failures(rec.dated)
	if err != nil {
		return err
	}
	found, err := outage.Find(rec.series, outage.Params{Hold: c.Hold.Seconds(), Timeout: c.Timeout.Seconds()})
	if err != nil {
		return undecided(fmt.Errorf("%s: %w", c.File, err))
	}
	doc := api.Outages{Header: api.NewHeader("Outages"), Outages: found, Dated: rec.dated}
	missed := c.judge(&doc)
	v := view{doc: doc, table: func(w io.Writer) error { return rec.table(w, doc) }, rows: func() [][]string { return outageRows(doc) }}
	if err := c.write(e.stdout, v); err != nil {
		return err
	}
	if missed {
		return &exit{code: exitMissed}
	}
	return nil
}

// undecided gives what cannot be decided its exit code.
func undecided(err error) error {
	if errors.Is(err, outage.ErrCannotTell) || errors.Is(err, trace.ErrEmpty) || errors.Is(err, errContradictory) {
		return &exit{exitNoData, err}
	}
	return err
}

// failures reads --failed as moments on the file's axis.
func (c *incidentsCmd) failures(dated bool) ([]float64, error) {
	at, has, err := trace.Times(c.Failed)
	if err == nil && len(at) > 0 && has != dated {
		err = errors.New("not of the same form as the times in the file")
	}
	if err == nil && slices.ContainsFunc(at, math.IsNaN) {
		err = errors.New("a time is empty")
	}
	if err != nil {
		return nil, &exit{exitUsage, fmt.Errorf("--failed %s: %w", strings.Join(c.Failed, ","), err)}
	}
	slices.Sort(at)
	return at, nil
}

// judge marks each outage against the target and tells whether one missed it. A
// bound at or above the target is a miss; one below decides nothing.
func (c *incidentsCmd) judge(doc *api.Outages) (missed bool) {
	if c.Target == 0 {
		return false
	}
	doc.TargetSeconds = new(c.Target.Seconds())
	for i := range doc.Outages {
		o := &doc.Outages[i]
		switch {
		case o.RecoverySeconds != nil:
			o.Met = new(*o.RecoverySeconds <= c.Target.Seconds())
		case o.AtLeastSeconds != nil && *o.AtLeastSeconds >= c.Target.Seconds():
			o.Met = new(false)
		}
		missed = missed || o.Met != nil && !*o.Met
	}
	return missed
}

// recording reads the file. If it has nothing to find outages in, a second
// reading that insists on a rate says what the user may have meant.
func (c *incidentsCmd) recording(content []byte) (*recording, error) {
	columns, err := c.columns()
	if err != nil {
		return nil, err
	}
	table, err := trace.Read(bytes.NewReader(content), columns)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc([]string{"rate", "records", "lag", "age", "state"}, func(name string) bool {
		_, ok := table.Header(name)
		return ok
	}) {
		for i := range columns {
			columns[i].Required = columns[i].Required || columns[i].Name == "rate"
		}
		_, err := trace.Read(bytes.NewReader(content), columns)
		return nil, fmt.Errorf("%w: no processed rate, no lag and no state: %w (name one with --column rate=HEADER)", outage.ErrCannotTell, err)
	}
	return newRecording(table, c.Job)
}

// moment is a time as the recording has it; what is unknown is empty.
func moment(seconds *float64, dated bool) string {
	if seconds == nil || !dated {
		return plain(seconds)
	}
	return time.UnixMilli(int64(math.Round(*seconds * 1000))).UTC().Format(time.RFC3339Nano)
}

// outageRows is the flat form.
func outageRows(doc api.Outages) [][]string {
	header := []string{"failed_at", "first_impact_at", "restored_at", "caught_up_at", "recovery_seconds", "at_least_seconds", "resolution_seconds", "censored", "met"}
	for _, p := range job.Phases() {
		header = append(header, string(p)+"_seconds")
	}
	rows := [][]string{header}
	for _, o := range doc.Outages {
		met := ""
		if o.Met != nil {
			met = strconv.FormatBool(*o.Met)
		}
		row := []string{
			moment(o.FailedAt, doc.Dated), moment(o.FirstImpactAt, doc.Dated), moment(o.RestoredAt, doc.Dated), moment(o.CaughtUpAt, doc.Dated), plain(o.RecoverySeconds),
			plain(o.AtLeastSeconds), plain(&o.ResolutionSeconds), strconv.FormatBool(o.Censored), met,
		}
		for _, p := range job.Phases() {
			cell := ""
			if seconds, ok := job.PhaseSeconds(o.Phases, p); ok {
				cell = plain(&seconds)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}
