package outage

import (
	"math"
	"slices"
)

// calm is what the series looked like in the stretch before a moment. A bound
// that is NaN is unknown, and then nothing is out of it.
type calm struct {
	rate    float64 // records/s, median
	low     float64 // below it the rate is out of its band
	high    float64
	lag     float64 // median
	lagHigh float64 // above it the lag is out of its band
	latHigh float64
	input   float64 // records/s, median
	samples int
}

// Widths of the bands. They are wide enough for what calm series of Flink do
// from one minute to the next and narrow against what an outage does.
const (
	// rateBand: a rate averaged over a minute moves by a few percent.
	rateBand = 0.05
	// lagBand: a lag and a latency stay below 1.5 times what they had in 95 % of
	// the stretch; a saw-tooth stays below 1/0.95 of it.
	lagBand = 1.5
	// lagFloor is the lag, in seconds of input, that is none: what arrives between
	// two polls of a consumer.
	lagFloor = 0.1
	// ageFloor is the age, in seconds, that is none: exporters print whole seconds.
	ageFloor = 1.0
	// ageBand: an age stays within twice the distance from the median to what it
	// had in 95 % of the stretch; a saw-tooth of height H then stays below 1.4 H.
	ageBand = 2.0
	// sigmas of the noise that a rate may have before it is out of its band.
	sigmas = 4
)

// learn takes the bands from the samples idx.
func (f *finder) learn(idx []int) calm {
	c := calm{samples: len(idx)}
	rate := pick(f.rate, idx)
	c.rate = quantile(rate, 0.5)
	spread := max(rateBand*c.rate, sigmas*deviation(rate, c.rate))
	c.low, c.high = c.rate-spread, c.rate+spread
	c.input = quantile(pick(f.s.Input, idx), 0.5)
	c.latHigh = ageHigh(pick(f.s.Latency, idx))
	lag := pick(f.lag, idx)
	c.lag = quantile(lag, 0.5)
	if f.s.LagUnit == Seconds {
		c.lagHigh = ageHigh(lag)
		return c
	}
	c.lagHigh = lagBand * quantile(lag, 0.95)
	if floor := lagFloor * c.rate; floor > c.lagHigh {
		c.lagHigh = floor
	}
	return c
}

// ageHigh is the upper bound of an age. Its band is around the median, not
// around zero, since a difference of clocks shifts it as a whole.
func ageHigh(v []float64) float64 {
	middle, high := quantile(v, 0.5), quantile(v, 0.95)
	return middle + max(ageFloor, ageBand*(high-middle))
}

// pick returns the known values at idx.
func pick(v []float64, idx []int) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, 0, len(idx))
	for _, i := range idx {
		if !math.IsNaN(v[i]) {
			out = append(out, v[i])
		}
	}
	return out
}

// quantile sorts v; it is NaN for none.
func quantile(v []float64, p float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	return v[int(math.Round(p*float64(len(v)-1)))]
}

// deviation estimates the standard deviation around middle by the median
// absolute deviation, which is 1/1.4826 of it for normal noise.
func deviation(v []float64, middle float64) float64 {
	d := make([]float64, len(v))
	for i := range v {
		d[i] = math.Abs(v[i] - middle)
	}
	return 1.4826 * quantile(d, 0.5)
}

// smooth is the median of three, which no single odd sample passes. Unknown
// values stay unknown.
func smooth(v []float64) []float64 {
	out := slices.Clone(v)
	for i := 1; i+1 < len(v); i++ {
		three := pick(v, []int{i - 1, i, i + 1})
		if len(three) == 3 && !math.IsNaN(v[i]) {
			out[i] = quantile(three, 0.5)
		}
	}
	return out
}
