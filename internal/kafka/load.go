package kafka

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// Load is a rate of records over the seconds since the start.
type Load interface {
	// Rate is the rate at t ≥ 0, in records a second.
	Rate(t float64) float64
	// Total is the integral of Rate from 0 to t: how many records are due by then.
	Total(t float64) float64
	// Time is the inverse of Total: when record n ≥ 0 is due; +Inf if never. Where
	// Total stands still it is the end of the standstill.
	Time(n float64) float64
}

// maxRate keeps a slip of the keyboard from filling a disk; no broker of this
// machine's size takes more records a second.
const maxRate = 1e7

// LoadForms names what ParseLoad reads, for help texts and messages.
const LoadForms = "constant:1000, step:1000,2000@60s, sine:mean=1000,amplitude=500,period=10m[,phase=0s], ramp:0-2000/5m or file:PATH[,column=rate_rps][,scale=0.01]"

// ParseLoad reads a load from text: one of LoadForms. Rates are records a second,
// durations are written as in Go. A nil open opens files of the machine.
func ParseLoad(spec string, open func(path string) (io.ReadCloser, error)) (Load, error) {
	if open == nil {
		open = func(path string) (io.ReadCloser, error) { return os.Open(path) }
	}
	kind, rest, ok := strings.Cut(spec, ":")
	var l Load
	err := errors.New("want KIND:…")
	if ok {
		switch kind {
		case "constant":
			l, err = parseStep(rest)
		case "step":
			l, err = parseStep(rest)
		case "ramp":
			l, err = parseRamp(rest)
		case "sine":
			l, err = parseSine(rest)
		case "file":
			l, err = parseFile(rest, open)
		default:
			err = fmt.Errorf("%q is no kind of load", kind)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("load %q: %w; write %s", spec, err, LoadForms)
	}
	return l, nil
}

// parseStep reads RATE[,RATE@TIME…].
func parseStep(s string) (Load, error) {
	var p knots
	for i, part := range strings.Split(s, ",") {
		text, at, timed := strings.Cut(part, "@")
		rate, err := parseRate(text)
		if err != nil {
			return nil, err
		}
		var t float64
		if timed != (i > 0) {
			return nil, fmt.Errorf("%q: the first rate has no time, the others have one", part)
		}
		if timed {
			if t, err = parseSeconds(at); err != nil {
				return nil, err
			}
			p = append(p, Knot{t, p[len(p)-1].Rate})
		}
		p = append(p, Knot{t, rate})
	}
	return p.load()
}

// parseRamp reads FROM-TO/DURATION. The rate stays at TO afterwards.
func parseRamp(s string) (Load, error) {
	rates, over, ok := strings.Cut(s, "/")
	from, to, both := strings.Cut(rates, "-")
	if !ok || !both {
		return nil, fmt.Errorf("%q is no ramp", s)
	}
	a, err := parseRate(from)
	if err != nil {
		return nil, err
	}
	b, err := parseRate(to)
	if err != nil {
		return nil, err
	}
	d, err := parseSeconds(over)
	if err != nil {
		return nil, err
	}
	return knots{{0, a}, {d, b}}.load()
}

func parseSine(s string) (Load, error) {
	var w Sine
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "mean":
			w.Mean, err = parseRate(value)
		case "amplitude":
			w.Amplitude, err = parseRate(value)
		case "period":
			w.Period, err = parseSeconds(value)
		case "phase":
			w.Phase, err = parseSeconds(value)
		default:
			err = fmt.Errorf("%q is neither mean, amplitude, period nor phase", name)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Validate(); err != nil {
		return nil, err
	}
	return w, nil
}

func parseFile(s string, open func(string) (io.ReadCloser, error)) (Load, error) {
	parts := strings.Split(s, ",")
	column, scale := "", 1.0
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "column":
			column = value
		case "scale":
			scale, err = strconv.ParseFloat(value, 64)
			if err != nil || !(scale > 0) || scale > maxRate {
				err = fmt.Errorf("scale %q: want a number above 0", value)
			}
		default:
			err = fmt.Errorf("%q is neither column nor scale", name)
		}
		if err != nil {
			return nil, err
		}
	}
	f, err := open(parts[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := readKnots(f, column)
	if err != nil {
		return nil, err
	}
	for i := range p {
		p[i].Rate *= scale
	}
	return p.load()
}

func parseRate(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || v > maxRate {
		return 0, fmt.Errorf("rate %q: want 0 to %.0f records/s", s, maxRate)
	}
	return v, nil
}

func parseSeconds(s string) (float64, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > 100*365*24*time.Hour {
		return 0, fmt.Errorf("duration %q: want one such as 90s or 5m", s)
	}
	return d.Seconds(), nil
}

// Sine is a load that swings around a mean: mean + amplitude·sin(2π(t + phase)/period).
type Sine struct {
	Mean      float64 // records/s, above 0
	Amplitude float64 // records/s, at most Mean
	Period    float64 // seconds, above 0
	Phase     float64 // seconds by which the swing has begun before the start
}

// Validate says what is wrong with s.
func (s Sine) Validate() error {
	switch {
	case !(s.Mean > 0):
		return fmt.Errorf("mean: %v, want more than 0 records/s", s.Mean)
	case !(s.Amplitude >= 0) || s.Amplitude > s.Mean:
		return fmt.Errorf("amplitude: %v, want 0 to the mean of %v records/s", s.Amplitude, s.Mean)
	case !(s.Period > 0):
		return fmt.Errorf("period: %vs, want more than 0", s.Period)
	}
	return nil
}

// Rate is the rate at t.
func (s Sine) Rate(t float64) float64 {
	return s.Mean + s.Amplitude*math.Sin(2*math.Pi*(t+s.Phase)/s.Period)
}

// Total is the closed form of the integral.
func (s Sine) Total(t float64) float64 {
	w := 2 * math.Pi / s.Period
	return s.Mean*t + s.Amplitude/w*(math.Cos(w*s.Phase)-math.Cos(w*(t+s.Phase)))
}

// Time solves Total(t) = n by Newton's method inside a bracket that is halved
// whenever a step would leave it: the swing adds at most 2·amplitude/ω to the mean.
func (s Sine) Time(n float64) float64 {
	swing := s.Amplitude * s.Period / math.Pi
	lo, hi := max(0, (n-swing)/s.Mean), (n+swing)/s.Mean
	t := min(max(n/s.Mean, lo), hi)
	for range 200 { // a halving each: far more than the bits of a float
		d := s.Total(t) - n
		if d > 0 {
			hi = t
		} else {
			lo = t
		}
		next := t - d/s.Rate(t)
		if !(next >= lo && next <= hi) {
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-t) <= 1e-15*hi {
			return next
		}
		t = next
	}
	return t
}
