package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/twin"
)

type knobsOf = job.Knobs

// parseKnobs reads settings in short form: interval, parallelism, slots, cores and
// GiB of a TaskManager.
func parseKnobs(text string) (job.Knobs, error) {
	parts := strings.Split(text, ",")
	v := make([]float64, 0, 5)
	for _, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || !(x > 0) {
			break
		}
		v = append(v, x)
	}
	if len(v) != 5 || len(parts) != 5 {
		return job.Knobs{}, &exit{exitUsage, errors.New("--fixed " + text + ": want five numbers above 0: interval in s, parallelism, slots, cores, GiB")}
	}
	return job.Knobs{IntervalSeconds: v[0], Parallelism: int(v[1]), Slots: int(v[2]), CPUCores: v[3], MemoryBytes: v[4] * job.GiB}, nil
}

// leadOf says what was simulated.
func leadOf(s twin.Scenario, seeds []uint64) []string {
	lead := []string{fmt.Sprintf("%.0f hours of a simulated job, %d seed(s). %s", s.Hours, len(seeds), s.About)}
	if s.Fit != "" {
		lead = append(lead, "Fitted: "+s.Fit)
	}
	return lead
}

// simulationTable compares policies, a column each, with the last one as the
// measure where there are several.
func simulationTable(w io.Writer, s twin.Scenario, doc api.Simulations) error {
	fmt.Fprintf(w, "%s · %.0f h · %d run(s) each\n\n", s.Name, s.Hours, doc.Summary[0].Runs)
	base := doc.Summary[len(doc.Summary)-1]
	rows := [][]string{{""}}
	for _, m := range doc.Summary {
		rows[0] = append(rows[0], strings.ToUpper(m.Policy))
	}
	add := func(name string, f func(m api.SimulationSummary) string) {
		row := []string{name}
		for _, m := range doc.Summary {
			row = append(row, f(m))
		}
		rows = append(rows, row)
	}
	ratio := func(value, of float64) string {
		if len(doc.Summary) < 2 || of == 0 {
			return fmt.Sprintf("%.0f", value)
		}
		return fmt.Sprintf("%.0f (%.2f ×)", value, value/of)
	}
	add("failures", func(m api.SimulationSummary) string { return strconv.Itoa(m.Failures) })
	add("target missed", func(m api.SimulationSummary) string {
		return fmt.Sprintf("%d (%.1f %%)", m.Violations, 100*m.ViolationShare)
	})
	add("mean recovery", func(m api.SimulationSummary) string { return maybe(m.MeanRecoverySeconds) })
	add("worst recovery", func(m api.SimulationSummary) string { return maybe(m.WorstRecoverySeconds) })
	add("changes a day", func(m api.SimulationSummary) string { return fmt.Sprintf("%.1f", m.ChangesPerDay) })
	add("core hours", func(m api.SimulationSummary) string { return ratio(m.CPUCoreHours, base.CPUCoreHours) })
	add("GiB hours", func(m api.SimulationSummary) string { return ratio(m.MemoryGiBHours, base.MemoryGiBHours) })
	add("cost", func(m api.SimulationSummary) string { return ratio(m.Cost, base.Cost) })
	add("p95 latency, calm", func(m api.SimulationSummary) string { return fmt.Sprintf("%.2f s", m.CalmP95Seconds) })
	add("records late", func(m api.SimulationSummary) string { return fmt.Sprintf("%.2f %%", 100*m.LateShare) })
	add("checkpoints", func(m api.SimulationSummary) string { return ratio(float64(m.Checkpoints), float64(base.Checkpoints)) })
	add("predictions held", func(m api.SimulationSummary) string {
		if m.Coverage90 == nil {
			return "–"
		}
		return fmt.Sprintf("%.1f %%", 100**m.Coverage90)
	})
	columns(w, rows)
	for _, m := range doc.Summary {
		if m.Settings != nil {
			fmt.Fprintf(w, "\n%s: %s", m.Policy, m.Settings)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// columns prints rows with the first cell to the left and the others to the right.
func columns(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		fmt.Fprintf(&line, "%-*s", widths[0], r[0])
		for i, cell := range r[1:] {
			line.WriteString("  " + strings.Repeat(" ", widths[i+1]-len([]rune(cell))) + cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

func maybe(v *float64) string {
	if v == nil {
		return "–"
	}
	return short(*v)
}

// simulationRows are the runs, a row each.
func simulationRows(doc api.Simulations) [][]string {
	rows := [][]string{{
		"policy", "scenario", "seed", "hours", "failures", "violations", "changes", "mean_recovery_seconds", "worst_recovery_seconds",
		"cpu_core_hours", "memory_gib_hours", "cost", "calm_p95_seconds", "late_share", "coverage_90", "checkpoints",
	}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	optional := func(v *float64) string {
		if v == nil {
			return ""
		}
		return number(*v)
	}
	for _, r := range doc.Runs {
		rows = append(rows, []string{
			r.Policy, r.Scenario, strconv.FormatUint(r.Seed, 10), number(r.Hours), strconv.Itoa(r.Failures), strconv.Itoa(r.Violations),
			strconv.Itoa(r.Changes), optional(r.MeanRecoverySeconds), optional(r.WorstRecoverySeconds), number(r.CPUCoreHours),
			number(r.MemoryGiBHours), number(r.Cost), number(r.Latency.CalmP95), number(r.LateShare), optional(r.Coverage90), strconv.Itoa(r.Checkpoints),
		})
	}
	return rows
}
