package forecast

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Options of a Forecaster. Only the step is needed.
type Options struct {
	// Step is the seconds from one observation to the next, more than 0.
	Step float64
	// Season lists the seasons in seconds, the two shortest count. Nil: they are
	// found in what is observed (an hour, a day, a week, or what shows best).
	Season []float64
	// Horizon is how many steps ahead errors are followed, 1 to 10000, and so how
	// far quantiles are grounded; forecasts may reach further. 0: 48.
	Horizon int
	// Scored is how many forecasts Fit makes over the history to learn weights and
	// quantiles from, 20 to 5000. 0: 500; 100 are enough for means, in a third of
	// the time.
	Scored int
}

const (
	minute, day, week = 60.0, 86400.0, 604800.0
	hour              = 60 * minute

	defaultHorizon  = 48
	greatestHorizon = 10000
	defaultScored   = 500
	leastScored     = 20
	greatestScored  = 5000
	// directSeason is the longest first season, in steps, that members work on; a
	// longer one is learned on sums. Five-minute days have 288 steps.
	directSeason = 300
	// coarseSeason is how many steps of sums such a season gets.
	coarseSeason = 288
	// weekSeason is how many a second one gets at most: a week of five minutes.
	weekSeason = 7 * coarseSeason
	// longSeason is the longest second season in steps.
	longSeason = 2100
)

func (o Options) validate() error {
	var errs []error
	if !(o.Step > 0) || math.IsInf(o.Step, 0) {
		errs = append(errs, fmt.Errorf("step: %v, want seconds above 0", o.Step))
	}
	for _, s := range o.Season {
		if !(s >= 2*o.Step) || math.IsInf(s, 0) || s > o.Step*1e9 {
			errs = append(errs, fmt.Errorf("season: %v, want seconds, two steps or more", s))
		}
	}
	if o.Horizon < 0 || o.Horizon > greatestHorizon {
		errs = append(errs, fmt.Errorf("horizon: %d, want 1 to %d steps", o.Horizon, greatestHorizon))
	}
	if o.Scored != 0 && (o.Scored < leastScored || o.Scored > greatestScored) {
		errs = append(errs, fmt.Errorf("scored: %d, want %d to %d forecasts", o.Scored, leastScored, greatestScored))
	}
	if len(errs) > 0 {
		return fmt.Errorf("forecast: %w", errors.Join(errs...))
	}
	return nil
}

// seasonPlan says which seasons the single steps have and which the sums.
type seasonPlan struct {
	direct, summed []int // in steps; in sums
	size           int   // steps in a sum; 0: there are no sums
}

// plan sorts seasons, in seconds: those short enough in steps are direct. The size of
// sums gives the first of the others its steps, and the second no more than it may have.
func (o Options) plan(seasons []float64) seasonPlan {
	var p seasonPlan
	var long []float64 // in steps
	for _, s := range slices.Sorted(slices.Values(seasons)) {
		steps := s / o.Step
		switch n := int(math.Round(steps)); {
		case n < 2:
		case len(long) == 0 && (n <= directSeason || p.follows(n)):
			p.direct = append(p.direct, n)
		case len(long) < 2:
			long = append(long, steps)
		}
	}
	for i, steps := range long {
		p.size = max(p.size, int(math.Ceil(steps/[]float64{coarseSeason, weekSeason}[i])))
	}
	for _, steps := range long {
		p.summed = append(p.summed, int(math.Round(steps/float64(p.size))))
	}
	return p
}

// follows says whether a season of n steps can be the second one of single steps: a
// week beside its day, but not a day beside its hour.
func (p seasonPlan) follows(n int) bool {
	last := len(p.direct) - 1
	return last >= 0 && n <= min(longSeason, 10*p.direct[last])
}

// period is the season, in steps, over which the size of errors goes its way: the
// shortest of a day's parts or more, else the longest; 0: there is none.
func (o Options) period(seasons []float64) int {
	var period int
	for _, s := range slices.Sorted(slices.Values(seasons)) {
		period = int(math.Round(s / o.Step))
		if s > hour && period >= patternParts {
			break
		}
	}
	return period
}

// candidates are the seasons that loads of people and of schedules have, in seconds. An
// hour is one where single steps can have it; sums are for days.
func (o Options) candidates() []float64 {
	if hour/o.Step > directSeason {
		return []float64{day, week}
	}
	return []float64{hour, day, week}
}
