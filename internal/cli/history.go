package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/store"
)

type historyCmd struct {
	output  `embed:""`
	journal `embed:""`
	Job     string            `help:"Only decisions about this job, by name or as CLUSTER/NAMESPACE/NAME." placeholder:"NAME"`
	Since   since             `help:"Only decisions since then: 2h ago, or 2026-03-01T12:00:00Z." placeholder:"TIME"`
	State   job.DecisionState `help:"Only decisions in this state: open, applying, waiting, verified, rolled_back, failed, refused, dropped, recommended." placeholder:"STATE"`
	Pace    bool              `help:"Also changes of the pace of checkpoints, which restart nothing."`
	Copies  bool              `name:"profiles" help:"Instead of decisions, what copies of a job have shown, and cost."`
	Limit   int               `help:"At most so many of the newest; 0 for all." default:"50"`
}

func (historyCmd) Help() string {
	return `Lists what was decided, newest first, with how it ended. For one of them in
sentences, with all numbers: rebound explain ID

  rebound history
  rebound history --profiles
  rebound history --state verified --since 24h -o json | jq '.decisions[].outcome'`
}

func (c *historyCmd) Validate() error {
	if c.Limit < 0 {
		return fmt.Errorf("--limit=%d: want at least 0", c.Limit)
	}
	if c.Copies && (c.State != "" || c.Pace) {
		return errors.New("--profiles: --state and --pace are of decisions, want one or the other")
	}
	if c.State != "" && !slices.Contains(stateNames(), string(c.State)) {
		return fmt.Errorf("--state=%s: want one of %s", c.State, strings.Join(stateNames(), ", "))
	}
	return nil
}

func (c *historyCmd) Run(e *env) (err error) {
	j, err := c.look(e.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	q := store.Query{State: c.State, Since: c.Since.before(time.Now()), Restarts: !c.Pace, Limit: c.Limit}
	if c.Job != "" {
		id, err := oneJob(e.ctx, j, c.Job)
		if err != nil {
			return err
		}
		q.Identity = &id
	}
	if c.Copies {
		return c.profiles(e, j, q)
	}
	found, err := j.FindDecisions(e.ctx, q)
	if err != nil {
		return err
	}
	doc := api.Decisions{Header: api.NewHeader("Decisions"), Decisions: found}
	return c.output.write(e.stdout, view{
		doc:   doc,
		table: func(w io.Writer) error { return historyTable(w, found, c.Job == "") },
		rows:  func() [][]string { return historyRows(found) },
	})
}

// historyTable has a line a decision, and under it how it ended where that is not
// said by the state alone.
func historyTable(w io.Writer, all []job.Decision, anyJob bool) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "No decision. A loop makes them: rebound run --policy FILE")
		return err
	}
	jobs := map[job.Identity]bool{}
	for _, d := range all {
		jobs[d.Job] = true
	}
	several := anyJob && len(jobs) > 1
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "ID\tAT\tSTATE\tWHAT"
	if several {
		head = "ID\tAT\tJOB\tSTATE\tWHAT"
	}
	fmt.Fprintln(t, head)
	for _, d := range all {
		at, room := d.At.UTC().Format("01-02 15:04"), width-45
		if several {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", d.ID, at, clip(d.Job.Name, 12), d.State, clip(what(d), room-14))
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", d.ID, at, d.State, clip(what(d), room))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nTimes are UTC. Why: rebound explain %s\n", all[0].ID)
	return err
}

// what is a decision in a few words.
func what(d job.Decision) string {
	switch {
	case d.Kind == job.Pace && d.Proposed.PaceSeconds != nil:
		return "checkpoints every " + short(*d.Proposed.PaceSeconds)
	case d.Kind == job.Pace:
		return "checkpoints as configured"
	case d.Proposed.Now == d.Proposed.Want && d.Outcome != "":
		return d.Outcome
	case d.Kind == job.RollBack && d.RollsBack != "":
		return "back: " + difference(d.Proposed.Now, d.Proposed.Want)
	default:
		return difference(d.Proposed.Now, d.Proposed.Want)
	}
}

// difference names the knobs that differ.
func difference(from, to job.Knobs) string {
	var parts []string
	add := func(name, a, b string) {
		if a != b {
			parts = append(parts, fmt.Sprintf("%s %s→%s", name, a, b))
		}
	}
	add("p", strconv.Itoa(from.Parallelism), strconv.Itoa(to.Parallelism))
	add("slots", strconv.Itoa(from.Slots), strconv.Itoa(to.Slots))
	add("cores", numeral(from.CPUCores), numeral(to.CPUCores))
	add("GiB", numeral(from.MemoryBytes/job.GiB), numeral(to.MemoryBytes/job.GiB))
	add("every", short(from.IntervalSeconds), short(to.IntervalSeconds))
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// historyRows is a row a decision.
func historyRows(all []job.Decision) [][]string {
	rows := [][]string{strings.Split("id,job,at,decision,state,mode,way,parallelism_now,parallelism_want,interval_now_seconds,interval_want_seconds,cost_now_per_hour,cost_want_per_hour,closed_at,outcome", ",")}
	for _, d := range all {
		closed := ""
		if !d.ClosedAt.IsZero() {
			closed = d.ClosedAt.UTC().Format(time.RFC3339)
		}
		p := d.Proposed
		rows = append(rows, []string{
			d.ID, d.Job.String(), d.At.UTC().Format(time.RFC3339), string(d.Kind), string(d.State), string(d.Mode), string(p.Way),
			strconv.Itoa(p.Now.Parallelism), strconv.Itoa(p.Want.Parallelism), plain(&p.Now.IntervalSeconds), plain(&p.Want.IntervalSeconds),
			plain(&p.Present.CostPerHour), plain(&p.Predicted.CostPerHour), closed, d.Outcome,
		})
	}
	return rows
}

func stateNames() []string {
	return []string{
		string(job.Open), string(job.Applying), string(job.Waiting), string(job.Verified), string(job.RolledBack),
		string(job.Failed), string(job.Refused), string(job.Dropped), string(job.Recommended),
	}
}

// look opens the journal for reading. One that nobody has made yet is empty, but
// one that is named must be there.
func (j journal) look(ctx context.Context) (*store.Journal, error) {
	path, err := j.path()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); j.Journal != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journal %s: no such file; rebound run --journal %s makes it", path, path)
	}
	return store.OpenReadOnly(ctx, path)
}

// oneJob finds the job that is meant among those of the journal; of an empty name,
// the only one.
func oneJob(ctx context.Context, j *store.Journal, name string) (job.Identity, error) {
	all, err := j.Jobs(ctx)
	if err != nil {
		return job.Identity{}, err
	}
	var names []string
	var found []job.Identity
	for _, id := range all {
		names = append(names, id.String())
		if name == "" || name == id.Name || name == id.String() {
			found = append(found, id)
		}
	}
	switch {
	case len(all) == 0:
		return job.Identity{}, &exit{exitNoData, errors.New("the journal knows no job: start a loop by rebound run, or name another journal by --journal")}
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return job.Identity{}, &exit{exitUsage, fmt.Errorf("--job %s: the journal has %s", name, strings.Join(names, ", "))}
	default:
		return job.Identity{}, &exit{exitUsage, fmt.Errorf("several jobs, name one by --job: %s", strings.Join(names, ", "))}
	}
}

// since is a point in time: a date, or how long ago.
type since struct {
	at  time.Time
	ago time.Duration
}

// UnmarshalText reads 2h, 2h ago, 2026-03-01 or RFC 3339.
func (m *since) UnmarshalText(b []byte) error {
	text := strings.TrimSuffix(strings.TrimSpace(string(b)), " ago")
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		m.ago = d
		return nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(form, text); err == nil {
			m.at = at
			return nil
		}
	}
	return fmt.Errorf("%q: want how long ago, such as 24h, or a time such as 2026-03-01T12:00:00Z", b)
}

func (m since) before(now time.Time) time.Time {
	if m.ago > 0 {
		return now.Add(-m.ago)
	}
	return m.at
}
