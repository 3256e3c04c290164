package hazard

import (
	"math"
	"strconv"

	"rebound/internal/job"
	"rebound/internal/recovery"
	"rebound/internal/setting"
)

// sight is what the rules look at: the observation, the facts, and what several
// rules derive from them.
type sight struct {
	setting.InForce
	facts Facts
	taken taken
}

func look(o job.Observation, f Facts) sight {
	return sight{setting.Of(o), f, take(o.Checkpointing)}
}

// effective is I_e and D, D being the longest duration seen: hazards are about
// the worst. It is false where there is no interval; without a completed
// checkpoint D is 0.
func (s sight) effective() (effective, duration float64, ok bool) {
	c := s.Checkpointing
	if !c.Enabled || c.IntervalSeconds == nil {
		return 0, 0, false
	}
	duration = s.taken.longest()
	return recovery.EffectiveInterval(*c.IntervalSeconds, s.pause(), duration), duration, true
}

// pause is the least time between two checkpoints, 0 by default.
func (s sight) pause() float64 {
	if p := s.Checkpointing.MinPauseSeconds; p != nil {
		return *p
	}
	return 0
}

// worstDowntime is the longest T_d over the kinds of failure.
func (s sight) worstDowntime() (seconds float64, ok bool) {
	for _, v := range s.facts.DowntimeSeconds {
		seconds, ok = max(seconds, v), true
	}
	return seconds, ok
}

// stretched is what a delay adds to a recovery: records arrive meanwhile, and
// are worked off at μ − λ. Without ρ it is the delay alone.
func (s sight) stretched(delay float64) float64 {
	if u := s.facts.Utilization; u != nil && *u < 1 {
		return delay / (1 - *u)
	}
	return delay
}

// say writes seconds for people: 940 s, 51.5 s, 0.62 s.
func say(seconds float64) string {
	switch abs := math.Abs(seconds); {
	case abs >= 100:
		seconds = math.Round(seconds)
	case abs >= 1:
		seconds = math.Round(seconds*10) / 10
	default:
		seconds = math.Round(seconds*100) / 100
	}
	return strconv.FormatFloat(seconds, 'f', -1, 64) + " s"
}

// text writes seconds as an option of Flink, whose durations take no decimals.
func text(seconds float64) string {
	if seconds == math.Trunc(seconds) {
		return strconv.FormatFloat(seconds, 'f', 0, 64) + " s"
	}
	return strconv.FormatFloat(math.Round(seconds*1000), 'f', 0, 64) + " ms"
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// quantile by nearest rank of sorted values.
func quantile(sorted []float64, p float64) float64 {
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
