package forecast

import "math"

// band gives the quantiles of one kind of error from the last ones of its kind. The
// level at which the pool is read follows the coverage that is reached: adaptive
// conformal inference, I. Gibbs, E. Candès, Adaptive Conformal Inference Under
// Distribution Shift, NeurIPS 2021, equation (2), for each quantile by itself:
//
//	a ← a + γ(q − 1{error below the quantile q})
type band struct {
	rate   float64 // γ
	pool   pool
	levels []float64 // a, for each of the promised quantiles
}

const (
	// poolRoom is how many errors a band keeps: enough for the hundredths of
	// a quantile, few enough to forget a regime.
	poolRoom = 400
	// aciRate is γ one step ahead. What is h steps ahead is known late, when levels have
	// moved on, and its errors overlap: there it is an h-th of it, or levels overshoot.
	aciRate = 0.01
	// aciLimit is how far a level moves from what was promised.
	aciLimit = 0.3
)

// promises is how many quantiles are followed.
const promises = 11

// promised are the quantiles whose coverage is followed; others lie between.
func promised() [promises]float64 {
	return [...]float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99}
}

// newBand is for errors that are known delay steps after the forecast, at least 1.
func newBand(delay int) band {
	levels := promised()
	return band{rate: aciRate / float64(delay), pool: newPool(poolRoom), levels: levels[:]}
}

// issue gives the promised quantiles as they stand, in ascending order; priors are what
// each was taken for before any was seen, in units of scale.
func (b *band) issue(priors []float64, scale float64) []float64 {
	all := make([]float64, 0, len(b.levels))
	for i, level := range b.levels {
		all = append(all, b.blend(b.pool.quantile(level), scale*priors[i]))
	}
	return all
}

// learn adapts the levels by whether the quantiles that were issued held e, and keeps
// the error as kept. It takes what was issued then, not what would be now: errors of paths that overlap
// resemble each other, and today's pool knows some of e.
func (b *band) learn(e, kept float64, issued []float64) {
	for i, q := range promised() {
		below := 0.0
		if e < issued[i] {
			below = 1
		}
		a := b.levels[i] + b.rate*(q-below)
		b.levels[i] = min(max(a, q-aciLimit), q+aciLimit)
	}
	b.pool.add(b.tame(kept))
}

// tame keeps one wild error from being all that is known of the ends: it counts as ten
// times what nine errors in ten lie within.
func (b *band) tame(e float64) float64 {
	const known, times = 20, 10
	n := len(b.pool.sorted)
	if n < known {
		return e
	}
	limit := times * max(math.Abs(b.pool.sorted[n/20]), math.Abs(b.pool.sorted[n-1-n/20]))
	if limit <= 0 {
		return e
	}
	return min(max(e, -limit), limit)
}

// reset forgets all errors and levels.
func (b *band) reset() {
	levels := promised()
	b.pool, b.levels = newPool(poolRoom), levels[:]
}

// level is the adapted level of the quantile q.
func (b *band) level(q float64) float64 {
	known := promised()
	const last = promises - 1
	switch {
	case q <= known[0]:
		return q + b.levels[0] - known[0]
	case q >= known[last]:
		return q + b.levels[last] - known[last]
	}
	i := 0
	for known[i+1] < q {
		i++
	}
	share := (q - known[i]) / (known[i+1] - known[i])
	moved := b.levels[i] - known[i]
	return q + moved + share*(b.levels[i+1]-known[i+1]-moved)
}

// quantile is the error that the share q lies below; prior is what it was taken for
// before any was seen.
func (b *band) quantile(q, prior float64) float64 {
	return b.blend(b.pool.quantile(b.level(q)), prior)
}

// blend counts the prior as much as eight errors at first, and for nothing once the
// pool is full.
func (b *band) blend(seen, prior float64) float64 {
	const priorErrors = 8
	n := float64(len(b.pool.sorted))
	w := priorErrors / (priorErrors + n) * (1 - n/poolRoom)
	return w*prior + (1-w)*seen
}

func (b *band) code(c *codec) {
	b.pool.code(c)
	c.floats(&b.levels)
	if c.reading && len(b.levels) != promises {
		c.err = errState
		*b = newBand(1)
	}
}
