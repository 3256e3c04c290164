package twin_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"rebound/internal/job"
	"rebound/internal/twin"
)

// data reads columns of measured data, which is not part of the repository; the test is
// skipped where it is not there.
func data(t *testing.T, name string) []map[string]float64 {
	t.Helper()
	dir := os.Getenv("REBOUND_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Skipf("no measured data (REBOUND_DATA names its place): %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]float64
	for _, r := range rows[1:] {
		m := map[string]float64{}
		for i, name := range rows[0] {
			if m[name], err = strconv.ParseFloat(r[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, m)
	}
	return all
}

// The 60 measured recoveries, replayed through the simulation of scenario ysb
// without its noise, are met as well as the formula with the same three numbers
// meets them, and by as much as the scenario says.
func TestYSBReplaysTheMeasuredRecoveries(t *testing.T) {
	rows := data(t, "recovery/ysb.csv")
	s := scenario(t, "ysb")
	s.Failures, s.Restart.Jitter, s.Capacity.Noise.Ratio = twin.Failures{}, 0, 0
	simulated, formula := 0.0, 0.0
	for _, r := range rows {
		s.Load = twin.Load{MeanPerSecond: r["rate_rps"]}
		s.Start.IntervalSeconds = r["interval_s"]
		w := start(t, s, 0)
		// Checkpoints are triggered at whole multiples of the interval: the failure
		// comes 0.9 of it after one.
		w.Advance(time.Duration(10.9 * r["interval_s"] * float64(time.Second)))
		w.Inject(job.ProcessFailure)
		w.Advance(time.Hour)
		got := w.Truth().Recoveries
		if len(got) != 1 || math.Abs(got[0].AgeSeconds-0.9*r["interval_s"]) > 1e-6 {
			t.Fatalf("recoveries %+v, want one with an age of %v s", got, 0.9*r["interval_s"])
		}
		rho := r["rate_rps"] / 137000
		want := (68 + rho*0.9*r["interval_s"]) / (1 - rho)
		simulated += math.Abs(got[0].Seconds/r["recovery_s"]-1) / float64(len(rows))
		formula += math.Abs(want/r["recovery_s"]-1) / float64(len(rows))
	}
	t.Logf("mean error: simulated %.2f %%, formula %.2f %%", 100*simulated, 100*formula)
	if math.Abs(simulated-formula) > 0.0005 {
		t.Errorf("mean error %.2f %%, the formula's is %.2f %%", 100*simulated, 100*formula)
	}
	if math.Abs(simulated-0.075) > 0.002 {
		t.Errorf("mean error %.2f %%, the scenario says 7.5 %%", 100*simulated)
	}
}

// The laws of scenario ads are off by what the scenario says.
func TestADSFitsTheMeasuredProfiles(t *testing.T) {
	s := scenario(t, "ads")
	s.Checkpoint.Loss = 0 // the fit has none
	const limit = 360     // s, after which a profile counts as not recovered
	var errs []float64
	told, late, alarms := 0, 0, 0
	for _, r := range data(t, "profiles/ads.csv") {
		if r["recovery_s"] < 0 {
			continue // missing
		}
		got := math.Inf(1)
		down, _, capacity := s.Expect(job.Knobs{
			IntervalSeconds: r["interval_s"], Parallelism: int(r["parallelism"]), Slots: int(r["slots_per_tm"]),
			CPUCores: r["cores_per_tm"], MemoryBytes: r["memory_mib_per_tm"] * (1 << 20),
		})
		if rho := r["rate_rps"] / capacity; rho < 1 {
			got = (down + rho*0.77*r["interval_s"]) / (1 - rho)
		}
		switch {
		case r["recovery_s"] < limit:
			errs = append(errs, math.Abs(min(got, limit)/r["recovery_s"]-1))
			if got >= limit {
				alarms++
			}
		default:
			late++
			if got >= limit {
				told++
			}
		}
	}
	slices.Sort(errs)
	mean := 0.0
	for _, e := range errs {
		mean += e / float64(len(errs))
	}
	median := errs[len(errs)/2]
	t.Logf("%d measured: median error %.1f %%, mean %.1f %%; %d of %d told, %d false alarms", len(errs), 100*median, 100*mean, told, late, alarms)
	if math.Abs(median-0.18) > 0.005 || math.Abs(mean-0.27) > 0.005 || told != 47 || late != 69 || alarms != 1 {
		t.Errorf("not what the scenario says: %s", s.Fit)
	}
}
