package kafka

import (
	"math"
	"math/bits"
)

// Lateness sums up by how much records were late, in seconds. The percentiles are
// those of a histogram with bounds 9 % apart, so at most that much too high.
type Lateness struct {
	P50 float64 `json:"p50_seconds"`
	P99 float64 `json:"p99_seconds"`
	Max float64 `json:"max_seconds"`
}

// histogram counts durations in microseconds, eight bounds to a doubling.
type histogram struct {
	counts [8 * 48]int64
	n, max int64
}

func (h *histogram) add(micros int64) {
	micros = min(max(micros, 0), 1<<47)
	h.max = max(h.max, micros)
	h.n++
	h.counts[slot(micros)]++
}

// slot numbers 0 to 15 by themselves and then eight steps to each doubling.
func slot(v int64) int {
	if v < 16 {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - 4 // leaves four bits, the first of them set
	return 8*shift + int(v>>shift)
}

// upper is the greatest value of a slot.
func upper(slot int) int64 {
	if slot < 16 {
		return int64(slot)
	}
	shift := slot/8 - 1
	return int64(slot-8*shift+1)<<shift - 1
}

func (h *histogram) quantile(q float64) int64 {
	need := max(1, int64(math.Ceil(q*float64(h.n))))
	var seen int64
	for i, c := range h.counts {
		if seen += c; seen >= need {
			return min(upper(i), h.max)
		}
	}
	return h.max
}

func (h *histogram) lateness() Lateness {
	return Lateness{
		P50: float64(h.quantile(0.5)) / 1e6,
		P99: float64(h.quantile(0.99)) / 1e6,
		Max: float64(h.max) / 1e6,
	}
}
