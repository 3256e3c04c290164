package twin

import "math"

// Histogram counts records by latency in buckets of which each is 1/16 octave
// wide, that is 4.4 %, from 1 ms to 12 days.
type Histogram struct {
	counts  [histogramBuckets]int64
	records int64
	seconds float64 // sum over the records
}

const (
	perOctave        = 16
	leastLatency     = 1e-3 // s
	histogramBuckets = 30 * perOctave
)

// bucketOf interpolates the logarithm between powers of two by a straight line, which is
// exact enough for a border and cheap.
func bucketOf(seconds float64) int {
	fraction, exponent := math.Frexp(seconds / leastLatency) // in [½, 1) · 2^e
	b := (exponent-1)*perOctave + int((2*fraction-1)*perOctave)
	return min(max(b, 0), histogramBuckets-1)
}

// middleOf is the latency that stands for a bucket.
func middleOf(b int) float64 {
	octave, part := b/perOctave, float64(b%perOctave)
	return leastLatency * math.Ldexp(1+(part+0.5)/perOctave, octave)
}

func (h *Histogram) add(seconds float64, n int64) {
	if n <= 0 {
		return
	}
	h.counts[bucketOf(seconds)] += n
	h.records += n
	h.seconds += seconds * float64(n)
}

// Records is how many were counted.
func (h *Histogram) Records() int64 { return h.records }

// Mean latency (s); 0 without records.
func (h *Histogram) Mean() float64 {
	if h.records == 0 {
		return 0
	}
	return h.seconds / float64(h.records)
}

// Quantile q in [0, 1] of the latencies (s), within 3 %; 0 without records.
func (h *Histogram) Quantile(q float64) float64 {
	left := int64(math.Ceil(q * float64(h.records)))
	if h.records == 0 {
		return 0
	}
	last := 0
	for b, n := range h.counts {
		if n == 0 {
			continue
		}
		last = b
		if left -= n; left <= 0 {
			break
		}
	}
	return middleOf(last)
}

// LaterThan is the share of records whose latency is over a limit (s).
func (h *Histogram) LaterThan(seconds float64) float64 {
	if h.records == 0 {
		return 0
	}
	late := int64(0)
	for b := bucketOf(seconds) + 1; b < histogramBuckets; b++ {
		late += h.counts[b]
	}
	return float64(late) / float64(h.records)
}

// merge adds what another counted.
func (h *Histogram) merge(o *Histogram) {
	for b, n := range o.counts {
		h.counts[b] += n
	}
	h.records += o.records
	h.seconds += o.seconds
}
