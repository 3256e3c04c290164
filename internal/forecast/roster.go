package forecast

import "slices"

// spec is a member that takes part once there is enough history for it.
type spec struct {
	label string
	scale scaleKind
	need  int // values
	// build learns from z, whose end past holds.
	build func(past *ring, z []float64) member
	// empty is a member whose state is about to be read.
	empty func(past *ring) member
}

// leastSamples is what a member needs beyond the season that it looks back on.
const leastSamples = 12

// roster lists the members for a history with these seasons (in steps, ascending, at
// most two). Which of them take part is decided by their need.
func roster(seasons []int) []spec {
	all := []spec{repeater("last", 1)}
	if len(seasons) > 0 {
		all = append(all, repeater("last-season", seasons[0]))
	}
	if len(seasons) > 1 {
		all = append(all, repeater("last-long-season", seasons[1]))
	}
	for _, s := range learners(seasons) {
		all = append(all, s)
		s.label += "/log"
		s.scale = logarithmic
		all = append(all, s)
	}
	return all
}

// learners are the members that take part on both scales.
func learners(seasons []int) []spec {
	all := []spec{
		smoother("smoothing", nil, 3),
		regressor("ar", nearLags(), 0, 2*len(nearLags())+leastSamples),
	}
	if len(seasons) == 0 {
		return all
	}
	s := seasons[0]
	around := append(nearLags(), s-1, s, s+1)
	all = append(
		all,
		smoother("smoothing-season", seasons[:1], 2*s+leastSamples),
		regressor("ar-season", seasonLags(seasons), 0, needOf(s+1, 0)),
		regressor("ar-difference", around, s, needOf(s+1, s)),
	)
	if s >= 4*hoursOfDay {
		all = append(all, regressor("ar-parts", partLags(seasons), 0, needOf(s+1, 0)))
	}
	if len(seasons) > 1 {
		all = append(
			all,
			smoother("smoothing-seasons", seasons, 2*seasons[1]+leastSamples),
			regressor("ar-long-difference", around, seasons[1], needOf(s+1, seasons[1])),
		)
	}
	return all
}

// needOf is how many values a regression needs that looks back by lag and season.
func needOf(lag, season int) int { return lag + season + max(leastSamples, lag/2) }

// nearLags are the last values.
func nearLags() []int { return []int{1, 2, 3, 4, 5, 6} }

// seasonLags are near lags, and those around one and two seasons and the long one.
func seasonLags(seasons []int) []int {
	s := seasons[0]
	lags := append(nearLags(), s-1, s, s+1, 2*s-1, 2*s, 2*s+1)
	if len(seasons) > 1 {
		w := seasons[1]
		lags = append(lags, w-s, w-1, w, w+1, w+s)
	}
	return lags
}

// hoursOfDay is how many parts a season has where nothing else is known: most are
// days, and jobs that run by the hour leave their trace in the load of what they feed.
const hoursOfDay = 24

// partLags are near lags and those around fractions of the season.
func partLags(seasons []int) []int {
	s := seasons[0]
	hour := s / hoursOfDay
	lags := append(nearLags(), hour-1, hour, hour+1, hour+hour/2, 2*hour-1, 2*hour, 2*hour+1)
	lags = append(lags, 3*hour, 4*hour, 6*hour, 8*hour, s-hour, s-1, s, s+1, s+hour, 2*s)
	if len(seasons) > 1 {
		lags = append(lags, seasons[1])
	}
	return lags
}

func repeater(label string, lag int) spec {
	empty := func(past *ring) member { return &repeat{lag: lag, past: past} }
	return spec{
		label: label, need: lag, empty: empty,
		build: func(past *ring, _ []float64) member { return empty(past) },
	}
}

func smoother(label string, seasons []int, need int) spec {
	return spec{
		label: label, need: need,
		build: func(_ *ring, z []float64) member { return newSmoothing(seasons, z) },
		empty: func(*ring) member { return emptySmoothing(seasons) },
	}
}

// regressor leaves out lags that the history at the time of fitting is too short for.
func regressor(label string, lags []int, season, need int) spec {
	return spec{
		label: label, need: need,
		build: func(past *ring, z []float64) member {
			var fit []int
			for _, l := range lags {
				if l > 0 && needOf(l, season) <= len(z) && !slices.Contains(fit, l) {
					fit = append(fit, l)
				}
			}
			return newAutoregression(fit, season, past, z)
		},
		empty: func(past *ring) member { return &autoregression{season: season, past: past} },
	}
}
