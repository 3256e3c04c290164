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
}

const (
	minute, day, week = 60.0, 86400.0, 604800.0
	hour              = 60 * minute

	defaultHorizon  = 48
	greatestHorizon = 10000
	// directSeason is the longest first season, in steps, that members work on; a
	// longer one is learned on sums. Five-minute days have 288 steps.
	directSeason = 300
	// coarseSeason is how many steps of sums such a season gets.
	coarseSeason = 288
	// longSeason is the longest second season in steps: weeks of five minutes.
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

// plan sorts seasons, in seconds: those short enough in steps are direct.
func (o Options) plan(seasons []float64) seasonPlan {
	seasons = slices.Clone(seasons)
	slices.Sort(seasons)
	var p seasonPlan
	for _, s := range seasons {
		steps := s / o.Step
		switch n := int(math.Round(steps)); {
		case n < 2:
		case p.size == 0 && (n <= directSeason || len(p.direct) > 0 && n <= longSeason):
			p.direct = append(p.direct, n)
		default:
			if p.size == 0 {
				p.size = int(math.Ceil(steps / coarseSeason))
			}
			if n := int(math.Round(steps / float64(p.size))); n <= longSeason {
				p.summed = append(p.summed, n)
			}
		}
	}
	return p
}

// candidates are the seasons that loads of people and of schedules have, in seconds.
func candidates() []float64 { return []float64{hour, day, week} }
