package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"rebound/internal/job"
)

func TestMigrationsAreNumberedWithoutAGap(t *testing.T) {
	all := made[[]migration](t)(steps())
	for i, m := range all {
		if m.number != i+1 {
			t.Errorf("migration %d stands at place %d", m.number, i+1)
		}
	}
	if len(all) != schema {
		t.Errorf("%d migrations, but the schema is %d", len(all), schema)
	}
}

// A journal of every earlier program is opened with all that it holds, by those
// who write and by those who only look.
func TestOlderJournalsAreBroughtUpToDate(t *testing.T) {
	for from := 1; from < schema; from++ {
		for name, open := range map[string]func(path string) (*Journal, error){
			"write": func(path string) (*Journal, error) { return Open(t.Context(), path) },
			"read":  func(path string) (*Journal, error) { return OpenReadOnly(t.Context(), path) },
		} {
			t.Run(fmt.Sprint(name, from), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "journal.db")
				prediction, measurement, drill := older(t, path, from)
				j := made[*Journal](t)(open(path))
				defer j.Close()
				p := made[Prediction](t)(j.Prediction(t.Context(), prediction))
				if p.Recovery.Failure != job.ProcessFailure || *p.Recovery.MedianSeconds != 20 {
					t.Errorf("got %+v", p)
				}
				made[Measured](t)(j.Measurement(t.Context(), measurement))
				if d := made[Drill](t)(j.Drill(t.Context(), drill)); d.State != DrillOpen || !slices.Equal(d.PredictionIDs, []string{prediction}) {
					t.Errorf("got %+v", d)
				}
				if s := made[[]Score](t)(j.Scored(t.Context(), Query{})); len(s) != 1 || s[0].PredictionID != prediction {
					t.Errorf("scores %+v", s)
				}
				j.readOnly = false
				made[[]string](t)(j.AddPredictions(t.Context(), []job.Standing{standing()})) // a kind that came later
				if got := made[int](t)(j.version(t.Context())); got != schema {
					t.Errorf("schema %d, want %d", got, schema)
				}
				if _, _, err := j.LoadState(t.Context(), ads, "downtime", 1); err != nil {
					t.Error(err) // its table came after the first schema
				}
			})
		}
	}
}

// older makes the journal of an earlier program, with a row of each kind. The
// rows are written by today's code: up to now later migrations add no columns.
func older(t *testing.T, path string, version int) (predicted, measured, drill string) {
	t.Helper()
	j := made[*Journal](t)(connect(path, "rwc", busyWait))
	defer j.Close()
	if err := j.write(t.Context(), "make", func(tx *sql.Tx) error { return migrate(t.Context(), tx, version) }); err != nil {
		t.Fatal(err)
	}
	predicted = made[string](t)(j.AddPrediction(t.Context(), prediction()))
	measured = made[string](t)(j.AddMeasurement(t.Context(), ads, measurement()))
	if err := j.Score(t.Context(), predicted, measured); err != nil {
		t.Fatal(err)
	}
	drill = made[string](t)(j.BeginDrill(t.Context(), Drill{Identity: ads, PredictionIDs: []string{predicted}}))
	if got := made[int](t)(j.version(t.Context())); got != version {
		t.Fatalf("made schema %d, want %d", got, version)
	}
	return predicted, measured, drill
}
