package control

import (
	"fmt"
	"time"

	"rebound/internal/job"
)

// cooldownGuard lets time pass between two changes, so that the first can show
// what it does, and longer before a direction is tried again that failed. A job
// that falls behind does not wait for the former.
type cooldownGuard struct{}

func (cooldownGuard) name() string { return "cooldown" }

func (cooldownGuard) ask(a *asking) (job.Word, string) {
	now := a.now()
	d := directionOf(a.look.knobs, a.want)
	if h, ok := a.ledger.Holds[d]; ok && now.Before(h.Until) {
		return job.No, fmt.Sprintf("a change %s failed or was refused lately: held off for %s", d.words(), short(h.Until.Sub(now)))
	}
	if until, ok := a.ledger.refusedUntil(a.want, now); ok {
		return job.No, "the world refused as much lately: not asked for again for " + short(until.Sub(now))
	}
	last := a.ledger.last()
	if last.IsZero() {
		return job.Yes, "not changed yet"
	}
	since := now.Sub(last)
	if since < a.policy.Cooldown && (!a.overloaded || d != up) {
		return job.No, fmt.Sprintf("changed %s ago, the next change may come in %s", short(since), short(a.policy.Cooldown-since))
	}
	return job.Yes, fmt.Sprintf("changed %s ago", short(since))
}

// words says where d leads.
func (d direction) words() string {
	switch d {
	case up:
		return "to more cores"
	case down:
		return "to fewer cores"
	default:
		return "with as many cores"
	}
}

// short prints a span in whole seconds.
func short(d time.Duration) string { return d.Round(time.Second).String() }
