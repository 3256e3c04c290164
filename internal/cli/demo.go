package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rebound/internal/api"
	"rebound/internal/control"
	"rebound/internal/experiment"
	"rebound/internal/report"
	"rebound/internal/twin"
)

type demoCmd struct {
	Seed   uint64        `help:"Of the noise and the failures." default:"2"`
	Target time.Duration `help:"Recovery time to keep." default:"180s"`
	Report string        `help:"Where to write the page with charts; by default in the folder for temporary files." placeholder:"FILE.html" type:"path"`
}

func (demoCmd) Help() string {
	return `A day of a simulated job: a daily load, a surge in the evening, a TaskManager that
crashes every hour. Once with fixed settings as people have them, once with the
production planner and loop, which know nothing of the job at first. Takes seconds
and needs no server. Your own load and laws: rebound simulate --scenario FILE`
}

func (c *demoCmd) Run(e *env) error {
	s, err := twin.Builtin("demo")
	if err != nil {
		return err
	}
	file := c.Report
	if file == "" {
		file = filepath.Join(os.TempDir(), "rebound-demo.html")
	}
	out, err := os.Create(file) // before the simulation: nobody waits for a page that cannot be written
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	defer out.Close()
	p := experiment.PolicyOf(s, c.Target)
	fixed, _ := experiment.New(experiment.Fixed, p, newForecaster)
	ours, _ := experiment.New(experiment.Rebound, p, newForecaster)
	fmt.Fprintf(e.stdout, "A day of a simulated Flink job: 30,000 records/s on average, a surge at 19:00,\na TaskManager that crashes every hour. Target: recovery within %s.\n\n", whole(c.Target.Seconds()))
	line := newProgress(e.stderr)
	defer line.clear()
	before, err := c.day(e.ctx, s, fixed, nil, line)
	if err != nil {
		return err
	}
	line.clear()
	fmt.Fprintf(e.stdout, "With the settings that it has, %s:\n  %s\n\nWith Rebound:\n", before.Doc.Settings, missed(before.Doc))
	t := teller{w: e.stdout, line: line}
	after, err := c.day(e.ctx, s, ours, t.event, line)
	if err != nil {
		return err
	}
	line.clear()
	t.rest()
	fmt.Fprintf(e.stdout, "  %s\n\n", missed(after.Doc))
	demoChart(e.stdout, after)
	demoTable(e.stdout, before.Doc, after.Doc)
	if err := c.page(out, s, before, after); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "Charts, and every decision with its reasons:\n%s\n", file)
	return err
}

func (c *demoCmd) day(ctx context.Context, s twin.Scenario, k experiment.Contender, tell func(control.Event), line *progress) (report.Run, error) {
	return experiment.Case{Scenario: s, Contender: k, Seed: c.Seed, Tell: tell, Progress: func(share float64) {
		at := int(share * 24 * 60)
		line.step(fmt.Sprintf("%s, %02d:%02d %s", k.Name, at/60, at%60, bar(share, 1, 40)))
	}}.Run(ctx)
}

// teller tells the first things that happen in full, then what counts most.
type teller struct {
	w      io.Writer
	line   *progress
	told   int
	silent int
}

// mostTold is how many lines a story may have.
const mostTold = 16

func (t *teller) event(ev control.Event) {
	switch ev.Kind {
	case control.Applied, control.RolledBack, control.Unsuccessful:
	case control.Recovered:
		if t.told > 3 && !strings.Contains(ev.Text, "failure") {
			return
		}
		if t.told > mostTold/2 {
			t.silent++
			return
		}
	default:
		return
	}
	if t.told++; t.told > mostTold {
		t.silent++
		return
	}
	t.line.clear()
	var text strings.Builder
	said := ev.Text
	if ev.Kind == control.Applied {
		said = "new settings: " + said
	}
	wrap(&text, said, "         ")
	fmt.Fprintf(t.w, "  %s%s", ev.At.Format("15:04"), text.String()[7:])
}

func (t *teller) rest() {
	if t.silent > 0 {
		fmt.Fprintf(t.w, "  … and %d more\n", t.silent)
	}
}

// missed says how often the target was.
func missed(d api.Simulation) string {
	worst := ""
	if d.WorstRecoverySeconds != nil {
		worst = ", the worst recovery took " + whole(*d.WorstRecoverySeconds)
	}
	return fmt.Sprintf("%d failures, %d beyond the target%s", d.Failures, d.Violations, worst)
}

func whole(seconds float64) string { return strconv.Itoa(int(math.Round(seconds))) + " s" }

// demoChart draws the load below the capacity that it was given.
func demoChart(w io.Writer, r report.Run) {
	p := r.Charts()[0]
	p.Title, p.Bands, p.Spans, p.Marks = "Records/s", nil, nil, nil
	// Capacity while the job was down is a gap in a picture of a day.
	p.Lines[1].Y = smoothed(p.Lines[1].Y)
	p.Text(w, width, 10)
	fmt.Fprintln(w)
}

// smoothed is the greatest of the values around each.
func smoothed(v []float64) []float64 {
	const around = 3
	out := make([]float64, len(v))
	for i := range v {
		for _, x := range v[max(0, i-around):min(len(v), i+around+1)] {
			out[i] = math.Max(out[i], x)
		}
	}
	return out
}

func demoTable(w io.Writer, before, after api.Simulation) {
	change := func(a, b float64) string { return fmt.Sprintf("%+.0f %%", 100*(b/a-1)) }
	met := func(d api.Simulation) string {
		return fmt.Sprintf("%d of %d", d.Failures-violated(d), d.Failures)
	}
	columns(w, [][]string{
		{"", "AS IT WAS", "REBOUND", ""},
		{"target met", met(before), met(after), ""},
		{"worst recovery", maybe(before.WorstRecoverySeconds), maybe(after.WorstRecoverySeconds), ""},
		{"restarts for changes", "0", strconv.Itoa(after.Changes), ""},
		{"core hours", fmt.Sprintf("%.0f", before.CPUCoreHours), fmt.Sprintf("%.0f", after.CPUCoreHours), change(before.CPUCoreHours, after.CPUCoreHours)},
		{"GiB hours", fmt.Sprintf("%.0f", before.MemoryGiBHours), fmt.Sprintf("%.0f", after.MemoryGiBHours), change(before.MemoryGiBHours, after.MemoryGiBHours)},
		{"cost", fmt.Sprintf("%.2f", before.Cost), fmt.Sprintf("%.2f", after.Cost), change(before.Cost, after.Cost)},
		{"records lost, doubled", lostDoubled(before), lostDoubled(after), ""},
	})
	if after.Coverage90 != nil {
		fmt.Fprintf(w, "\n%.0f %% of the recoveries lay inside the 5–95 %% that had been predicted for them.\n", 100**after.Coverage90)
	}
}

func lostDoubled(d api.Simulation) string {
	return fmt.Sprintf("%d, %d", d.Records.Lost, d.Records.Duplicated)
}

// violated counts failures alone, not planned restarts.
func violated(d api.Simulation) int {
	n := 0
	for _, r := range d.Recoveries {
		if r.Failure != "" && !r.Met {
			n++
		}
	}
	return n
}

func (c *demoCmd) page(w io.Writer, s twin.Scenario, before, after report.Run) error {
	p := report.Simulation{Title: "A day with Rebound", Lead: leadOf(s, []uint64{c.Seed}), Runs: []report.Run{after, before}}
	for _, r := range []report.Run{before, after} {
		p.Summary = append(p.Summary, experiment.Summary([]api.Simulation{r.Doc}))
	}
	return p.Write(w)
}
