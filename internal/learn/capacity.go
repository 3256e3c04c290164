package learn

import (
	"math"

	"rebound/internal/recovery"
)

// What the law leaves unexplained is a Gaussian process over the logarithms of the
// resources: smooth by misfit, and by roughness from one setting to the next. How
// much that is, what was seen says: a job whose cores give it more than any law
// would is not put down to the law.
const (
	roughness = 0.006
	// busyAtRest is by how much, at no load, busy time may mislead beyond φ: what a
	// record costs depends a little on how many come at once.
	busyAtRest = 0.03
	rounds     = 6 // of linearizing the law, which is nearly linear
)

// misfits are what it may be, as deviations of the logarithm. It takes evidence of
// doubt, the difference of two log likelihoods, to believe in the next.
func misfits() [4]float64 { return [...]float64{0.03, 0.06, 0.12, 0.24} }

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
	misfit  float64 // the most probable
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

// believe fits the law to what is known, with the misfit that this is most probable
// with (Rasmussen and Williams, section 5.4.1).
func believe(k *known) *capacity {
	var best *capacity
	for i, misfit := range misfits() {
		b := believeIn(k, misfit)
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

// believeIn fits the law with a misfit.
func believeIn(k *known, misfit float64) *capacity {
	b := &capacity{scatter: k.Scatter.deviation(blockScatter, blockWorth), misfit: misfit}
	var deviation vector
	b.mean, deviation = prior()
	var gamma float64
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
	for range rounds {
		b.fit()
	}
	return b
}

// fit is one Gauss–Newton step: it linearizes the law about θ and moves θ to the
// best fit of that.
func (b *capacity) fit() {
	for i := range b.rows {
		r := &b.rows[i]
		value, slope := b.theta.at(r.at)
		for _, k := range [...]int{busyBias, costError} { // what concerns the evidence stays
			slope[k] = r.slope[k]
			value += slope[k] * b.theta[k]
		}
		r.slope, r.expected = slope, value+b.back(&slope)
		for k, v := range slope {
			r.scaled[k] = v * b.spread[k]
		}
	}
	n := len(b.rows)
	for i := range b.rows {
		for j := range i + 1 {
			b.factor[i*n+j] = b.covariance(&b.rows[i], &b.rows[j])
		}
		b.factor[i*n+i] += b.rows[i].variance
		b.weights[i] = b.rows[i].y - b.rows[i].expected
	}
	if !factor(b.factor, n) { // cannot be: each row has noise of its own
		b.rows, b.factor, b.weights, b.room = nil, nil, nil, nil
		return
	}
	forward(b.factor, b.weights)
	b.support = -dot(b.weights, b.weights) / 2
	for i := range n {
		b.support -= math.Log(b.factor[i*n+i])
	}
	backward(b.factor, b.weights)
	b.theta = b.mean
	for i := range b.rows {
		for k, v := range b.rows[i].scaled {
			b.theta[k] += v * b.weights[i]
		}
	}
}

// back is the way from θ to the prior's mean along a gradient.
func (b *capacity) back(slope *vector) float64 {
	s := 0.0
	for k, v := range slope {
		s += v * (b.mean[k] - b.theta[k])
	}
	return s
}

func (b *capacity) covariance(p, q *row) float64 {
	v := dot(p.scaled[:], q.slope[:]) + b.misfit*b.misfit*alike(&p.place, &q.place)
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
	m := math.Exp(mean)
	return recovery.Uncertain{Median: m, Spread: m * math.Sinh(z95*deviation)}
}
