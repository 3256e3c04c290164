package experiment

import (
	"context"
	"fmt"
	"math"
	"time"

	"rebound/internal/api"
	"rebound/internal/job"
	"rebound/internal/report"
	"rebound/internal/twin"
)

// near is within how much of each other an outage as it was seen and one that
// happened are the same.
const near = 60 * time.Second

// judge turns what happened into the document.
func (c Case) judge(ctx context.Context, t *twin.Twin, rec *recorder) (report.Run, error) {
	truth := t.Truth()
	seen, err := t.Observe(ctx)
	if err != nil { // a job that cannot be seen just now: its settings are unknown
		seen = job.Observation{}
	}
	end, _ := seen.Knobs()
	decisions := rec.decisions(ctx, seen.Job)
	target := c.Contender.Policy.RecoveryTime.Seconds()
	all := truth.Latency
	doc := api.Simulation{
		Header: api.NewHeader("Simulation"), Policy: c.Contender.Name, Scenario: c.Scenario.Name, Seed: c.Seed,
		Hours: t.Now().Sub(twin.Epoch()).Hours(), TargetSeconds: target, StartedAt: twin.Epoch(),
		Failures: len(truth.Recoveries), Recoveries: []api.SimRecovery{}, ChangesByWay: map[string]int{},
		Latency: api.LatencySummary{
			Mean: all.Mean(), P50: all.Quantile(0.5), P95: all.Quantile(0.95), P99: all.Quantile(0.99),
			CalmP95: truth.Calm.Quantile(0.95),
		},
		LateShare:    all.LaterThan(target),
		CPUCoreHours: truth.Usage.CPUCoreHours, MemoryGiBHours: truth.Usage.MemoryGiBHours,
		Cost:        c.cost(truth.Usage),
		Profiling:   api.Copies{Runs: truth.Copies, CPUCoreHours: truth.Profiling.CPUCoreHours, MemoryGiBHours: truth.Profiling.MemoryGiBHours},
		Records:     api.SimRecords{In: truth.In, Out: truth.Out, Waiting: truth.Waiting, Lost: truth.Lost},
		Checkpoints: truth.Checkpoints.Completed, Refused: refused(decisions), Settings: end,
	}
	// What is counted in, processed once and still waiting must be all there is.
	doc.Records.Duplicated = truth.Processed + truth.Waiting + truth.Lost - truth.In
	for _, r := range truth.Recoveries {
		doc.Recoveries = append(doc.Recoveries, c.recovery(r, truth, rec))
	}
	for _, r := range truth.Restarts {
		doc.Changes++
		doc.ChangesByWay[string(r.Change)]++
		doc.Recoveries = append(doc.Recoveries, c.recovery(r, truth, rec))
	}
	count(&doc)
	run := report.Run{Doc: doc, Minutes: minutes(truth, rec), Decisions: decisions, Front: rec.front}
	run.Profiles, run.PlannedRate = rec.profiles(ctx, seen.Job)
	return run, nil
}

func (c Case) cost(u twin.Usage) float64 {
	p := c.Contender.Policy.Prices
	return p.CPUHour*u.CPUCoreHours + p.GiBHour*u.MemoryGiBHours
}

// recovery judges one recovery, and the prediction that was made of it.
func (c Case) recovery(r twin.Recovery, truth twin.Truth, rec *recorder) api.SimRecovery {
	target := c.Contender.Policy.RecoveryTime.Seconds()
	out := api.SimRecovery{
		AtSeconds: r.At.Sub(twin.Epoch()).Seconds(), Failure: r.Failure, Change: r.Change,
		AgeSeconds: new(r.AgeSeconds), Outcome: job.Recovers,
	}
	if after, ok := interrupted(r, truth); ok {
		// Whether it would have met the target nobody knows, unless it had missed it by then.
		out.Interrupted, out.Outcome, out.Met = true, job.BeyondHorizon, after.Seconds() <= target
		return out
	}
	out.DuringCatchUp = r.DuringCatchUp
	if r.Done {
		out.MeasuredSeconds = new(r.Seconds)
		out.Met = r.Seconds <= target
	} else {
		out.Outcome = job.BeyondHorizon
		out.Met = r.Seconds <= target // it may yet: the simulation ended before it could miss
	}
	p, ok := rec.prediction(r.At, r.Failure)
	if !ok || r.Failure == "" {
		return out
	}
	out.AtRiskSeconds, out.P05Seconds, out.P95Seconds = p.AtRiskSeconds, p.P05Seconds, p.P95Seconds
	if r.Done && p.P05Seconds != nil && !r.DuringCatchUp {
		high := math.Inf(1)
		if p.P95Seconds != nil {
			high = *p.P95Seconds
		}
		out.InsideInterval = new(r.Seconds >= *p.P05Seconds && r.Seconds <= high)
	}
	return out
}

// interrupted says how long after r a failure struck before it had been caught up.
func interrupted(r twin.Recovery, truth twin.Truth) (after time.Duration, ok bool) {
	end := r.At.Add(time.Duration(r.Seconds * float64(time.Second)))
	for _, f := range truth.Recoveries {
		if f.At.After(r.At) && f.At.Before(end) && (!ok || f.At.Sub(r.At) < after) {
			after, ok = f.At.Sub(r.At), true
		}
	}
	return after, ok
}

// count fills in what follows from the recoveries.
func count(doc *api.Simulation) {
	sum, n, inside := 0.0, 0, 0
	for _, r := range doc.Recoveries {
		if !r.Met {
			doc.Violations++
		}
		if r.InsideInterval != nil {
			doc.Scored++
			if *r.InsideInterval {
				inside++
			}
		}
		if r.Failure == "" || r.MeasuredSeconds == nil {
			continue
		}
		sum, n = sum+*r.MeasuredSeconds, n+1
		if w := doc.WorstRecoverySeconds; w == nil || *r.MeasuredSeconds > *w {
			doc.WorstRecoverySeconds = new(*r.MeasuredSeconds)
		}
	}
	if n > 0 {
		doc.MeanRecoverySeconds = new(sum / float64(n))
	}
	if doc.Scored > 0 {
		doc.Coverage90 = new(float64(inside) / float64(doc.Scored))
	}
}

// minutes joins what happened with what had been said of it.
func minutes(truth twin.Truth, rec *recorder) []report.Minute {
	out := make([]report.Minute, 0, len(truth.Minutes))
	for _, m := range truth.Minutes {
		low, mean, high := rec.forecast(m.At)
		r := report.Minute{
			At: m.At.Sub(twin.Epoch()).Seconds(), Load: m.Load, Processed: m.Processed, Capacity: m.Capacity,
			Forecast: mean, ForecastLow: low, ForecastHigh: high,
			Utilization: math.NaN(), LagSeconds: m.Latency, Cores: m.Cores, MemoryGiB: m.GiB,
			AtRiskSeconds: rec.atRisk(m.At), PeriodSeconds: m.IntervalSeconds,
		}
		if m.Capacity > 0 {
			r.Utilization = m.Load / m.Capacity
		}
		if m.Checkpoints > 0 {
			r.PeriodSeconds = m.Seconds / float64(m.Checkpoints)
		}
		out = append(out, r)
	}
	return out
}

// Check says what in a document cannot be: a record that was doubled or lost
// without the log's retention.
func Check(doc api.Simulation) error {
	if doc.Records.Duplicated != 0 {
		return fmt.Errorf("%s on %s, seed %d: %d records more than came in", doc.Policy, doc.Scenario, doc.Seed, doc.Records.Duplicated)
	}
	return nil
}
