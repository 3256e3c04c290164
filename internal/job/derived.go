package job

// Topology looks whether all subtasks share one process.
func (o Observation) Topology() Topology {
	first := ""
	for _, v := range o.Vertices {
		for _, s := range v.Subtasks {
			switch {
			case s.TaskManager == "":
			case first == "":
				first = s.TaskManager
			case s.TaskManager != first:
				return Spread
			}
		}
	}
	return OneTaskManager
}

// InputRate is λ of the job: what its sources read, in records a second. It is
// absent unless every subtask of every source tells.
func (o Observation) InputRate() *float64 {
	var sum *float64
	for _, v := range o.Vertices {
		if len(v.Inputs) > 0 {
			continue
		}
		for _, s := range v.Subtasks {
			if s.RecordsInPerSecond == nil {
				return nil
			}
			if sum == nil {
				sum = new(0.0)
			}
			*sum += *s.RecordsInPerSecond
		}
	}
	return sum
}

// Subtask finds a subtask by vertex, by its ID or else its name, and index.
func (o Observation) Subtask(ref SubtaskRef) (Subtask, bool) {
	for _, v := range o.Vertices {
		if v.ID != ref.ID && (ref.ID != "" || v.Name != ref.Vertex) {
			continue
		}
		for _, s := range v.Subtasks {
			if s.Index == ref.Subtask {
				return s, true
			}
		}
	}
	return Subtask{}, false
}

// Settled says whether every subtask is RUNNING, and if not, which is not: a
// job's, and even a vertex's, RUNNING hides one that still deploys.
func (o Observation) Settled() (waiting SubtaskRef, ok bool) {
	for _, v := range o.Vertices {
		for _, s := range v.Subtasks {
			if s.State != "RUNNING" {
				return SubtaskRef{Vertex: v.Name, ID: v.ID, Subtask: s.Index}, false
			}
		}
	}
	return SubtaskRef{}, true
}

// LastCompleted is the newest completed checkpoint in the history.
func (c Checkpointing) LastCompleted() (Checkpoint, bool) {
	for _, h := range c.History {
		if h.Status == "COMPLETED" {
			return h, true
		}
	}
	return Checkpoint{}, false
}

// TakenOverBy says what kind of process runs the tasks after a failure: where a
// TaskManager is lost, one that has not run them before.
func (f Failure) TakenOverBy() Start {
	if f == ProcessFailure || f == NodeFailure {
		return Cold
	}
	return Warm
}

// PhaseSeconds finds the length of a phase in a list.
func PhaseSeconds(phases []PhaseTime, p Phase) (float64, bool) {
	for _, t := range phases {
		if t.Phase == p {
			return t.Seconds, true
		}
	}
	return 0, false
}

// Downtime says whether a phase belongs to the time in which nothing runs.
func (p Phase) Downtime() bool { return p != Replay && p != CatchUp }
