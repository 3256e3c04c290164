package report

import (
	"fmt"
	"time"

	"rebound/internal/chart"
	"rebound/internal/job"
)

// FrontChart is cost against latency: what is allowed and not beaten in both, with
// how well each latency is known, and the settings in force, if they are given.
func FrontChart(front []job.FrontPoint, now *job.FrontPoint) chart.Plot {
	p := costPlot("Cost against latency", "s, 95 % quantile", seconds)
	d := chart.Dots{Name: "allowed, none better in both", Color: chart.Predicted}
	b := chart.Bars{Name: "as far as it is known", Color: chart.Predicted}
	for _, f := range front {
		d.X, d.Y = append(d.X, f.CostPerHour), append(d.Y, f.LatencySeconds)
		d.Words = append(d.Words, fmt.Sprintf("%s: %s an hour, up to %s", f.Knobs, num(f.CostPerHour), seconds(f.LatencySeconds)))
		b.X, b.Low, b.High = append(b.X, f.CostPerHour), append(b.Low, f.LatencySeconds-f.SpreadSeconds), append(b.High, f.LatencySeconds)
	}
	p.Dots, p.Bars = []chart.Dots{d}, []chart.Bars{b}
	if now != nil {
		p.Dots = append(p.Dots, chart.Dots{
			Name: "now", Color: chart.Measured, X: []float64{now.CostPerHour}, Y: []float64{now.LatencySeconds}, Words: []string{now.Knobs.String()},
		})
	}
	return p
}

// costPlot is one over the cost.
func costPlot(title, unit string, y func(float64) string) chart.Plot {
	return chart.Plot{Title: title, Unit: unit, PlainX: true, FormatX: func(v float64) string { return num(v) + "/h" }, FormatY: y}
}

// Profile is a copy that was run, with what its settings mean.
type Profile struct {
	job.Profile
	CostPerHour float64
	// Sustained is the rate that the settings recover from in time (records/s), and
	// its 5 and 95 % quantiles: NaN where the copy did not show it.
	Sustained, Low, High float64
}

func (r Run) profiles() chart.Plot {
	return ProfilesChart(r.Profiles, r.Doc.StartedAt, r.PlannedRate)
}

// ProfilesChart is what copies have shown, in their order, against the rate to plan
// for (records/s; 0: unknown).
func ProfilesChart(all []Profile, since time.Time, planned float64) chart.Plot {
	p := costPlot("What copies of the job have shown", "records/s sustained", thousands)
	d := chart.Dots{Name: "copies, in order", Color: chart.Cost}
	b := chart.Bars{Name: "5–95 %", Color: chart.Cost}
	for i, c := range all {
		d.X, d.Y = append(d.X, c.CostPerHour), append(d.Y, c.Sustained)
		d.Words = append(d.Words, fmt.Sprintf("%d. %s, %s, %s: sustains %s/s, %s core-hours", i+1,
			clock(c.StartedAt.Sub(since).Seconds()), c.Knobs, c.State, thousands(c.Sustained), num(c.CPUCoreHours)))
		b.X, b.Low, b.High = append(b.X, c.CostPerHour), append(b.Low, c.Low), append(b.High, c.High)
	}
	p.Lines = []chart.Line{{Name: "the order", Color: chart.Other, X: d.X, Y: d.Y, Thin: true}}
	p.Dots, p.Bars = []chart.Dots{d}, []chart.Bars{b}
	if planned > 0 {
		p.Rules = []chart.Rule{{Name: "planned for at the end", Y: planned}}
	}
	return p
}
