package gp

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// standard is a copy of data with the prior mean taken off and outputs of mean
// 0 and standard deviation 1.
type standard struct {
	x        [][]float64
	y        []float64
	noise    []float64 // variance of each y; nil where it is learned
	share    []float64 // of the learned variance in each y: 1/count
	censored []int     // indices of lower bounds, ascending
	exact    []int     // the others

	replicates float64 // how many observations more than means there are
	within     float64 // their sum of squares

	prior   func(x []float64) float64
	lengths Prior
	signal  Prior
	center  float64 // in units of Y
	scale   float64
}

// standardize copies d, which must be valid, with what o says of priors.
func standardize(d Data, o Options) (*standard, error) {
	s := &standard{x: make([][]float64, len(d.X)), y: slices.Clone(d.Y), prior: o.Mean}
	s.lengths = DefaultPrior(len(d.X[0]))
	if o.Prior != nil {
		s.lengths = *o.Prior
	}
	s.signal = Prior{Variance: signalPriorVariance}
	if o.Signal != nil {
		s.signal = *o.Signal
	}
	if err := errors.Join(s.lengths.validate(), s.signal.validate()); err != nil {
		return nil, err
	}
	if o.Unit < 0 || math.IsNaN(o.Unit) || math.IsInf(o.Unit, 0) {
		return nil, fmt.Errorf("gp: unit: %g, want a number of at least 0", o.Unit)
	}
	for i, x := range d.X {
		s.x[i] = slices.Clone(x)
		m := s.mean(x)
		if !(math.Abs(m) <= maxMagnitude) {
			return nil, fmt.Errorf("gp: the prior mean at X[%d]: %g, want a number of at most %g in size", i, m, maxMagnitude)
		}
		s.y[i] -= m
	}
	if s.scale = o.Unit; s.scale == 0 {
		s.center, s.scale = moments(s.y)
	}
	for i := range s.y {
		s.y[i] = (s.y[i] - s.center) / s.scale
		s.share = append(s.share, 1/float64(d.count(i)))
		s.replicates += float64(d.count(i) - 1)
		if d.censored(i) {
			s.censored = append(s.censored, i)
		} else {
			s.exact = append(s.exact, i)
		}
	}
	s.within = d.Within / (s.scale * s.scale)
	if d.Noise != nil {
		s.noise = make([]float64, len(d.Noise))
		for i, v := range d.Noise {
			s.noise[i] = min(v/(s.scale*s.scale), maxNoise)
		}
	}
	return s, nil
}

// maxNoise is where an observation of standardized outputs says nothing.
const maxNoise = 1e9

// moments are the mean of y and its standard deviation, 1 where it has none.
func moments(y []float64) (mean, sd float64) {
	largest := 0.0
	for i, v := range y {
		mean += (v - mean) / float64(i+1)
		largest = max(largest, math.Abs(v))
	}
	for _, v := range y {
		sd += (v - mean) * (v - mean) / float64(len(y))
	}
	sd = math.Sqrt(sd)
	if sd <= 1e-14*largest || sd < math.SmallestNonzeroFloat64*1e100 {
		return mean, 1 // equal but for rounding
	}
	return mean, sd
}

// mean is the prior mean at x without the constant, in units of Y.
func (s *standard) mean(x []float64) float64 {
	if s.prior == nil {
		return 0
	}
	return s.prior(x)
}

func (s *standard) learnsNoise() bool { return s.noise == nil }

// variances are the noise of each y under h.
func (s *standard) variances(h Hyper) []float64 {
	if !s.learnsNoise() {
		return s.noise
	}
	out := make([]float64, len(s.share))
	for i, share := range s.share {
		out[i] = h.Noise * share
	}
	return out
}

// part is every so many of the observations, k in all. They are evenly spaced, as
// the first of a search are spread and the last are close to what it found.
func (s *standard) part(k int) *standard {
	n := len(s.y)
	out := *s
	out.x, out.y, out.share, out.noise, out.censored, out.exact = nil, nil, nil, nil, nil, nil
	for p := range k {
		i := p * n / k
		out.x, out.y, out.share = append(out.x, s.x[i]), append(out.y, s.y[i]), append(out.share, s.share[i])
		if !s.learnsNoise() {
			out.noise = append(out.noise, s.noise[i])
		}
		if slices.Contains(s.censored, i) {
			out.censored = append(out.censored, p)
		} else {
			out.exact = append(out.exact, p)
		}
	}
	return &out
}
