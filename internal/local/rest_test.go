package local

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// answering is a JobManager that answers as Flink 2.3 does, cut to what is read.
func answering(t *testing.T, answers map[string]string) *Cluster {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	_, c := newCluster(t, "rest")
	c.REST, c.JobID = s.URL, "j"
	return c
}

func TestJobRuns(t *testing.T) {
	job := `{"jid":"j","state":"RUNNING","vertices":[{"id":"v","name":"work","status":"RUNNING"}]}`
	for name, tt := range map[string]struct{ job, vertex, want string }{
		"all run":             {job, `{"subtasks":[{"status":"RUNNING"},{"status":"RUNNING"}]}`, ""},
		"one deploys":         {job, `{"subtasks":[{"status":"RUNNING"},{"status":"DEPLOYING"}]}`, "subtask 1 of work is DEPLOYING"},
		"restarting":          {`{"state":"RESTARTING","vertices":[{"id":"v"}]}`, "", "the job is RESTARTING"},
		"nothing planned yet": {`{"state":"RUNNING","vertices":[]}`, "", "the job is RUNNING"},
		"no subtasks":         {job, `{"subtasks":[]}`, "no subtasks yet"},
		"not there":           {"", "", "GET /jobs/j: 404"},
	} {
		answers := map[string]string{"/jobs/j/vertices/v": tt.vertex}
		if tt.job != "" {
			answers["/jobs/j"] = tt.job
		}
		t.Run(name, func(t *testing.T) {
			wantError(t, answering(t, answers).jobRuns(t.Context()), tt.want)
		})
	}
}

func TestWholeWaitsForTheNewTaskManager(t *testing.T) {
	c := answering(t, map[string]string{
		"/taskmanagers":      `{"taskmanagers":[{"id":"tm1-a-1"}]}`,
		"/jobs/j":            `{"state":"RUNNING","vertices":[{"id":"v","name":"work"}]}`,
		"/jobs/j/vertices/v": `{"subtasks":[{"status":"RUNNING"}]}`,
	})
	p := sleeper(t)
	p.Role, p.Index, p.ResourceID = TaskManager, 1, "tm1-a-2" // the JobManager still has the dead one
	save := func() {
		if err := c.saveProcess(p); err != nil {
			t.Fatal(err)
		}
	}
	save()
	wantError(t, c.whole(t.Context()), "not registered: taskmanager-1")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // enough for a look
	defer cancel()
	wantError(t, c.Whole(ctx), "not registered: taskmanager-1") // says what was missing
	p.ResourceID = "tm1-a-1"
	save()
	wantError(t, c.whole(t.Context()), "")
	p.Start++
	save()
	wantError(t, c.whole(t.Context()), "taskmanager-1 does not run")
}
