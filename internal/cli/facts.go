package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rebound/internal/api"
	"rebound/internal/config"
	"rebound/internal/facts"
	"rebound/internal/hazard"
	"rebound/internal/job"
	"rebound/internal/trace"
)

// readFile is a file, or standard input for "-", with the name to call it by.
func readFile(path string) (name string, b []byte, err error) {
	if path == "-" {
		b, err = io.ReadAll(os.Stdin)
		return "stdin", b, err
	}
	b, err = os.ReadFile(path)
	return path, b, err
}

// readFacts reads a file of facts, with the samples that it names.
func readFacts(path string) (facts.Facts, error) {
	name, b, err := readFile(path)
	if err != nil {
		return facts.Facts{}, err
	}
	f, err := config.Facts(name, b)
	if err != nil {
		return f, err
	}
	if f.Rate.File == "" {
		return f, nil
	}
	file := f.Rate.File
	if !filepath.IsAbs(file) && path != "-" {
		file = filepath.Join(filepath.Dir(path), file)
	}
	f.Rate.Times, f.Rate.Values, err = readRate(file, f.Rate.Column)
	if err != nil {
		return f, fmt.Errorf("%s: input_rate: %s: %w", name, f.Rate.File, err)
	}
	return f, nil
}

// readRate reads the samples of a rate, in the order of time; moments without a
// value are left out.
func readRate(path, column string) (times, values []float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, errors.Unwrap(err) // the path is said already
	}
	defer f.Close()
	t, err := trace.Read(f, []trace.Column{
		required(timeColumn()),
		{Name: "rate", Required: true, Header: column},
	})
	if err != nil {
		return nil, nil, err
	}
	at, _ := t.Floats("time")
	rate, _ := t.Floats("rate")
	type sample struct{ t, v float64 }
	var all []sample
	for i := range at {
		switch {
		case math.IsNaN(at[i]) || math.IsNaN(rate[i]):
		case rate[i] < 0:
			return nil, nil, fmt.Errorf("line %d: rate %v, want at least 0", t.Line(i), rate[i])
		default:
			all = append(all, sample{at[i], rate[i]})
		}
	}
	if len(all) == 0 {
		return nil, nil, errors.New("no row has a time and a rate")
	}
	slices.SortStableFunc(all, func(a, b sample) int { return cmp.Compare(a.t, b.t) })
	for _, s := range all {
		times, values = append(times, s.t), append(values, s.v)
	}
	return times, values, nil
}

// fromFile checks what a file states instead of a cluster.
func (c *checkCmd) fromFile(e *env) error {
	f, err := readFacts(c.File)
	if err != nil {
		return err
	}
	if c.Target > 0 {
		f.Target = new(c.Target.Seconds())
	}
	if c.Risk != defaultRisk {
		f.Risk = c.Risk
	}
	o := f.Observation(time.Now())
	one := api.JobCheck{
		Identity: o.Job, ID: o.ID, Type: o.Type, Risk: f.Risk, TargetSeconds: f.Target,
		Verdict: f.Verdict(c.Failure), Quantities: f.Quantities(), Recovery: []job.Recovery{},
		Advice: f.Advice(c.Failure), Missing: f.Missing(),
	}
	for _, k := range job.Failures() {
		if r, ok := f.Recovery(k); ok && slices.Contains(c.Failure, k) {
			one.Recovery = append(one.Recovery, r)
		}
	}
	one.Hazards = hazard.Find(o, f.Known(one.Recovery))
	doc := api.Check{Header: api.NewHeader("Check"), Jobs: []api.JobCheck{one}}
	v := view{
		doc:   doc,
		table: func(w io.Writer) error { return checkTable(w, doc, []job.Observation{o}) },
		rows:  func() [][]string { return checkRows(doc) },
	}
	if err := c.output.write(e.stdout, v); err != nil {
		return err
	}
	return c.exit(doc)
}

// defaultRisk is that of the flags; a file's own stands unless another is given.
const defaultRisk = 0.01
