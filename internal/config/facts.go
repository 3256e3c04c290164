package config

import (
	"math"
	"strconv"

	"rebound/internal/facts"
	"rebound/internal/job"
)

// defaultRisk is that of a policy.
const defaultRisk = 0.01

// Facts reads what a person states of a job. The error lists everything that is
// wrong, a line each; name is that of the file.
func Facts(name string, b []byte) (facts.Facts, error) {
	f := facts.Facts{Risk: defaultRisk, Config: job.Options{}}
	s := schema{kind: FactsKind, fields: factsFields(&f), needs: []need{{"name", "what the job is called"}}}
	if err := s.read(name, b); err != nil {
		return facts.Facts{}, err
	}
	return f, nil
}

func factsFields(f *facts.Facts) fields {
	return fields{
		"name":                  func(v value) { t, ok := v.text(); set(&f.Name, t, ok) },
		"target":                func(v value) { v.some(&f.Target, value.seconds) },
		"risk":                  func(v value) { v.share(&f.Risk, 0.5) },
		"visibility_target":     func(v value) { v.some(&f.Visibility, value.seconds) },
		"flink_version":         func(v value) { t, ok := v.word(); set(&f.FlinkVersion, t, ok) },
		"input_rate":            func(v value) { rate(v, &f.Rate) },
		"capacity":              func(v value) { capacity(v, &f.Capacity) },
		"utilization":           func(v value) { v.some(&f.Utilization, value.ratio) },
		"parallelism":           func(v value) { n, ok := v.count(1); set(&f.Parallelism, n, ok) },
		"max_parallelism":       func(v value) { n, ok := v.count(1); set(&f.MaxParallelism, n, ok) },
		"partitions":            func(v value) { n, ok := v.count(1); set(&f.Partitions, n, ok) },
		"slots_per_taskmanager": func(v value) { n, ok := v.count(1); set(&f.Slots, n, ok) },
		"taskmanager": func(v value) {
			v.mapping(fields{
				"cpu":    func(v value) { v.some(&f.TaskManager.CPUCores, value.cores) },
				"memory": func(v value) { v.some(&f.TaskManager.MemoryBytes, value.size) },
			})
		},
		"spare_taskmanagers": func(v value) { n, ok := v.count(0); set(&f.SpareTaskManagers, &n, ok) },
		"checkpoint":         func(v value) { checkpoint(v, &f.Checkpoint) },
		"downtime":           func(v value) { downtime(v, &f.Downtime) },
		"restart":            func(v value) { restart(v, f) },
		"heartbeat":          func(v value) { heartbeat(v, f.Config) },
		"sink_limit":         func(v value) { v.some(&f.SinkLimit, value.positive) },
		"alignment": func(v value) {
			v.mapping(fields{
				"max_drift":       func(v value) { v.some(&f.Alignment.MaxDrift, value.seconds) },
				"update_interval": func(v value) { v.some(&f.Alignment.UpdateInterval, value.seconds) },
			})
		},
		"kafka": func(v value) {
			v.mapping(fields{
				"transaction_timeout":            func(v value) { v.some(&f.Kafka.TransactionTimeout, value.seconds) },
				"broker_max_transaction_timeout": func(v value) { v.some(&f.Kafka.BrokerMaxTransactionTimeout, value.seconds) },
				"retention":                      func(v value) { v.some(&f.Kafka.Retention, value.seconds) },
			})
		},
		"config": func(v value) { options(v, f.Config) },
	}
}

// some stores a value that is unknown unless it is there.
func (v value) some(to **float64, one scalar) {
	if x, ok := one(v); ok {
		*to = &x
	}
}

func (v value) positive() (float64, bool) { return v.number(least, math.Inf(1)) }
func (v value) ratio() (float64, bool)    { return v.number(least, 10) }

// word is a text; a number such as 2.3 counts as one.
func (v value) word() (string, bool) {
	s, ok := v.scalar()
	if !ok || s == "" {
		v.wrong("%s, want a text", v.shown())
	}
	return s, ok && s != ""
}

// rate is a number, samples in a file, or a sine.
func rate(v value, r *facts.Rate) {
	if !v.isMapping() {
		x, ok := v.positive()
		set(&r.Mean, x, ok)
		return
	}
	seen := v.mapping(fields{
		"file":      func(v value) { t, ok := v.text(); set(&r.File, t, ok) },
		"column":    func(v value) { t, ok := v.text(); set(&r.Column, t, ok) },
		"mean":      func(v value) { x, ok := v.positive(); set(&r.Mean, x, ok) },
		"amplitude": func(v value) { x, ok := v.number(0, math.Inf(1)); set(&r.Amplitude, x, ok) },
		"period":    func(v value) { x, ok := v.seconds(); set(&r.Period, x, ok) },
		"phase":     func(v value) { x, ok := v.seconds(); set(&r.Phase, x, ok) },
	})
	switch samples, sine := seen["file"] || seen["column"], seen["mean"] || seen["amplitude"] || seen["period"] || seen["phase"]; {
	case samples == sine:
		v.wrong("want a number, {file, column}, or {mean, amplitude, period, phase}")
	case samples:
		v.require(seen, "file", "a CSV file")
		v.require(seen, "column", "the header of the rate")
	default:
		v.require(seen, "mean", "records a second")
		if r.Amplitude > 0 {
			v.require(seen, "period", "the time from peak to peak, such as 24h")
		}
		if r.Amplitude > r.Mean && r.Mean > 0 {
			v.wrong("amplitude %v is above the mean %v: the rate would be negative", r.Amplitude, r.Mean)
		}
	}
}

// capacity is a number, measurements by parallelism, or a power law.
func capacity(v value, l *facts.Law) {
	if !v.isMapping() {
		v.some(&l.Total, value.positive)
		return
	}
	l.Exponent = 1
	seen := v.mapping(fields{
		"by_parallelism": func(v value) { byParallelism(v, l) },
		"per_slot":       func(v value) { x, ok := v.positive(); set(&l.PerSlot, x, ok) },
		"exponent":       func(v value) { x, ok := v.number(least, 1.5); set(&l.Exponent, x, ok) },
	})
	if seen["by_parallelism"] == (seen["per_slot"] || seen["exponent"]) {
		v.wrong("want a number, {by_parallelism: {16: 80000}}, or {per_slot: 6000, exponent: 0.95}")
	} else if seen["exponent"] {
		v.require(seen, "per_slot", "records a second")
	}
}

func byParallelism(v value, l *facts.Law) {
	l.ByParallelism = map[int]float64{}
	v.entries(func(key string, x value) {
		p, err := strconv.Atoi(key)
		if err != nil || p < 1 {
			x.wrong("%q is no parallelism, want a whole number of at least 1", key)
			return
		}
		if mu, ok := x.positive(); ok {
			l.ByParallelism[p] = mu
		}
	})
	if v.isMapping() && len(l.ByParallelism) == 0 {
		v.wrong("no measurement, want at least one such as 16: 80000")
	}
}

func checkpoint(v value, c *facts.Checkpoint) {
	seen := v.mapping(fields{
		"interval":           func(v value) { v.some(&c.Interval, value.seconds) },
		"min_pause":          func(v value) { v.some(&c.MinPause, value.orZero) },
		"timeout":            func(v value) { v.some(&c.Timeout, value.seconds) },
		"tolerable_failures": func(v value) { n, ok := v.count(0); set(&c.TolerableFailures, &n, ok) },
		"mode":               func(v value) { t, ok := v.oneOf("exactly_once", "at_least_once"); set(&c.Mode, t, ok) },
		"unaligned":          func(v value) { b, ok := v.boolean(); set(&c.Unaligned, &b, ok) },
		"durations":          func(v value) { durations(v, &c.Durations) },
		"duration":           func(v value) { x, ok := v.seconds(); set(&c.Durations, []float64{x}, ok) },
		"failed_in_a_row":    func(v value) { n, ok := v.count(0); set(&c.FailedInARow, n, ok) },
		"last_completed_age": func(v value) { v.some(&c.LastCompletedAge, value.orZero) },
	})
	if seen["duration"] && seen["durations"] {
		v.wrong("both duration and durations: keep one")
	}
}

// orZero is a length of time, 0 included.
func (v value) orZero() (float64, bool) {
	if s, _ := v.scalar(); s == "0" || s == "0s" || s == "0 s" || s == "0 ms" {
		return 0, true
	}
	return v.seconds()
}

func durations(v value, to *[]float64) {
	for _, i := range v.items() {
		if x, ok := i.seconds(); ok {
			*to = append(*to, x)
		}
	}
}

// downtime is a total, or phases.
func downtime(v value, d *facts.Downtime) {
	if !v.isMapping() {
		v.some(&d.Total, value.seconds)
		return
	}
	v.mapping(fields{
		"detect":    func(v value) { v.some(&d.Detect, value.orZero) },
		"back_off":  func(v value) { v.some(&d.BackOff, value.orZero) },
		"resources": func(v value) { v.some(&d.Resources, value.orZero) },
		"restore":   func(v value) { v.some(&d.Restore, value.orZero) },
	})
}
