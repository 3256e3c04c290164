package control

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"rebound/internal/forecast"
	"rebound/internal/plan"
)

// Seasonal is a forecast.Forecaster as the loop uses it. In the first days, while no
// season can be known for certain, it is averaged with Simple: each is wrong where
// the other is not, the one in a steady rise, the other after a surge.
type Seasonal struct {
	f     *forecast.Forecaster
	early *Simple
	step  float64
	now   float64 // the last rate that was known; 0: none yet
}

// early is how long a load has to be seen until hours ahead can be told: one season
// to see it, another to see it again.
const early = 48 * time.Hour

// seasonalHorizon is how far ahead errors are followed: three hours of minutes.
const seasonalHorizon = 180

// NewForecaster forecasts in steps of the given length.
func NewForecaster(step time.Duration) (*Seasonal, error) {
	f, err := forecast.New(forecast.Options{Step: step.Seconds(), Horizon: seasonalHorizon})
	if err != nil {
		return nil, err
	}
	return &Seasonal{f: f, early: NewSimple(step), step: step.Seconds()}, nil
}

// Observe takes the mean rate of the step that has just ended; NaN: unknown.
func (s *Seasonal) Observe(rate float64) {
	if !math.IsNaN(rate) {
		s.now = rate
	}
	s.f.Observe(rate)
	s.early.Observe(rate)
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
	if float64(s.early.s.N)*s.step < early.Seconds() {
		l.Unseasoned = true
		average(&l, s.early.Forecast(horizon))
	}
	return l
}

// average moves l to the geometric mean with another forecast of the same form,
// which weighs more the further ahead: there its lesser trend is worth most.
func average(l *plan.Load, with plan.Load) {
	const half, most, from, until = 0.5, 0.8, 30.0, 120.0
	for i := range l.Mean {
		w := half + (most-half)*min(1, max(0, (float64(i)-from)/(until-from)))
		mix := func(a, b float64) float64 { return math.Expm1((1-w)*math.Log1p(a) + w*math.Log1p(b)) }
		l.Mean[i] = mix(l.Mean[i], with.Mean[i])
		for q := range l.Paths {
			l.Paths[q][i] = mix(l.Paths[q][i], with.Paths[q][i])
		}
	}
}

// MarshalBinary stores all, to the bit.
func (s *Seasonal) MarshalBinary() ([]byte, error) {
	f, err := s.f.MarshalBinary()
	if err != nil {
		return nil, err
	}
	e, err := s.early.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint64(nil, math.Float64bits(s.now))
	out = binary.AppendUvarint(out, uint64(len(f)))
	return append(append(out, f...), e...), nil
}

// UnmarshalBinary resumes what MarshalBinary stored.
func (s *Seasonal) UnmarshalBinary(b []byte) error {
	if len(b) < 8 {
		return errors.New("resume the forecast: it is too short")
	}
	now := math.Float64frombits(binary.LittleEndian.Uint64(b))
	n, used := binary.Uvarint(b[8:])
	if used <= 0 || n > uint64(len(b)-8-used) {
		return errors.New("resume the forecast: it is damaged")
	}
	b = b[8+used:]
	if err := s.f.UnmarshalBinary(b[:n]); err != nil {
		return fmt.Errorf("resume the forecast: %w", err)
	}
	if err := s.early.UnmarshalBinary(b[n:]); err != nil {
		return err
	}
	s.now = now
	return nil
}
