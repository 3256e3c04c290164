// Package explore chooses what to profile next: the settings of which a copy of the
// job should run for a while, because what it shows is expected to save more than the
// copy costs; or says why nothing is worth it.
//
// One quantity decides about settings: K, the greatest rate that they sustain
// (plan.Sustained). It follows from capacity, checkpoints and downtime by physics,
// and not from the present load, so that profiles tell of every other load, and the
// interval needs no profile at all. What is searched for is the cheapest x with
//
//	y(x) = ln λ* − ln K(x) ≤ 0
//
// for the rate λ* that is planned for. The cost is known. y is a Gaussian process
// about what is believed of the job, with a misfit that is wide on purpose: it says
// what a profile could show, not what is likely enough to act on. The choice of
// settings stays with the planner.
package explore

import (
	"fmt"
	"math"
	"time"

	"rebound/internal/job"
	"rebound/internal/plan"
	"rebound/internal/search"
)

// Input is all that a choice rests on.
type Input struct {
	plan.Input
	Rate      float64       // λ*, records/s; 0: the greatest that the planner plans for
	History   []job.Profile // oldest first, running ones among them
	CoreHours float64       // left of the budget
	Seconds   float64       // that a copy runs; 0: as long as it takes, at least 10 min
	// Worth is the time within which a profile has to pay for itself; 0: a day.
	Worth time.Duration
}

const (
	// leastSeconds is what a copy takes to restore, to work off a backlog, to fail
	// and to recover; in targets twice and a half, since half of it is left for the
	// recovery.
	leastSeconds, leastTargets = 600.0, 2.5
	defaultWorth               = 24 * time.Hour
	// safe is how sure it must be that settings do, for them to count as found.
	safe = 0.98
	// mostRepeats of one setting: what two copies have not settled, a third will not.
	mostRepeats = 2
)

// Spent are the core-hours of the copies that were started after a time; one that
// runs counts with all that it will take.
func Spent(all []job.Profile, since time.Time) (hours float64) {
	for _, p := range all {
		if p.StartedAt.After(since) {
			hours += p.CPUCoreHours
		}
	}
	return hours
}

func (in *Input) defaults(peak float64) {
	if in.Rate <= 0 {
		in.Rate = peak
	}
	if in.Seconds <= 0 {
		in.Seconds = max(leastSeconds, leastTargets*in.Policy.RecoveryTime.Seconds())
	}
	if in.Worth <= 0 {
		in.Worth = defaultWorth
	}
}

// Next is the profile that is expected to pay best. Not ok: none is, and why says it;
// otherwise why is the reason for it.
func Next(in Input) (e job.Exploration, ok bool, why string) {
	s, ok := plan.NewSustained(in.Input)
	if !ok {
		return e, false, "nothing is profiled: the input rate is not known, or there is no target"
	}
	in.defaults(s.Peak())
	if !(in.Rate > 0) {
		return e, false, "nothing is profiled: no load is expected"
	}
	a := newAtlas(&in, s)
	if len(a.inputs) < 2 {
		return e, false, "nothing is profiled: the policy leaves no resources free"
	}
	if why = a.restrict(); why != "" {
		return e, false, why
	}
	asked, err := a.ask()
	if err != nil {
		return e, false, "nothing is profiled: " + err.Error()
	}
	return a.verdict(asked)
}

// ask tells the search all that is known and asks what to try.
func (a *atlas) ask() ([]search.Suggestion, error) {
	noise := measured
	s, err := search.New(search.Problem{
		Settings: a.settings(), Start: [][]float64{}, Safe: safe, Harmless: true, Price: a.perHour(a.in.Now), Seed: a.in.Seed,
		Outputs: []search.Output{
			{Name: "cost", Minimize: true, Ref: a.dearest(), Known: a.costAt},
			{Name: "need", Limit: new(0.0), Noise: &noise, Mean: a.meanAt, Misfit: misfit},
		},
	})
	if err != nil {
		return nil, err
	}
	for _, t := range a.trials {
		if err := s.Tell(search.Trial{X: t.at, Results: []search.Result{{}, t.need}}); err != nil {
			return nil, err
		}
	}
	for _, x := range a.running {
		if err := s.Pend(x); err != nil {
			return nil, err
		}
	}
	return s.Ask(1)
}

// perHour is what a profile of k costs, spread over the time in which it has to pay
// for itself.
func (a *atlas) perHour(k job.Knobs) float64 {
	return a.price(k) / a.in.Worth.Hours()
}

// price is what a profile of k costs.
func (a *atlas) price(k job.Knobs) float64 {
	return k.PerHour(a.in.JobManager, a.in.Policy.Prices) * a.in.Seconds / 3600
}

func (a *atlas) coreHours(k job.Knobs) float64 {
	return k.Cores(a.in.JobManager) * a.in.Seconds / 3600
}

// verdict says whether what is asked is worth its price.
func (a *atlas) verdict(asked []search.Suggestion) (e job.Exploration, ok bool, why string) {
	if len(asked) == 0 || !(asked[0].Gain > 0) {
		return e, false, fmt.Sprintf("nothing is profiled: no copy at any of %d settings is expected to lower the cost", len(a.asked))
	}
	sg := asked[0]
	p := a.places[key(sg.X)]
	if sg.Gain < a.perHour(p.knobs) {
		return e, false, fmt.Sprintf("nothing is profiled: the best of %d settings, %s, is expected to save %s an hour, and to pay for itself within %.4g h it would have to save %s",
			len(a.asked), p.knobs, money(sg.Gain), a.in.Worth.Hours(), money(a.perHour(p.knobs)))
	}
	if p.tried >= mostRepeats {
		return e, false, fmt.Sprintf("nothing is profiled: %s was tried %d times, and nothing else would tell more", p.knobs, p.tried)
	}
	e = job.Exploration{
		Knobs: p.knobs, Seconds: a.in.Seconds, CoreHours: a.coreHours(p.knobs), Price: a.price(p.knobs),
		SavesPerHour: sg.Gain, RatePerSecond: a.in.Rate, Met: sg.Met, Copes: a.copes(p),
	}
	e.Reason = a.reason(e, sg.Reason)
	return e, true, e.Reason
}

func (a *atlas) reason(e job.Exploration, r search.Reason) string {
	now := a.in.Now.PerHour(a.in.JobManager, a.in.Policy.Prices)
	price := e.Knobs.PerHour(a.in.JobManager, a.in.Policy.Prices)
	than := fmt.Sprintf("costs %.0f %% less than now", 100*(1-price/now))
	if price >= now {
		than = fmt.Sprintf("costs %.0f %% more than now", 100*(price/now-1))
	}
	what := map[search.Reason]string{
		search.Exploit: "likely to do", search.Explore: "may do", search.Feasibility: "to see where settings do",
		search.Confirm: "to be sure of it",
	}[r]
	return fmt.Sprintf("%s; sustains %.0f records/s with a probability of %.0f %%: %s", than, e.RatePerSecond, 100*e.Met, what)
}

func money(v float64) string { return fmt.Sprintf("%.3g", math.Max(0, v)) }
