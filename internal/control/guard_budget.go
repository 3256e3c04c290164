package control

import (
	"fmt"
	"time"

	"rebound/internal/job"
)

// budgetGuard rations the planned restarts of a day. Restarts that only save are
// spread over it, and leave some for what may still be needed: a job that wanders
// down early in the day must be able to come up later. A job that falls behind, or
// would never come back from a failure, may overdraw; twice the budget is the end.
type budgetGuard struct{}

const (
	// keptShare of the budget is kept for changes that are needed.
	keptShare = 0.125
	// spreading: two changes that only save lie at least this share of a day over
	// the budget apart.
	spreading = 0.5
	// overdraft is by how much the budget may be exceeded in an emergency.
	overdraft = 2
)

func (budgetGuard) name() string { return "budget" }

func (budgetGuard) ask(a *asking) (job.Word, string) {
	most, used := a.policy.Budget.RestartsPerDay, a.ledger.within(a.now(), day)
	if most <= 0 {
		return job.Yes, "no bound"
	}
	is := fmt.Sprintf("%d of %d restarts of a day are used", used, most)
	kept := max(1, int(keptShare*float64(most)))
	since := a.now().Sub(a.ledger.last())
	apart := time.Duration(spreading * float64(day) / float64(most))
	switch {
	case a.emergency() && directionOf(a.look.knobs, a.want) == up && used < overdraft*most:
		return job.Yes, is + "; it would not come back by itself"
	case used >= most:
		return job.No, is
	case a.needed() || most == 1:
	case used >= most-kept:
		return job.No, fmt.Sprintf("%s, the last %d are kept for changes that are needed", is, kept)
	case since < apart:
		return job.No, fmt.Sprintf("%s, those that only save lie %s apart", is, short(apart))
	}
	return job.Yes, is
}

// emergency says whether the job falls behind, or would after a failure.
func (a *asking) emergency() bool {
	if a.overloaded {
		return true
	}
	for _, r := range a.plan.Present.Recovery {
		if r.Outcome == job.Never {
			return true
		}
	}
	return false
}

// needed says whether the present settings fail what the policy wants.
func (a *asking) needed() bool {
	if a.overloaded {
		return true
	}
	p := a.plan.Present
	for _, r := range p.Recovery {
		if r.Outcome != job.Recovers || r.AtRiskSeconds == nil || *r.AtRiskSeconds > a.policy.RecoveryTime.Seconds() {
			return true
		}
	}
	over := func(v *float64, limit float64) bool { return v != nil && limit > 0 && *v > limit }
	return over(p.Utilization, a.policy.Utilization) || over(p.LatencySeconds, a.policy.Latency.Seconds()) ||
		over(p.VisibleSeconds, a.policy.VisibilityLatency.Seconds())
}
