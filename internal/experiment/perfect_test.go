package experiment_test

import (
	"context"
	"math"
	"testing"
	"time"

	"rebound/internal/control"
	"rebound/internal/experiment"
	"rebound/internal/twin"
)

func short(t *testing.T, name string, hours float64) experiment.Case {
	t.Helper()
	s, err := twin.Builtin("daily")
	if err != nil {
		t.Fatal(err)
	}
	k, ok := experiment.New(name, experiment.PolicyOf(s, experiment.Target), func() (control.Forecaster, error) {
		return control.NewForecaster(time.Minute)
	})
	if !ok {
		t.Fatalf("no contender %s", name)
	}
	return experiment.Case{Scenario: s, Contender: k, Seed: 3, Hours: hours}
}

// Contenders that differ in their forecast get the same load and the same failures,
// lose nothing, and do not do the same.
func TestForecastContenders(t *testing.T) {
	did := map[[2]float64]string{} // by cost and checkpoints
	var in []int64
	for _, name := range []string{experiment.ReboundLast, experiment.Rebound, experiment.ReboundPerfect} {
		r, err := short(t, name, 4).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := experiment.Check(r.Doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if r.Doc.Policy != name || r.Doc.Failures == 0 {
			t.Errorf("%s: ran as %s, %d failures", name, r.Doc.Policy, r.Doc.Failures)
		}
		in = append(in, r.Doc.Records.In)
		what := [2]float64{r.Doc.Cost, float64(r.Doc.Checkpoints)}
		if other, ok := did[what]; ok {
			t.Errorf("%s and %s do the same: the forecast changes nothing", name, other)
		}
		did[what] = name
	}
	if in[0] != in[1] || in[1] != in[2] {
		t.Errorf("records in: %v, want the same", in)
	}
}

// What the perfect forecaster says of a quarter of an hour ahead is what comes then,
// but for the noise within a minute, and low and high are one.
func TestPerfectKnowsWhatComes(t *testing.T) {
	r, err := short(t, experiment.ReboundPerfect, 2).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, m := range r.Minutes {
		if math.IsNaN(m.Forecast) {
			continue
		}
		compared++
		if m.ForecastLow != m.Forecast || m.ForecastHigh != m.Forecast || math.Abs(m.Forecast-m.Load) > 0.02*m.Load {
			t.Errorf("%v: forecast %.0f (%.0f to %.0f), came %.0f", m.At, m.Forecast, m.ForecastLow, m.ForecastHigh, m.Load)
		}
	}
	if compared < 20 {
		t.Errorf("%d minutes compared", compared)
	}
}

// A forecaster that has seen four days foretells a rise in the morning, one that has
// seen none is late: forecasts made a quarter of an hour before are nearer to what
// comes.
func TestPastDaysTeach(t *testing.T) {
	off := map[int]float64{}
	for _, days := range []int{0, 4} {
		c := short(t, experiment.Rebound, 3)
		c.Scenario.Load.PeakHour = 4
		c.PastDays = days
		r, err := c.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		n := 0.0
		for _, m := range r.Minutes {
			if e := math.Abs(m.Forecast-m.Load) / m.Load; !math.IsNaN(e) && m.At > 3600 {
				off[days] += e
				n++
			}
		}
		off[days] /= n
	}
	if off[4] > off[0]/1.3 || off[4] > 0.04 {
		t.Errorf("mean error %.3f with four days of past, %.3f without", off[4], off[0])
	}
}
