package forecast_test

import (
	"cmp"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"rebound/internal/forecast"
)

// loads reads the six load series of a rate, by name.
func loads(t *testing.T, rate string) map[string][]float64 {
	t.Helper()
	root := cmp.Or(os.Getenv("REBOUND_DATA"), "../../../shared/data")
	files, err := filepath.Glob(filepath.Join(root, "load", "*_"+rate+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no %s series in %s/load; REBOUND_DATA names another place", rate, root)
	}
	all := map[string][]float64{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		var y []float64
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			y = append(y, v)
		}
		all[filepath.Base(name)[:len(filepath.Base(name))-len("_"+rate+".csv")]] = y
	}
	return all
}

// The load series of a stream processing study (dos-group/load-prediction-dsp, IC2E
// 2021), by its protocol: the last fifth is forecast from each of its steps, a forecast
// of a time is the mean of all that were made for it. The bars are a little below the
// best single rival's mean of six, which is said beside them; a series' own rival is
// that one.
func TestLoadSeries(t *testing.T) {
	for _, c := range []struct {
		rate           string
		step           float64
		horizon        int
		bar, last      float64 // mean sMAPE at most; the study's last value, which the protocol must give
		rival          map[string]float64
		coverage       [2]float64 // of each series, online after two days
		coverageOfMean [2]float64
	}{
		{
			"5min", 300, 1, 2.16, 2.853, // GRU 2.166; by series the best published
			map[string]float64{"alibaba": 4.40, "avazu": 1.96, "horton": 1.60, "iot": 0.14, "retailrocket": 2.75, "wiki_en": 1.86},
			[2]float64{0.87, 0.93},
			[2]float64{0.89, 0.91},
		},
		{
			"15min", 900, 4, 2.20, 2.913, // AutoTheta 2.308
			map[string]float64{"alibaba": 4.304, "avazu": 2.249, "horton": 2.221, "iot": 1.474, "retailrocket": 2.210, "wiki_en": 1.393},
			[2]float64{0.87, 0.93},
			[2]float64{0.89, 0.91},
		},
		{
			"1h", 3600, 12, 3.00, 8.105, // MSTL 3.401
			map[string]float64{"alibaba": 4.994, "avazu": 3.505, "horton": 7.556, "iot": 0.927, "retailrocket": 1.499, "wiki_en": 1.927},
			[2]float64{0.80, 1},
			[2]float64{0.87, 0.93},
		},
	} {
		t.Run(c.rate, func(t *testing.T) {
			t.Parallel()
			all := loads(t, c.rate)
			day := int(86400 / c.step)
			o := forecast.Options{Step: c.step, Horizon: c.horizon}
			var sum, last, cover, better float64
			for name, y := range all {
				r := forecast.Rolling{Start: int(0.8 * float64(len(y))), Horizon: c.horizon}
				got := r.Run(must(t, o), y, day).AverageOrigins
				sum += got
				last += r.Run(forecast.LastValue(), y, day).AverageOrigins
				if got < c.rival[name] {
					better++
				}
				r.Start = 2 * day
				share := r.Run(must(t, o), y, day).Coverage
				cover += share
				t.Logf("%s: sMAPE %.3f (rival %.3f), coverage %.3f", name, got, c.rival[name], share)
				if share < c.coverage[0] || share > c.coverage[1] {
					t.Errorf("%s: intervals of 90 %% hold %.3f", name, share)
				}
			}
			n := float64(len(all))
			if sum/n > c.bar || better < 4 {
				t.Errorf("mean sMAPE %.3f, want at most %v; better on %v series, want 4", sum/n, c.bar, better)
			}
			if d := last/n - c.last; d > 0.002 || d < -0.002 {
				t.Errorf("the last value errs by %.4f, the study says %v: not its protocol", last/n, c.last)
			}
			if m := cover / n; m < c.coverageOfMean[0] || m > c.coverageOfMean[1] {
				t.Errorf("mean coverage %.3f", m)
			}
		})
	}
}
