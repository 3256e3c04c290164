package control

import (
	"slices"
	"time"

	"rebound/internal/job"
	"rebound/internal/plan"
)

// direction is where a change leads, in what the TaskManagers have.
type direction string

const (
	up       direction = "up"       // more cores
	down     direction = "down"     // fewer
	sideways direction = "sideways" // as many
)

func directionOf(from, to job.Knobs) direction {
	a, b := float64(from.TaskManagers())*from.CPUCores, float64(to.TaskManagers())*to.CPUCores
	switch {
	case b > a:
		return up
	case b < a:
		return down
	}
	return sideways
}

const (
	// firstHold and mostHold bound how long a direction is not tried again after a
	// change had to be taken back: an hour, doubled each time, up to a day.
	firstHold, mostHold = time.Hour, 24 * time.Hour
	// failedHold is after a change that the world could not make: it may have been
	// short of resources for a moment.
	failedHold = 10 * time.Minute
	// refusedHold is how long what the world refused is not asked for again: quotas
	// are raised by people.
	refusedHold = 6 * time.Hour
	// mostRefusals are remembered.
	mostRefusals = 32
)

// holdOff keeps what led from one setting to another from being tried again.
func (g *ledger) holdOff(from, to job.Knobs, now time.Time, first time.Duration) {
	d := directionOf(from, to)
	span := first
	if h, ok := g.Holds[d]; ok && h.Last > 0 && now.Sub(h.Until) < h.Last {
		span = max(first, min(mostHold, 2*h.Last))
		if first == failedHold { // nothing is wrong with the direction
			span = max(first, min(firstHold, span))
		}
	}
	g.Holds[d] = hold{Until: now.Add(span), Last: span}
	g.Held = append(g.Held, heldKnobs{Knobs: to, Until: now.Add(span)})
}

// release forgets the hold of a direction that has been proved.
func (g *ledger) release(from, to job.Knobs) { delete(g.Holds, directionOf(from, to)) }

// refusal is a change that the world would not make.
type refusal struct {
	plan.Refusal
	Until time.Time `json:"until"`
}

// refuse remembers what the world would not make. Other ways in the same direction
// stay open: a job that falls behind needs them.
func (g *ledger) refuse(from, want job.Knobs, now time.Time) {
	g.Refused = append(g.Refused, refusal{plan.Refusal{From: from, Want: want}, now.Add(refusedHold)})
	if n := len(g.Refused); n > mostRefusals {
		g.Refused = slices.Delete(g.Refused, 0, n-mostRefusals)
	}
}

// refusals are those that still hold.
func (g *ledger) refusals(now time.Time) (out []plan.Refusal) {
	g.Refused = slices.DeleteFunc(g.Refused, func(r refusal) bool { return !now.Before(r.Until) })
	for _, r := range g.Refused {
		out = append(out, r.Refusal)
	}
	return out
}

// refusedUntil is until when as much as want is not asked for again; false: it may be.
func (g *ledger) refusedUntil(want job.Knobs, now time.Time) (until time.Time, ok bool) {
	for _, r := range g.Refused {
		if now.Before(r.Until) && r.Covers(want) {
			until, ok = latestOf(until, r.Until), true
		}
	}
	return until, ok
}
