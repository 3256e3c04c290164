package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/report"
)

// show writes what copies have found out, in the form that was asked for.
func (c *profileCmd) show(w io.Writer, doc api.Profiling, seen []report.Profile, began time.Time) error {
	return c.output.write(w, view{
		doc:   doc,
		table: func(w io.Writer) error { profilingTable(w, doc, seen, began); return nil },
		rows:  func() [][]string { return profilingRows(doc) },
	})
}

func profilingTable(w io.Writer, d api.Profiling, seen []report.Profile, began time.Time) {
	copies := "copies"
	if d.Copies.Runs == 1 {
		copies = "copy"
	}
	fmt.Fprintf(w, "%s: %d %s, %s core-hours, cost %s\n\n", d.Job, d.Copies.Runs, copies, numeral(d.Copies.CPUCoreHours), money(d.Cost))
	if len(seen) > 0 {
		profilingCopies(w, d, seen, began)
	}
	if d.Plan != nil {
		profilingChoices(w, d)
	}
	wrap(w, "Ended: "+d.Stopped+".", "")
}

// chartRows is how high a chart between lines of text is.
const chartRows = 12

// profilingCopies lists the copies, and draws them.
func profilingCopies(w io.Writer, d api.Profiling, seen []report.Profile, began time.Time) {
	const row = "%3s %5s %7s %11s %7s  %s\n"
	fmt.Fprintf(w, row, "", "AT", "COST/H", "SUSTAINS/S", "CORE-H", "SETTINGS")
	for i, p := range seen {
		sustains, words := "–", resourcesText(p.Knobs)
		if !math.IsNaN(p.Sustained) {
			sustains = thousands(p.Sustained, 0)
		}
		if p.State != job.ProfileDone {
			words += ", " + string(p.State)
		}
		at := p.StartedAt.Sub(began)
		fmt.Fprintf(w, row, strconv.Itoa(i+1), fmt.Sprintf("%02d:%02d", int(at.Hours()), int(at.Minutes())%60),
			money(p.CostPerHour), sustains, numeral(p.CPUCoreHours), words)
	}
	fmt.Fprintln(w)
	report.ProfilesChart(seen, began, d.RatePerSecond).Scatter(w, width, chartRows)
	fmt.Fprintln(w)
}

// resourcesText is the settings but for the interval, which needs no copy.
func resourcesText(k job.Knobs) string {
	return fmt.Sprintf("p %d in %d × %s cores, %s GiB", k.Parallelism, k.TaskManagers(), numeral(k.CPUCores), numeral(k.MemoryBytes/job.GiB))
}

// profilingChoices sets the settings in force beside those that would be chosen.
func profilingChoices(w io.Writer, d api.Profiling) {
	fmt.Fprintf(w, "To recover within %s at %s records/s (the line):\n", short(d.TargetSeconds), thousands(d.RatePerSecond, 0))
	row := func(name string, c *api.Choice, note string) {
		if c != nil {
			fmt.Fprintf(w, "  %-15s %s an hour  %s%s\n", name, money(c.CostPerHour), c.Knobs, note)
		}
	}
	row("now", &d.Now, "")
	if d.Copies.Runs > 0 {
		row("without copies", d.Before, "")
	}
	note := ""
	if !d.Feasible {
		note = "; not all limits are kept"
	}
	row("with copies", d.After, note)
	if d.PaybackHours != nil && d.Copies.Runs > 0 {
		fmt.Fprintf(w, "That saves %s a day; the copies are paid for in %s.\n", money(d.SavesPerDay), short(*d.PaybackHours*3600))
	}
	fmt.Fprintln(w)
}

func profilingRows(d api.Profiling) [][]string {
	rows := [][]string{strings.Split("id,state,started_at,parallelism,slots,cpu_cores,memory_bytes,checkpoint_interval_seconds,cost_per_hour,sustained_per_second,capacity_per_second,recovery_seconds,at_least_seconds,cpu_core_hours", ",")}
	for i := range d.Profiles {
		p := &d.Profiles[i]
		k := p.Knobs
		rows = append(rows, []string{
			p.ID, string(p.State), p.StartedAt.UTC().Format(time.RFC3339), strconv.Itoa(k.Parallelism), strconv.Itoa(k.Slots),
			numeral(k.CPUCores), fmt.Sprintf("%.0f", k.MemoryBytes), plain(&k.IntervalSeconds), plain(&p.CostPerHour),
			plain(p.SustainedPerSecond), plain(p.Capacity), plain(p.RecoverySeconds), plain(p.AtLeastSeconds), plain(&p.CPUCoreHours),
		})
	}
	return rows
}
