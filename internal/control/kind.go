package control

import (
	"slices"
	"strings"

	"rebound/internal/job"
)

// kindOf guesses what failed from the exception that Flink kept, if any, and from
// who is gone. The names are those of Flink 1.20 and 2.3.
func (i *interruption) kindOf(e *job.Exception) job.Failure {
	if e == nil {
		switch {
		case i.unreachable:
			return job.JobManagerFailure
		case len(i.gone) > 0:
			return job.ProcessFailure
		}
		return job.TaskFailure
	}
	name := e.Name[strings.LastIndex(e.Name, ".")+1:]
	switch {
	case strings.Contains(name, "Heartbeat"), name == "TimeoutException" && len(i.gone) > 0:
		return job.NodeFailure
	case slices.Contains([]string{
		"RemoteTransportException", "LocalTransportException", "JobMasterException", "RecipientUnreachableException",
	}, name), strings.Contains(name, "TaskManager"), strings.Contains(name, "TaskExecutor"):
		return job.ProcessFailure
	case strings.Contains(name, "JobManager"), strings.Contains(name, "Leader"):
		return job.JobManagerFailure
	case slices.Contains(i.gone, e.TaskManager):
		return job.ProcessFailure
	}
	return job.TaskFailure
}

// missing lists the TaskManagers that were there and are not any more.
func missing(was, is []job.TaskManager) (ids []string) {
	for _, tm := range was {
		if !slices.ContainsFunc(is, func(x job.TaskManager) bool { return x.ID == tm.ID }) {
			ids = append(ids, tm.ID)
		}
	}
	return ids
}
