package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPruneByAge(t *testing.T) {
	each(t, func(t *testing.T, j *Journal, clock *time.Time) {
		begin := func() (predicted, drill string) {
			predicted = made[string](t)(j.AddPrediction(t.Context(), prediction()))
			drill = made[string](t)(j.BeginDrill(t.Context(), Drill{Identity: ads, PredictionIDs: []string{predicted}}))
			return predicted, drill
		}
		oldPrediction, oldDrill := begin()
		m := measurement()
		m.At = noon
		oldMeasurement := made[string](t)(j.AddMeasurement(t.Context(), ads, m))
		if err := j.Score(t.Context(), oldPrediction, oldMeasurement); err != nil {
			t.Fatal(err)
		}
		if err := j.CloseDrill(t.Context(), oldDrill, oldMeasurement, nil); err != nil {
			t.Fatal(err)
		}
		heldPrediction, heldDrill := begin()
		*clock = noon.Add(24 * time.Hour)
		young := made[string](t)(j.AddPrediction(t.Context(), prediction()))

		// The closed drill, its prediction and its measurement.
		if n := made[int](t)(j.Prune(t.Context(), Keep{Age: time.Hour})); n != 3 {
			t.Errorf("removed %d rows, want 3", n)
		}
		for _, id := range []string{heldPrediction, young} {
			made[Prediction](t)(j.Prediction(t.Context(), id))
		}
		made[Drill](t)(j.Drill(t.Context(), heldDrill))
		if left := made[[]Score](t)(j.Scored(t.Context(), Query{})); len(left) != 0 {
			t.Errorf("scores of rows that are gone: %v", left)
		}
		if n := made[int](t)(j.Prune(t.Context(), Keep{Age: time.Hour, Bytes: 1 << 30})); n != 0 {
			t.Errorf("a second time removes %d rows", n)
		}
	})
}

func TestPruneBySize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j := opened(t, path)
	clock := noon
	j.Now = func() time.Time { return clock }
	big := prediction()
	big.InputHash = strings.Repeat("x", 10_000)
	var ids []string
	for range 60 {
		clock = clock.Add(time.Second)
		ids = append(ids, made[string](t)(j.AddPrediction(t.Context(), big)))
	}
	const most = 400_000 // of which the empty tables take a third
	removed := made[int](t)(j.Prune(t.Context(), Keep{Bytes: most}))
	left := made[[]Prediction](t)(j.Predictions(t.Context(), Query{}))
	if removed == 0 || removed+len(left) != len(ids) || len(left) < 10 {
		t.Errorf("removed %d, left %d of %d", removed, len(left), len(ids))
	}
	for i, p := range left { // the newest stay
		if want := ids[len(ids)-1-i]; p.ID != want {
			t.Fatalf("place %d holds %s, want %s", i, p.ID, want)
		}
	}
	j.Close()
	if size := made[os.FileInfo](t)(os.Stat(path)).Size(); size > most {
		t.Errorf("the file has %d bytes, more than %d", size, most)
	}
}

// Nothing but an open drill is left: the size cannot be met, and that is no loop
// without end.
func TestPruneBySizeEnds(t *testing.T) {
	j := opened(t, Memory)
	p := made[string](t)(j.AddPrediction(t.Context(), prediction()))
	made[string](t)(j.BeginDrill(t.Context(), Drill{Identity: ads, PredictionIDs: []string{p}}))
	if n := made[int](t)(j.Prune(t.Context(), Keep{Bytes: 1})); n != 0 {
		t.Errorf("removed %d", n)
	}
}
