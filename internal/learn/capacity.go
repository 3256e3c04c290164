package learn

import (
	"math"

	"rebound/internal/recovery"
)

// What the law leaves unexplained is a Gaussian process over the logarithms of the
// resources: smooth by misfit, and by roughness from one setting to the next.
const (
	misfit    = 0.03
	roughness = 0.006
	// busyAtRest is by how much, at no load, busy time may mislead beyond φ: what a
	// record costs depends a little on how many come at once.
	busyAtRest = 0.03
)

// strange is by how much a job may be unlike those that the law's prior is from: what
// one TaskManager makes of its cores, its memory and its slots is so many times as
// uncertain, and what no law explains its square root. It takes evidence of doubt, the
// difference of two log likelihoods, to believe in the next. How more TaskManagers
// work together is not in doubt: a job that is seen along the diagonal only, few with
// many cores and many with few, must not put the one down to the other.
func strange() [4]float64 { return [...]float64{1, 2, 4, 8} }

const doubt = 1.5

// capacity is the belief about log μ over settings: the posterior of the law and of
// what it does not explain, given the cells. Rasmussen and Williams, Gaussian
// Processes for Machine Learning, section 2.7, with the law linearized about its
// best fit.
type capacity struct {
	theta   vector // best fit of the law
	mean    vector // of the prior
	spread  vector // variances of the prior
	scatter float64
	misfit  float64
	support float64 // log likelihood of what was seen, but for a constant

	rows    []row
	factor  []float64 // Cholesky factor of the covariance of the rows
	weights []float64 // covariance⁻¹·(y − mean)
	room    []float64
}

// row is one kind of evidence of one cell.
type row struct {
	cell     int
	at       resources
	place    [4]float64
	y        float64
	variance float64
	slope    vector // gradient of the law
	scaled   vector // times the prior's variances
	expected float64
}

// believe fits the law to what is known, as strange as makes that most probable
// (Rasmussen and Williams, section 5.4.1).
func believe(k *known) *capacity {
	var best *capacity
	for i, times := range strange() {
		b := believeIn(k, times)
		b.support -= doubt * float64(i)
		if best == nil || b.support > best.support {
			best = b
		}
		if i == 0 && len(b.rows) < 2 { // one kind of evidence of one cell tells nothing of the law
			break
		}
	}
	return best
}

// believeIn fits the law to a job that is so many times as strange as usual.
func believeIn(k *known, times float64) *capacity {
	b := &capacity{scatter: k.Scatter.deviation(blockScatter, blockWorth), misfit: misfit * math.Sqrt(times)}
	var deviation vector
	b.mean, deviation = prior()
	var gamma float64
	for _, p := range [...]int{cores, slots, logThread} {
		deviation[p] *= times
	}
	gamma, deviation[costError] = k.Cost.gamma()
	for i, d := range deviation {
		b.spread[i] = d * d
	}
	b.theta = b.mean
	for i := range k.Cells {
		c := &k.Cells[i]
		for _, e := range []*evidence{&c.Busy, &c.Full} {
			if !(e.Weight > 0) {
				continue
			}
			r := row{
				cell: i, at: c.At, place: c.At.place(),
				y: e.Mean + e.Slope*(gamma-e.Gamma), variance: e.variance(b.scatter, k.At),
			}
			r.slope[costError] = e.Slope
			if e == &c.Busy {
				rest := busyAtRest * (1 - c.Load)
				r.slope[busyBias], r.variance = 1, r.variance+rest*rest
			}
			b.rows = append(b.rows, r)
		}
	}
	n := len(b.rows)
	b.factor, b.weights, b.room = make([]float64, n*n), make([]float64, n), make([]float64, n)
	b.fit()
	return b
}

// covariance of what the law leaves unexplained.
func (b *capacity) covariance(p, q *row) float64 {
	v := b.misfit * b.misfit * alike(&p.place, &q.place)
	if p.cell == q.cell {
		v += roughness * roughness
	}
	return v
}

func alike(p, q *[4]float64) float64 {
	d := 0.0
	for k, v := range p {
		d += (v - q[k]) * (v - q[k])
	}
	return math.Exp(-d / 2)
}

// at is the mean and the standard deviation of log μ, averaged over the length of a
// recovery, at some resources.
func (b *capacity) at(r resources) (mean, deviation float64) {
	mean, variance := b.lasting(r)
	return mean, math.Sqrt(variance + b.scatter*b.scatter)
}

// lasting is the same without what comes and goes: a variance.
func (b *capacity) lasting(r resources) (mean, variance float64) {
	mean, slope := b.theta.at(r)
	mean += b.back(&slope)
	place, v := r.place(), b.room
	variance = b.misfit*b.misfit + roughness*roughness
	for k, s := range slope {
		variance += s * s * b.spread[k]
	}
	last, near := -1, 0.0
	for i := range b.rows {
		q := &b.rows[i]
		if q.cell != last { // rows of one cell are neighbors, at one place
			near = b.misfit * b.misfit * alike(&place, &q.place)
			if q.at == r {
				near += roughness * roughness
			}
			last = q.cell
		}
		v[i] = near + dot(slope[:], q.scaled[:])
		mean += v[i] * b.weights[i]
	}
	forward(b.factor, v)
	return mean, math.Max(0, variance-dot(v, v))
}

// logNormal is a quantity whose logarithm is normal.
func logNormal(mean, deviation float64) recovery.Uncertain {
	return recovery.LogNormal(math.Exp(mean), deviation)
}
