package local

import (
	"context"
	"time"
)

// sampling is how long Status watches the CPU.
const sampling = 300 * time.Millisecond

// Status is how a cluster is.
type Status struct {
	Processes []ProcessStatus
	JobState  string // Flink's word; empty without a job
	JobError  error  // why JobState is not known
	Report    *Report
}

// ProcessStatus is how a process is.
type ProcessStatus struct {
	Process
	State  string  // running, stopped or dead
	Cores  float64 // that it has kept busy over the last moment; of a living process
	CPU    float64 // seconds since it was started
	Memory int64   // resident set, bytes
}

// Status looks at the processes for a moment, and asks the JobManager.
func (c *Cluster) Status(ctx context.Context) (Status, error) {
	ps, err := c.Processes()
	if err != nil {
		return Status{}, err
	}
	proc, before, began := realProc(), map[int]time.Duration{}, time.Now()
	for _, p := range ps {
		if s, ok := proc.stat(p.PID); ok {
			before[p.PID] = s.cpu
		}
	}
	var st Status
	st.JobState, st.JobError = c.JobState(ctx)
	if err := pause(ctx, sampling); err != nil {
		return Status{}, err
	}
	span := time.Since(began).Seconds()
	for _, p := range ps {
		s, _ := proc.stat(p.PID)
		ps := ProcessStatus{Process: p, State: "dead"}
		if p.Alive() {
			ps.State = "running"
			if s.state == 'T' {
				ps.State = "stopped"
			}
			ps.CPU, ps.Memory = s.cpu.Seconds(), s.rss
			ps.Cores = (s.cpu - before[p.PID]).Seconds() / span
		}
		st.Processes = append(st.Processes, ps)
	}
	r, ok, err := c.Report()
	if ok {
		st.Report = &r
	}
	return st, err
}
