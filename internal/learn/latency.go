package learn

import (
	"math"

	"rebound/internal/recovery"
)

// Latency in calm running grows as a queue does: base + queue·ρ/(1 − ρ).

const (
	latencyHalfLife = 2 * day
	mostOdds        = 20.0 // ρ/(1 − ρ) beyond which a look is no calm running
	// Prior, s: a record waits for a poll and a network buffer, and is served in
	// milliseconds.
	priorBase, priorBaseDeviation   = 0.2, 0.2
	priorQueue, priorQueueDeviation = 0.1, 0.15
	// latencyScatter is how far a look lies from the law, as a share of it, before
	// it is known, and how many looks that is worth.
	latencyScatter, latencyWorth = 0.4, 8
	leastLatency                 = 0.01 // s
	// alikeSeconds is for how long looks at latency are alike.
	alikeSeconds = 60.0
)

// latency is what is known of it: the mean, by regression, and the scatter of
// looks around that as a share of it.
type latency struct {
	Line    regression `json:"line"`
	Scatter noise      `json:"scatter"`
	Count   int        `json:"count"`
}

func newLatency() latency {
	return latency{Line: newRegression([]float64{priorBase, priorQueue}, []float64{priorBaseDeviation, priorQueueDeviation})}
}

func (l *latency) add(d delay) {
	x := []float64{1, d.Odds}
	mean, _ := l.Line.solve().at(x)
	mean = math.Max(mean, leastLatency)
	off := (d.Seconds - mean) / mean
	scatter := l.Scatter.deviation(latencyScatter, latencyWorth)
	if l.Count >= latencyWorth { // the first may show how wrong the prior was
		off = math.Max(-outlier*scatter, math.Min(outlier*scatter, off))
		l.Scatter.add(off, 1)
	}
	alike := math.Max(1, alikeSeconds/math.Max(1, d.Window))
	l.Line.add(x, mean+off*mean, scatter*mean*math.Sqrt(alike))
	l.Count++
}

// p95 is base and queue of the 95 % quantile: what is seen are means, and the time
// in a queue is distributed exponentially.
func (l *latency) p95() (base, queue recovery.Uncertain) {
	s := l.Line.solve()
	b, bd := s.at([]float64{1, 0})
	q, qd := s.at([]float64{0, 1})
	return recovery.Uncertain{Median: math.Max(leastLatency, b), Spread: z95 * bd},
		recovery.Uncertain{Median: math.Max(leastLatency/10, tail95*q), Spread: z95 * tail95 * qd}
}

// tail95 is the 95 % quantile of an exponential distribution over its mean, ln 20.
const tail95 = 2.995732273553991
