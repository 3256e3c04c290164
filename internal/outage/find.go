package outage

import (
	"math"
	"slices"
)

// finder walks through one series.
type finder struct {
	s        Series
	p        Params
	t        []float64
	rate     []float64 // smoothed, as lag is
	lag      []float64
	step     float64 // s, median
	excluded []bool  // part of an outage: no band is taken from it
	bands    calm    // of the stretch before bandsAt
	bandsAt  float64
}

// candidate is a stretch that may be an outage: first impact, the sample that
// raised the suspicion, and the first that is calm again, or one behind the last.
type candidate struct {
	onset, trigger, end int
	before              calm
	censored            bool
	said                bool // by the cluster itself
}

func newFinder(s Series, p Params) *finder {
	steps := make([]float64, 0, len(s.Times))
	for i := 1; i < len(s.Times); i++ {
		steps = append(steps, s.Times[i]-s.Times[i-1])
	}
	f := &finder{s: s, p: p, t: s.Times, rate: smooth(s.Rate), lag: smooth(s.Lag), step: quantile(steps, 0.5)}
	f.excluded = make([]bool, len(f.t))
	f.p.Hold = max(p.Hold, 3*f.step) // three samples make a stretch
	f.bandsAt = math.Inf(-1)
	return f
}

// first is the first sample with enough before it to know what is calm: a tenth
// of Before, so that a minute of recording is enough where there is no more.
func (f *finder) first() int {
	i := min(least, len(f.t))
	for i < len(f.t) && f.t[i]-f.t[0] < f.p.Before/10 {
		i++
	}
	return i
}

// stretch returns the calm samples before i, newest first, worth Before seconds.
func (f *finder) stretch(i int) []int {
	var idx []int
	budget := f.p.Before
	for k := i - 1; k >= 0 && budget > 0; k-- {
		if f.excluded[k] {
			continue
		}
		idx = append(idx, k)
		budget -= min(f.t[k+1]-f.t[k], f.p.Hold)
	}
	return idx
}

// suspicious tells whether an outage may have begun by sample i. Its bands are
// renewed twenty times a Before, which is often enough for a screening.
func (f *finder) suspicious(i int) bool {
	if f.t[i]-f.bandsAt >= f.p.Before/20 {
		f.bands, f.bandsAt = f.learn(f.stretch(i)), f.t[i]
	}
	return f.toldBy(i) || f.down(i, f.bands) || f.piled(i, f.bands)
}

// toldBy tells whether the cluster itself says at i that the job is not whole.
func (f *finder) toldBy(i int) bool {
	if r := f.s.Running; r != nil && r[i] < 1 {
		return true
	}
	r := f.s.Restarts
	return r != nil && i > 0 && r[i] > r[i-1]
}

// down tells whether processing is down at i; no rate in calm times tells nothing.
func (f *finder) down(i int, c calm) bool {
	return f.rate != nil && f.isDown(f.rate[i], c)
}

func (f *finder) isDown(rate float64, c calm) bool {
	return c.rate > 0 && rate < min(f.p.Dip*c.rate, c.low)
}

// piled tells whether a backlog waits at i that is no fluctuation: worth Stall
// seconds of input, or, since a lag may be the mean or the maximum over
// partitions so that its worth is unknown, three times the band.
func (f *finder) piled(i int, c calm) bool {
	return f.worth(i, c) || f.s.Lag != nil && f.s.LagUnit == Records && f.lag[i] > 3*c.lagHigh
}

// worth tells whether the lag at i exceeds its band by Stall seconds of input.
func (f *finder) worth(i int, c calm) bool {
	switch {
	case f.s.Lag == nil:
		return false
	case f.s.LagUnit == Seconds:
		return f.lag[i]-c.lagHigh >= f.p.Stall
	}
	return c.rate > 0 && f.lag[i]-c.lagHigh >= f.p.Stall*c.rate
}

// examine decides whether the suspicion at i is an outage, and where it begins
// and ends.
func (f *finder) examine(i int) (candidate, bool) {
	c := candidate{trigger: i, onset: i}
	for range 2 { // the bands depend on where the calm ends, and that on the bands
		idx := f.stretch(c.onset)
		if len(idx) < least {
			return c, false
		}
		c.before = f.learn(idx)
		c.onset = f.onset(i, c.before)
	}
	c.end, c.censored = f.recovered(c)
	c.said = f.said(c)
	return c, c.said || f.paused(c)
}

// onset walks from i back to the first sample out of its band.
func (f *finder) onset(i int, c calm) int {
	first := i
	for k := i - 1; k >= 0 && !f.excluded[k] && f.t[i]-f.t[k] <= f.p.Before; k-- {
		out, known := f.out(k, c)
		if known && !out {
			break
		}
		if out {
			first = k
		}
	}
	return first
}

// out tells whether sample k shows an impact; known is false where nothing was
// recorded.
func (f *finder) out(k int, c calm) (out, known bool) {
	check := func(v []float64, beyond func(x float64) bool) {
		if v != nil && !math.IsNaN(v[k]) {
			known = true
			out = out || beyond(v[k])
		}
	}
	check(f.s.Running, func(x float64) bool { return x < 1 })
	check(f.rate, func(x float64) bool { return x < c.low })
	check(f.lag, func(x float64) bool { return x > f.lagBound(k, c) })
	return out, known
}

// lagBound is the upper bound of the lag at k: records in flight grow with the
// input.
func (f *finder) lagBound(k int, c calm) float64 {
	if f.s.LagUnit == Records && f.s.Input != nil && c.input > 0 && f.s.Input[k] > c.input {
		return c.lagHigh * f.s.Input[k] / c.input
	}
	return c.lagHigh
}

// said tells whether the cluster itself speaks of c.
func (f *finder) said(c candidate) bool {
	for k := c.onset; k < max(c.end, c.trigger+1); k++ {
		if f.toldBy(k) {
			return true
		}
	}
	return false
}

// paused tells by conservation whether processing paused while input came.
func (f *finder) paused(c candidate) bool {
	switch {
	case f.rate == nil:
		return f.grewAtOnce(c)
	case f.s.Lag == nil:
		return f.repaid(c)
	}
	return f.fell(c) && (f.piledUp(c, f.worth) || f.piledUp(c, f.piled) && f.missed(c) >= f.p.Stall)
}

func (f *finder) piledUp(c candidate, is func(int, calm) bool) bool {
	for k := c.onset; k < c.end; k++ {
		if is(k, c.before) {
			return true
		}
	}
	return false
}

// fell tells whether processing was down at all in c. One raw sample is enough:
// a coarse recording has no more of a short downtime, and the lag bears witness.
func (f *finder) fell(c candidate) bool {
	for k := max(0, c.onset-1); k < c.end; k++ {
		if f.isDown(f.s.Rate[k], c.before) {
			return true
		}
	}
	return false
}

// missed is the processing that c lacks, in seconds at the calm rate, while the
// rate is below its band. Averaging a rate spreads it but keeps it.
func (f *finder) missed(c candidate) (seconds float64) {
	for k := c.onset; k < min(c.end, len(f.t)-1); k++ {
		if f.s.Rate[k] < c.before.low {
			seconds += f.lacks(k, c)
		}
	}
	return seconds
}

// grewAtOnce is the test where only a lag was recorded: an age grows by a second
// a second where nothing is processed, and seldom half as fast in an overload.
// In records, failure and overload cannot be told apart.
func (f *finder) grewAtOnce(c candidate) bool {
	peak, out := c.onset, 0
	for k := c.onset; k < c.end; k++ {
		if f.lag[k] > c.before.lagHigh {
			out++
		}
		if f.lag[k] > f.lag[peak] {
			peak = k
		}
	}
	if out < 3 || !f.piled(peak, c.before) {
		return false
	}
	took := f.t[peak] - f.t[max(0, c.onset-1)]
	return f.s.LagUnit == Records || f.lag[peak]-c.before.lag >= 0.5*took
}

// repaid is the test where only a rate was recorded: an outage is followed by a
// surplus, a pause of the input is not. A pause that lasts to the end of the
// recording is taken for an outage, which somebody should look at.
func (f *finder) repaid(c candidate) bool {
	if f.missed(c) < f.p.Stall || !f.fell(c) {
		return false
	}
	if c.censored {
		return true
	}
	surplus := 0
	for k := c.onset; k < c.end; k++ {
		if f.rate[k] > c.before.high {
			surplus++
		}
	}
	return surplus >= 2
}

// exclude keeps c out of all later bands.
func (f *finder) exclude(c candidate) {
	for k := c.onset; k < min(c.end, len(f.t)); k++ {
		f.excluded[k] = true
	}
	f.bandsAt = math.Inf(-1)
}

// lastAtOrBefore is the last element of the ascending v that is ≤ x.
func lastAtOrBefore(v []float64, x float64) (float64, bool) {
	i, found := slices.BinarySearch(v, x)
	if found {
		return x, true
	}
	if i == 0 {
		return 0, false
	}
	return v[i-1], true
}
