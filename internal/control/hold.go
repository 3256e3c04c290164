package control

import (
	"time"

	"rebound/internal/job"
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
)

// holdOff keeps what led from one setting to another from being tried again.
func (g *ledger) holdOff(from, to job.Knobs, now time.Time, first time.Duration) {
	d := directionOf(from, to)
	span := first
	if h, ok := g.Holds[d]; ok && h.Last > 0 && now.Sub(h.Until) < h.Last {
		span = max(first, min(mostHold, 2*h.Last))
	}
	g.Holds[d] = hold{Until: now.Add(span), Last: span}
	g.Held = append(g.Held, heldKnobs{Knobs: to, Until: now.Add(span)})
}

// release forgets the hold of a direction that has been proved.
func (g *ledger) release(from, to job.Knobs) { delete(g.Holds, directionOf(from, to)) }
