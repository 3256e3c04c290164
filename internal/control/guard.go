package control

import (
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/plan"
	"rebound/internal/policy"
)

// A guard says whether a proposal may be acted upon: yes, no with the reason, or
// it trims the proposal. It looks and decides; it does nothing else.
type guard interface {
	name() string
	ask(a *asking) (job.Word, string)
}

// asking is what a guard is asked about.
type asking struct {
	look       *look
	situation  learn.Situation
	overloaded bool
	plan       job.Plan
	want       job.Knobs // what is left of the proposal; guards may trim it
	policy     *policy.Policy
	caps       job.Capabilities
	model      plan.Predictor
	ledger     *ledger
	looks      int           // that the loop has had, of this job
	stale      time.Duration // since the JobManager's clock has moved
	fleet      *Fleet
}

func (a *asking) now() time.Time { return a.look.at }

// guards are all, in the order in which they are asked: what makes a proposal
// meaningless first, what somebody else decides last.
func guards() []guard {
	return []guard{
		dataGuard{},
		healthGuard{},
		modeGuard{},
		quietGuard{},
		steeringGuard{},
		limitsGuard{},
		stepGuard{},
		cooldownGuard{},
		budgetGuard{},
		fleetGuard{},
	}
}

// before are those that are asked before anything is planned, and again shortly
// before acting: whether the job can be judged at all.
func before() []guard { return []guard{dataGuard{}, healthGuard{}, steeringGuard{}} }

// consult asks the guards in turn until one says no.
func consult(gs []guard, a *asking) (words []job.GuardWord, stopped bool) {
	words = make([]job.GuardWord, 0, len(gs))
	for _, g := range gs {
		word, reason := g.ask(a)
		words = append(words, job.GuardWord{Guard: g.name(), Word: word, Reason: reason})
		if word == job.No {
			return words, true
		}
	}
	return words, false
}
