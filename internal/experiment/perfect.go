package experiment

import (
	"math"
	"slices"
	"time"

	"rebound/internal/control"
	"rebound/internal/plan"
	"rebound/internal/twin"
)

// step of the loop's forecasts.
const step = time.Minute

// lastValue is the forecaster of ReboundLast.
func lastValue() (control.Forecaster, error) { return control.NewLast(step), nil }

// perfect tells the loop the load that will come in this very run: no forecast can
// be better. It knows nothing else beforehand, neither failures nor capacity.
type perfect struct {
	load *twin.Foresight
	now  func() time.Time
}

// Observe has nothing to teach.
func (p *perfect) Observe(float64) {}

// Forecast covers the horizon (s): all quantiles are what comes.
func (p *perfect) Forecast(horizon float64) plan.Load {
	now, seconds := p.now().Sub(twin.Epoch()).Seconds(), step.Seconds()
	l := plan.Load{
		Now: p.load.Mean(now-seconds, now), Step: seconds, Quantiles: []float64{0.05, 0.25, 0.5, 0.75, 0.95, 0.99},
		Mean: make([]float64, max(1, int(math.Ceil(horizon/seconds)))), Members: []string{"what comes"},
	}
	for i := range l.Mean {
		l.Mean[i] = p.load.Mean(now+float64(i)*seconds, now+float64(i+1)*seconds)
	}
	for range l.Quantiles {
		l.Paths = append(l.Paths, slices.Clone(l.Mean))
	}
	return l
}

// MarshalBinary has nothing to store.
func (p *perfect) MarshalBinary() ([]byte, error) { return []byte{}, nil }

// UnmarshalBinary has nothing to resume.
func (p *perfect) UnmarshalBinary([]byte) error { return nil }
