package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebound/internal/job"
)

func TestPruneLeavesWhatIsOpen(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, clock *time.Time) {
		decide := func(s job.DecisionState) (decided, rests string) {
			d := decision()
			d.State = s
			d.PredictionIDs = made[[]string](t)(j.AddPredictions(t.Context(), []job.Standing{standing()}))
			return made[string](t)(j.AddDecision(t.Context(), d)), d.PredictionIDs[0]
		}
		open, held := decide(job.Applying)
		decide(job.Verified)
		asked := made[string](t)(j.AddRequest(t.Context(), job.Request{Job: ads, At: noon, Verb: job.PauseRequest}))
		done := made[string](t)(j.AddRequest(t.Context(), job.Request{Job: ads, At: noon, Verb: job.ResumeRequest}))
		if err := j.AnswerRequest(t.Context(), job.Request{ID: done}); err != nil {
			t.Fatal(err)
		}
		if err := j.AddWindow(t.Context(), job.Window{Job: ads, From: noon}); err != nil {
			t.Fatal(err)
		}
		if err := j.SaveState(t.Context(), ads, "model", 1, []byte("learned")); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"runs", "ended"} {
			if err := j.AddProfile(t.Context(), ads, profile(id)); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.EndProfile(t.Context(), ads, job.Profile{ID: "ended", State: job.ProfileLost, StartedAt: noon}); err != nil {
			t.Fatal(err)
		}
		*clock = noon.Add(24 * time.Hour)
		// The closed decision, its prediction, the answered request, the window, the
		// profile that has ended.
		if n := made[int](t)(j.Prune(t.Context(), Keep{Age: time.Hour, Bytes: 1})); n != 5 {
			t.Errorf("removed %d rows, want 5", n)
		}
		if left := made[[]job.Profile](t)(j.Profiles(t.Context(), ads, 0)); len(left) != 1 || left[0].ID != "runs" {
			t.Errorf("left profiles %+v, want the one that runs", left)
		}
		made[job.Decision](t)(j.Decision(t.Context(), open))
		made[Prediction](t)(j.Prediction(t.Context(), held))
		made[job.Request](t)(j.Request(t.Context(), asked))
		if _, ok, _ := j.LoadState(t.Context(), ads, "model", 1); !ok {
			t.Error("what was learned is gone")
		}
	})
}

func TestPruneUnscored(t *testing.T) {
	j := opened(t, Memory)
	j.Now = func() time.Time { return noon.Add(24 * time.Hour) }
	ids := made[[]string](t)(j.AddPredictions(t.Context(), []job.Standing{standing(), standing(), standing()}))
	old := made[string](t)(j.AddPrediction(t.Context(), Prediction{Identity: ads, At: noon, Kind: Checked}))
	if err := j.AddOutage(t.Context(), ads, measurement(), ids[0], nil); err != nil {
		t.Fatal(err)
	}
	d := decision()
	d.State, d.PredictionIDs = job.Verified, ids[1:2]
	made[string](t)(j.AddDecision(t.Context(), d))
	if n := made[int](t)(j.Prune(t.Context(), Keep{Unscored: time.Hour})); n != 1 {
		t.Errorf("removed %d, want 1", n)
	}
	for _, id := range []string{ids[0], ids[1], old} {
		made[Prediction](t)(j.Prediction(t.Context(), id))
	}
}

// writes are all that the loop and the commands write.
func writes(d job.Decision, id string) map[string]func(context.Context, *Journal) error {
	first := func(_ any, err error) error { return err }
	return map[string]func(context.Context, *Journal) error{
		"decision": func(ctx context.Context, j *Journal) error { return first(j.AddDecision(ctx, d)) },
		"update":   func(ctx context.Context, j *Journal) error { u := d; u.ID = id; return j.UpdateDecision(ctx, u) },
		"predictions": func(ctx context.Context, j *Journal) error {
			return first(j.AddPredictions(ctx, []job.Standing{standing(), standing()}))
		},
		"outage": func(ctx context.Context, j *Journal) error {
			return j.AddOutage(ctx, ads, measurement(), "", &job.Recovery{Failure: job.ProcessFailure})
		},
		"window": func(ctx context.Context, j *Journal) error {
			return j.AddWindow(ctx, job.Window{Job: ads, From: noon, Hash: d.Outcome})
		},
		"state": func(ctx context.Context, j *Journal) error {
			return j.SaveState(ctx, ads, "model", 1, []byte(d.Outcome))
		},
		"request": func(ctx context.Context, j *Journal) error {
			return first(j.AddRequest(ctx, job.Request{Job: ads, Verb: job.PauseRequest, By: d.Outcome}))
		},
		"profile": func(ctx context.Context, j *Journal) error {
			p := profile("new")
			p.Reason = d.Outcome
			return j.AddProfile(ctx, ads, p)
		},
	}
}

// rows counts all that is in the journal.
func rows(t *testing.T, j *Journal) (n int) {
	t.Helper()
	for _, table := range []string{
		"predictions", "measurements", "scores", "drills", "drill_predictions", "model_state",
		"outages", "decisions", "decision_predictions", "windows", "requests", "profiles",
	} {
		var m int
		if err := j.db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&m); err != nil {
			t.Fatal(err)
		}
		n += m
	}
	return n
}

// On a full disk every write says so and leaves nothing behind; reading goes on;
// with space again, writing does too.
func TestFullDisk(t *testing.T) {
	big := decision()
	big.Outcome = strings.Repeat("x", 1<<20)
	for name := range writes(big, "") {
		t.Run(name, func(t *testing.T) {
			j := opened(t, filepath.Join(t.TempDir(), "journal.db"))
			id := made[string](t)(j.AddDecision(t.Context(), decision()))
			before := rows(t, j)
			// Predictions and outages have no large part: fill the file first.
			if err := j.LimitBytes(t.Context(), fill(t, j)); err != nil {
				t.Fatal(err)
			}
			write := writes(big, id)[name]
			err := error(nil)
			for i := 0; i < 100 && err == nil; i++ {
				if before = rows(t, j); name == "outage" {
					run(t, j.db, "DELETE FROM outages") // else it is there already
					before = rows(t, j)
				}
				err = write(t.Context(), j)
			}
			if err == nil || !strings.Contains(err.Error(), "no space") || !strings.Contains(err.Error(), "free some") {
				t.Fatalf("a full disk gives %v", err)
			}
			if got := rows(t, j); got != before {
				t.Errorf("%d rows, want %d as before", got, before)
			}
			if d := made[job.Decision](t)(j.Decision(t.Context(), id)); d.State != job.Open || d.Outcome != "" {
				t.Errorf("the decision is half written: %s", d.State)
			}
			if err := j.LimitBytes(t.Context(), 1<<30); err != nil {
				t.Fatal(err)
			}
			if err := write(t.Context(), j); err != nil {
				t.Errorf("with space again: %v", err)
			}
		})
	}
}

// fill is the present size of the file.
func fill(t *testing.T, j *Journal) (bytes int64) {
	t.Helper()
	if err := j.db.QueryRowContext(t.Context(), `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}

// Under the lock of another process every write names it and leaves nothing
// behind; reading goes on; once it is let go, writing does too.
func TestHeldLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	id := made[string](t)(opened(t, path).AddDecision(t.Context(), decision()))
	j := made[*Journal](t)(open(t.Context(), path, time.Millisecond))
	defer j.Close()
	other, before := raw(t, path), rows(t, j)
	run(t, other, "BEGIN IMMEDIATE")
	for name, write := range writes(decision(), id) {
		if err := write(t.Context(), j); err == nil || !strings.Contains(err.Error(), "another process") || !strings.Contains(err.Error(), "--journal") {
			t.Errorf("%s under a foreign lock: %v", name, err)
		}
	}
	if got := rows(t, j); got != before {
		t.Errorf("%d rows, want %d", got, before)
	}
	made[job.Decision](t)(j.Decision(t.Context(), id))
	run(t, other, "ROLLBACK")
	for name, write := range writes(decision(), id) {
		if err := write(t.Context(), j); err != nil {
			t.Errorf("%s afterwards: %v", name, err)
		}
	}
}

func BenchmarkAddDecision(b *testing.B) {
	j, err := Open(b.Context(), Memory)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	for b.Loop() {
		if _, err := j.AddDecision(b.Context(), decision()); err != nil {
			b.Fatal(err)
		}
	}
}

// The schema of a journal that went from version to version is that of a new one.
func TestMigratedSchemaIsTheNewOne(t *testing.T) {
	schemaOf := func(j *Journal) string {
		list := made[[]string](t)(list(t.Context(), j, "schema", `SELECT coalesce(sql, '') FROM sqlite_schema ORDER BY name`, nil,
			func(scan func(...any) error) (s string, err error) { return s, scan(&s) }))
		return strings.Join(list, "\n")
	}
	path := filepath.Join(t.TempDir(), "old.db")
	old := made[*Journal](t)(connect(path, "rwc", busyWait))
	for v := 1; v <= schema; v++ {
		if err := old.write(t.Context(), fmt.Sprint("to ", v), func(tx *sql.Tx) error { return migrate(t.Context(), tx, v) }); err != nil {
			t.Fatal(err)
		}
	}
	defer old.Close()
	if a, b := schemaOf(old), schemaOf(opened(t, Memory)); a != b {
		t.Errorf("stepwise:\n%s\nat once:\n%s", a, b)
	}
	var broken int
	if err := old.db.QueryRowContext(t.Context(), "SELECT count(*) FROM pragma_foreign_key_check").Scan(&broken); err != nil || broken != 0 {
		t.Errorf("%d broken references, %v", broken, err)
	}
}
