package cli

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A backtest that is interrupted ends soon, with the code for it and no result.
func TestBacktestInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "load.csv")
	if err := os.WriteFile(file, []byte("rate\n"+strings.Repeat("1\n2\n3\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	code := Main(ctx, []string{"forecast", "backtest", "-f", file}, &stdout, &stderr)
	if code != exitStopped || stdout.Len() > 0 {
		t.Errorf("exit code %d, want %d; printed %q, %q", code, exitStopped, stdout.String(), stderr.String())
	}
}

// Whatever a file holds, it is refused, or it is forecast by numbers whose
// quantiles do not cross.
func FuzzSeries(f *testing.F) {
	for _, text := range []string{
		"rate\n5\n", "time,rate\n1,5\n2,6\n4,9\n", "date;n\n2026-03-29 01:00;1\n2026-03-29 03:00;2\n2026-03-29 04:00;2\n",
		`{"at":"2026-01-01T00:00:00Z","v":1}` + "\n" + `{"at":"2026-01-01T01:00:00Z","v":-1e99}`,
		"rate\n1e99\n-1e99\n1e-300\n0\n", "t,rate\n1,\n2,\n3,4\n", "t\n1\n2\n", "a,a\n1,2\n", "rate\n1e101\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		c := seriesFile{Horizon: 3}
		s, err := c.parse(content)
		if err != nil {
			if s != nil && s.Known > 0 && strings.TrimSpace(err.Error()) == "" {
				t.Error("refused without a reason")
			}
			return
		}
		if s.Known == 0 || len(s.Values) < s.Known || !(s.Step > 0) {
			t.Fatalf("%d known of %d, in steps of %v", s.Known, len(s.Values), s.Step)
		}
		ours, err := c.forecaster(s)
		if err != nil {
			t.Fatal(err)
		}
		ours.Fit(s.Values)
		ahead := ours.Forecast(3, []float64{0.1, 0.9})
		for h, mean := range ahead.Mean {
			low, high := ahead.Quantiles[0][h], ahead.Quantiles[1][h]
			if math.IsNaN(mean) || math.IsInf(mean, 0) || !(low <= high) || math.IsInf(low, 0) || math.IsInf(high, 0) {
				t.Fatalf("in %d steps: mean %v, from %v to %v", h+1, mean, low, high)
			}
		}
	})
}
