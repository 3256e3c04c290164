package recovery

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// ysb is 60 measured recoveries of the Yahoo streaming benchmark (dos-group/khaos,
// Apache-2.0), skipping the test where they are not there.
func ysb(t *testing.T) []Observed {
	t.Helper()
	dir := os.Getenv("REBOUND_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(dir, "recovery", "ysb.csv"))
	if err != nil {
		t.Skipf("measured recoveries: %v; set REBOUND_DATA to where the data lies", err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []Observed
	for _, r := range records[1:] { // interval_s,announced_at_s,rate_rps,latency_ms,recovery_s
		var v [5]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(r[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, Observed{Interval: v[0], Rate: v[2], Seconds: v[4]})
	}
	return rows
}

// One line through (rate, interval) leaves an interval out with 11.2 %, the plain
// least squares fit of the three numbers with 9.9 %. Measured times move in
// steps of 30 s, so that ±15 s is the floor of this data.
func TestValidateOnMeasuredRecoveries(t *testing.T) {
	v, err := Validate(ysb(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v: in sample %.4f, interval out %.4f, band out %.4f, coverage %.3f",
		v.Model, v.InSample, *v.LeaveInterval, *v.LeaveBand, *v.Coverage)
	if v.InSample > 0.078 || *v.LeaveInterval > 0.092 || *v.LeaveBand > 0.085 {
		t.Errorf("errors %v, %v, %v, want at most 7.8, 9.2 and 8.5 %%", v.InSample, *v.LeaveInterval, *v.LeaveBand)
	}
	if *v.Coverage < 0.85 || *v.Coverage > 0.95 {
		t.Errorf("intervals hold %v, want 0.85 to 0.95", *v.Coverage)
	}
}
