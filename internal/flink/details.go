package flink

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"rebound/internal/job"
)

// jobPath is /jobs/:jobid and what follows.
func jobPath(id string, rest ...string) string {
	parts := []string{"/jobs", url.PathEscape(id)}
	for _, r := range rest {
		parts = append(parts, url.PathEscape(r))
	}
	return strings.Join(parts, "/")
}

// wireJob is /jobs/:jobid. State and stamps in it come from a cache of
// web.refresh-interval; Now does not.
type wireJob struct {
	ID         string            `json:"jid"`
	Name       string            `json:"name"`
	State      string            `json:"state"`
	Type       string            `json:"job-type"`
	Scheduler  string            `json:"schedulerType"`
	Start      number            `json:"start-time"`
	Now        number            `json:"now"`
	Timestamps map[string]number `json:"timestamps"`
	Vertices   []struct {
		ID          string `json:"id"`
		Parallelism number `json:"parallelism"`
	} `json:"vertices"`
	Plan plan `json:"plan"`
}

type plan struct {
	Type  string `json:"type"`
	Nodes []struct {
		ID     string `json:"id"`
		Inputs []struct {
			ID string `json:"id"`
		} `json:"inputs"`
	} `json:"nodes"`
}

// UnmarshalJSON takes a plan that is a string or odd for no plan at all.
func (p *plan) UnmarshalJSON(b []byte) error {
	type plain plan
	var q plain
	if json.Unmarshal(b, &q) == nil {
		*p = plan(q)
	}
	return nil
}

// inputs are the vertices that feed each vertex.
func (p plan) inputs() map[string][]string {
	in := make(map[string][]string, len(p.Nodes))
	for _, n := range p.Nodes {
		from := make([]string, 0, len(n.Inputs))
		for _, i := range n.Inputs {
			from = append(from, i.ID)
		}
		in[n.ID] = from
	}
	return in
}

func (j wireJob) jobType() string {
	if j.Type != "" {
		return j.Type
	}
	return j.Plan.Type
}

// wireVertex is /jobs/:jobid/vertices/:vertexid. The vertex's own status is not
// read: it is RUNNING while a subtask still deploys.
type wireVertex struct {
	ID             string        `json:"id"`
	Name           string        `json:"name"`
	Parallelism    number        `json:"parallelism"`
	MaxParallelism number        `json:"maxParallelism"`
	Now            number        `json:"now"`
	Subtasks       []wireSubtask `json:"subtasks"`
}

type wireSubtask struct {
	Index       number            `json:"subtask"`
	Status      string            `json:"status"`
	Attempt     number            `json:"attempt"`
	Start       number            `json:"start-time"` // of DEPLOYING
	TaskManager string            `json:"taskmanager-id"`
	Durations   map[string]number `json:"status-duration"` // ms
	Metrics     struct {
		Read          number `json:"read-records"`
		ReadComplete  bool   `json:"read-records-complete"`
		Write         number `json:"write-records"`
		WriteComplete bool   `json:"write-records-complete"`
		Busy          number `json:"accumulated-busy-time"` // ms
		Idle          number `json:"accumulated-idle-time"`
		BackPressured number `json:"accumulated-backpressured-time"`
	} `json:"metrics"`
}

// deploying is when DEPLOYING began, zero if it has not.
func (s wireSubtask) deploying() time.Time { return s.Start.time() }

// initializing is when the task began on its TaskManager.
func (s wireSubtask) initializing() time.Time {
	d, ok := s.Durations["DEPLOYING"]
	if s.deploying().IsZero() || !ok || s.Status == "DEPLOYING" || s.Status == "CREATED" || s.Status == "SCHEDULED" {
		return time.Time{}
	}
	return s.deploying().Add(d.millis())
}

// running is the end of the restore: valid only once the subtask is RUNNING, since
// the spans of the states before it still grow until then.
func (s wireSubtask) running() time.Time {
	d, ok := s.Durations["INITIALIZING"]
	if s.Status != "RUNNING" || s.initializing().IsZero() || !ok {
		return time.Time{}
	}
	return s.initializing().Add(d.millis())
}

func (c *Client) job(ctx context.Context, id string) (wireJob, error) {
	var j wireJob
	err := c.get(ctx, jobPath(id), &j)
	return j, err
}

func (c *Client) vertex(ctx context.Context, jobID, id string) (wireVertex, error) {
	var v wireVertex
	err := c.get(ctx, jobPath(jobID, "vertices", id), &v)
	return v, err
}

// vertices are read at once, in the order of j.
func (c *Client) vertices(ctx context.Context, j wireJob) ([]wireVertex, error) {
	vs := make([]wireVertex, len(j.Vertices))
	g := newGroup(ctx)
	for i, v := range j.Vertices {
		g.run(func(ctx context.Context) (err error) {
			vs[i], err = c.vertex(ctx, j.ID, v.ID)
			return err
		})
	}
	return vs, g.wait()
}

type wireException struct {
	Name        string `json:"exceptionName"`
	Timestamp   number `json:"timestamp"`
	Task        string `json:"taskName"`
	TaskManager string `json:"taskManagerId"`
}

// maxExceptions is more than Flink keeps (web.exception-history-size, 16).
const maxExceptions = "64"

// exceptions are the job's failures, newest first. The older fields beside the
// history (root-exception, all-exceptions) are gone in 2.x and not read.
func (c *Client) exceptions(ctx context.Context, id string) ([]job.Exception, error) {
	var a struct {
		History struct {
			Entries []wireException `json:"entries"`
		} `json:"exceptionHistory"`
	}
	if err := c.get(ctx, jobPath(id, "exceptions")+"?maxExceptions="+maxExceptions, &a); err != nil {
		return nil, err
	}
	all := make([]job.Exception, 0, len(a.History.Entries))
	for _, e := range a.History.Entries {
		all = append(all, job.Exception{At: e.Timestamp.time(), Name: e.Name, Task: e.Task, TaskManager: e.TaskManager})
	}
	return all, nil
}

// executionConfig is what /jobs/:jobid/config tells of the job's own settings.
type executionConfig struct {
	Restart string `json:"restart-strategy"` // a sentence
	Objects bool   `json:"object-reuse-mode"`
	// User are the program's own global parameters.
	User userConfig `json:"user-config"`
}

// changeParameter is the global parameter in which a job that Rebound has
// submitted names the change that it was submitted for.
const changeParameter = "rebound.change"

type userConfig map[string]string

// UnmarshalJSON takes an odd form for no parameters at all.
func (u *userConfig) UnmarshalJSON(b []byte) error {
	var m map[string]string
	if json.Unmarshal(b, &m) == nil {
		*u = m
	}
	return nil
}

func (c *Client) executionConfig(ctx context.Context, id string) (executionConfig, error) {
	var a struct {
		Execution executionConfig `json:"execution-config"`
	}
	err := c.get(ctx, jobPath(id, "config"), &a)
	return a.Execution, err
}

// watermarks are the input watermarks of a vertex's subtasks, by index.
func (c *Client) watermarks(ctx context.Context, jobID, vertex string) (metrics, error) {
	var a []struct {
		ID    string `json:"id"`
		Value number `json:"value"`
	}
	if err := c.get(ctx, jobPath(jobID, "vertices", vertex, "watermarks"), &a); err != nil {
		return nil, err
	}
	m := make(metrics, len(a))
	for _, w := range a {
		m[w.ID] = w.Value
	}
	return m, nil
}
