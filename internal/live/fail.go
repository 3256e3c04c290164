package live

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"rebound/internal/job"
	"rebound/internal/local"
)

// Inject makes the job fail.
func (j *Job) Inject(ctx context.Context, f job.Failure) (time.Time, error) {
	if j.victim == "" {
		return time.Time{}, errors.New("no TaskManager runs the operator that writes")
	}
	j.starved.begin(j.cluster)
	switch f {
	case job.TaskFailure:
		return time.Now(), j.cluster.FailTask()
	case job.ProcessFailure:
		return time.Now(), j.cluster.Signal(ctx, j.victim, syscall.SIGKILL)
	case job.NodeFailure:
		return time.Now(), j.cluster.Signal(ctx, j.victim, syscall.SIGSTOP)
	case job.JobManagerFailure:
		return time.Now(), j.cluster.SignalJobManager(ctx, syscall.SIGKILL)
	default:
		return time.Time{}, fmt.Errorf("no way to inject a %s failure", f)
	}
}

// Heal takes back what drills have left, this one or one that was cut off, and
// waits until every process is back and the job runs.
func (j *Job) Heal(ctx context.Context) error {
	if err := j.cluster.ClearFaults(ctx); err != nil {
		return err
	}
	return j.cluster.Whole(ctx)
}

// starvation is how long each of the job's processes had waited for a CPU when
// the failure was injected.
type starvation struct {
	at  time.Time
	was map[int]time.Duration
}

func (s *starvation) begin(c *local.Cluster) {
	s.at, s.was = time.Now(), waits(c)
}

// Starved is the run-queue wait of the job's processes since the failure, in
// threads; absent if nothing has failed yet, or nothing is left to ask.
func (j *Job) Starved() *float64 {
	if j.starved.at.IsZero() {
		return nil
	}
	now, sum := waits(j.cluster), time.Duration(0)
	if len(now) == 0 {
		return nil
	}
	for pid, w := range now {
		sum += max(0, w-j.starved.was[pid])
	}
	return new(sum.Seconds() / time.Since(j.starved.at).Seconds())
}

// waits are the run-queue waits of the processes that live.
func waits(c *local.Cluster) map[int]time.Duration {
	out := map[int]time.Duration{}
	for _, pid := range pids(c) {
		if s, err := local.Starved(pid); err == nil {
			out[pid] = s.Wait
		}
	}
	return out
}

func pids(c *local.Cluster) []int {
	ps, err := c.Processes()
	if err != nil {
		return nil
	}
	var out []int
	for _, p := range ps {
		if p.Role == local.TaskManager || p.Role == local.JobManager {
			out = append(out, p.PID)
		}
	}
	return out
}
