package config

import (
	"math"

	"rebound/internal/job"
	"rebound/internal/policy"
)

// Policy reads a policy; what is not in it has the value of policy.Default. The
// error lists everything that is wrong, a line each; name is that of the file.
func Policy(name string, b []byte) (policy.Policy, error) {
	p := policy.Default()
	s := schema{kind: PolicyKind, fields: policyFields(&p), needs: []need{
		{"recoveryTime", "the longest recovery that is fine, such as recoveryTime: 3 min"},
	}}
	if err := s.read(name, b); err != nil {
		return policy.Policy{}, err
	}
	return p, nil
}

func policyFields(p *policy.Policy) fields {
	return fields{
		"target":            func(v value) { selector(v, &p.Job) },
		"recoveryTime":      func(v value) { d, ok := v.duration(); set(&p.RecoveryTime, d, ok) },
		"risk":              func(v value) { v.share(&p.Risk, 0.5) },
		"failures":          func(v value) { failures(v, &p.Failures) },
		"visibilityLatency": func(v value) { d, ok := v.duration(); set(&p.VisibilityLatency, d, ok) },
		"latency":           func(v value) { d, ok := v.duration(); set(&p.Latency, d, ok) },
		"utilization":       func(v value) { v.share(&p.Utilization, 1) },
		"mode":              func(v value) { mode(v, &p.Mode) },
		"knobs":             func(v value) { knobs(v, &p.Knobs) },
		"limits":            func(v value) { limits(v, &p.Limits) },
		"prices":            func(v value) { prices(v, &p.Prices) },
		"budget":            func(v value) { budget(v, &p.Budget) },
		"disruptionWeight":  func(v value) { x, ok := v.number(0, 1e6); set(&p.DisruptionWeight, x, ok) },
		"quietPeriods":      func(v value) { quietPeriods(v, &p.QuietPeriods) },
		"cooldown":          func(v value) { d, ok := v.duration(); set(&p.Cooldown, d, ok) },
		"approval":          func(v value) { approval(v, &p.Approval) },
	}
}

func selector(v value, s *policy.Selector) {
	v.mapping(fields{
		"cluster":   func(v value) { t, ok := v.text(); set(&s.Cluster, t, ok) },
		"namespace": func(v value) { t, ok := v.text(); set(&s.Namespace, t, ok) },
		"name":      func(v value) { t, ok := v.text(); set(&s.Name, t, ok) },
	})
}

// failures replaces the default list.
func failures(v value, to *[]job.Failure) {
	words := make([]string, 0, 4)
	for _, f := range job.Failures() {
		words = append(words, string(f))
	}
	items := v.items()
	if items != nil && len(items) == 0 {
		v.wrong("an empty list, want at least one of the kinds of failure")
	}
	out, had := []job.Failure{}, map[string]bool{}
	for _, i := range items {
		f, ok := i.oneOf(words...)
		switch {
		case !ok:
		case had[f]:
			i.wrong("%s is listed twice", f)
		default:
			had[f] = true
			out = append(out, job.Failure(f))
		}
	}
	*to = out
}

func mode(v value, m *job.Mode) {
	s, ok := v.oneOf(string(job.ModeObserve), string(job.ModeRecommend), string(job.ModePace), string(job.ModeApply))
	set(m, job.Mode(s), ok)
}

func limits(v value, l *policy.Limits) {
	v.mapping(fields{
		"cpu":       func(v value) { x, ok := v.cores(); set(&l.CPUCores, x, ok) },
		"memory":    func(v value) { x, ok := v.size(); set(&l.MemoryBytes, x, ok) },
		"cost":      func(v value) { x, ok := v.number(least, math.Inf(1)); set(&l.CostPerHour, x, ok) },
		"stepRatio": func(v value) { x, ok := v.number(1.01, 1e3); set(&l.StepRatio, x, ok) },
	})
}

func prices(v value, p *job.Prices) {
	v.mapping(fields{
		"cpuHour": func(v value) { x, ok := v.number(0, math.Inf(1)); set(&p.CPUHour, x, ok) },
		"gibHour": func(v value) { x, ok := v.number(0, math.Inf(1)); set(&p.GiBHour, x, ok) },
	})
	if p.CPUHour == 0 && p.GiBHour == 0 {
		v.wrong("both are 0: everything would cost the same, want at least one above 0")
	}
}

func budget(v value, b *policy.Budget) {
	v.mapping(fields{
		"restartsPerDay":       func(v value) { n, ok := v.count(0); set(&b.RestartsPerDay, n, ok) },
		"profilingCoreHours":   func(v value) { x, ok := v.number(0, math.Inf(1)); set(&b.ProfilingCoreHours, x, ok) },
		"checkpointsPerMinute": func(v value) { x, ok := v.number(least, 600); set(&b.CheckpointsPerMinute, x, ok) },
		"jobsAtOnce":           func(v value) { n, ok := v.count(1); set(&b.JobsAtOnce, n, ok) },
	})
}

// share is above 0 and below high, or, where high is 1, at most 1.
func (v value) share(to *float64, high float64) {
	x, ok := v.number(least, high)
	if ok && x == high && high < 1 {
		v.wrong("%s, want less than %v", v.shown(), high)
		return
	}
	set(to, x, ok)
}
