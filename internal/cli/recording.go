package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rebound/internal/outage"
	"rebound/internal/trace"
)

// errContradictory says that a file speaks against itself.
var errContradictory = errors.New("contradictory data")

// recording is one job's series as a file holds them.
type recording struct {
	file   *trace.Table
	rows   []int // of the file, that are used
	series outage.Series
	dated  bool
	from   []string // what was read from which header, for people
}

// columns are what incidents can read. Aliases are the names of Flink's metrics,
// of usual exporters, and of the data sets that this is tested with.
func (c *incidentsCmd) columns() ([]trace.Column, error) {
	known := []trace.Column{
		required(timeColumn()),
		{Name: "rate", Aliases: []string{"processed_rps", "processed_per_second", "rate_per_second", "throughput", "rps", "numRecordsOutPerSecond", "numRecordsInPerSecond"}},
		{Name: "records", Aliases: []string{"numRecordsOut", "numRecordsIn", "records_total", "flink_taskmanager_job_task_numRecordsIn"}},
		{Name: "lag", MinusOneMissing: true, Aliases: []string{"lag_records", "pendingRecords", "pending_records", "consumer_lag", "records_lag_max", "kafka_consumergroup_lag"}},
		{Name: "age", MinusOneMissing: true, Aliases: []string{"lag_seconds", "lag_s", "lag_ms", "age_seconds", "currentEmitEventTimeLag_ms", "event_time_lag_seconds", "watermark_lag_seconds", "millisBehindLatest"}},
		{Name: "latency", MinusOneMissing: true, Aliases: []string{"latency_ms", "latency_s", "latency_seconds"}},
		{Name: "input", Aliases: []string{"input_rps", "input_rate", "input_per_second", "rate_rps"}},
		{Name: "restarts", Aliases: []string{"numRestarts", "fullRestarts"}},
		{Name: "state", Kind: trace.Text, Aliases: []string{"job_state", "status"}},
		{Name: "job", Kind: trace.Text, Aliases: []string{"job_id", "job_name"}},
		{Name: "vertex", Kind: trace.Text, Aliases: []string{"task", "task_name", "operator"}},
		{Name: "subtask", Kind: trace.Text, Aliases: []string{"subtask_index"}},
		{Name: "holder", Kind: trace.Text, Aliases: []string{"attempt", "taskmanager", "tm_id", "pod"}},
	}
	return named(known, c.Column)
}

func newRecording(t *trace.Table, job string) (*recording, error) {
	r := &recording{file: t, dated: t.Dated("time")}
	if err := r.choose(job); err != nil {
		return nil, err
	}
	at, err := r.moments()
	if err != nil {
		return nil, err
	}
	s := &r.series
	s.Times = at
	s.Rate = r.rate()
	s.Lag = r.gauge("lag", trace.Total)
	if s.Lag == nil {
		s.LagUnit, s.Lag = outage.Seconds, r.gauge("age", trace.Worst)
	}
	s.Latency = r.gauge("latency", trace.Worst)
	s.Input = r.gauge("input", trace.Total)
	if s.Restarts = r.gauge("restarts", trace.Worst); s.Restarts == nil {
		s.Restarts = r.gauge("records", trace.Restarts)
	}
	s.Running = r.running()
	return r, nil
}

// choose keeps the rows of one job: two under one name are not one series.
func (r *recording) choose(job string) error {
	names, ok := r.file.Texts("job")
	if job != "" && !ok {
		return &exit{exitUsage, fmt.Errorf("--job %s: the file has no column job", job)}
	}
	var found []string
	for i := range r.file.Len() {
		if ok && !slices.Contains(found, names[i]) && len(found) < 10 {
			found = append(found, names[i])
		}
		if job == "" || names[i] == job {
			r.rows = append(r.rows, i)
		}
	}
	switch {
	case len(r.rows) == 0:
		return &exit{exitUsage, fmt.Errorf("--job %s: the file has %s", job, strings.Join(found, ", "))}
	case job == "" && len(found) > 1:
		return fmt.Errorf("%w: rows of several jobs (%s): choose one with --job", errContradictory, strings.Join(found, ", "))
	}
	return nil
}

// wide tells whether a row is a moment, and not a subtask's part of it.
func (r *recording) wide() bool {
	_, subtask := r.file.Texts("subtask")
	_, vertex := r.file.Texts("vertex")
	return !subtask && !vertex
}

// moments are the different times, ascending, without those that are missing. In
// a wide file they must ascend already: rows out of order are two recordings in
// one, and sorting would interleave them.
func (r *recording) moments() ([]float64, error) {
	times, _ := r.file.Floats("time")
	r.rows = slices.DeleteFunc(r.rows, func(i int) bool { return math.IsNaN(times[i]) })
	at := make([]float64, 0, len(r.rows))
	for k, i := range r.rows {
		if k > 0 && r.wide() {
			line, before := r.file.Line(i), r.file.Line(r.rows[k-1])
			switch last := at[len(at)-1]; {
			case times[i] < last:
				return nil, fmt.Errorf("%w: line %d: the time goes back: sort the rows, or give each recording a file", errContradictory, line)
			case times[i] == last:
				return nil, fmt.Errorf("%w: lines %d and %d have the same time: want one row a moment, or a column subtask", errContradictory, before, line)
			}
		}
		at = append(at, times[i])
	}
	slices.Sort(at)
	return slices.Compact(at), nil
}

// rate is the processed rate: as recorded, else from counters.
func (r *recording) rate() []float64 {
	if v := r.gauge("rate", trace.Total); v != nil {
		return v
	}
	return r.gauge("records", trace.TotalRate)
}

// gauge is a column by moment, joined over subtasks; nil if there is none. Times
// among the values are in seconds afterwards.
func (r *recording) gauge(name string, join func([]trace.Reading, []float64) []float64) []float64 {
	values, ok := r.file.Floats(name)
	if !ok {
		return nil
	}
	header, _ := r.file.Header(name)
	if from := name + " from " + header; !slices.Contains(r.from, from) {
		r.from = append(r.from, from)
	}
	unit := 1.0
	if (name == "age" || name == "latency") && inMillis(header) {
		unit = 1000
	}
	return join(r.readings(func(i int) float64 { return values[i] / unit }), r.series.Times)
}

func inMillis(header string) bool {
	h := strings.ToLower(header)
	return strings.HasSuffix(h, "_ms") || strings.Contains(h, "millis")
}

// running is the share of subtasks that are RUNNING, or 1 and 0 for the job.
func (r *recording) running() []float64 {
	states, ok := r.file.Texts("state")
	if !ok {
		return nil
	}
	header, _ := r.file.Header("state")
	r.from = append(r.from, "state from "+header)
	run := trace.Total(r.readings(func(i int) float64 {
		switch strings.ToUpper(strings.TrimSpace(states[i])) {
		case "":
			return math.NaN()
		case "RUNNING", "FINISHED":
			return 1
		}
		return 0
	}), r.series.Times)
	all := trace.Total(r.readings(func(i int) float64 {
		if strings.TrimSpace(states[i]) == "" {
			return math.NaN()
		}
		return 1
	}), r.series.Times)
	for i := range run {
		run[i] /= all[i]
	}
	return run
}

// readings are one value of each row, under the identity of who told it.
func (r *recording) readings(value func(row int) float64) []trace.Reading {
	times, _ := r.file.Floats("time")
	text := func(name string, row int) string {
		if v, ok := r.file.Texts(name); ok {
			return v[row]
		}
		return ""
	}
	out := make([]trace.Reading, 0, len(r.rows))
	for _, i := range r.rows {
		out = append(out, trace.Reading{
			At: times[i], Of: trace.Subtask{Job: text("job", i), Vertex: text("vertex", i), Subtask: text("subtask", i)},
			Holder: text("holder", i), Value: value(i),
		})
	}
	return out
}
