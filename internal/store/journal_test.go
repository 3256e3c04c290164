package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rebound/internal/job"

	"github.com/google/go-cmp/cmp"
)

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)
	ads  = job.Identity{Cluster: "local", Name: "ads"}
)

// each runs the same test on a file and in memory, with a clock that stands at
// noon until the test moves it.
func each(t *testing.T, f func(t *testing.T, j *Journal, clock *time.Time)) {
	for name, path := range map[string]func(*testing.T) string{
		"file":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "state", "a b?c#d%41.db") },
		"memory": func(*testing.T) string { return Memory },
	} {
		t.Run(name, func(t *testing.T) {
			j := opened(t, path(t))
			clock := noon
			j.Now = func() time.Time { return clock }
			f(t, j, &clock)
		})
	}
}

func opened(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// made returns the value of a call that must not fail.
func made[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func prediction() Prediction {
	return Prediction{
		Identity: ads, Incarnation: "f9b3", ServerAt: noon.Add(-time.Second), Kind: Conditional,
		ModelVersion: "3", Seed: 1<<64 - 1, InputHash: "ab12",
		Recovery: job.Recovery{
			Failure: job.ProcessFailure, Outcome: job.Recovers, AgeSeconds: new(4.0),
			P05Seconds: new(10.0), MedianSeconds: new(20.0), P95Seconds: new(40.0),
			Phases: []job.PhaseTime{{Phase: job.Detect, Seconds: 1.5, Source: job.Measured, Samples: 2}},
		},
		Settings: job.Settings{CheckpointIntervalSeconds: new(10.0), Parallelism: map[string]int{"work": 2}},
	}
}

func measurement() job.Measurement {
	return job.Measurement{
		Failure: job.ProcessFailure, At: noon.Add(-time.Minute), Topology: job.Spread, Process: job.Cold,
		Outcome: job.Recovers, RecoverySeconds: new(25.0), Phases: []job.PhaseTime{}, Subtasks: []job.SubtaskMeasurement{},
	}
}

func TestPredictionComesBackWhole(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, _ *time.Time) {
		want := prediction()
		want.ID = made[string](t)(j.AddPrediction(t.Context(), want))
		want.At = noon
		got := made[Prediction](t)(j.Prediction(t.Context(), want.ID))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if _, err := j.Prediction(t.Context(), "nothing"); !errors.Is(err, ErrNotFound) {
			t.Errorf("an unknown ID gives %v", err)
		}
	})
}

func TestMeasurementsAreNewestFirstWithAge(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, clock *time.Time) {
		other := job.Identity{Cluster: "local", Namespace: "prod", Name: "ads"}
		old, young, foreign := measurement(), measurement(), measurement()
		old.At = noon.Add(-time.Hour)
		foreign.Failure = job.NodeFailure
		add := func(of job.Identity, m job.Measurement) string {
			return made[string](t)(j.AddMeasurement(t.Context(), of, m))
		}
		y, o, f := add(ads, young), add(ads, old), add(other, foreign)
		*clock = noon.Add(time.Minute)
		for name, tt := range map[string]struct {
			q    Query
			want []string
		}{
			"all":      {Query{}, []string{f, y, o}},
			"of a job": {Query{Identity: &ads}, []string{y, o}},
			"kind":     {Query{Failure: job.NodeFailure}, []string{f}},
			"since":    {Query{Identity: &ads, Since: young.At}, []string{y}},
			"limit":    {Query{Identity: &ads, Limit: 1}, []string{y}},
			"nobody's": {Query{Identity: &job.Identity{Name: "ads"}}, []string{}},
		} {
			got := []string{}
			for _, m := range made[[]Measured](t)(j.Measurements(t.Context(), tt.q)) {
				got = append(got, m.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", name, diff)
			}
		}
		want := Measured{ID: y, Identity: ads, RecordedAt: noon, AgeSeconds: 120, Measurement: young}
		if diff := cmp.Diff(want, made[Measured](t)(j.Measurement(t.Context(), y))); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

func TestStateIsFoundByItsVersion(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, _ *time.Time) {
		for _, b := range []string{"first", "", "second"} {
			if err := j.SaveState(t.Context(), ads, "downtime", 2, []byte(b)); err != nil {
				t.Fatal(err)
			}
			got, ok, err := j.LoadState(t.Context(), ads, "downtime", 2)
			if err != nil || !ok || string(got) != b {
				t.Errorf("got %q, %v, %v, want %q", got, ok, err, b)
			}
		}
		if _, ok, err := j.LoadState(t.Context(), ads, "downtime", 1); ok || err != nil {
			t.Errorf("another version gives %v, %v", ok, err)
		}
	})
}

func TestFileIsTheOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "rebound", "journal.db")
	j := opened(t, path)
	made[string](t)(j.AddPrediction(t.Context(), prediction()))
	for file, want := range map[string]os.FileMode{path: 0o600, path + "-wal": 0o600, filepath.Dir(path): 0o700} {
		if got := made[os.FileInfo](t)(os.Stat(file)).Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", filepath.Base(file), got, want)
		}
	}
}

func TestReadOnlyCreatesNothing(t *testing.T) {
	dir := t.TempDir()
	j := made[*Journal](t)(OpenReadOnly(t.Context(), filepath.Join(dir, "none", "journal.db")))
	defer j.Close()
	if got, err := j.Measurements(t.Context(), Query{}); err != nil || got == nil || len(got) != 0 {
		t.Errorf("a missing journal reads as %v, %v", got, err)
	}
	if _, err := j.AddPrediction(t.Context(), prediction()); !errors.Is(err, ErrReadOnly) {
		t.Errorf("writing gives %v", err)
	}
	if left := made[[]os.DirEntry](t)(os.ReadDir(dir)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReadOnlySeesWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	w := opened(t, path)
	id := made[string](t)(w.AddPrediction(t.Context(), prediction()))
	r := made[*Journal](t)(OpenReadOnly(t.Context(), path))
	defer r.Close()
	if _, err := r.Prediction(t.Context(), id); err != nil {
		t.Error(err)
	}
	if err := r.AbortDrill(t.Context(), "x", "y"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("writing gives %v", err)
	}
}

// All of them find an empty file and want to be the one that makes the tables, or
// to look at it. SQLite refuses some of that without waiting, now and then.
func TestManyOpenANewJournalAtOnce(t *testing.T) {
	for range 4 {
		path := filepath.Join(t.TempDir(), "journal.db")
		if err := create(path); err != nil { // as the fastest of them has left it
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		errs := make([]error, 12)
		for i := range errs {
			wg.Go(func() { errs[i] = openNew(t, path, i%3 == 0) })
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if got := made[[]Prediction](t)(opened(t, path).Predictions(t.Context(), Query{})); len(got) != 8 {
			t.Errorf("%d predictions, want 8", len(got))
		}
	}
}

func openNew(t *testing.T, path string, looks bool) error {
	if looks {
		j, err := OpenReadOnly(t.Context(), path)
		if err != nil {
			return err
		}
		_, err = j.Predictions(t.Context(), Query{})
		return errors.Join(err, j.Close())
	}
	j, err := Open(t.Context(), path)
	if err != nil {
		return err
	}
	_, err = j.AddPrediction(t.Context(), prediction())
	return errors.Join(err, j.Close())
}

func TestIDsSortByTime(t *testing.T) {
	entropy := strings.NewReader(strings.Repeat("\xff", 6) + strings.Repeat("\x00", 6))
	a := made[string](t)(newID(noon, entropy))
	b := made[string](t)(newID(noon.Add(time.Millisecond), entropy))
	if a >= b || len(a) != 15 || !strings.HasSuffix(a, "zzzzzz") || !strings.HasSuffix(b, "000000") {
		t.Errorf("%s, %s", a, b)
	}
	if _, err := newID(noon, entropy); err == nil {
		t.Error("without chance an ID is given")
	}
}
