package store

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
)

// The daemon and the command are two processes: each has the file open for
// itself.
func TestRequestReachesTheDaemonAndItsAnswerComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	daemon, command := opened(t, path), opened(t, path)
	first := job.Request{Job: ads, At: noon, Verb: job.PauseRequest, Until: noon.Add(time.Hour), By: "ann"}
	second := job.Request{Job: ads, At: noon.Add(time.Second), Verb: job.ApproveRequest, Decision: "01kx"}
	second.ID = made[string](t)(command.AddRequest(t.Context(), second))
	first.ID = made[string](t)(command.AddRequest(t.Context(), first))
	made[string](t)(command.AddRequest(t.Context(), job.Request{Job: job.Identity{Name: "other"}, Verb: job.ResumeRequest}))

	waiting := made[[]job.Request](t)(daemon.Requests(t.Context(), ads))
	if diff := cmp.Diff([]job.Request{first, second}, waiting); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
	first.Answer, first.DoneAt = "paused", noon.Add(time.Minute)
	if err := daemon.AnswerRequest(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, made[job.Request](t)(command.Request(t.Context(), first.ID))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if err := daemon.AnswerRequest(t.Context(), first); !errors.Is(err, ErrClosed) {
		t.Errorf("answered twice: %v", err)
	}
	if left := made[[]job.Request](t)(daemon.Requests(t.Context(), ads)); len(left) != 1 || left[0].ID != second.ID {
		t.Errorf("left: %v", left)
	}
	if err := daemon.AnswerRequest(t.Context(), job.Request{ID: "nothing"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown one: %v", err)
	}
}

func TestWindowComesBackWhole(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, _ *time.Time) {
		var want []job.Window
		for i := range 3 {
			from := noon.Add(time.Duration(i) * time.Minute)
			w := job.Window{
				Job: ads, From: from, To: from.Add(time.Minute), ServerTo: from.Add(time.Minute), Count: 4,
				RatePerSecond: new(50_000.0), Knobs: &job.Knobs{Parallelism: 8}, Situation: "calm",
				Lacks: []job.Lack{{Quantity: "lag", Why: "no metric", How: "wait"}}, Hash: "ab12",
			}
			if err := j.AddWindow(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			want = append([]job.Window{w}, want...)
		}
		got := made[[]job.Window](t)(j.Windows(t.Context(), Query{Identity: &ads, Limit: 2}))
		if diff := cmp.Diff(want[:2], got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}
