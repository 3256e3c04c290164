package twin

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// knotSeconds is how far apart the points are between which load and noise are
// drawn as straight lines: a grid of its own, so that they do not depend on the
// length of a step.
const knotSeconds = 10.0

// knots join values at even distances by straight lines. Time does not go back.
type knots struct {
	space    float64
	next     int // the next knot is at next·space
	from, to float64
}

// at is the value at a moment; value gives that of a knot and is asked in order.
func (k *knots) at(at float64, value func(at float64) float64) float64 {
	for at >= float64(k.next)*k.space {
		k.next++
		k.from, k.to = k.to, value(float64(k.next)*k.space)
	}
	return k.to + (k.from-k.to)*(float64(k.next)-at/k.space)
}

// arrival is the rate of the load along time.
type arrival struct {
	Load
	knots
	noise process
	scale float64 // of the shape, so that its peak is PeakToMean
}

func newArrival(l Load, rng *rand.Rand) *arrival {
	a := &arrival{Load: l, knots: knots{space: knotSeconds}}
	if l.Series != nil && l.Series.StepSeconds < knotSeconds {
		a.space = l.Series.StepSeconds
	}
	a.noise = newProcess(l.Noise, a.space, rng)
	if peak := 1 + l.SecondHarmonic; l.PeakToMean > 1 {
		a.scale = (l.PeakToMean - 1) / peak // cos x + r·cos 2x is greatest at 0
	}
	a.to = a.noisy(0)
	return a
}

// rate is the mean rate of a step around the moment at.
func (a *arrival) rate(at float64) float64 { return a.at(at, a.noisy) }

func (a *arrival) noisy(at float64) float64 { return a.level(at) * a.noise.next() }

// drift is noise that multiplies, along time.
type drift struct {
	knots
	noise process
}

func newDrift(n Noise, rng *rand.Rand) *drift {
	d := &drift{knots: knots{space: knotSeconds}, noise: newProcess(n, knotSeconds, rng)}
	d.to = d.noise.next()
	return d
}

func (d *drift) factor(at float64) float64 {
	if d.noise.rng == nil {
		return 1
	}
	return d.at(at, func(float64) float64 { return d.noise.next() })
}

// level is the rate at a moment without noise.
func (a *arrival) level(at float64) float64 {
	if s := a.Series; s != nil {
		return s.PerSecond[int(at/s.StepSeconds)%len(s.PerSecond)]
	}
	rate := a.MeanPerSecond
	if a.scale > 0 {
		x := 2 * math.Pi * (at/3600 - a.PeakHour) / a.PeriodHours
		rate *= max(0, 1+a.scale*(math.Cos(x)+a.SecondHarmonic*math.Cos(2*x)))
	}
	for _, s := range a.Surges {
		rate *= s.factor(at)
	}
	return rate
}

// factor of a surge at a moment (s).
func (s Surge) factor(at float64) float64 {
	at -= s.AtHours * 3600
	rise, hold, fall := s.RiseMinutes*60, s.HoldHours*3600, s.FallMinutes*60
	share := 0.0
	switch {
	case at < 0:
	case at < rise:
		share = at / rise
	case at < rise+hold:
		share = 1
	case at < rise+hold+fall:
		share = 1 - (at-rise-hold)/fall
	}
	return 1 + (s.Factor-1)*share
}

// process is 1 + x with x an Ornstein–Uhlenbeck process, sampled at even distances.
type process struct {
	rng          *rand.Rand
	x, keep, add float64
}

func newProcess(n Noise, spacing float64, rng *rand.Rand) process {
	if n.Ratio == 0 {
		return process{}
	}
	p := process{rng: rng, keep: math.Exp(-spacing / n.TimeSeconds)}
	p.add = n.Ratio * math.Sqrt(1-p.keep*p.keep)
	p.x = n.Ratio * rng.NormFloat64()
	return p
}

func (p *process) next() float64 {
	if p.rng == nil {
		return 1
	}
	p.x = p.keep*p.x + p.add*p.rng.NormFloat64()
	return max(0, 1+p.x)
}

// ReadLoad reads the recorded load that s names from r into s.Load.Series.
func (s *Scenario) ReadLoad(r io.Reader) error {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return fmt.Errorf("load %s: %w", s.Load.File, err)
	}
	series, err := seriesOf(rows, s.Load.Column)
	if err != nil {
		return fmt.Errorf("load %s: %w", s.Load.File, err)
	}
	s.Load.Series = series
	return s.Validate()
}

func seriesOf(rows [][]string, column string) (*Series, error) {
	if len(rows) < 3 || len(rows[0]) < 2 {
		return nil, errors.New("want a header of two columns and at least two rows")
	}
	at := 1
	if column != "" {
		if at = slices.Index(rows[0], column); at < 0 {
			return nil, fmt.Errorf("no column %q%s", column, meant(column, rows[0]))
		}
	}
	s := &Series{PerSecond: make([]float64, 0, len(rows)-1)}
	var times [2]float64
	for i, row := range rows[1:] {
		v, err := strconv.ParseFloat(strings.TrimSpace(row[at]), 64)
		if err == nil && i < 2 {
			times[i], err = strconv.ParseFloat(strings.TrimSpace(row[0]), 64)
		}
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+2, err)
		}
		s.PerSecond = append(s.PerSecond, v)
	}
	s.StepSeconds = times[1] - times[0]
	return s, nil
}
