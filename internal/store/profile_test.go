package store

import (
	"errors"
	"testing"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
)

func profile(id string) job.Profile {
	return job.Profile{
		ID: id, State: job.ProfileRunning, StartedAt: noon, CPUCoreHours: 3,
		Knobs: job.Knobs{IntervalSeconds: 30, Parallelism: 8, Slots: 1, CPUCores: 2, MemoryBytes: job.GiB}, Reason: "likely to do",
	}
}

// One that is begun twice, or ended twice, is what it was the first time; and one
// job's are not another's.
func TestProfileFromBeginToEnd(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, _ *time.Time) {
		first, second := profile("a"), profile("b")
		second.StartedAt = noon.Add(time.Hour)
		again := first
		again.Reason = "another reason"
		for _, p := range []job.Profile{first, second, again} {
			if err := j.AddProfile(t.Context(), ads, p); err != nil {
				t.Fatal(err)
			}
		}
		other := job.Identity{Name: "other"}
		if err := j.AddProfile(t.Context(), other, first); err != nil {
			t.Fatal(err)
		}
		shown := first
		shown.State, shown.At, shown.Capacity, shown.CPUCoreHours = job.ProfileDone, noon.Add(time.Minute), new(1e5), 2.5
		late := shown
		late.Capacity = new(7.0)
		for _, p := range []job.Profile{shown, late} {
			if err := j.EndProfile(t.Context(), ads, p); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]job.Profile{second, shown}, made[[]job.Profile](t)(j.Profiles(t.Context(), ads, 0))); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if got := made[[]job.Profile](t)(j.Profiles(t.Context(), ads, 1)); len(got) != 1 || got[0].ID != "b" {
			t.Errorf("the newest one: %+v", got)
		}
		if got := made[[]Profile](t)(j.FindProfiles(t.Context(), Query{Since: noon.Add(time.Second)})); len(got) != 1 || got[0].ID != "b" || got[0].Identity != ads {
			t.Errorf("since a second later: %+v", got)
		}
		if got := made[[]job.Profile](t)(j.Profiles(t.Context(), other, 0)); len(got) != 1 || got[0].State != job.ProfileRunning {
			t.Errorf("of another job: %+v", got)
		}
		if err := j.EndProfile(t.Context(), ads, job.Profile{ID: "none", State: job.ProfileLost}); !errors.Is(err, ErrNotFound) {
			t.Errorf("one that was never begun: %v, want %v", err, ErrNotFound)
		}
	})
}

// The database keeps what it is told, whoever writes.
func TestProfilesThatHaveEndedStay(t *testing.T) {
	j := opened(t, Memory)
	for _, bad := range []job.Profile{{State: job.ProfileRunning}, {ID: "a", State: job.ProfileDone}} {
		if err := j.AddProfile(t.Context(), ads, bad); err == nil {
			t.Errorf("begun: %+v", bad)
		}
	}
	for _, id := range []string{"runs", "ended"} {
		if err := j.AddProfile(t.Context(), ads, profile(id)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.EndProfile(t.Context(), ads, profile("ended")); err == nil {
		t.Error("ended while it runs")
	}
	if err := j.EndProfile(t.Context(), ads, job.Profile{ID: "ended", State: job.ProfileDone}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		`UPDATE profiles SET core_hours = 0 WHERE id = 'ended'`,
		`DELETE FROM profiles WHERE id = 'runs'`,
		`UPDATE profiles SET state = 'done' WHERE id = 'runs'`, // without an end
	} {
		if _, err := j.db.ExecContext(t.Context(), query); err == nil {
			t.Errorf("%s: done", query)
		}
	}
}
