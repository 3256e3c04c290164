package hazard

import (
	"fmt"
	"math"

	"rebound/internal/job"
)

// longBackOff is a delay worth a word where no target is known.
const longBackOff = 10.0 // s

// backOffLevel: the exponential delay keeps its level until nothing has failed
// for the reset threshold, and the next failure waits that long.
func backOffLevel(s sight) []job.Hazard {
	if s.RestartStrategy() != "exponential-delay" {
		return nil
	}
	const p = "restart-strategy.exponential-delay."
	d, ok := s.ExponentialDelay()
	if !ok || d.Most <= d.Initial {
		return nil
	}
	fix := fmt.Sprintf("Set %smax-backoff: %s, or a shorter %sreset-backoff-threshold.", p, text(max(d.Initial, min(d.Most, s.backOffRoom()))), p)
	if level, n := s.Level(d); n > 0 && s.tooLong(level) {
		return one("back-off-level", job.Medium,
			fmt.Sprintf("%s, each within %s of the next: the next restart waits about %s instead of %s, until nothing fails for that long.", plural(n, "failure"), say(d.Reset), say(level), say(d.Initial)), fix)
	}
	if s.facts.TargetSeconds == nil || !s.tooLong(d.Most) {
		return nil
	}
	return one("back-off-level", job.Low,
		fmt.Sprintf("After failures close to each other the delay before a restart grows from %s to %s and stays for %s; target %s.", say(d.Initial), say(d.Most), say(d.Reset), say(*s.facts.TargetSeconds)), fix)
}

// backOffRoom is a delay that takes a tenth of the target, else the length that
// is worth a word, in whole seconds.
func (s sight) backOffRoom() float64 {
	if t := s.facts.TargetSeconds; t != nil {
		return max(1, math.Floor(*t/10))
	}
	return longBackOff
}

// tooLong: with a target, a delay that alone takes half of it.
func (s sight) tooLong(delay float64) bool {
	if t := s.facts.TargetSeconds; t != nil {
		return s.stretched(delay) >= *t/2
	}
	return delay >= longBackOff
}
