package flink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"time"
)

// pollEvery is how often a running operation is asked for.
const pollEvery = 100 * time.Millisecond

// Checkpoint takes a checkpoint now and waits for it; ctx bounds the wait. It works
// on a job of any interval, since Flink 1.17.
func (c *Client) Checkpoint(ctx context.Context, jobID string) (int64, error) {
	body := map[string]string{"checkpointType": "CONFIGURED"}
	op, err := c.operation(ctx, jobPath(jobID, "checkpoints"), body)
	if err != nil {
		return 0, err
	}
	a, err := c.await(ctx, jobPath(jobID, "checkpoints", op))
	if err == nil && !a.CheckpointID.ok {
		err = errors.New("flink: the checkpoint has no ID")
	}
	if err != nil {
		return 0, fmt.Errorf("take a checkpoint: %w", err)
	}
	return int64(a.CheckpointID.v), nil
}

// StopWithSavepoint stops a job with a savepoint in directory, which the cluster
// must be able to write, and returns the savepoint's path.
func (c *Client) StopWithSavepoint(ctx context.Context, jobID, directory string) (string, error) {
	body := map[string]any{"targetDirectory": directory, "drain": false}
	op, err := c.operation(ctx, jobPath(jobID, "stop"), body)
	if err != nil {
		return "", err
	}
	a, err := c.await(ctx, jobPath(jobID, "savepoints", op))
	if err != nil {
		return "", fmt.Errorf("stop with a savepoint: %w", err)
	}
	return a.Location, nil
}

// operation starts something that takes time and returns its request ID.
func (c *Client) operation(ctx context.Context, p string, body any) (string, error) {
	var a struct {
		ID string `json:"request-id"`
	}
	if err := c.do(ctx, http.MethodPost, p, body, &a); err != nil {
		return "", err
	}
	if a.ID == "" {
		return "", fmt.Errorf("flink: POST %s: the answer has no request-id", p)
	}
	return a.ID, nil
}

type operation struct {
	CheckpointID number `json:"checkpointId"`
	Location     string `json:"location"`
	Cause        *struct {
		Trace string `json:"stack-trace"`
	} `json:"failure-cause"`
}

// await polls an operation until it is done.
func (c *Client) await(ctx context.Context, p string) (operation, error) {
	for {
		var a struct {
			Status struct {
				ID string `json:"id"`
			} `json:"status"`
			Operation operation `json:"operation"`
		}
		if err := c.get(ctx, p, &a); err != nil {
			return operation{}, err
		}
		switch {
		case a.Operation.Cause != nil:
			return operation{}, errors.New("flink: " + telling(a.Operation.Cause.Trace))
		case a.Status.ID == "COMPLETED":
			return a.Operation, nil
		}
		if err := sleep(ctx, pollEvery); err != nil {
			return operation{}, err
		}
	}
}

// Cancel cancels a job; it returns when Flink has taken the request.
func (c *Client) Cancel(ctx context.Context, jobID string) error {
	return c.do(ctx, http.MethodPatch, jobPath(jobID)+"?mode=cancel", nil, nil)
}

// Bounds are the least and the most subtasks of a vertex.
type Bounds struct {
	Lower int `json:"lowerBound"`
	Upper int `json:"upperBound"`
}

type requirement struct {
	Parallelism Bounds `json:"parallelism"`
}

// Requirements are the bounds of each vertex by its ID. Only the adaptive scheduler
// has them, since Flink 1.18: another answers a StatusError of 500.
func (c *Client) Requirements(ctx context.Context, jobID string) (map[string]Bounds, error) {
	var a map[string]requirement
	if err := c.get(ctx, jobPath(jobID, "resource-requirements"), &a); err != nil {
		return nil, err
	}
	bounds := make(map[string]Bounds, len(a))
	for id, r := range a {
		bounds[id] = r.Parallelism
	}
	return bounds, nil
}

// SetRequirements asks the adaptive scheduler to rescale a job in place. All
// vertices must be named. It returns when Flink has taken the request; the rescale
// waits for its cooldown and the next checkpoint.
func (c *Client) SetRequirements(ctx context.Context, jobID string, vertices map[string]Bounds) error {
	body := make(map[string]requirement, len(vertices))
	for id, b := range vertices {
		body[id] = requirement{b}
	}
	return c.do(ctx, http.MethodPut, jobPath(jobID, "resource-requirements"), body, nil)
}

// Jar is a program on the cluster.
type Jar struct {
	ID, Name   string
	UploadedAt time.Time
}

// Jars lists the uploaded programs.
func (c *Client) Jars(ctx context.Context) ([]Jar, error) {
	var a struct {
		Files []struct {
			ID       string `json:"id"`
			Name     string `json:"name"`
			Uploaded number `json:"uploaded"`
		} `json:"files"`
	}
	if err := c.get(ctx, "/jars", &a); err != nil {
		return nil, err
	}
	jars := make([]Jar, 0, len(a.Files))
	for _, f := range a.Files {
		jars = append(jars, Jar{f.ID, f.Name, f.Uploaded.time()})
	}
	return jars, nil
}

// UploadJar sends a program under this file name, which must end in .jar, and
// returns its ID. The program is held in memory while it is sent.
func (c *Client) UploadJar(ctx context.Context, name string, program io.Reader) (string, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("jarfile", name)
	if err == nil {
		_, err = io.Copy(part, program)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return "", fmt.Errorf("flink: upload %s: %w", name, err)
	}
	var a struct {
		File string `json:"filename"` // a path on the JobManager; its end is the ID
	}
	err = c.send(ctx, request{http.MethodPost, "/jars/upload", form.FormDataContentType(), &body}, &a)
	return path.Base(a.File), err
}

// Run is how a program is started.
type Run struct {
	EntryClass  string            // empty for the manifest's
	Arguments   []string          // of the program
	Parallelism int               // 0 for the program's own
	Savepoint   string            // path to begin from; empty for none
	Config      map[string]string // options of Flink for this job, since 1.18
}

// RunJar starts a program and returns the job's ID. It takes as long as the
// program's main method.
func (c *Client) RunJar(ctx context.Context, jarID string, r Run) (string, error) {
	body := struct {
		Entry       string            `json:"entryClass,omitempty"`
		Arguments   []string          `json:"programArgsList,omitempty"`
		Parallelism int               `json:"parallelism,omitempty"`
		Savepoint   string            `json:"savepointPath,omitempty"`
		Config      map[string]string `json:"flinkConfiguration,omitempty"`
	}{r.EntryClass, r.Arguments, r.Parallelism, r.Savepoint, r.Config}
	var a struct {
		ID string `json:"jobid"`
	}
	p := "/jars/" + url.PathEscape(jarID) + "/run"
	if err := c.do(ctx, http.MethodPost, p, body, &a); err != nil {
		return "", err
	}
	if a.ID == "" {
		return "", fmt.Errorf("flink: POST %s: the answer has no jobid", p)
	}
	return a.ID, nil
}

// sleep waits unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
