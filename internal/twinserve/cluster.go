package twinserve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebound/internal/job"
)

func (s *Server) config(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	return object{"refresh-interval": 3000, "timezone-name": "Coordinated Universal Time", "timezone-offset": 0, "flink-version": version(o)}, nil
}

func version(o job.Observation) string {
	if o.FlinkVersion == "" {
		return "2.3.0"
	}
	return o.FlinkVersion
}

func (s *Server) overview(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	slots, free := 0, 0
	for _, t := range o.TaskManagers {
		slots, free = slots+t.Slots, free+t.FreeSlots
	}
	return object{
		"taskmanagers": len(o.TaskManagers), "slots-total": slots, "slots-available": free,
		"jobs-running": 1, "jobs-finished": 0, "jobs-cancelled": 0, "jobs-failed": 0, "flink-version": version(o),
	}, nil
}

// jobManagerConfig has the job's options as the cluster's, and what the processes
// have. Who reads metrics again has to wait for a window of the simulation, in
// real time: the interval says how long that is.
func (s *Server) jobManagerConfig(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	config := maps.Clone(map[string]string(o.Config))
	if config == nil {
		config = map[string]string{}
	}
	wait := window
	if s.Speed > 0 {
		wait = max(time.Millisecond, time.Duration(float64(window)/s.Speed))
	}
	config["metrics.fetcher.update-interval"] = fmt.Sprintf("%d ms", wait.Milliseconds())
	if v := o.JobManager.MemoryBytes; v != nil {
		config["jobmanager.memory.process.size"] = fmt.Sprintf("%.0f b", *v)
	}
	if v := o.JobManager.CPUCores; v != nil {
		config["kubernetes.jobmanager.cpu.amount"] = strconv.FormatFloat(*v, 'g', -1, 64)
	}
	if o.Steers != "" {
		config["job.autoscaler.enabled"] = "true"
	}
	all := []object{}
	for _, k := range slices.Sorted(maps.Keys(config)) {
		all = append(all, object{"key": k, "value": config[k]})
	}
	return all, nil
}

func (s *Server) jobManagerMetrics(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	return asked(r, map[string]string{"numRegisteredTaskManagers": strconv.Itoa(len(o.TaskManagers)), "numRunningJobs": "1"}), nil
}

// asked are the metrics that a request names, or the names of all.
func asked(r *http.Request, all map[string]string) []object {
	answer := []object{}
	if get := r.URL.Query().Get("get"); get != "" {
		for name := range strings.SplitSeq(get, ",") {
			if v, ok := all[name]; ok {
				answer = append(answer, object{"id": name, "value": v})
			}
		}
		return answer
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		answer = append(answer, object{"id": name})
	}
	return answer
}

func (s *Server) taskManagers(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	all := []object{}
	for _, t := range o.TaskManagers {
		w := object{"id": t.ID, "slotsNumber": t.Slots, "freeSlots": t.FreeSlots}
		if t.LastHeartbeat != nil {
			w["timeSinceLastHeartbeat"] = t.LastHeartbeat.UnixMilli()
		}
		if t.CPUCores != nil {
			w["totalResource"] = object{"cpuCores": *t.CPUCores}
		}
		if t.MemoryBytes != nil {
			w["memoryConfiguration"] = object{"totalProcessMemory": *t.MemoryBytes}
		}
		all = append(all, w)
	}
	return object{"taskmanagers": all}, nil
}

func (s *Server) taskManagerMetrics(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	id := r.PathValue("tm")
	for _, t := range o.TaskManagers {
		if t.ID != id {
			continue
		}
		all := map[string]string{}
		if t.CPUUsedCores != nil {
			all["Status.JVM.CPU.Time"] = strconv.FormatFloat(s.counters.cpu[id], 'f', 0, 64)
		}
		return asked(r, all), nil
	}
	return nil, refusal{http.StatusNotFound, "TaskManager " + id + " not found"}
}
