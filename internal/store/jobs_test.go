package store

import (
	"testing"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
)

// Each job once, whether it was watched, decided about or both.
func TestJobs(t *testing.T) {
	j := opened(t, Memory)
	other := job.Identity{Cluster: "a", Namespace: "n", Name: "other"}
	for _, id := range []job.Identity{ads, other, ads} {
		d := decision()
		d.Job = id
		made[string](t)(j.AddDecision(t.Context(), d))
		if err := j.AddWindow(t.Context(), job.Window{Job: ads, From: noon, To: noon, Lacks: []job.Lack{}}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]job.Identity{other, ads}, made[[]job.Identity](t)(j.Jobs(t.Context()))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
