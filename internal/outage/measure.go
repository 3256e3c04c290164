package outage

import (
	"math"

	"rebound/internal/job"
)

// measure turns a candidate into an outage.
func (f *finder) measure(c candidate) job.Outage {
	first := f.impact(c)
	o := job.Outage{FirstImpactAt: &first, ResolutionSeconds: f.resolution(c), Censored: c.censored}
	from := first
	// The failure precedes its impact, but sampling may see it the other way.
	if at, ok := lastAtOrBefore(f.s.Marks.Failed, first+o.ResolutionSeconds); ok && first-at <= f.p.Reach {
		o.FailedAt, from = &at, at
	}
	if at, ok := f.restored(c, from); ok {
		o.RestoredAt = &at
	}
	if c.censored {
		bound := max(0, f.t[min(c.end, len(f.t)-1)]-from)
		o.AtLeastSeconds = &bound
	} else {
		end := f.t[c.end]
		recovery := max(0, end-from)
		o.CaughtUpAt, o.RecoverySeconds = &end, &recovery
	}
	o.Phases = f.phases(c, o, from)
	return o
}

// impact is when c was first felt. Metrics vanish with the process that has them:
// where samples are missing just before, the first of them that was due.
func (f *finder) impact(c candidate) float64 {
	if last := f.lastKnown(c.onset); f.t[c.onset]-last > gap*f.step {
		return last + f.step
	}
	return f.t[c.onset]
}

// gap is how many steps without a sample are more than one that was lost.
const gap = 2.5

// resolution is how far apart neighboring observations of the edges are: the
// sampling step, gaps at the edges, and how seldom the lag is renewed.
func (f *finder) resolution(c candidate) float64 {
	r := f.step
	for _, edge := range []int{c.onset, c.end} {
		if edge > 0 && edge < len(f.t) {
			r = max(r, f.t[edge]-f.lastKnown(edge))
		}
	}
	return max(r, f.renewal(c))
}

// lastKnown is the time of the last sample before i at which anything that
// decides was recorded.
func (f *finder) lastKnown(i int) float64 {
	for k := i - 1; k > 0; k-- {
		if _, known := f.out(k, calm{}); known {
			return f.t[k]
		}
	}
	return f.t[0]
}

// renewal is the median time between changes of the lag during the outage: a
// gauge that is scraped every 30 s does not end an outage to the second.
func (f *finder) renewal(c candidate) float64 {
	var times []float64
	last := -1
	for k := c.onset; f.s.Lag != nil && k <= min(c.end, len(f.t)-1); k++ {
		switch {
		case math.IsNaN(f.lag[k]):
		case last < 0:
			last = k
		case f.lag[k] != f.lag[last]:
			times = append(times, f.t[k]-f.t[last])
			last = k
		}
	}
	if len(times) == 0 {
		return 0
	}
	return quantile(times, 0.5)
}
