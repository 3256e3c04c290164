package plan

import (
	"math"
	"sort"

	"rebound/internal/recovery"
)

// look is how far after a failure its end is looked for (s).
const look = 4 * 3600.0

// paths are the forecast, ready to be integrated. The rate before now is the
// present one; after the last step it stays as it is.
type paths struct {
	step float64
	now  float64
	z    []float64 // of each row, ascending: the standard normal of its rank
	rate [][]float64
	sum  [][]float64 // sum[q][i] records have arrived from now to i·step
	low  [][]float64 // low[q][i] is the least rate from step i on
}

// flatStep is the step of a load of which only the present rate is known (s).
const flatStep = 60.0

// newPaths reads at most the first seconds of l. A load without paths is its mean,
// and one without a mean its present rate; not ok: nothing is known.
func newPaths(l Load, seconds float64) (p *paths, ok bool) {
	rows, z := l.Paths, make([]float64, 0, len(l.Quantiles))
	for _, q := range l.Quantiles {
		z = append(z, quantileZ(q))
	}
	if len(rows) == 0 || len(rows) != len(z) || len(rows[0]) == 0 {
		rows, z = [][]float64{l.Mean}, []float64{0}
	}
	p = &paths{step: l.Step, now: l.Now, z: z}
	if len(rows[0]) == 0 || !(l.Step > 0) {
		rows, p.step = [][]float64{{l.Now}}, flatStep
	}
	n := min(len(rows[0]), 1+int(math.Ceil(seconds/p.step)))
	room := make([]float64, 2*len(rows)*(n+1))
	for _, row := range rows {
		sum, low := room[:n+1], room[n+1:2*(n+1)]
		room = room[2*(n+1):]
		for i, v := range row[:n] {
			sum[i+1] = sum[i] + p.step*v
		}
		low[n] = row[n-1]
		for i := n - 1; i >= 0; i-- {
			low[i] = min(low[i+1], row[i])
		}
		p.rate, p.sum, p.low = append(p.rate, row[:n]), append(p.sum, sum), append(p.low, low)
	}
	last := p.sum[len(p.sum)-1]
	return p, p.now >= 0 && last[n] >= 0 && !math.IsInf(last[n]+p.now, 0)
}

// quantileZ is the standard normal quantile of a rank in (0, 1).
func quantileZ(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// end is where the last step ends.
func (p *paths) end() float64 { return p.step * float64(len(p.rate[0])) }

// arrived is the integral of row q from now to t, negative for a t before now.
func (p *paths) arrived(q int, t float64) float64 {
	if t <= 0 {
		return t * p.now
	}
	i := min(int(t/p.step), len(p.rate[q])-1)
	return p.sum[q][i] + (t-float64(i)*p.step)*p.rate[q][i]
}

// path is the path of one rank, between two rows. Beyond the highest row it goes
// on as the two highest differ; below the lowest it stays there.
type path struct {
	*paths
	row   int
	share float64 // of row + 1
}

// at is the path whose rank has the standard normal z.
func (p *paths) at(z float64) path {
	i := sort.SearchFloat64s(p.z, z)
	switch {
	case i == 0 || len(p.z) == 1:
		return path{paths: p}
	case i == len(p.z):
		i--
	}
	return path{paths: p, row: i - 1, share: (z - p.z[i-1]) / (p.z[i] - p.z[i-1])}
}

// between is what arrives from a to b.
func (p path) between(a, b float64) float64 {
	low := p.arrived(p.row, b) - p.arrived(p.row, a)
	if p.share == 0 {
		return low
	}
	high := p.arrived(p.row+1, b) - p.arrived(p.row+1, a)
	return low + p.share*(high-low)
}

// in is the rate in step i.
func (p path) in(i int) float64 {
	if i < 0 {
		return p.now
	}
	i = min(i, len(p.rate[p.row])-1)
	low := p.rate[p.row][i]
	if p.share == 0 {
		return low
	}
	return low + p.share*(p.rate[p.row+1][i]-low)
}

// least is a bound of the rate from step i on.
func (p path) least(i int) float64 {
	if i < 0 {
		return 0
	}
	i = min(i, len(p.rate[p.row]))
	low := p.low[p.row][i]
	if p.share == 0 {
		return low
	}
	if p.share > 1 { // beyond the highest row, which lies above this
		return p.low[p.row+1][i]
	}
	return low + p.share*(p.low[p.row+1][i]-low)
}

// outage is one recovery to be timed: all is known of it.
type outage struct {
	at       float64 // s from now
	lag      float64 // records that wait before it
	age      float64 // A, s
	down     float64 // T_d, s
	capacity float64 // records/s, once warm
	warmup   recovery.Warmup
}

// time is R: when, for the first time, all that has arrived is processed. It is
// recovery.Varying for a rate that is constant in each step, for which every
// step has a closed form.
func (p path) time(o outage) recovery.Time {
	start := o.at + o.down
	backlog := o.lag + p.between(o.at-o.age, start)
	cold, tau := 1-max(0, o.warmup.Start), o.warmup.Tau
	if !(cold > 0) || !(tau > 0) {
		cold, tau = 0, 1
	}
	i, end := int(math.Floor(start/p.step)), p.end()
	for x, missing := 0.0, cold; x < look; i++ {
		next := float64(i+1)*p.step - start
		if start+x >= end {
			next = look
		}
		dx, rate := next-x, p.in(i)
		later := 0.0
		if missing > 1e-12 {
			later = missing * math.Exp(-dx/tau)
		}
		left := backlog + rate*dx - o.capacity*(dx-tau*(missing-later))
		if left > 0 && missing <= 1e-12 && next < look {
			// Once warm: at most this much less waits after each further second.
			fall := o.capacity - p.least(i+1)
			if fall <= 0 {
				return recovery.Time{Outcome: recovery.Never}
			}
			if skip := math.Floor(min(left/fall, look-next) / p.step); skip > 1 && start+next < end {
				to := next + skip*p.step
				left += p.between(start+next, start+to) - o.capacity*(to-next)
				next, i = to, i+int(skip)
			}
		}
		if left <= 0 {
			s := piece{backlog: backlog, net: o.capacity - rate, missing: o.capacity * missing, tau: tau}
			return recovery.Time{Seconds: o.down + x + s.empty(dx)}
		}
		backlog, x, missing = left, next, later
	}
	if o.capacity > p.in(i) {
		return recovery.Time{Outcome: recovery.BeyondHorizon}
	}
	return recovery.Time{Outcome: recovery.Never}
}

// piece is a stretch of constant rate. Its backlog after d seconds is
//
//	backlog − net·d + missing·τ(1 − e^(−d/τ)),
//
// concave in d, so that Newton's method from a point beyond the root comes down
// to it.
type piece struct{ backlog, net, missing, tau float64 }

// empty is when the backlog is gone, given that it is by the time d.
func (s piece) empty(d float64) float64 {
	if s.missing <= 1e-12*s.net {
		return s.backlog / s.net
	}
	for range 50 {
		e := math.Exp(-d / s.tau)
		over := s.net*d - s.missing*s.tau*(1-e) - s.backlog
		slope := s.net - s.missing*e
		if !(slope > 0) || over <= 1e-9*s.backlog {
			return d
		}
		d = max(0, d-over/slope)
	}
	return d
}
