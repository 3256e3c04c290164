// Package report writes pages that stand alone: one file with its style and its
// charts, no script and nothing to fetch, so that it can be mailed and opened
// anywhere.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"rebound/internal/api"
	"rebound/internal/chart"
	"rebound/internal/job"
)

//go:embed simulation.html
var page string

// Simulation is a page about what policies made of a scenario.
type Simulation struct {
	Title   string
	Lead    []string // paragraphs: what was simulated, what came of it
	Summary []api.SimulationSummary
	Runs    []Run
}

// Run is one simulation with what the charts need.
type Run struct {
	Doc       api.Simulation
	Minutes   []Minute
	Decisions []job.Decision

	Front       []job.FrontPoint // of the last plan; empty: there was none
	Profiles    []Profile        // copies, in the order in which they were begun
	PlannedRate float64          // records/s, of the last plan; 0: unknown
}

// Minute is one sample of a run. What is not known is NaN.
type Minute struct {
	At                    float64 // seconds since the start
	Load, Processed       float64 // records/s
	Capacity              float64 // records/s, warm
	ForecastLow, Forecast float64 // records/s, of what had been said a while before
	ForecastHigh          float64
	Utilization           float64
	LagSeconds            float64 // delay of what is processed now
	Cores, MemoryGiB      float64
	AtRiskSeconds         float64 // predicted recovery of the worst failure, now
	PeriodSeconds         float64 // between two checkpoints
}

// Write writes the page.
func (s Simulation) Write(w io.Writer) error {
	t, err := template.New("simulation").Funcs(template.FuncMap{
		"clock": clock, "seconds": seconds, "percent": percent, "num": num, "title": title,
	}).Parse(page)
	if err != nil {
		return fmt.Errorf("read the page's template: %w", err)
	}
	view := struct {
		Simulation
		Style template.CSS
		Parts []part
	}{Simulation: s, Style: template.CSS(chart.Style)} //nolint:gosec // our own constant
	for _, r := range s.Runs {
		p, err := r.part()
		if err != nil {
			return err
		}
		view.Parts = append(view.Parts, p)
	}
	if err := t.Execute(w, view); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// part is one run on the page.
type part struct {
	Run
	Charts []template.HTML
}

func (r Run) part() (part, error) {
	p := part{Run: r}
	for _, c := range r.Charts() {
		var b bytes.Buffer
		if err := c.SVG(&b); err != nil {
			return p, fmt.Errorf("draw %q: %w", c.Title, err)
		}
		p.Charts = append(p.Charts, template.HTML(b.String())) //nolint:gosec // package chart escapes what it is given
	}
	return p, nil
}

// title says what a decision was about in a line.
func title(d job.Decision) string {
	p := d.Proposed
	if d.Kind == job.Pace && p.PaceSeconds != nil {
		return "checkpoints every " + seconds(*p.PaceSeconds)
	}
	return fmt.Sprintf("%s → %s", p.Now, p.Want)
}

// clock is a moment of the simulation: day and time of day.
func clock(s float64) string {
	day, rest := math.Floor(s/86400), math.Mod(s, 86400)
	text := fmt.Sprintf("%02d:%02d", int(rest/3600), int(math.Mod(rest, 3600)/60))
	if day > 0 {
		return fmt.Sprintf("day %d, %s", int(day)+1, text)
	}
	return text
}

func seconds(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	if v < 10 {
		return fmt.Sprintf("%.1f s", v)
	}
	return fmt.Sprintf("%.0f s", v)
}

func percent(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*v), ".0") + " %" }

func num(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
