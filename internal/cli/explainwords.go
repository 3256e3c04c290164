package cli

import (
	"fmt"
	"strings"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
)

func kindWords(d job.Decision) string {
	switch {
	case d.Kind == job.RollBack && d.RollsBack != "":
		return "to take back " + d.RollsBack
	case d.Kind == job.RollBack:
		return "to go back"
	case d.Kind == job.Pace:
		return "the pace of checkpoints"
	case d.Proposed.Now == d.Proposed.Want:
		return "whether to change anything"
	default:
		return "other settings"
	}
}

func seenWords(s job.Seen) []string {
	out := []string{fmt.Sprintf("The job ran at %s.", s.Knobs)}
	var parts []string
	if s.RatePerSecond != nil {
		parts = append(parts, thousands(*s.RatePerSecond, 0)+" records/s came in")
	}
	if s.Utilization != nil {
		parts = append(parts, "utilization was "+inPercent(*s.Utilization))
	}
	if s.LagRecords != nil {
		parts = append(parts, thousands(*s.LagRecords, 0)+" records waited")
	}
	if len(parts) > 0 {
		out = append(out, upper(strings.Join(parts, ", "))+".")
	}
	parts = nil
	for _, q := range s.Quantities {
		text := fmt.Sprintf("%s %s (%s", q.Name, amount(q), q.Source)
		if q.Samples > 1 {
			text += fmt.Sprintf(" %d×", q.Samples)
		}
		parts = append(parts, text+")")
	}
	if len(parts) > 0 {
		out = append(out, "It rests on "+strings.Join(parts, ", ")+".")
	}
	for _, l := range s.Lacks {
		out = append(out, fmt.Sprintf("Not seen: %s, since %s.", l.Quantity, strings.TrimSuffix(l.Why, ".")))
	}
	return out
}

func expectedWords(d job.Decision) []string {
	p := d.Proposed
	var out []string
	if p.Forecast.HorizonSeconds > 0 {
		out = append(out, forecastWords(p))
	}
	if s := recoveryWords(p.Present.Recovery); s != "" {
		out = append(out, "Kept as it was, recovery at the risk taken would have been "+s+".")
	}
	return out
}

func recoveryWords(all []job.Recovery) string {
	parts := make([]string, 0, len(all))
	for _, r := range all {
		parts = append(parts, failureName(r.Failure)+" "+orOutcome(r.AtRiskSeconds, outcomeAtRisk(r)))
	}
	return strings.Join(parts, ", ")
}

func proposedWords(d job.Decision) []string {
	p := d.Proposed
	var out []string
	switch {
	case d.Kind == job.Pace && p.PaceSeconds != nil:
		out = append(out, fmt.Sprintf("To ask for a checkpoint every %s, without a restart.", short(*p.PaceSeconds)))
	case d.Kind == job.Pace:
		out = append(out, "To leave checkpoints to the configured interval.")
	case p.Now == p.Want && p.Reason == "":
		out = append(out, "Nothing.")
	case p.Now == p.Want: // the reason says so
	default:
		out = append(out, fmt.Sprintf("To change %s, by way of: %s.", difference(p.Now, p.Want), wayWords(p.Way)))
	}
	if p.Reason != "" {
		out = append(out, upper(strings.TrimSuffix(p.Reason, "."))+".")
	}
	if s := recoveryWords(p.Predicted.Recovery); s != "" {
		out = append(out, "Then recovery at the risk taken is "+s+".")
	}
	if p.Predicted.CostPerHour > 0 {
		out = append(out, fmt.Sprintf("Cost an hour: %s instead of %s.", money(p.Predicted.CostPerHour), money(p.Present.CostPerHour)))
	}
	if s := p.Predicted.ChangeSeconds; s != nil && p.Now != p.Want {
		out = append(out, fmt.Sprintf("The change itself was expected to take %s until caught up.", short(*s)))
	}
	if !p.Feasible && p.Considered > 0 {
		out = append(out, "No settings met all limits.")
	}
	return out
}

func guardWords(all []job.GuardWord) []string {
	out := make([]string, 0, len(all))
	for _, g := range all {
		word := string(g.Word)
		if g.Word == job.No {
			word = "NO"
		}
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s: %s, %s", g.Guard, word, g.Reason), ", "))
	}
	return out
}

func doneWords(d job.Decision) []string {
	if d.Applied == nil {
		return []string{"Nothing."}
	}
	out := []string{fmt.Sprintf("Change %s was given to the job, by way of: %s.", d.Applied.ID, wayWords(d.Applied.Way))}
	if s := settingsWords(d.Previous); s != "" {
		out = append(out, "To go back to: "+s+".")
	}
	return out
}

// settingsWords are settings in a line, as far as they are known.
func settingsWords(s job.Settings) string {
	var parts []string
	if s.CheckpointIntervalSeconds != nil {
		parts = append(parts, "a checkpoint every "+short(*s.CheckpointIntervalSeconds))
	}
	widest := 0
	for _, n := range s.Parallelism {
		widest = max(widest, n)
	}
	if widest > 0 {
		parts = append(parts, fmt.Sprintf("parallelism %d", widest))
	}
	if s.SlotsPerTaskManager != nil {
		parts = append(parts, fmt.Sprintf("%d slots", *s.SlotsPerTaskManager))
	}
	if v := s.TaskManagerResources.CPUCores; v != nil {
		parts = append(parts, numeral(*v)+" cores")
	}
	if v := s.TaskManagerResources.MemoryBytes; v != nil {
		parts = append(parts, numeral(*v/job.GiB)+" GiB")
	}
	return strings.Join(parts, ", ")
}

func endWords(doc api.Decision) []string {
	d := doc.Decision
	var out []string
	if d.Outcome != "" {
		out = append(out, upper(strings.TrimSuffix(d.Outcome, "."))+".")
	}
	switch {
	case !d.State.Closed():
		out = append(out, "It is not closed yet.")
	case !d.ClosedAt.IsZero():
		out = append(out, fmt.Sprintf("Closed %s, after %s.", d.ClosedAt.UTC().Format(time.RFC3339), age(max(0, d.ClosedAt.Sub(d.At)))))
	}
	var open []string
	for _, p := range doc.Predictions {
		if p.Scored == nil {
			open = append(open, failureName(p.Recovery.Failure))
			continue
		}
		out = append(out, scoreWords(p.ID, p.Recovery, *p.Scored))
	}
	if len(open) > 0 {
		out = append(out, fmt.Sprintf("No failure has shown yet whether its predictions hold (%s).", strings.Join(open, ", ")))
	}
	return out
}

// scoreWords sets a prediction beside what came of it.
func scoreWords(id string, r job.Recovery, c job.Scored) string {
	s := fmt.Sprintf("Prediction %s, %s: %s to %s, median %s", id, failureName(r.Failure),
		orOutcome(r.P05Seconds, r.Outcome), orOutcome(r.P95Seconds, r.P95Outcome), orOutcome(r.MedianSeconds, r.Outcome))
	switch {
	case c.MeasuredSeconds == nil:
		return s + "; the job had not recovered in the time looked at."
	case c.Inside != nil && *c.Inside:
		return s + fmt.Sprintf("; measured %s, inside.", short(*c.MeasuredSeconds))
	default:
		return s + fmt.Sprintf("; measured %s, outside.", short(*c.MeasuredSeconds))
	}
}
