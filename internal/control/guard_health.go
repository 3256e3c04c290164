package control

import (
	"rebound/internal/job"
	"rebound/internal/learn"
)

// healthGuard leaves a job alone that is down, being changed or catching up: its
// backlog and its CPU say nothing of what it needs. A job that falls behind
// although it runs will not come back by itself.
type healthGuard struct{}

func (healthGuard) name() string { return "health" }

func (healthGuard) ask(a *asking) (job.Word, string) {
	switch {
	case a.situation == learn.Calm:
		return job.Yes, "every subtask runs, no more waits than usual"
	case a.overloaded && a.look.settled:
		return job.Yes, "it falls behind although every subtask runs"
	case a.situation == learn.CatchingUp:
		return job.No, "the job is catching up"
	case a.situation == learn.Changing:
		return job.No, "a change is under way"
	}
	return job.No, "not every subtask runs"
}
