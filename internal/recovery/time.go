package recovery

import (
	"cmp"
	"math"
)

// Outcome tells a time from its absence.
type Outcome int

// What can become of a job after a failure, best first.
const (
	Recovers      Outcome = iota
	BeyondHorizon         // the backlog shrinks, but is not gone within the horizon
	Never                 // the backlog does not shrink
)

// Time is a length of time that may have no end.
type Time struct {
	Seconds float64 // only with Recovers
	Outcome Outcome
}

// Compare orders times, the soonest first: numbers, beyond the horizon, never.
func (t Time) Compare(u Time) int {
	if t.Outcome != u.Outcome || t.Outcome != Recovers {
		return cmp.Compare(t.Outcome, u.Outcome)
	}
	return cmp.Compare(t.Seconds, u.Seconds)
}

// Within reports whether t ends, and not after target seconds.
func (t Time) Within(target float64) bool { return t.Outcome == Recovers && t.Seconds <= target }

// after is the time s seconds after t would have begun.
func (t Time) after(s float64) Time {
	if t.Outcome == Recovers {
		t.Seconds += s
	}
	return t
}

// ends turns a number into a Time, and what is no number into Never.
func ends(seconds float64) Time {
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		return Time{Outcome: Never}
	}
	return Time{Seconds: seconds}
}
