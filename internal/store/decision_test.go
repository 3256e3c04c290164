package store

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func decision() job.Decision {
	return job.Decision{
		Job: ads, At: noon, ServerAt: noon.Add(-time.Second), Kind: job.Reconfigure, State: job.Open, Mode: job.ModeApply,
		Seen:     job.Seen{Knobs: job.Knobs{Parallelism: 8}, Quantities: []job.Quantity{}, Lacks: []job.Lack{}, InputHash: "ab12", Seed: 7},
		Proposed: job.Plan{Job: ads, Reason: "it pays", Binding: []job.Binding{}, Alternatives: []job.Alternative{}, Front: []job.FrontPoint{}},
		Guards:   []job.GuardWord{{Guard: "data", Word: job.Yes, Reason: "fresh"}}, PredictionIDs: []string{},
		Previous: job.Settings{CheckpointIntervalSeconds: new(30.0)},
	}
}

func TestDecisionFromOpenToClosed(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, clock *time.Time) {
		want := decision()
		want.PredictionIDs = made[[]string](t)(j.AddPredictions(t.Context(), []job.Standing{standing(), standing()}))
		want.ID = made[string](t)(j.AddDecision(t.Context(), want))
		if diff := cmp.Diff([]job.Decision{want}, made[[]job.Decision](t)(j.OpenDecisions(t.Context(), ads))); diff != "" {
			t.Errorf("open: -want +got\n%s", diff)
		}

		*clock = noon.Add(time.Minute)
		want.State, want.Applied = job.Applying, &job.Change{ID: want.ID, Job: ads, Way: job.InPlace}
		update(t, j, want)
		want.State, want.Outcome = job.Verified, "as predicted"
		update(t, j, want)
		want.ClosedAt = *clock
		if diff := cmp.Diff(want, made[job.Decision](t)(j.Decision(t.Context(), want.ID))); diff != "" {
			t.Errorf("closed: -want +got\n%s", diff)
		}
		if open := made[[]job.Decision](t)(j.OpenDecisions(t.Context(), ads)); len(open) != 0 {
			t.Errorf("still open: %v", open)
		}
	})
}

func update(t *testing.T, j *Journal, d job.Decision) {
	t.Helper()
	if err := j.UpdateDecision(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func TestClosedDecisionStays(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "journal.db"))
	d := decision()
	d.State = job.Refused // closed from its beginning
	d.ID = made[string](t)(j.AddDecision(t.Context(), d))
	for _, s := range []job.DecisionState{job.Refused, job.Open, job.Verified} {
		d.State = s
		if err := j.UpdateDecision(t.Context(), d); !errors.Is(err, ErrClosed) {
			t.Errorf("made %s: %v, want %v", s, err, ErrClosed)
		}
	}
	d.ID = "nothing"
	if err := j.UpdateDecision(t.Context(), d); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown one: %v", err)
	}
}

// The rules hold in the database itself, against any program that writes to it.
func TestDatabaseKeepsTheLifeOfDecisions(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "journal.db"))
	add := func(s job.DecisionState) string {
		d := decision()
		d.State = s
		return made[string](t)(j.AddDecision(t.Context(), d))
	}
	open, applying, closed := add(job.Open), add(job.Applying), add(job.Failed)
	for name, tt := range map[string]struct{ statement, id, why string }{
		"closed anew":       {`UPDATE decisions SET state = 'verified' WHERE id = ?`, closed, "closed decision"},
		"closed reopened":   {`UPDATE decisions SET state = 'open', closed_at = NULL WHERE id = ?`, closed, "closed decision"},
		"closed rewritten":  {`UPDATE decisions SET decision = '{}' WHERE id = ?`, closed, "closed decision"},
		"applying reopened": {`UPDATE decisions SET state = 'open' WHERE id = ?`, applying, "accepted"},
		"open removed":      {`DELETE FROM decisions WHERE id = ?`, open, "open decision"},
		"closed, no time":   {`UPDATE decisions SET state = 'verified' WHERE id = ?`, open, "CHECK"},
		"open, with a time": {`UPDATE decisions SET closed_at = '2026' WHERE id = ?`, open, "CHECK"},
		"unknown state":     {`UPDATE decisions SET state = 'done', closed_at = '2026' WHERE id = ?`, open, "CHECK"},
	} {
		if _, err := j.db.ExecContext(t.Context(), tt.statement, tt.id); err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v, want %q", name, err, tt.why)
		}
	}
}

func TestDecisionIsWholeOrNothing(t *testing.T) {
	j := opened(t, Memory)
	d := decision()
	d.PredictionIDs = []string{"nothing"}
	if _, err := j.AddDecision(t.Context(), d); err == nil {
		t.Error("written with a prediction that is not there")
	}
	d.PredictionIDs = []string{}
	d.ID = made[string](t)(j.AddDecision(t.Context(), d))
	d.PredictionIDs, d.State = []string{"nothing"}, job.Dropped
	if err := j.UpdateDecision(t.Context(), d); err == nil {
		t.Error("updated with a prediction that is not there")
	}
	all := made[[]job.Decision](t)(j.Decisions(t.Context(), ads, 0))
	if len(all) != 1 || all[0].State != job.Open {
		t.Errorf("got %+v", all)
	}
}

func TestFindDecisions(t *testing.T) {
	j := opened(t, Memory)
	add := func(at time.Duration, name string, s job.DecisionState) string {
		d := decision()
		d.At, d.Job.Name, d.State = noon.Add(at), name, s
		return made[string](t)(j.AddDecision(t.Context(), d))
	}
	a, b, c := add(0, "ads", job.Open), add(time.Hour, "ads", job.Refused), add(2*time.Hour, "other", job.Open)
	for name, tt := range map[string]struct {
		q    Query
		want []string
	}{
		"all":      {Query{}, []string{c, b, a}},
		"of a job": {Query{Identity: &ads}, []string{b, a}},
		"state":    {Query{State: job.Open}, []string{c, a}},
		"since":    {Query{Since: noon.Add(time.Hour)}, []string{c, b}},
		"settings": {Query{Restarts: true, Limit: 2}, []string{c, b}},
		"limit":    {Query{Limit: 1, Failure: job.TaskFailure, Kind: Checked}, []string{c}},
	} {
		got := ids(made[[]job.Decision](t)(j.FindDecisions(t.Context(), tt.q)), func(d job.Decision) string { return d.ID })
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// Whatever is tried in whatever order, a decision moves only while it is open,
// keeps the state that it was closed in, and outlives pruning while it is open:
// the journal answers like a slice.
func TestDecisionsAreASlice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		clock, all := noon, []job.Decision{}
		j := opened(t, Memory)
		j.Now = func() time.Time { return clock }
		defer j.Close()
		state := rapid.SampledFrom([]job.DecisionState{
			job.Open, job.Waiting, job.Applying, job.Verified, job.RolledBack, job.Failed, job.Refused, job.Dropped, job.Recommended,
		})
		rt.Repeat(map[string]func(*rapid.T){
			"": func(rt *rapid.T) {
				clock = clock.Add(time.Second)
				want, open := []string{}, []string{}
				for _, d := range all {
					want = append([]string{d.ID + string(d.State)}, want...)
					if !d.State.Closed() {
						open = append(open, d.ID+string(d.State))
					}
				}
				name := func(d job.Decision) string { return d.ID + string(d.State) }
				same(rt, "all", want, ids(made[[]job.Decision](t)(j.Decisions(t.Context(), ads, 0)), name))
				same(rt, "open", open, ids(made[[]job.Decision](t)(j.OpenDecisions(t.Context(), ads)), name))
			},
			"add": func(rt *rapid.T) {
				d := decision()
				d.At, d.State = clock, state.Draw(rt, "state")
				d.ID = made[string](t)(j.AddDecision(t.Context(), d))
				all = append(all, d)
			},
			"update": func(rt *rapid.T) {
				if len(all) == 0 {
					rt.Skip("none")
				}
				d := &all[rapid.IntRange(0, len(all)-1).Draw(rt, "decision")]
				next := *d
				next.State = state.Draw(rt, "state")
				err := j.UpdateDecision(t.Context(), next)
				back := d.State == job.Applying && (next.State == job.Open || next.State == job.Waiting)
				switch {
				case d.State.Closed():
					if !errors.Is(err, ErrClosed) {
						rt.Fatalf("a %s decision: %v", d.State, err)
					}
				case back != (err != nil):
					rt.Fatalf("%s to %s: %v", d.State, next.State, err)
				case !back:
					d.State = next.State
				}
			},
			"prune": func(rt *rapid.T) {
				age := time.Duration(rapid.IntRange(1, 30).Draw(rt, "age")) * time.Second
				made[int](t)(j.Prune(t.Context(), Keep{Age: age}))
				left := []job.Decision{}
				for _, d := range all {
					if !d.State.Closed() || !d.At.Before(clock.Add(-age)) {
						left = append(left, d)
					}
				}
				all = left
			},
		})
	})
}
