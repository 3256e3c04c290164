package learn

import (
	"slices"
	"time"

	"rebound/internal/job"
	"rebound/internal/model"
	"rebound/internal/recovery"
)

// configured is what the configuration says of the phases before the restore, by
// kind of failure: of the job as it is, and with all of it in one process, whose
// death only heartbeats tell.
type configured struct {
	Spread [failureKinds][waits]recovery.Uncertain `json:"spread"`
	Alone  [failureKinds][waits]recovery.Uncertain `json:"alone"`
	Read   time.Time                               `json:"read"` // zero: not yet
	Began  time.Time                               `json:"began"`
}

// rereadSeconds is how often the configuration is read again though nothing shows
// that it changed.
const rereadSeconds = 3600.0

// due says whether to read it again: the back-off has another level after a
// restart, and the slots that are free may have changed.
func (c *configured) due(o *job.Observation) bool {
	return c.Read.IsZero() || !c.Began.Equal(o.StartedAt) || o.At.Sub(c.Read).Seconds() >= rereadSeconds
}

func (c *configured) read(o job.Observation) {
	c.Read, c.Began = o.At, o.StartedAt
	c.Spread = readPhases(o)
	for i := range o.Vertices { // a copy: the caller's observation stays as it is
		if i == 0 {
			o.Vertices = slices.Clone(o.Vertices)
		}
		o.Vertices[i].Subtasks = slices.Clone(o.Vertices[i].Subtasks)
		for k := range o.Vertices[i].Subtasks {
			o.Vertices[i].Subtasks[k].TaskManager = "the only one"
		}
	}
	c.Alone = readPhases(o)
}

func readPhases(o job.Observation) (out [failureKinds][waits]recovery.Uncertain) {
	m := model.New(model.Evidence{Now: o})
	for k, f := range job.Failures() {
		said := m.Configured(f)
		for i, phase := range job.Phases()[:waits] {
			for _, p := range said {
				if p.Phase == phase {
					out[k][i] = recovery.Uncertain{Median: p.Seconds, Spread: p.Spread}
				}
			}
		}
	}
	return out
}

// says is what is configured, or assumed, for a kind of restart of a job with that
// many TaskManagers.
func (c *configured) says(kind, taskManagers int) [waits]recovery.Uncertain {
	switch {
	case kind < failureKinds && taskManagers == 1:
		return c.Alone[kind]
	case kind < failureKinds:
		return c.Spread[kind]
	case cold(kind):
		return [waits]recovery.Uncertain{2: {Median: redeploy, Spread: redeploySpread}}
	}
	return [waits]recovery.Uncertain{2: {Median: inPlaceWait, Spread: inPlaceWaitSpread}}
}
