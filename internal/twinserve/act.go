package twinserve

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"rebound/internal/job"
)

// maxBody bounds what is read of a request.
const maxBody = 1 << 20

func decode(r *http.Request, into any) error {
	d := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBody))
	if err := d.Decode(into); err != nil {
		return refusal{http.StatusBadRequest, "Bad request received: " + err.Error()}
	}
	return nil
}

// trigger is a checkpoint that was asked for after this one had begun.
type trigger struct{ after int64 }

// maxTriggers are remembered; Flink forgets those that are done after 5 min.
const maxTriggers = 1000

// trigger asks for a checkpoint. A triggerId that is known asks for nothing new.
func (s *Server) trigger(r *http.Request) (any, error) {
	var body struct {
		ID string `json:"triggerId"`
	}
	if err := decode(r, &body); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	if body.ID == "" {
		body.ID = fmt.Sprintf("%032x", len(s.triggers)+1)
	}
	if _, known := s.triggers[body.ID]; known {
		return object{"request-id": body.ID}, nil
	}
	if err := s.World.Checkpoint(r.Context(), body.ID); err != nil {
		return nil, err
	}
	if s.triggers == nil || len(s.triggers) >= maxTriggers {
		s.triggers = map[string]trigger{}
	}
	s.triggers[body.ID] = trigger{after: newest(o.Checkpointing)}
	s.moved()
	return object{"request-id": body.ID}, nil
}

// moved forgets what was seen before the world was acted upon.
func (s *Server) moved() { s.seenAt = s.seenAt.Add(-1) }

func newest(c job.Checkpointing) (id int64) {
	for _, h := range c.History {
		id = max(id, h.ID)
	}
	return id
}

// triggered says how a checkpoint that was asked for stands.
func (s *Server) triggered(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	t, ok := s.triggers[r.PathValue("trigger")]
	if !ok {
		return nil, refusal{http.StatusNotFound, "There is no checkpoint operation with triggerId=" + r.PathValue("trigger") + " for job " + o.ID + "."}
	}
	var first *job.Checkpoint // of those that began since, the oldest
	for i, h := range o.Checkpointing.History {
		if h.ID > t.after {
			first = &o.Checkpointing.History[i]
		}
	}
	switch {
	case first == nil || first.Status == "IN_PROGRESS":
		return object{"status": object{"id": "IN_PROGRESS"}}, nil
	case first.Status == "COMPLETED":
		return object{"status": object{"id": "COMPLETED"}, "operation": object{"checkpointId": first.ID}}, nil
	}
	trace := "org.apache.flink.runtime.checkpoint.CheckpointException: " + first.Failure
	return object{"status": object{"id": "COMPLETED"}, "operation": object{"failure-cause": object{
		"class": "org.apache.flink.runtime.checkpoint.CheckpointException", "stack-trace": trace,
	}}}, nil
}

// bounds are those of one vertex.
type bounds struct {
	Parallelism struct {
		Lower int `json:"lowerBound"`
		Upper int `json:"upperBound"`
	} `json:"parallelism"`
}

func (s *Server) requirements(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	all := map[string]bounds{}
	for _, v := range o.Vertices {
		var b bounds
		b.Parallelism.Lower, b.Parallelism.Upper = 1, v.Parallelism
		all[v.ID] = b
	}
	return all, nil
}

// require rescales in place: to the upper bounds, since a simulation has the
// slots for them.
func (s *Server) require(r *http.Request) (any, error) {
	var body map[string]bounds
	if err := decode(r, &body); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	want := o.Settings
	want.Parallelism = maps.Clone(want.Parallelism)
	if want.Parallelism == nil {
		want.Parallelism = map[string]int{}
	}
	for _, v := range o.Vertices {
		b, ok := body[v.ID]
		if !ok || b.Parallelism.Upper < 1 || b.Parallelism.Lower > b.Parallelism.Upper {
			return nil, refusal{http.StatusBadRequest, "The requirements of all vertices must be given, with 1 <= lowerBound <= upperBound: " + v.ID}
		}
		want.Parallelism[v.ID] = b.Parallelism.Upper
	}
	id := "rest-" + strconv.FormatInt(s.Clock.Now().UnixMilli(), 10)
	if err := s.World.Apply(r.Context(), job.Change{ID: id, Job: o.Job, Want: want, Way: job.InPlace}); err != nil {
		return nil, err
	}
	s.moved()
	return object{}, nil
}
