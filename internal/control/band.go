package control

import (
	"slices"
)

// band is where the backlog lies in calm times: over the last bandSize looks,
// which at one every 15 s are ten minutes.
type band struct {
	lags, sorted [bandSize]float64
	rates        [bandSize]float64
	n, next      int
	stale        bool // the limits are to be computed anew
	middle, edge float64
	rate         float64 // records/s, mean
}

const (
	bandSize = 40
	// bandWidth: a backlog stays below 1.5 times what it had in 95 % of the looks.
	bandWidth = 1.5
	// bandFloor is the backlog, in seconds of input, that is none: what arrives
	// between two reads of the metrics.
	bandFloor = 1.0
)

// add takes the backlog (records) and the input (records/s) of a calm look.
func (b *band) add(lag, rate float64) {
	b.lags[b.next], b.rates[b.next] = lag, rate
	b.next = (b.next + 1) % bandSize
	b.n = min(b.n+1, bandSize)
	b.stale = true
}

// reset forgets what was usual.
func (b *band) reset() { *b = band{} }

// usual is the median backlog in calm times (records).
func (b *band) usual() float64 {
	b.renew()
	return b.middle
}

// high is the backlog (records) above which, at the given input, the job is
// behind. Records in flight grow with the input.
func (b *band) high(rate float64) float64 {
	b.renew()
	edge := b.edge
	if b.rate > 0 && rate > b.rate {
		edge *= rate / b.rate
	}
	return max(edge, bandFloor*rate, bandFloor*b.rate)
}

func (b *band) renew() {
	if !b.stale || b.n == 0 {
		return
	}
	b.stale = false
	v := b.sorted[:b.n]
	copy(v, b.lags[:b.n])
	slices.Sort(v)
	b.middle, b.edge = v[b.n/2], bandWidth*v[(b.n-1)*95/100]
	b.rate = 0
	for _, r := range b.rates[:b.n] {
		b.rate += r / float64(b.n)
	}
}
