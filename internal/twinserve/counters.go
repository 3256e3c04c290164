package twinserve

import (
	"time"

	"rebound/internal/job"
)

// counters are what a cluster accumulates and an observation has as rates. They
// move at the end of each window.
type counters struct {
	boundary time.Time // end of the last window
	subtasks map[place]counter
	cpu      map[string]float64 // ns by TaskManager
}

// place is a subtask of a vertex.
type place struct {
	vertex string
	index  int
}

// counter is one attempt of a subtask. Its times add up to its age, ms.
type counter struct {
	attempt             int
	since               time.Time // RUNNING
	until               time.Time // end of the last window that was counted
	in, out             float64
	busy, idle, pressed float64
	known               bool // the last window had values
	timed               bool // and a busy time
}

// count adds the window that has just ended.
func (c *counters) count(o job.Observation) {
	last := c.subtasks
	c.subtasks = make(map[place]counter, len(last))
	for _, v := range o.Vertices {
		for _, s := range v.Subtasks {
			if s.State == "RUNNING" && s.RunningSince != nil {
				p := place{v.ID, s.Index}
				c.subtasks[p] = last[p].add(s, serverTime(o, c.boundary))
			}
		}
	}
	used := make(map[string]float64, len(o.TaskManagers))
	for _, t := range o.TaskManagers {
		used[t.ID] = c.cpu[t.ID]
		if t.CPUUsedCores != nil {
			used[t.ID] += *t.CPUUsedCores * float64(window)
		}
	}
	c.cpu = used
}

// serverTime puts a moment of our clock on the JobManager's, which stamps all
// that is in an observation.
func serverTime(o job.Observation, t time.Time) time.Time { return t.Add(o.ServerTime.Sub(o.At)) }

// add counts what a subtask did since the last window, or since it began. A span
// of which nobody knows goes into idle time: the times must add up to its age,
// which is the clock that readers take rates by.
func (c counter) add(s job.Subtask, end time.Time) counter {
	if c.attempt != s.Attempt || !c.since.Equal(*s.RunningSince) {
		c = counter{attempt: s.Attempt, since: *s.RunningSince, until: *s.RunningSince}
	}
	span := end.Sub(c.until).Seconds()
	if span <= 0 {
		return c
	}
	c.until = end
	c.known = s.RecordsInPerSecond != nil || s.RecordsOutPerSecond != nil
	c.timed = s.BusyRatio != nil
	c.in += or0(s.RecordsInPerSecond) * span
	c.out += or0(s.RecordsOutPerSecond) * span
	busy, pressed := or0(s.BusyRatio), or0(s.BackPressuredRatio)
	c.busy += busy * span * 1e3
	c.pressed += pressed * span * 1e3
	c.idle += (1 - busy - pressed) * span * 1e3
	return c
}

func or0(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
