package twinserve

import (
	"net/http"
	"strconv"
	"time"

	"rebound/internal/job"
)

// userConfig is where a job's own configuration names the change that it has been
// given last.
const userConfig = "rebound.change"

func (s *Server) jobs(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	return object{"jobs": []object{{
		"jid": o.ID, "name": o.Job.Name, "state": o.State, "jobType": o.Type, "schedulerType": o.Scheduler,
		"start-time": s.origin.UnixMilli(), "end-time": -1,
	}}}, nil
}

func (s *Server) job(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	vertices, nodes := []object{}, []object{}
	for _, v := range o.Vertices {
		vertices = append(vertices, object{"id": v.ID, "name": v.Name, "parallelism": v.Parallelism, "maxParallelism": v.MaxParallelism})
		inputs := []object{}
		for i, in := range v.Inputs {
			inputs = append(inputs, object{"id": in, "num": i})
		}
		nodes = append(nodes, object{"id": v.ID, "parallelism": v.Parallelism, "inputs": inputs})
	}
	stamps := object{}
	if !o.StartedAt.IsZero() {
		stamps["RUNNING"] = o.StartedAt.UnixMilli()
	}
	return object{
		"jid": o.ID, "name": o.Job.Name, "state": o.State, "job-type": o.Type, "schedulerType": o.Scheduler,
		"start-time": s.origin.UnixMilli(), "end-time": -1, "now": o.ServerTime.UnixMilli(), "timestamps": stamps,
		"vertices": vertices, "plan": object{"jid": o.ID, "name": o.Job.Name, "type": o.Type, "nodes": nodes},
	}, nil
}

// jobConfig leaves the restart strategy to the cluster's options.
func (s *Server) jobConfig(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	own := object{}
	if o.LastChange != "" {
		own[userConfig] = o.LastChange
	}
	return object{"jid": o.ID, "name": o.Job.Name, "execution-config": object{
		"restart-strategy": "Cluster level default restart strategy", "object-reuse-mode": true, "user-config": own,
	}}, nil
}

func (s *Server) jobMetrics(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	if o.Restarts != nil {
		all["numRestarts"] = strconv.Itoa(*o.Restarts)
	}
	if at := o.Checkpointing.Restored; at != nil {
		all["lastCheckpointRestoreTimestamp"] = strconv.FormatInt(at.At.UnixMilli(), 10)
	}
	if c, ok := o.Checkpointing.LastCompleted(); ok {
		all["lastCompletedCheckpointId"] = strconv.FormatInt(c.ID, 10)
	}
	return asked(r, all), nil
}

func (s *Server) exceptions(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	entries := []object{}
	for _, e := range o.Exceptions {
		entries = append(entries, object{
			"exceptionName": e.Name, "timestamp": e.At.UnixMilli(), "taskName": e.Task, "taskManagerId": e.TaskManager,
		})
	}
	return object{"exceptionHistory": object{"entries": entries, "truncated": false}}, nil
}

func (s *Server) checkpoints(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	c, latest := o.Checkpointing, object{}
	history := []object{}
	for _, h := range c.History {
		history = append(history, wireCheckpoint(h, o.ServerTime))
	}
	if done, ok := c.LastCompleted(); ok {
		latest["completed"] = wireCheckpoint(done, o.ServerTime)
	}
	if c.Restored != nil {
		latest["restored"] = object{"id": c.Restored.ID, "restore_timestamp": c.Restored.At.UnixMilli(), "is_savepoint": c.Restored.Savepoint}
	}
	counts := object{}
	for name, n := range map[string]*int{"completed": c.Completed, "failed": c.Failed, "in_progress": c.InProgress} {
		if n != nil {
			counts[name] = *n
		}
	}
	return object{"counts": counts, "latest": latest, "history": history}, nil
}

func wireCheckpoint(c job.Checkpoint, now time.Time) object {
	w := object{
		"id": c.ID, "status": c.Status, "is_savepoint": c.Savepoint, "trigger_timestamp": c.TriggeredAt.UnixMilli(),
		"end_to_end_duration": max(0, now.Sub(c.TriggeredAt).Milliseconds()),
	}
	for name, v := range map[string]*float64{"state_size": c.StateBytes, "checkpointed_size": c.WrittenBytes} {
		if v != nil {
			w[name] = int64(*v)
		}
	}
	if c.DurationSeconds != nil {
		w["end_to_end_duration"] = int64(*c.DurationSeconds*1e3 + 0.5)
	}
	if c.Failure != "" {
		w["failure_message"] = c.Failure
	}
	return w
}

func (s *Server) checkpointDetails(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	for _, h := range o.Checkpointing.History {
		if strconv.FormatInt(h.ID, 10) == r.PathValue("n") {
			return wireCheckpoint(h, o.ServerTime), nil
		}
	}
	return nil, refusal{http.StatusNotFound, "Could not find checkpoint " + r.PathValue("n") + "."}
}

func (s *Server) checkpointConfig(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	c := o.Checkpointing
	if !c.Enabled {
		return nil, refusal{http.StatusNotFound, "Checkpointing is not enabled for this job (" + o.ID + ")."}
	}
	w := object{"mode": c.Mode, "state_backend": c.Backend, "checkpoint_storage": c.Storage}
	for name, v := range map[string]*float64{"interval": c.IntervalSeconds, "min_pause": c.MinPauseSeconds, "timeout": c.TimeoutSeconds} {
		if v != nil {
			w[name] = int64(*v*1e3 + 0.5)
		}
	}
	for name, v := range map[string]*int{"max_concurrent": c.MaxConcurrent, "tolerable_failed_checkpoints": c.TolerableFailures} {
		if v != nil {
			w[name] = *v
		}
	}
	if c.Unaligned != nil {
		w["unaligned_checkpoints"] = *c.Unaligned
	}
	if c.Externalized != nil {
		w["externalization"] = object{"enabled": *c.Externalized, "delete_on_cancellation": false}
	}
	return w, nil
}
