package forecast

// band gives the quantiles of one kind of error from the last ones of its kind. The
// level at which the pool is read follows the coverage that is reached: adaptive
// conformal inference, I. Gibbs, E. Candès, Adaptive Conformal Inference Under
// Distribution Shift, NeurIPS 2021, equation (2), for each quantile by itself:
//
//	a ← a + γ(q − 1{error below the quantile q})
type band struct {
	pool   pool
	levels []float64 // a, for each of the promised quantiles
}

const (
	// poolRoom is how many errors a band keeps: enough for the hundredths of
	// a quantile, few enough to forget a regime.
	poolRoom = 400
	aciRate  = 0.01 // γ
	// aciLimit is how far a level moves from what was promised.
	aciLimit = 0.3
)

// promised are the quantiles whose coverage is followed; others lie between.
func promised() [11]float64 {
	return [...]float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99}
}

func newBand() band {
	levels := promised()
	return band{pool: newPool(poolRoom), levels: levels[:]}
}

// learn adapts the levels by whether the quantiles held e, and keeps e.
func (b *band) learn(e float64) {
	rank := b.pool.rank(e)
	for i, q := range promised() {
		below := 0.0
		if rank < b.levels[i] {
			below = 1
		}
		a := b.levels[i] + aciRate*(q-below)
		b.levels[i] = min(max(a, q-aciLimit), q+aciLimit)
	}
	b.pool.add(e)
}

// level is the adapted level of the quantile q.
func (b *band) level(q float64) float64 {
	known := promised()
	last := len(known) - 1
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

// quantile is the error that the share q lies below. Where few errors were seen, the
// prior counts too: as much as eight errors at first, and for nothing once the pool
// is full.
func (b *band) quantile(q, prior float64) float64 {
	const priorErrors = 8
	n := float64(len(b.pool.sorted))
	w := priorErrors / (priorErrors + n) * (1 - n/poolRoom)
	if n == 0 {
		return prior
	}
	return w*prior + (1-w)*b.pool.quantile(b.level(q))
}

func (b *band) code(c *codec) {
	b.pool.code(c)
	c.floats(&b.levels)
	if c.reading && len(b.levels) != len(promised()) {
		c.err = errState
		*b = newBand()
	}
}
