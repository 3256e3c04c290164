package outage

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rebound/internal/trace"
)

// recorded is a window around a real failure and the recovery published for it.
type recorded struct {
	name      string
	series    Series
	published float64
}

// recordings reads the windows of REBOUND_DATA, or skips the test. File
// ysb_III_NN belongs to the row of ysb.csv with interval III whose rate is the
// NN-th, ascending.
func recordings(t *testing.T) []recorded {
	t.Helper()
	dir := os.Getenv("REBOUND_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "recovery", "incidents", "ysb_*.csv"))
	if len(files) == 0 {
		t.Skip("no recordings in", dir, "(set REBOUND_DATA)")
	}
	truth := read(t, filepath.Join(dir, "recovery", "ysb.csv"), "interval_s", "rate_rps", "recovery_s")
	var out []recorded
	for _, file := range files {
		var interval, rank int
		name := strings.TrimSuffix(filepath.Base(file), ".csv")
		if _, err := fmt.Sscanf(name, "ysb_%ds_%d", &interval, &rank); err != nil {
			t.Fatal(err)
		}
		v := read(t, file, "t_s", "processed_rps", "lag_records", "latency_ms")
		for i := range v["latency_ms"] {
			v["latency_ms"][i] /= 1000
		}
		s := Series{Times: v["t_s"], Rate: v["processed_rps"], Lag: v["lag_records"], Latency: v["latency_ms"]}
		out = append(out, recorded{name, s, published(truth, float64(interval), rank)})
	}
	return out
}

func read(t *testing.T, file string, names ...string) map[string][]float64 {
	t.Helper()
	r, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var columns []trace.Column
	for _, n := range names {
		columns = append(columns, trace.Column{Name: n, Required: true})
	}
	table, err := trace.Read(r, columns)
	if err != nil {
		t.Fatal(file, err)
	}
	out := map[string][]float64{}
	for _, n := range names {
		v, _ := table.Floats(n)
		out[n] = slices.Clone(v)
	}
	return out
}

func published(truth map[string][]float64, interval float64, rank int) float64 {
	var rows []int
	for i, v := range truth["interval_s"] {
		if v == interval {
			rows = append(rows, i)
		}
	}
	slices.SortFunc(rows, func(a, b int) int {
		return int(math.Copysign(1, truth["rate_rps"][a]-truth["rate_rps"][b]))
	})
	return truth["recovery_s"][rows[rank-1]]
}

// Each window holds one outage, and its length is the published one up to a
// constant: that clock starts early and ends with 16 calm seconds. Its times move
// in steps of half a minute, so single windows may differ by that much.
func TestFindRecordedOutages(t *testing.T) {
	var differences []float64
	for _, w := range recordings(t) {
		out, err := Find(w.series, Params{})
		if err != nil || len(out) != 1 || out[0].Censored {
			t.Errorf("%s: %d outages, err %v, want exactly one with its end", w.name, len(out), err)
			continue
		}
		differences = append(differences, *out[0].RecoverySeconds-w.published)
	}
	offset := quantile(slices.Clone(differences), 0.5)
	for i := range differences {
		differences[i] = math.Abs(differences[i] - offset)
	}
	typical := quantile(slices.Clone(differences), 0.5)
	t.Logf("median offset %.1f s, median absolute difference %.1f s, worst %.0f s", offset, typical, slices.Max(differences))
	if typical > 8 || math.Abs(offset) > 30 {
		t.Errorf("offset %v s, median absolute difference %v s, want at most 8", offset, typical)
	}
}

// One source alone still finds each of them, once.
func TestFindRecordedOutagesByOneSource(t *testing.T) {
	for _, w := range recordings(t) {
		for name, s := range map[string]Series{
			"rate": {Times: w.series.Times, Rate: w.series.Rate},
			"lag":  {Times: w.series.Times, Lag: w.series.Lag},
		} {
			if out, err := Find(s, Params{}); err != nil || len(out) != 1 || out[0].Censored {
				t.Errorf("%s by %s alone: found %d, err %v, want one with its end", w.name, name, len(out), err)
			}
		}
	}
}

// An hour sewn together from what was recorded before the failures holds no
// outage, although its seams jump from one job to another.
func TestFindNothingInCalmRecordings(t *testing.T) {
	var s Series
	for _, w := range recordings(t) {
		for i, at := range w.series.Times {
			if at >= 150 || at < 0 && strings.HasSuffix(w.name, "030s_06") || w.name == "ysb_030s_06" {
				break
			}
			s.Times = append(s.Times, float64(len(s.Times)))
			s.Rate = append(s.Rate, w.series.Rate[i])
			s.Lag = append(s.Lag, w.series.Lag[i])
			s.Latency = append(s.Latency, w.series.Latency[i])
		}
	}
	if out, err := Find(s, Params{}); err != nil || len(out) > 0 || len(s.Times) < 3600 {
		t.Errorf("%d outages in %d calm seconds, err %v", len(out), len(s.Times), err)
	}
}
