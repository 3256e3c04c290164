package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
)

func example() Simulation {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	doc := api.Simulation{
		Header: api.NewHeader("Simulation"), Policy: "rebound", Scenario: "daily", Seed: 7, Hours: 24, TargetSeconds: 180, StartedAt: start,
		Failures: 2, Violations: 1, Changes: 1,
		Recoveries: []api.SimRecovery{
			{AtSeconds: 3600, Failure: job.ProcessFailure, MeasuredSeconds: new(120.0), Outcome: job.Recovers, Met: true},
			{AtSeconds: 7200, Failure: job.ProcessFailure, Outcome: job.BeyondHorizon},
		},
	}
	r := Run{Doc: doc, Decisions: []job.Decision{{
		ServerAt: start.Add(2 * time.Hour), Kind: job.Reconfigure, State: job.Verified, Applied: &job.Change{},
		Proposed: job.Plan{Now: job.Knobs{Parallelism: 8, Slots: 2, CPUCores: 1}, Want: job.Knobs{Parallelism: 12, Slots: 2, CPUCores: 1}, Reason: "the load rises <soon>"},
		Guards:   []job.GuardWord{{Guard: "cooldown", Word: job.Yes}},
		Outcome:  "recovered in 44 s",
	}}}
	for m := range 24 * 60 {
		at := float64(m) * 60
		load := 50e3 - 25e3*math.Cos(at/43200*math.Pi)
		r.Minutes = append(r.Minutes, Minute{
			At: at, Load: load, Processed: load, Capacity: 90e3, Utilization: load / 90e3,
			Forecast: load, ForecastLow: math.NaN(), ForecastHigh: math.NaN(), Cores: 9, MemoryGiB: 12, AtRiskSeconds: 130, PeriodSeconds: 30,
		})
	}
	return Simulation{
		Title: "daily & more", Lead: []string{"What was simulated."},
		Summary: []api.SimulationSummary{{Policy: "rebound", Runs: 1, Failures: 2, Violations: 1, ViolationShare: 0.5}}, Runs: []Run{r},
	}
}

// The page stands alone, escapes what it is given, and shows what it should.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := example().Write(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"daily &amp; more", "the load rises &lt;soon&gt;", "p 8 in 4 × 1 cores", "02:00 · ", "cooldown: yes", "recovered in 44 s",
		"01:00, process failure: 120 s", "not recovered by the end", "target 180 s", "1 (50 %)",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	for _, no := range []string{"http://", "https://", "<script", "NaN"} {
		if strings.Contains(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), no) {
			t.Errorf("%q is on the page", no)
		}
	}
	if n := strings.Count(page, "<svg"); n != 5 {
		t.Errorf("%d charts, want 5", n)
	}
}
