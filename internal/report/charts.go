package report

import (
	"fmt"
	"math"

	"rebound/internal/chart"
	"rebound/internal/job"
)

// Charts are those of one run, over the same axis.
func (r Run) Charts() []chart.Plot {
	x := r.series(func(m Minute) float64 { return m.At })
	line := func(name string, c chart.Color, f func(Minute) float64) chart.Line {
		return chart.Line{Name: name, Color: c, X: x, Y: r.series(f)}
	}
	capacity := line("capacity", chart.Capacity, func(m Minute) float64 { return m.Capacity })
	cores := line("cores", chart.Cost, func(m Minute) float64 { return m.Cores })
	memory := line("GiB", chart.Other, func(m Minute) float64 { return m.MemoryGiB })
	period := line("seconds between checkpoints", chart.Processed, func(m Minute) float64 { return m.PeriodSeconds })
	capacity.Step, cores.Step, memory.Step, period.Step, memory.Thin = true, true, true, true, true

	load := chart.Plot{
		Title: "Load, forecast and capacity", Unit: "records/s", FormatY: thousands,
		Lines: []chart.Line{line("load", chart.Load, func(m Minute) float64 { return m.Load }), capacity},
	}
	if low, high := r.series(func(m Minute) float64 { return m.ForecastLow }), r.series(func(m Minute) float64 { return m.ForecastHigh }); anything(low) {
		load.Bands = []chart.Band{{Name: "forecast 15 min before, 5–95 %", Color: chart.Forecast, X: x, Low: low, High: high}}
	}
	use := chart.Plot{
		Title: "Utilization", Unit: "of capacity", MaxY: 1.5, FormatY: percent,
		Lines: []chart.Line{line("input / capacity", chart.Load, func(m Minute) float64 { return m.Utilization })},
	}
	resources := chart.Plot{
		Title: "What is reserved", Unit: "cores, GiB", Lines: []chart.Line{cores, memory},
	}
	checkpoints := chart.Plot{Title: "Checkpoints", Unit: "s", Lines: []chart.Line{period}}
	plots := []chart.Plot{load, r.recovery(x), use, resources, checkpoints}
	for i := range plots {
		plots[i].FormatX, plots[i].Spans = clock, r.spans()
		plots[i].Marks = r.marks()
	}
	if len(r.Front) > 1 {
		plots = append(plots, FrontChart(r.Front, nil))
	}
	if len(r.Profiles) > 0 {
		plots = append(plots, r.profiles())
	}
	return plots
}

// recovery sets what was predicted beside what was measured, and the target.
func (r Run) recovery(x []float64) chart.Plot {
	p := chart.Plot{
		Title: "Recovery time", Unit: "s", MaxY: 2.5 * r.Doc.TargetSeconds,
		Rules: []chart.Rule{{Name: fmt.Sprintf("target %.0f s", r.Doc.TargetSeconds), Y: r.Doc.TargetSeconds}},
		Lines: []chart.Line{{
			Name: "predicted, at risk", Color: chart.Predicted, X: x,
			Y: r.series(func(m Minute) float64 { return m.AtRiskSeconds }),
		}},
	}
	met := chart.Dots{Name: "measured", Color: chart.Measured}
	missed := chart.Dots{Name: "target missed", Color: chart.Limit}
	for _, rec := range r.Doc.Recoveries {
		y, words := 2.5*r.Doc.TargetSeconds, "not recovered by the end"
		if rec.MeasuredSeconds != nil {
			y, words = *rec.MeasuredSeconds, seconds(*rec.MeasuredSeconds)
		}
		what := string(rec.Failure) + " failure"
		if rec.Failure == "" {
			what = "planned restart, " + string(rec.Change)
		}
		d := &met
		if !rec.Met {
			d = &missed
		}
		d.X, d.Y = append(d.X, rec.AtSeconds), append(d.Y, y)
		d.Words = append(d.Words, fmt.Sprintf("%s, %s: %s", clock(rec.AtSeconds), what, words))
	}
	p.Dots = []chart.Dots{met, missed}
	return p
}

// spans are the failures; marks the changes that were made.
func (r Run) spans() []chart.Span {
	var out []chart.Span
	for _, rec := range r.Doc.Recoveries {
		if rec.Failure != "" && rec.MeasuredSeconds != nil {
			out = append(out, chart.Span{From: rec.AtSeconds, To: rec.AtSeconds + *rec.MeasuredSeconds, Name: string(rec.Failure) + " failure"})
		}
	}
	return out
}

func (r Run) marks() []chart.Mark {
	var out []chart.Mark
	for _, d := range r.Decisions {
		if d.Applied != nil && d.Kind != job.Pace {
			out = append(out, chart.Mark{X: d.ServerAt.Sub(r.Doc.StartedAt).Seconds(), Name: title(d)})
		}
	}
	return out
}

func (r Run) series(f func(Minute) float64) []float64 {
	out := make([]float64, len(r.Minutes))
	for i, m := range r.Minutes {
		out[i] = f(m)
	}
	return out
}

func anything(v []float64) bool {
	for _, x := range v {
		if !math.IsNaN(x) {
			return true
		}
	}
	return false
}

func thousands(v float64) string {
	if math.Abs(v) < 10000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.0f k", v/1000)
}
