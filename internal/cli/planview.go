package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"rebound/internal/job"
)

// planTable shows a plan: what would change, what that would bring, why, and what
// was passed over.
func planTable(w io.Writer, p job.Plan, target float64) error {
	fmt.Fprintf(w, "%s: %s\n\n", p.Job, verdictOf(p))
	planChange(w, p)
	fmt.Fprintln(w)
	planEffect(w, p, target)
	fmt.Fprintln(w)
	wrap(w, upper(p.Reason), "")
	planBinding(w, p.Binding)
	planAlternatives(w, p.Alternatives)
	planFront(w, p.Front)
	planExplore(w, p.Explore)
	fmt.Fprintln(w)
	wrap(w, forecastWords(p), "")
	return nil
}

// changes says whether a plan wants other settings than those in force.
func changes(p job.Plan) bool { return p.Way != "" && p.Now != p.Want }

func verdictOf(p job.Plan) string {
	switch {
	case changes(p) && p.Feasible:
		return "a change is proposed"
	case changes(p):
		return "a change is proposed, though NO settings meet all limits"
	case p.PaceSeconds != nil && p.Feasible:
		return "no restart; checkpoints on request are proposed"
	case !p.Feasible:
		return "NO settings meet all limits, and none pays; nothing is proposed"
	default:
		return "nothing to change"
	}
}

// planChange lists the knobs, those that change marked.
func planChange(w io.Writer, p job.Plan) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name job.Knob, now, want string) {
		mark, text := " ", now
		if now != want {
			mark, text = "~", now+" → "+want
		}
		fmt.Fprintf(t, "  %s %s\t%s\n", mark, name, text)
	}
	a, b := p.Now, p.Want
	line(job.KnobInterval, short(a.IntervalSeconds), short(b.IntervalSeconds))
	line(job.KnobParallelism, strconv.Itoa(a.Parallelism), strconv.Itoa(b.Parallelism))
	line(job.KnobSlots, strconv.Itoa(a.Slots), strconv.Itoa(b.Slots))
	line(job.KnobCPU, numeral(a.CPUCores)+" cores", numeral(b.CPUCores)+" cores")
	line(job.KnobMemory, numeral(a.MemoryBytes/job.GiB)+" GiB", numeral(b.MemoryBytes/job.GiB)+" GiB")
	t.Flush()
	if p.PaceSeconds != nil {
		fmt.Fprintf(w, "  ~ checkpoints on request, every %s, without a restart\n", short(*p.PaceSeconds))
	}
	if p.Way != "" {
		fmt.Fprintf(w, "  way: %s\n", wayWords(p.Way))
	}
}

func wayWords(way job.Way) string {
	switch way {
	case job.InPlace:
		return "in place, the scheduler rescales"
	case job.Savepoint:
		return "redeploy from a savepoint"
	case job.LastState:
		return "redeploy from the last checkpoint"
	default:
		return "none"
	}
}

// planEffect sets what is predicted of staying and of changing side by side.
func planEffect(w io.Writer, p job.Plan, target float64) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	then := changes(p) || p.PaceSeconds != nil
	line := func(name, now, want string) {
		if !then {
			want = ""
		}
		fmt.Fprintf(t, "%-20s\t%s\t%s\t\n", name, now, want) // the first column to the left, numbers to the right
	}
	line("", "NOW", "THEN")
	line("cost an hour", money(p.Present.CostPerHour), money(p.Predicted.CostPerHour))
	for i, r := range p.Present.Recovery {
		want := "–"
		if i < len(p.Predicted.Recovery) {
			want = orOutcome(p.Predicted.Recovery[i].AtRiskSeconds, outcomeAtRisk(p.Predicted.Recovery[i]))
		}
		line("recovery, "+failureName(r.Failure), orOutcome(r.AtRiskSeconds, outcomeAtRisk(r)), want)
	}
	if target > 0 && len(p.Present.Recovery) > 0 {
		line("wanted at most", short(target), short(target))
	}
	pair := func(name string, a, b *float64, write func(float64) string) {
		if a != nil || b != nil {
			line(name, or(a, write), or(b, write))
		}
	}
	pair("utilization", p.Present.Utilization, p.Predicted.Utilization, inPercent)
	pair("latency, 95 %", p.Present.LatencySeconds, p.Predicted.LatencySeconds, millis)
	pair("visible after", p.Present.VisibleSeconds, p.Predicted.VisibleSeconds, short)
	pair("capacity /s", p.Present.Capacity, p.Predicted.Capacity, func(v float64) string { return thousands(v, 0) })
	t.Flush()
	if s := p.Predicted.ChangeSeconds; s != nil && changes(p) {
		text := "The change itself takes " + short(*s) + " until caught up"
		if p.Predicted.ChangeCost != nil {
			text += ", worth " + money(*p.Predicted.ChangeCost)
		}
		fmt.Fprintf(w, "%s.\n", text)
	}
}

// outcomeAtRisk is why the quantile at risk has no number.
func outcomeAtRisk(r job.Recovery) job.Outcome {
	if r.AtRiskOutcome != "" {
		return r.AtRiskOutcome
	}
	return r.Outcome
}

func money(v float64) string     { return fmt.Sprintf("%.3f", v) }
func inPercent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

func or(v *float64, write func(float64) string) string {
	if v == nil {
		return "–"
	}
	return write(*v)
}

func planBinding(w io.Writer, all []job.Binding) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWhat binds")
	for _, b := range all {
		wrap(w, bindingWords(b), "  ")
	}
}

// bindingWords is one limit, with what it allows and what there is.
func bindingWords(b job.Binding) string {
	s := fmt.Sprintf("%s: %s of %s", strings.ReplaceAll(b.Limit, "_", " "), inUnit(b.Value, b.Unit), inUnit(b.Bound, b.Unit))
	if b.Detail != "" {
		s += "; " + b.Detail
	}
	return s
}

func inUnit(v float64, unit string) string {
	switch unit {
	case job.Seconds:
		return short(v)
	case job.Ratio:
		return inPercent(v)
	case job.Bytes:
		return numeral(v/job.GiB) + " GiB"
	case job.Cores:
		return numeral(v) + " cores"
	case job.PerSecond:
		return thousands(v, 0) + " records/s"
	case "money_per_hour":
		return money(v) + " an hour"
	default:
		return strings.TrimSpace(numeral(v) + " " + unit)
	}
}

func planAlternatives(w io.Writer, all []job.Alternative) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(w, "\nCheaper, and why not")
	for _, a := range all {
		fmt.Fprintf(w, "  %s  %s\n", money(a.CostPerHour), a.Knobs)
		why := a.Why
		if why == "" {
			parts := make([]string, 0, len(a.Violates))
			for _, b := range a.Violates {
				parts = append(parts, bindingWords(b))
			}
			why = strings.Join(parts, "; ")
		}
		wrap(w, why, "         ")
	}
}

func planFront(w io.Writer, all []job.FrontPoint) {
	if len(all) < 2 {
		return
	}
	fmt.Fprintln(w, "\nCost against latency, among what meets the limits")
	for _, f := range all {
		fmt.Fprintf(w, "  %s  %8s  %s\n", money(f.CostPerHour), millis(f.LatencySeconds), f.Knobs)
		if f.SustainedPerSecond != nil {
			fmt.Fprintf(w, "  %15s  sustains %s records/s (5–95 %%: %s to %s)\n", "", thousands(*f.SustainedPerSecond, 0),
				thousands(*f.SustainedP05PerSecond, 0), thousands(*f.SustainedP95PerSecond, 0))
		}
	}
}

// planExplore is the profile that would pay best.
func planExplore(w io.Writer, e *job.Exploration) {
	if e == nil {
		return
	}
	fmt.Fprintln(w, "\nWorth measuring by a copy of the job")
	wrap(w, fmt.Sprintf("%s: %s. It would run for %s, take %s core-hours (%s) and is expected to save %s an hour.",
		e.Knobs, e.Reason, short(e.Seconds), numeral(e.CoreHours), money(e.Price), money(e.SavesPerHour)), "  ")
}

func forecastWords(p job.Plan) string {
	f := p.Forecast
	if f.HorizonSeconds <= 0 {
		return thousands(float64(p.Considered), 0) + " settings were looked at."
	}
	s := fmt.Sprintf("%s settings were looked at. Load: %s records/s now, up to %s (%s at the risk taken) within %s",
		thousands(float64(p.Considered), 0), thousands(f.NowPerSecond, 0), thousands(f.PeakPerSecond, 0), thousands(f.UpperPerSecond, 0), short(f.HorizonSeconds))
	if len(f.Members) > 0 {
		s += "; forecast by " + strings.Join(f.Members, ", ")
	}
	return s + "."
}

// planRows is a row a candidate: what is, what is wanted, what was passed over.
func planRows(p job.Plan) [][]string {
	rows := [][]string{strings.Split("what,parallelism,slots,cpu_cores,memory_bytes,checkpoint_interval_seconds,cost_per_hour,at_risk_seconds,violates", ",")}
	add := func(what string, k job.Knobs, cost float64, risk, violates string) {
		rows = append(rows, []string{
			what, strconv.Itoa(k.Parallelism), strconv.Itoa(k.Slots), numeral(k.CPUCores), fmt.Sprintf("%.0f", k.MemoryBytes),
			plain(&k.IntervalSeconds), plain(&cost), risk, violates,
		})
	}
	add("now", p.Now, p.Present.CostPerHour, worstAtRisk(p.Present), "")
	add("want", p.Want, p.Predicted.CostPerHour, worstAtRisk(p.Predicted), "")
	for _, a := range p.Alternatives {
		var limits []string
		for _, b := range a.Violates {
			limits = append(limits, b.Limit)
		}
		add("alternative", a.Knobs, a.CostPerHour, "", strings.Join(limits, " "))
	}
	return rows
}

// worstAtRisk is the longest over the kinds of failure; empty where one has no
// number.
func worstAtRisk(p job.Predicted) string {
	most := 0.0
	for _, r := range p.Recovery {
		if r.AtRiskSeconds == nil {
			return ""
		}
		most = max(most, *r.AtRiskSeconds)
	}
	if len(p.Recovery) == 0 {
		return ""
	}
	return plain(&most)
}
