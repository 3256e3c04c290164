package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/store"
)

// profiles lists what copies of a job have shown, newest first.
func (c *historyCmd) profiles(e *env, j *store.Journal, q store.Query) error {
	found, err := j.FindProfiles(e.ctx, q)
	if err != nil {
		return err
	}
	doc := api.Profiles{Header: api.NewHeader("Profiles"), Profiles: []api.JobProfile{}}
	for _, p := range found {
		doc.Profiles = append(doc.Profiles, api.JobProfile{Job: p.Identity, Profile: p.Profile})
	}
	return c.output.write(e.stdout, view{
		doc:   doc,
		table: func(w io.Writer) error { profilesTable(w, doc.Profiles); return nil },
		rows:  func() [][]string { return profilesRows(doc.Profiles) },
	})
}

func profilesTable(w io.Writer, all []api.JobProfile) {
	if len(all) == 0 {
		fmt.Fprintln(w, "No copy of a job has been profiled: rebound profile, or budget.profilingCoreHours in the policy of rebound run")
		return
	}
	for i, p := range all {
		if i == 0 || p.Job != all[i-1].Job {
			fmt.Fprintf(w, "%s\n", p.Job)
		}
		fmt.Fprintf(w, "  %s  %-7s  %s\n", p.StartedAt.UTC().Format("01-02 15:04"), p.State, resourcesText(p.Knobs))
		wrap(w, shownWords(p.Profile), "               ")
	}
	fmt.Fprintln(w, "\nTimes are UTC.")
}

// shownWords is what a copy has shown, and why it was run.
func shownWords(p job.Profile) string {
	var parts []string
	if p.Capacity != nil {
		parts = append(parts, thousands(*p.Capacity, 0)+" records/s")
	}
	switch {
	case p.RecoverySeconds != nil:
		parts = append(parts, fmt.Sprintf("recovered in %s at %s/s", short(*p.RecoverySeconds), thousands(p.RatePerSecond, 0)))
	case p.AtLeastSeconds != nil:
		parts = append(parts, fmt.Sprintf("not recovered within %s at %s/s", short(*p.AtLeastSeconds), thousands(p.RatePerSecond, 0)))
	}
	parts = append(parts, numeral(p.CPUCoreHours)+" core-hours")
	text := strings.Join(parts, ", ")
	if p.Reason != "" {
		text += "; " + p.Reason
	}
	return text
}

func profilesRows(all []api.JobProfile) [][]string {
	rows := [][]string{strings.Split("id,job,state,started_at,parallelism,slots,cpu_cores,memory_bytes,checkpoint_interval_seconds,capacity_per_second,recovery_seconds,at_least_seconds,downtime_seconds,rate_per_second,cpu_core_hours,reason", ",")}
	for _, p := range all {
		k := p.Knobs
		rows = append(rows, []string{
			p.ID, p.Job.String(), string(p.State), p.StartedAt.UTC().Format(time.RFC3339), strconv.Itoa(k.Parallelism), strconv.Itoa(k.Slots),
			numeral(k.CPUCores), fmt.Sprintf("%.0f", k.MemoryBytes), plain(&k.IntervalSeconds), plain(p.Capacity), plain(p.RecoverySeconds),
			plain(p.AtLeastSeconds), plain(p.DowntimeSeconds), plain(&p.RatePerSecond), plain(&p.CPUCoreHours), p.Reason,
		})
	}
	return rows
}
