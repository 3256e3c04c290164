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
	if s.restartStrategy() != "exponential-delay" {
		return nil
	}
	const p = "restart-strategy.exponential-delay."
	initial, ok1 := s.duration(p + "initial-backoff")
	most, ok2 := s.duration(p + "max-backoff")
	factor, ok3 := s.number(p + "backoff-multiplier")
	reset, ok4 := s.duration(p + "reset-backoff-threshold")
	if !ok1 || !ok2 || !ok3 || !ok4 || most <= initial {
		return nil
	}
	fix := fmt.Sprintf("Set %smax-backoff: %s, or a shorter %sreset-backoff-threshold.", p, text(max(initial, min(most, s.backOffRoom()))), p)
	if n := s.failuresWithin(reset); n > 0 {
		if level := min(most, initial*math.Pow(factor, float64(n))); s.tooLong(level) {
			return one("back-off-level", job.Medium,
				fmt.Sprintf("%s, each within %s of the next: the next restart waits about %s instead of %s, until nothing fails for that long.", plural(n, "failure"), say(reset), say(level), say(initial)), fix)
		}
	}
	if s.facts.TargetSeconds == nil || !s.tooLong(most) {
		return nil
	}
	return one("back-off-level", job.Low,
		fmt.Sprintf("After failures close to each other the delay before a restart grows from %s to %s and stays for %s; target %s.", say(initial), say(most), say(reset), say(*s.facts.TargetSeconds)), fix)
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

// failuresWithin counts the failures whose level still stands: back from now, as
// long as no gap is as long as the threshold.
func (s sight) failuresWithin(reset float64) int {
	n, last := 0, s.ServerTime
	for _, e := range s.Exceptions { // newest first
		if last.IsZero() || last.Sub(e.At).Seconds() >= reset {
			break
		}
		n, last = n+1, e.At
	}
	return n
}
