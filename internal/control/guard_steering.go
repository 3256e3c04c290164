package control

import "rebound/internal/job"

// steeringGuard keeps out of the way of whoever else changes the job.
type steeringGuard struct{}

func (steeringGuard) name() string { return "steering" }

func (steeringGuard) ask(a *asking) (job.Word, string) {
	if who := a.look.obs.Steers; who != "" {
		return job.No, who + " changes this job, too: turn it off, or leave the job to it"
	}
	return job.Yes, "nobody else steers"
}
