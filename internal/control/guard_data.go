package control

import (
	"fmt"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
)

// dataGuard wants to see enough, and fresh: no change is made blindly.
type dataGuard struct{}

const (
	// enoughLooks before anything is changed: ten minutes at one every 15 s.
	enoughLooks = 40
	// tooOld is how long the JobManager's clock may stand still.
	tooOld = time.Minute
)

func (dataGuard) name() string { return "data" }

func (dataGuard) ask(a *asking) (job.Word, string) {
	k := a.look
	switch {
	case a.stale > tooOld:
		return job.No, fmt.Sprintf("the JobManager's answers are %.0f s old", a.stale.Seconds())
	case a.situation == learn.Blind:
		return job.No, "neither rate nor lag can be seen" + lacks(k.obs.Lacks)
	case !k.known:
		return job.No, "the present settings are not all known" + lacks(k.obs.Lacks)
	case k.rate == nil:
		return job.No, "the input rate is not known" + lacks(k.obs.Lacks)
	case k.lag == nil && k.latency == nil:
		return job.No, "neither lag nor latency is known: whether the job is behind cannot be told" + lacks(k.obs.Lacks)
	case a.looks < enoughLooks && !a.overloaded:
		return job.No, fmt.Sprintf("seen %d times, want %d", a.looks, enoughLooks)
	}
	return job.Yes, "sufficient and fresh"
}

// lacks names the first thing that is missing and how to get it.
func lacks(l []job.Lack) string {
	if len(l) == 0 {
		return ""
	}
	s := ": " + l[0].Quantity + ": " + l[0].Why
	if l[0].How != "" {
		s += "; " + l[0].How
	}
	return s
}
