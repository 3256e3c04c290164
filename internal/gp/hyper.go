package gp

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Hyper are the hyper-parameters. Lengths are in units of the inputs, variances
// in those of the standardized outputs, so that they carry over from one fit to
// the next whatever the scale. JSON holds them exactly: they can be stored.
type Hyper struct {
	Lengths []float64 `json:"lengths"`         // ℓ, > 0, one for each input
	Signal  float64   `json:"signal"`          // variance of f, > 0
	Noise   float64   `json:"noise,omitempty"` // variance of ε, > 0 where it is learned
}

// Bounds of the logarithms of hyper-parameters. Beyond them nothing changes any
// more that float64 can tell: a length of e⁶ makes an input count for nothing,
// one of e⁻⁶ makes neighbors of a fine grid independent.
const (
	minLogLength, maxLogLength = -6, 6
	minLogSignal, maxLogSignal = -9, 9
	minLogNoise, maxLogNoise   = -13.815510557964274, 4 // from 1e-6
)

// Prior is what is believed of the logarithm of every length scale before any
// data: a normal distribution. ℓ = 1 is a function that turns about once over
// the unit cube.
type Prior struct {
	Mean     float64 `json:"mean"`
	Variance float64 `json:"variance"` // > 0
}

// DefaultPrior grows with the number of inputs d like that of C. Hvarfner, E. O.
// Hellsten and L. Nardi, Vanilla Bayesian Optimization Performs Great in High
// Dimensions, ICML 2024: mean √2 + ½log d, variance 3. Shorter lengths (the mean
// less 1 or 2) make predictions from ten observations less certain and searches
// worse: they explore more than it pays.
func DefaultPrior(d int) Prior {
	return Prior{Mean: math.Sqrt2 + math.Log(float64(d))/2, Variance: 3}
}

// Priors of the other logarithms. That of the signal is wide, since standardized
// outputs of a few points say little of the variance elsewhere. Noise is believed
// to be small, e⁻⁴ = 0.018 of the variance of the outputs.
const (
	signalPriorVariance = 9
	noisePriorMean      = -4
	noisePriorVariance  = 1
)

// Starts are where Fit searches from when it is not told: one wiggly function
// and one smooth.
func Starts(d int) []Hyper {
	noise := math.Exp(noisePriorMean)
	return []Hyper{
		{Lengths: slices.Repeat([]float64{0.5}, d), Signal: 1, Noise: noise},
		{Lengths: slices.Repeat([]float64{2}, d), Signal: 1, Noise: noise},
	}
}

// validate names what is wrong with h for data of d inputs.
func (h Hyper) validate(d int, learnsNoise bool) error {
	var errs []error
	if len(h.Lengths) != d {
		errs = append(errs, fmt.Errorf("gp: lengths: %d values, want %d as there are inputs", len(h.Lengths), d))
	}
	positive := func(name string, v float64) {
		if !(v > 0) || math.IsInf(v, 1) {
			errs = append(errs, fmt.Errorf("gp: %s: %g, want a positive number", name, v))
		}
	}
	for i, l := range h.Lengths {
		positive(fmt.Sprintf("lengths[%d]", i), l)
	}
	positive("signal", h.Signal)
	if learnsNoise {
		positive("noise", h.Noise)
	}
	return errors.Join(errs...)
}

// logs are the parameters that the search moves.
func (h Hyper) logs(learnsNoise bool) []float64 {
	t := make([]float64, 0, len(h.Lengths)+2)
	for _, l := range h.Lengths {
		t = append(t, math.Log(l))
	}
	t = append(t, math.Log(h.Signal))
	if learnsNoise {
		t = append(t, math.Log(h.Noise))
	}
	return t
}

// fromLogs is the inverse of logs, with values clipped to their bounds; inside
// says of each whether it was in them.
func fromLogs(t []float64, d int, inside []bool) Hyper {
	clip := func(i int, lo, hi float64) float64 {
		inside[i] = lo <= t[i] && t[i] <= hi
		return math.Exp(min(hi, max(lo, t[i])))
	}
	h := Hyper{Lengths: make([]float64, d)}
	for j := range d {
		h.Lengths[j] = clip(j, minLogLength, maxLogLength)
	}
	h.Signal = clip(d, minLogSignal, maxLogSignal)
	if len(t) > d+1 {
		h.Noise = clip(d+1, minLogNoise, maxLogNoise)
	}
	return h
}

// penalty is minus the log prior density of t, without constants. It
// adds its gradient to grad unless that is nil. It acts on what is outside of the
// bounds too, and so brings a search back.
func (s *standard) penalty(t, grad []float64) float64 {
	sum, d := 0.0, len(s.x[0])
	for i, v := range t {
		mean, variance := s.lengths.Mean, s.lengths.Variance
		switch i {
		case d:
			mean, variance = s.signal.Mean, s.signal.Variance
		case d + 1:
			mean, variance = noisePriorMean, noisePriorVariance
		}
		sum += (v - mean) * (v - mean) / (2 * variance)
		if grad != nil {
			grad[i] += (v - mean) / variance
		}
	}
	return sum
}

func (p Prior) validate() error {
	if math.IsNaN(p.Mean) || math.IsInf(p.Mean, 0) || !(p.Variance > 0) {
		return fmt.Errorf("gp: prior: mean %g, variance %g, want a number and one above 0", p.Mean, p.Variance)
	}
	return nil
}
