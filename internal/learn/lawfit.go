package learn

import "math"

// The law is fitted by Gauss–Newton steps, each as long as it makes θ more probable:
// where a thread's share of the cores ends, κ, it is far from linear.
const (
	rounds    = 12
	leastStep = 1.0 / 32
	settled   = 1e-4 // of the logarithm of the probability
)

// fit moves θ to the most probable one, and keeps the law as it is linear there.
func (b *capacity) fit() {
	own := b.unexplained()
	if own == nil { // cannot be: each row has noise of its own
		b.rows, b.factor, b.weights, b.room = nil, nil, nil, nil
		return
	}
	at := b.misery(own, &b.theta)
	for range rounds {
		to, ok := b.step()
		if !ok {
			break
		}
		before := at
		for share := 1.0; share >= leastStep; share /= 2 {
			var try vector
			for k := range try {
				try[k] = b.theta[k] + share*(to[k]-b.theta[k])
			}
			if m := b.misery(own, &try); m < at {
				b.theta, at = try, m
				break
			}
		}
		if before-at < settled {
			break
		}
	}
	b.step()
}

// unexplained is the Cholesky factor of the covariance of the rows beside the law.
func (b *capacity) unexplained() []float64 {
	n := len(b.rows)
	own := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			own[i*n+j] = b.covariance(&b.rows[i], &b.rows[j])
		}
		own[i*n+i] += b.rows[i].variance
	}
	if !factor(own, n) {
		return nil
	}
	return own
}

// misery is −ln p(θ | rows), but for a constant.
func (b *capacity) misery(own []float64, t *vector) float64 {
	sum := 0.0
	for k, v := range t {
		if b.spread[k] > 0 {
			sum += (v - b.mean[k]) * (v - b.mean[k]) / b.spread[k]
		}
	}
	for i := range b.rows {
		value, _ := b.rows[i].law(t)
		b.room[i] = b.rows[i].y - value
	}
	forward(own, b.room)
	return (sum + dot(b.room, b.room)) / 2
}

// law is what θ makes of a row, and its gradient: what concerns the evidence alone
// is in the row.
func (r *row) law(t *vector) (value float64, slope vector) {
	value, slope = t.at(r.at)
	for _, k := range [...]int{busyBias, costError} {
		slope[k] = r.slope[k]
		value += slope[k] * t[k]
	}
	return value, slope
}

// step linearizes the law about θ, and says where the best fit of that is.
func (b *capacity) step() (to vector, ok bool) {
	n := len(b.rows)
	for i := range b.rows {
		r := &b.rows[i]
		value, slope := r.law(&b.theta)
		r.slope, r.expected = slope, value+b.back(&slope)
		for k, v := range slope {
			r.scaled[k] = v * b.spread[k]
		}
		b.weights[i] = r.y - r.expected
	}
	for i := range n {
		for j := range i + 1 {
			p, q := &b.rows[i], &b.rows[j]
			b.factor[i*n+j] = dot(p.scaled[:], q.slope[:]) + b.covariance(p, q)
		}
		b.factor[i*n+i] += b.rows[i].variance
	}
	if !factor(b.factor, n) {
		return b.theta, false
	}
	forward(b.factor, b.weights)
	b.support = -dot(b.weights, b.weights) / 2
	for i := range n {
		b.support -= math.Log(b.factor[i*n+i])
	}
	backward(b.factor, b.weights)
	to = b.mean
	for i := range b.rows {
		for k, v := range b.rows[i].scaled {
			to[k] += v * b.weights[i]
		}
	}
	return to, true
}

// back is the way from θ to the prior's mean along a gradient.
func (b *capacity) back(slope *vector) float64 {
	s := 0.0
	for k, v := range slope {
		s += v * (b.mean[k] - b.theta[k])
	}
	return s
}
