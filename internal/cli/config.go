package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"rebound/internal/config"
	"rebound/internal/job"
	"rebound/internal/policy"
)

type configCmd struct {
	Check configCheckCmd `cmd:"" help:"Say everything that is wrong with a file, or what it means."`
}

// scenarioKind is the kind of the files that package twin reads.
const scenarioKind = "Scenario"

type configCheckCmd struct {
	File string `arg:"" help:"A policy, facts of a job or a scenario; - for standard input."`
}

func (configCheckCmd) Help() string {
	return `Reads a file of kind RecoveryPolicy, Facts or Scenario as the other commands do. What is wrong
is said all at once, each with its line and column; what is right is said in
words, with the defaults that apply.

  rebound config check policy.yaml`
}

func (c *configCheckCmd) Run(e *env) error {
	name, b, err := readFile(c.File)
	if err != nil {
		return err
	}
	switch kind := config.Kind(b); kind {
	case config.FactsKind:
		if _, err := readFacts(c.File); err != nil {
			return err
		}
		_, err := fmt.Fprintf(e.stdout, "%s: facts, fine. To see what follows: rebound check -f %s\n", name, c.File)
		return err
	case scenarioKind:
		s, err := loadScenario(c.File)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s: a scenario, fine. To see what happens: rebound simulate --scenario %s (%s)\n", name, c.File, short(s.Hours*3600))
		return err
	case config.PolicyKind, "":
	default:
		return fmt.Errorf("%s: kind %q: want %s, %s or %s", name, kind, config.PolicyKind, config.FactsKind, scenarioKind)
	}
	p, err := config.Policy(name, b)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: a policy, fine. It means:\n\n", name)
	return policyTable(e.stdout, p)
}

// policyTable says what a policy means, a line a subject.
func policyTable(w io.Writer, p policy.Policy) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		for i, part := range fold(fmt.Sprintf(format, args...), width-20) {
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(t, "%s\t%s\n", name, part)
		}
	}
	line("jobs", "%s", selected(p.Job))
	line("recovery", "within %s, in all but %.3g %% of failures (%s)", short(p.RecoveryTime.Seconds()), 100*p.Risk, failureNames(p.Failures))
	line("mode", "%s", modeWords(p.Mode))
	for _, k := range freeKnobs(p.Knobs) {
		line(k.name, "%s", k.text)
	}
	if len(freeKnobs(p.Knobs)) == 0 {
		line("knobs", "none is free: nothing but checkpoints on request (mode pace) can be done")
	}
	line("limits", "%s", limitWords(p))
	line("a change", "must be worth %.3g × its disturbance; at most %d restarts a day, %s apart", p.DisruptionWeight, p.Budget.RestartsPerDay, short(p.Cooldown.Seconds()))
	line("prices", "%.4g a core-hour, %.4g a GiB-hour", p.Prices.CPUHour, p.Prices.GiBHour)
	for _, q := range p.QuietPeriods {
		line("quiet", "%s", quietWords(q))
	}
	line("approval", "%s", approvalWords(p.Approval))
	return t.Flush()
}

func selected(s policy.Selector) string {
	parts := []string{}
	for _, p := range [][2]string{{"cluster", s.Cluster}, {"namespace", s.Namespace}, {"name", s.Name}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	if len(parts) == 0 {
		return "every job of the cluster"
	}
	return strings.Join(parts, ", ")
}

func failureNames(all []job.Failure) string {
	names := make([]string, 0, len(all))
	for _, f := range all {
		names = append(names, failureName(f))
	}
	return strings.Join(names, ", ")
}

func modeWords(m job.Mode) string {
	switch m {
	case job.ModeRecommend:
		return "recommend: says what it would do, changes nothing"
	case job.ModePace:
		return "pace: asks for checkpoints, restarts nothing"
	case job.ModeApply:
		return "apply: asks for checkpoints and changes settings"
	default:
		return "observe: looks, predicts and scores, proposes and changes nothing"
	}
}

type freeKnob struct{ name, text string }

func freeKnobs(k policy.Knobs) []freeKnob {
	var out []freeKnob
	for _, one := range []struct {
		name  job.Knob
		r     policy.Range
		write func(float64) string
	}{
		{job.KnobInterval, k.CheckpointInterval, short},
		{job.KnobParallelism, k.Parallelism, numeral},
		{job.KnobSlots, k.Slots, numeral},
		{job.KnobCPU, k.CPU, func(v float64) string { return numeral(v) + " cores" }},
		{job.KnobMemory, k.Memory, func(v float64) string { return numeral(v/job.GiB) + " GiB" }},
	} {
		if one.r.Free() {
			out = append(out, freeKnob{string(one.name), rangeWords(one.r, one.write)})
		}
	}
	return out
}

func numeral(v float64) string { return fmt.Sprintf("%.4g", v) }

func rangeWords(r policy.Range, write func(float64) string) string {
	if len(r.List) > 0 {
		parts := make([]string, 0, len(r.List))
		for _, v := range r.List {
			parts = append(parts, write(v))
		}
		return strings.Join(parts, ", ")
	}
	s := write(r.Min) + " to " + write(r.Max)
	if r.Step > 0 {
		s += " in steps of " + write(r.Step)
	}
	return s
}

func limitWords(p policy.Policy) string {
	parts := []string{fmt.Sprintf("utilization %.3g %%", 100*p.Utilization), fmt.Sprintf("capacity × or ÷ %.3g a change", p.Limits.StepRatio)}
	add := func(name string, d time.Duration) {
		if d > 0 {
			parts = append(parts, name+" "+short(d.Seconds()))
		}
	}
	add("visibility", p.VisibilityLatency)
	add("latency", p.Latency)
	if p.Limits.CPUCores > 0 {
		parts = append(parts, fmt.Sprintf("%.4g cores", p.Limits.CPUCores))
	}
	if p.Limits.MemoryBytes > 0 {
		parts = append(parts, fmt.Sprintf("%.4g GiB", p.Limits.MemoryBytes/job.GiB))
	}
	if p.Limits.CostPerHour > 0 {
		parts = append(parts, fmt.Sprintf("cost %.4g an hour", p.Limits.CostPerHour))
	}
	return strings.Join(parts, ", ")
}

func quietWords(q policy.QuietPeriod) string {
	zone := q.Zone
	if zone == "" {
		zone = "UTC"
	}
	if q.Cron != "" {
		return fmt.Sprintf("%s from each %q (%s)", short(q.For.Seconds()), q.Cron, zone)
	}
	days := "every day"
	if len(q.Days) > 0 {
		days = strings.Join(q.Days, ", ")
	}
	return fmt.Sprintf("%s to %s, %s (%s)", q.From, q.To, days, zone)
}

func approvalWords(a policy.Approval) string {
	switch {
	case len(a.Command) > 0:
		return fmt.Sprintf("asks %s; no answer in %s means no", a.Command[0], short(a.Timeout.Seconds()))
	case a.URL != "":
		return fmt.Sprintf("asks %s; no answer in %s means no", a.URL, short(a.Timeout.Seconds()))
	case a.Manual:
		return fmt.Sprintf("waits for rebound approve; no answer in %s means no", short(a.Timeout.Seconds()))
	default:
		return "nobody is asked"
	}
}

// fold breaks text into lines of at most n characters.
func fold(text string, n int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len([]rune(line+" "+word)) > n {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
