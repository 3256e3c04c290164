package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"rebound/internal/api"
	"rebound/internal/job"
)

// checkTable prints what was found, a page a job.
func checkTable(w io.Writer, doc api.Check, observed []job.Observation) error {
	for i, j := range doc.Jobs {
		if i > 0 {
			fmt.Fprintf(w, "\n%s\n\n", strings.Repeat("─", width))
		}
		p := page{w: w, job: j, seen: observed[i]}
		p.head()
		p.recovery()
		p.parts()
		p.quantities()
		p.advice()
		p.hazards()
		p.missing()
	}
	return nil
}

type page struct {
	w    io.Writer
	job  api.JobCheck
	seen job.Observation
}

func (p page) head() {
	fmt.Fprintf(p.w, "%s  ·  Flink %s  ·  %s\n", p.job.Identity, known(p.seen.FlinkVersion), p.state())
	wrap(p.w, p.verdict(), "")
}

func (p page) state() string {
	s := p.seen.State
	if !p.seen.StartedAt.IsZero() && p.seen.ServerTime.After(p.seen.StartedAt) {
		s += " for " + age(p.seen.ServerTime.Sub(p.seen.StartedAt))
	}
	return s
}

func (p page) verdict() string {
	t := p.job.TargetSeconds
	if t == nil {
		return "no target given: judge by --target"
	}
	head := fmt.Sprintf("target %s at risk %.2g %%: ", short(*t), 100*p.job.Risk)
	switch p.job.Verdict {
	case job.Met:
		return head + "met"
	case job.Missed:
		return head + "MISSED"
	case job.Infeasible:
		return head + "INFEASIBLE: no checkpoint interval alone meets it"
	default:
		return head + "cannot be judged, see what is missing"
	}
}

// recovery is one row a failure.
func (p page) recovery() {
	if len(p.job.Recovery) == 0 {
		return
	}
	fmt.Fprintln(p.w)
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "RECOVERY AFTER\t5 %%\tMEDIAN\t95 %%\t%.4g %%\tOLDEST\tFIRST COMMIT\tVISIBLE\t\n", 100*(1-p.job.Risk))
	for _, r := range p.job.Recovery {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", failureName(r.Failure),
			orOutcome(r.P05Seconds, r.Outcome), orOutcome(r.MedianSeconds, r.Outcome),
			orOutcome(r.P95Seconds, r.P95Outcome), orOutcome(r.AtRiskSeconds, r.AtRiskOutcome),
			orOutcome(r.WorstSeconds, ""), orOutcome(r.FirstCommitSeconds, ""), orOutcome(r.VisibleSeconds, ""))
	}
	t.Flush()
}

// parts draws the phases of the worst of the failures, to scale.
func (p page) parts() {
	var worst *job.Recovery
	for i, r := range p.job.Recovery {
		if r.MedianSeconds != nil && (worst == nil || *r.MedianSeconds > *worst.MedianSeconds) &&
			(r.Failure == job.ProcessFailure || r.Failure == job.TaskFailure) {
			worst = &p.job.Recovery[i]
		}
	}
	if worst == nil {
		return
	}
	title := fmt.Sprintf("A %s failure at a random moment, median %s", failureName(worst.Failure), short(*worst.MedianSeconds))
	if d := worst.Decisive; d != nil {
		title += fmt.Sprintf("; subtask %d of %s is last", d.Subtask, vertexName(d.Vertex))
	}
	fmt.Fprintln(p.w)
	wrap(p.w, title, "")
	phaseBars(p.w, worst.Phases)
}

const barWidth = 20

// phaseBars draws phases one below the other, each where it begins.
func phaseBars(w io.Writer, phases []job.PhaseTime) {
	total := 0.0
	for _, ph := range phases {
		total += ph.Seconds
	}
	if total <= 0 {
		return
	}
	begin := 0.0
	for _, ph := range phases {
		from, to := int(begin/total*barWidth+0.5), int((begin+ph.Seconds)/total*barWidth+0.5)
		begin += ph.Seconds
		bar := strings.Repeat(" ", from) + strings.Repeat("█", max(0, to-from))
		if to == from {
			bar = strings.Repeat(" ", min(from, barWidth-1)) + "▏"
		}
		pad := strings.Repeat(" ", max(0, barWidth-len([]rune(bar))))
		note := string(ph.Source)
		if ph.Samples > 1 {
			note += fmt.Sprintf(" %d×", ph.Samples)
		}
		if ph.Note != "" {
			note += ", " + ph.Note
		}
		fmt.Fprintf(w, "  %-9s %7s %s%s %s\n", phaseName(ph.Phase), short(ph.Seconds), bar, pad, clip(note, width-22-barWidth))
	}
}

func (p page) quantities() {
	if len(p.job.Quantities) == 0 {
		return
	}
	fmt.Fprintln(p.w, "\nWhat it rests on")
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, q := range p.job.Quantities {
		source := string(q.Source)
		if q.Samples > 1 {
			source += fmt.Sprintf(" %d×", q.Samples)
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", q.Name, amount(q), source)
	}
	t.Flush()
}

func (p page) advice() {
	if len(p.job.Advice) == 0 {
		return
	}
	fmt.Fprintln(p.w, "\nWhat would help, each alone")
	for _, a := range p.job.Advice {
		now := ""
		if a.Now != "" {
			now = " (now " + a.Now + ")"
		}
		fmt.Fprintf(p.w, "  %s: %s%s\n", vertexName(a.Setting), a.Want, now)
		effect := []string{}
		for _, f := range job.Failures() {
			if v, ok := a.Recovery[f]; ok {
				effect = append(effect, failureName(f)+" "+short(v))
			}
		}
		why := a.Why
		if len(effect) > 0 {
			why += fmt.Sprintf("; then at %.4g %%: %s", 100*(1-p.job.Risk), strings.Join(effect, ", "))
		}
		wrap(p.w, why, "    ")
	}
}

func (p page) hazards() {
	if len(p.job.Hazards) == 0 {
		return
	}
	fmt.Fprintln(p.w, "\nHazards")
	for _, h := range p.job.Hazards {
		fmt.Fprintf(p.w, "  %-6s  %s\n", h.Severity, h.ID)
		wrap(p.w, h.Why, "          ")
		wrap(p.w, "Fix: "+h.Fix, "          ")
	}
}

func (p page) missing() {
	if len(p.job.Missing) == 0 {
		return
	}
	fmt.Fprintln(p.w, "\nNot known")
	for _, l := range p.job.Missing {
		wrap(p.w, fmt.Sprintf("%s: %s. %s.", l.Quantity, strings.TrimSuffix(l.Why, "."), upper(strings.TrimSuffix(l.How, "."))), "  ")
	}
}

// checkRows is a row a job and failure.
func checkRows(doc api.Check) [][]string {
	rows := [][]string{{"job", "id", "verdict", "target_seconds", "failure", "outcome", "p05_seconds", "median_seconds", "p95_seconds", "at_risk_seconds", "worst_seconds", "first_commit_seconds", "visible_seconds"}}
	for _, j := range doc.Jobs {
		for _, r := range j.Recovery {
			rows = append(rows, []string{
				j.Identity.String(), j.ID, string(j.Verdict), plain(j.TargetSeconds), string(r.Failure), string(r.Outcome),
				plain(r.P05Seconds), plain(r.MedianSeconds), plain(r.P95Seconds), plain(r.AtRiskSeconds),
				plain(r.WorstSeconds), plain(r.FirstCommitSeconds), plain(r.VisibleSeconds),
			})
		}
	}
	return rows
}
