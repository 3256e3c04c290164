package control

import (
	"fmt"

	"rebound/internal/job"
)

// modeGuard lets restarts pass in mode apply only.
type modeGuard struct{}

func (modeGuard) name() string { return "mode" }

func (modeGuard) ask(a *asking) (job.Word, string) {
	if a.policy.Mode == job.ModeApply {
		return job.Yes, "apply"
	}
	return job.No, fmt.Sprintf("mode %s: said, not done", a.policy.Mode)
}
