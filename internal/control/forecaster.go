package control

import (
	"fmt"
	"math"
	"time"

	"rebound/internal/forecast"
	"rebound/internal/plan"
)

// Seasonal is a forecast.Forecaster as the loop uses it.
type Seasonal struct {
	f    *forecast.Forecaster
	step float64
	now  float64 // the last rate that was known; 0: none yet
}

// seasonalHorizon is how far ahead errors are followed: three hours of minutes.
const seasonalHorizon = 180

// NewForecaster forecasts in steps of the given length.
func NewForecaster(step time.Duration) (*Seasonal, error) {
	f, err := forecast.New(forecast.Options{Step: step.Seconds(), Horizon: seasonalHorizon})
	if err != nil {
		return nil, err
	}
	return &Seasonal{f: f, step: step.Seconds()}, nil
}

// Observe takes the mean rate of the step that has just ended; NaN: unknown.
func (s *Seasonal) Observe(rate float64) {
	if !math.IsNaN(rate) {
		s.now = rate
	}
	s.f.Observe(rate)
}

// Forecast covers the horizon (s) from now. Before anything was observed it is
// empty.
func (s *Seasonal) Forecast(horizon float64) plan.Load {
	q, _ := simpleQuantiles()
	l := plan.Load{Now: s.now, Step: s.step, Quantiles: q}
	if s.now == 0 {
		return l
	}
	f := s.f.Forecast(max(1, int(math.Ceil(horizon/s.step))), q)
	l.Mean, l.Paths, l.Members = f.Mean, f.Quantiles, f.Members
	return l
}

// MarshalBinary stores all, to the bit.
func (s *Seasonal) MarshalBinary() ([]byte, error) { return s.f.MarshalBinary() }

// UnmarshalBinary resumes what MarshalBinary stored.
func (s *Seasonal) UnmarshalBinary(b []byte) error {
	if err := s.f.UnmarshalBinary(b); err != nil {
		return fmt.Errorf("resume the forecast: %w", err)
	}
	if now := s.f.Forecast(1, nil).Mean[0]; now > 0 {
		s.now = now
	}
	return nil
}
