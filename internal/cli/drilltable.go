package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"rebound/internal/api"
	"rebound/internal/job"
)

// drillTable prints prediction and measurement side by side: one drill phase by
// phase, several a row each, with the score.
func drillTable(w io.Writer, doc api.DrillReport) error {
	if len(doc.Drills) == 1 {
		oneDrill(w, doc.Drills[0])
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "#\tFAILURE\tAGE\tDOWNTIME\tPREDICTED\t5–95 %\tMEASURED\tERROR\tINSIDE\tAUDIT\t")
	for i, d := range doc.Drills {
		p, m := d.Predicted, d.Measured
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", i+1, failureName(d.Failure),
			orOutcome(m.AgeSeconds, ""), orOutcome(m.DowntimeSeconds, ""), orOutcome(p.MedianSeconds, p.Outcome), between(p),
			measured(m), drillError(d), insideWord(d), auditWord(d.Audit))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	s := doc.Score
	if s.MedianAbsoluteError != nil {
		fmt.Fprintf(w, "\nMedian error %.0f %% (%.1f s)", 100**s.MedianAbsoluteError, *s.MedianAbsoluteErrorSeconds)
		if s.Inside90 != nil {
			fmt.Fprintf(w, ", %.0f %% inside their 5–95 %%, which are %.2f of the median wide", 100**s.Inside90, *s.MedianWidthRatio)
		}
		fmt.Fprintln(w, ".")
	}
	return nil
}

// starvedWord is how many waiting threads are worth a word: starting a process on
// two idle cores makes two or three.
const starvedWord = 3.5

func oneDrill(w io.Writer, d api.Drill) {
	p, m := d.Predicted, d.Measured
	fmt.Fprintf(w, "%s: %s failure at %s\n\n", d.Job, failureName(d.Failure), m.At.Format("15:04:05.0"))
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tPREDICTED\t±\tMEASURED\t")
	for _, ph := range job.Phases() {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", phaseName(ph), phaseCell(p.Phases, ph), spreadCell(p.Phases, ph), phaseCell(m.Phases, ph))
	}
	fmt.Fprintf(t, "RECOVERY\t%s\t%s\t%s\t\n", orOutcome(p.MedianSeconds, p.Outcome), between(p), measured(m))
	fmt.Fprintf(t, "first commit\t%s\t\t%s\t\n", orOutcome(p.FirstCommitSeconds, ""), orOutcome(m.FirstCommitSeconds, ""))
	fmt.Fprintf(t, "visible\t%s\t\t%s\t\n", orOutcome(p.VisibleSeconds, ""), orOutcome(m.VisibleSeconds, ""))
	t.Flush()
	fmt.Fprintln(w)
	wrap(w, verdictWords(d), "")
	if a := d.Audit; a != nil {
		wrap(w, auditSentence(*a), "")
	}
	if m.StarvedRatio != nil && *m.StarvedRatio > starvedWord {
		wrap(w, fmt.Sprintf("The machine was busy: the job's processes waited %.1f threads for a CPU, which makes recovery longer.", *m.StarvedRatio), "")
	}
}

// verdictWords says how the prediction did and what was learned of it.
func verdictWords(d api.Drill) string {
	if d.Measured.RecoverySeconds == nil {
		return fmt.Sprintf("It had not recovered after %s.", orOutcome(d.Measured.AtLeastSeconds, ""))
	}
	in := "outside"
	if inside, ok := d.Pair().Inside(); ok && inside {
		in = "inside"
	}
	return fmt.Sprintf("The prediction was off by %s, the recovery %s its 5–95 %%. Learned for the next one: the downtime%s.", drillError(d), in, learnedWords(d.Measured))
}

func learnedWords(m job.Measurement) string {
	var b strings.Builder
	if m.CatchUpUtilization != nil && m.Utilization != nil {
		fmt.Fprintf(&b, "; a utilization of %.0f %% in catch-up where busy time says %.0f %%", 100**m.CatchUpUtilization, 100**m.Utilization)
	}
	if m.Warmup != nil && m.Warmup.StartRatio < 1 {
		fmt.Fprintf(&b, "; a warm-up from %.0f %% of the capacity with a time constant of %s", 100*m.Warmup.StartRatio, short(m.Warmup.TimeConstantSeconds))
	}
	return b.String()
}

func auditSentence(a job.Audit) string {
	s := fmt.Sprintf("Audit: %s. %s views sent, %s seen, %s lost, %s doubled, %s late.", strings.ReplaceAll(a.Verdict, "_", " "),
		thousands(float64(a.Sent), 0), thousands(float64(a.Seen), 0), thousands(float64(a.Lost), 0), thousands(float64(a.Duplicated), 0), thousands(float64(a.Late), 0))
	if a.Confidence != "" {
		s += " " + upper(a.Confidence) + "."
	}
	return s
}

func auditWord(a *job.Audit) string {
	switch {
	case a == nil || a.Verdict == unsettled:
		return "?"
	case a.Lost == 0 && a.Duplicated == 0:
		return "exact"
	default:
		return fmt.Sprintf("-%d +%d", a.Lost, a.Duplicated)
	}
}

func measured(m job.Measurement) string {
	if m.RecoverySeconds == nil {
		return "> " + orOutcome(m.AtLeastSeconds, "")
	}
	return short(*m.RecoverySeconds)
}

// between is the predicted 5–95 %.
func between(r job.Recovery) string {
	if r.P05Seconds == nil {
		return ""
	}
	if r.P95Seconds == nil {
		return fmt.Sprintf("%.0f–∞", *r.P05Seconds)
	}
	return fmt.Sprintf("%.0f–%.0f s", *r.P05Seconds, *r.P95Seconds)
}

func drillError(d api.Drill) string {
	e, ok := d.Pair().Error()
	if !ok {
		return "?"
	}
	return fmt.Sprintf("%+.0f %%", 100*e)
}

func insideWord(d api.Drill) string {
	in, ok := d.Pair().Inside()
	switch {
	case !ok:
		return "?"
	case in:
		return "yes"
	default:
		return "no"
	}
}

func phaseCell(phases []job.PhaseTime, p job.Phase) string {
	v, ok := job.PhaseSeconds(phases, p)
	if !ok {
		return "–"
	}
	return short(v)
}

func spreadCell(phases []job.PhaseTime, p job.Phase) string {
	for _, t := range phases {
		if t.Phase == p {
			return short(t.Spread)
		}
	}
	return ""
}

// drillRows is a row a drill.
func drillRows(doc api.DrillReport) [][]string {
	rows := [][]string{{"id", "job", "failure", "at", "age_seconds", "downtime_seconds", "recovery_seconds", "predicted_seconds", "p05_seconds", "p95_seconds", "first_commit_seconds", "visible_seconds", "lost", "duplicated", "starved_ratio"}}
	for _, d := range doc.Drills {
		p, m := d.Predicted, d.Measured
		lost, doubled := "", ""
		if d.Audit != nil {
			lost, doubled = strconv.FormatInt(d.Audit.Lost, 10), strconv.FormatInt(d.Audit.Duplicated, 10)
		}
		rows = append(rows, []string{
			d.ID, d.Job.String(), string(d.Failure), d.At, plain(m.AgeSeconds), plain(m.DowntimeSeconds), plain(m.RecoverySeconds),
			plain(p.MedianSeconds), plain(p.P05Seconds), plain(p.P95Seconds), plain(m.FirstCommitSeconds), plain(m.VisibleSeconds),
			lost, doubled, plain(m.StarvedRatio),
		})
	}
	return rows
}
