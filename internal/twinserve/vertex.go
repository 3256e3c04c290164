package twinserve

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"rebound/internal/job"
)

// find is the vertex that a request names. The caller must hold the lock.
func (s *Server) find(r *http.Request) (job.Observation, job.Vertex, error) {
	o, err := s.observe(r)
	if err != nil {
		return o, job.Vertex{}, err
	}
	for _, v := range o.Vertices {
		if v.ID == r.PathValue("vertex") {
			return o, v, nil
		}
	}
	return o, job.Vertex{}, refusal{http.StatusNotFound, "JobVertex " + r.PathValue("vertex") + " not found"}
}

func (s *Server) vertex(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, v, err := s.find(r)
	if err != nil {
		return nil, err
	}
	subtasks := []object{}
	for _, t := range v.Subtasks {
		subtasks = append(subtasks, s.subtask(v, t))
	}
	return object{
		"id": v.ID, "name": v.Name, "parallelism": v.Parallelism, "maxParallelism": v.MaxParallelism,
		"now": o.ServerTime.UnixMilli(), "subtasks": subtasks,
	}, nil
}

// subtask has its way to RUNNING as one moment: more than the end of the restore
// an observation does not tell.
func (s *Server) subtask(v job.Vertex, t job.Subtask) object {
	w := object{"subtask": t.Index, "status": t.State, "attempt": t.Attempt, "start-time": -1, "status-duration": object{}}
	if t.TaskManager != "" {
		w["taskmanager-id"] = t.TaskManager
	}
	if t.RunningSince != nil {
		w["start-time"] = t.RunningSince.UnixMilli()
		w["status-duration"] = object{"DEPLOYING": 0, "INITIALIZING": 0}
	}
	c, ok := s.counters.of(v, t)
	if !ok {
		w["metrics"] = object{"read-records-complete": false, "write-records-complete": false}
		return w
	}
	var busy any = c.busy
	if !c.timed {
		busy = "NaN"
	}
	w["metrics"] = object{
		"read-records": int64(c.in), "read-records-complete": true, "write-records": int64(c.out), "write-records-complete": true,
		"accumulated-busy-time": busy, "accumulated-idle-time": c.idle, "accumulated-backpressured-time": c.pressed,
	}
	return w
}

// of is the counter of a subtask's present attempt, where the last window had
// values of it.
func (c *counters) of(v job.Vertex, t job.Subtask) (counter, bool) {
	n, ok := c.subtasks[place{v.ID, t.Index}]
	return n, ok && n.attempt == t.Attempt && n.known && t.State == "RUNNING"
}

// watermarks are as old as the counters, as in a metric store.
func (s *Server) watermarks(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, v, err := s.find(r)
	if err != nil {
		return nil, err
	}
	all := []object{}
	for _, t := range v.Subtasks {
		if t.WatermarkLag != nil {
			at := serverTime(o, s.counters.boundary).Add(-seconds(*t.WatermarkLag))
			all = append(all, object{"id": strconv.Itoa(t.Index) + ".currentInputWatermark", "value": strconv.FormatInt(at.UnixMilli(), 10)})
		}
	}
	return all, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// operator is how the metrics of a source operator are called.
func operator(v job.Vertex) string {
	return "Source__" + strings.TrimPrefix(strings.ReplaceAll(v.Name, " ", "_"), "Source:_")
}

func (s *Server) metricNames(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, v, err := s.find(r)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, t := range v.Subtasks {
		for name := range s.values(v, t) {
			names[name] = ""
		}
	}
	return asked(r, names), nil
}

func (s *Server) vertexMetrics(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, v, err := s.find(r)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, t := range v.Subtasks {
		for name, value := range s.values(v, t) {
			all[strconv.Itoa(t.Index)+"."+name] = value
		}
	}
	return asked(r, all), nil
}

// values are the metrics of a subtask, as text.
func (s *Server) values(v job.Vertex, t job.Subtask) map[string]string {
	m := map[string]string{}
	set := func(name string, value *float64, scale float64) {
		if value != nil {
			m[name] = strconv.FormatFloat(*value*scale, 'f', -1, 64)
		}
	}
	set("numRecordsInPerSecond", t.RecordsInPerSecond, 1)
	set("numRecordsOutPerSecond", t.RecordsOutPerSecond, 1)
	set("busyTimeMsPerSecond", t.BusyRatio, 1e3)
	set("backPressuredTimeMsPerSecond", t.BackPressuredRatio, 1e3)
	set("idleTimeMsPerSecond", t.IdleRatio, 1e3)
	if c, ok := s.counters.of(v, t); ok {
		set("accumulateBusyTimeMs", &c.busy, 1)
		set("accumulateIdleTimeMs", &c.idle, 1)
		set("accumulateBackPressuredTimeMs", &c.pressed, 1)
		if !c.timed {
			m["accumulateBusyTimeMs"] = "NaN"
		}
		if len(v.Inputs) == 0 {
			m[operator(v)+".numRecordsIn"] = fmt.Sprintf("%.0f", c.in)
			m[operator(v)+".numRecordsOut"] = fmt.Sprintf("%.0f", c.out)
		}
	}
	if len(v.Inputs) == 0 {
		set(operator(v)+".numRecordsInPerSecond", t.RecordsInPerSecond, 1)
		set(operator(v)+".numRecordsOutPerSecond", t.RecordsOutPerSecond, 1)
		set(operator(v)+".pendingRecords", t.PendingRecords, 1)
		set(operator(v)+".currentEmitEventTimeLag", t.EmitLagSeconds, 1e3)
		set(operator(v)+".watermarkLag", t.WatermarkLag, 1e3)
	}
	return m
}
