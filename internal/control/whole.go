package control

import (
	"time"

	"rebound/internal/job"
)

// whole is the job as it was in the last calm look: what an interruption is told
// by. It is stored, so that one that begins or ends while nobody looks is found at
// the next start.
type whole struct {
	Observation job.Observation `json:"observation"` // in short
	Rate        *float64        `json:"rate_per_second,omitempty"`
	Blamed      time.Time       `json:"blamed,omitzero"` // the newest exception that was accounted for
}

// forgotten is how old it may be: later, too much else may have happened.
const forgotten = time.Hour

// whole is nil while the job is not well.
func (t *tracker) whole() *whole {
	if t.prev == nil || t.open != nil || !t.above.IsZero() || !t.prev.settled {
		return nil
	}
	o := t.prev.obs
	short := job.Observation{
		Job: o.Job, ID: o.ID, At: o.At, ServerTime: t.prev.server, State: o.State, Settings: o.Settings,
		Restarts: o.Restarts, StartedAt: t.prev.running, JobManager: o.JobManager, LastChange: o.LastChange,
		Lacks: []job.Lack{}, Exceptions: []job.Exception{}, Config: job.Options{},
		Checkpointing: job.Checkpointing{History: o.Checkpointing.History, IntervalSeconds: o.Checkpointing.IntervalSeconds},
	}
	for _, v := range o.Vertices {
		short.Vertices = append(short.Vertices, job.Vertex{ID: v.ID, Name: v.Name, Parallelism: v.Parallelism, Inputs: v.Inputs, Subtasks: []job.Subtask{}})
	}
	for _, tm := range o.TaskManagers {
		short.TaskManagers = append(short.TaskManagers, job.TaskManager{ID: tm.ID, LastHeartbeat: tm.LastHeartbeat})
	}
	return &whole{Observation: short, Rate: t.calm, Blamed: t.blamed}
}

// resume goes on from there.
func (t *tracker) resume(w *whole, now time.Time) {
	if w == nil || now.Sub(w.Observation.ServerTime) > forgotten {
		return
	}
	k := newLook(w.Observation)
	t.prev, t.calm, t.blamed = &k, w.Rate, w.Blamed
	t.taken.note(w.Observation.Checkpointing.History)
}
