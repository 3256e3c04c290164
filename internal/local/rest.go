package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"rebound/internal/flink"
	"rebound/jobs"
)

// submitJob uploads the job and starts it.
func submitJob(ctx context.Context, c *Cluster) (id string, err error) {
	client, err := flink.New(flink.Config{URL: c.REST, Timeout: time.Minute})
	if err != nil {
		return "", err
	}
	jar, err := os.Open(c.JobJar)
	if err != nil {
		return "", err
	}
	defer func() { _ = jar.Close() }()
	uploaded, err := client.UploadJar(ctx, "job.jar", jar)
	if err != nil {
		return "", fmt.Errorf("upload the job: %w", err)
	}
	id, err = client.RunJar(ctx, uploaded, flink.Run{EntryClass: jobs.MainClass, Arguments: c.jobArguments()})
	if err != nil {
		return "", fmt.Errorf("submit the job: %w", err)
	}
	return id, nil
}

// takeCheckpoint shows that checkpoints complete, without waiting an interval.
func (c *Cluster) takeCheckpoint(ctx context.Context) error {
	client, err := flink.New(flink.Config{URL: c.REST})
	if err != nil {
		return err
	}
	_, err = client.Checkpoint(ctx, c.JobID)
	return err
}

// JobState is Flink's word for the state of the job; empty without a job.
func (c *Cluster) JobState(ctx context.Context) (string, error) {
	if c.JobID == "" {
		return "", nil
	}
	var job struct{ State string }
	err := c.get(ctx, "/jobs/"+c.JobID, &job)
	return job.State, err
}

// registered are the resource ids of the TaskManagers that the JobManager has.
func (c *Cluster) registered(ctx context.Context) (map[string]bool, error) {
	var a struct{ TaskManagers []struct{ ID string } }
	if err := c.get(ctx, "/taskmanagers", &a); err != nil {
		return nil, err
	}
	ids := make(map[string]bool, len(a.TaskManagers))
	for _, t := range a.TaskManagers {
		ids[t.ID] = true
	}
	return ids, nil
}

// jobRuns fails with what is still missing until every subtask runs. The state
// of the job, and that of a vertex, is RUNNING long before that.
func (c *Cluster) jobRuns(ctx context.Context) error {
	var job struct {
		State    string
		Vertices []struct{ ID, Name string }
	}
	if err := c.get(ctx, "/jobs/"+c.JobID, &job); err != nil {
		return err
	}
	if job.State != "RUNNING" || len(job.Vertices) == 0 {
		return fmt.Errorf("the job is %s", job.State)
	}
	for _, v := range job.Vertices {
		var vertex struct{ Subtasks []struct{ Status string } }
		if err := c.get(ctx, "/jobs/"+c.JobID+"/vertices/"+v.ID, &vertex); err != nil {
			return err
		}
		for i, s := range vertex.Subtasks {
			if s.Status != "RUNNING" {
				return fmt.Errorf("subtask %d of %s is %s", i, v.Name, s.Status)
			}
		}
		if len(vertex.Subtasks) == 0 {
			return fmt.Errorf("%s has no subtasks yet", v.Name)
		}
	}
	return nil
}

// get reads one small answer of the JobManager.
func (c *Cluster) get(ctx context.Context, path string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.REST+path, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, 8<<20)).Decode(out)
}

// until asks again until try succeeds. When ctx ends, the error says what was
// still missing then.
func until(ctx context.Context, every time.Duration, try func(ctx context.Context) error) error {
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if stop := pause(ctx, every); stop != nil {
			return errors.Join(stop, err)
		}
	}
}
