package learn

import (
	"math"

	"rebound/internal/recovery"
)

// The duration of a checkpoint is a fixed part plus one in proportion to the state
// that a TaskManager holds.

const (
	lengthHalfLife = 3 * day
	// fixedShare of the first duration is believed to be the fixed part.
	fixedShare, fixedShareDeviation = 0.6, 0.25
	// Scatter of durations, as a share of them, before it is known.
	lengthScatter, lengthWorth = 0.15, 6
	leastLength                = 0.01 // s
)

// length is what is known of durations.
type length struct {
	Line    regression `json:"line"` // of (1, state of one TaskManager over PerTask)
	PerTask float64    `json:"per"`  // GiB on one TaskManager at the first
	Scatter noise      `json:"scatter"`
	Count   int        `json:"count"`
}

// add takes a completed checkpoint. The first decides the prior of the line: the sum
// of both parts is what it took, however that splits.
func (l *length) add(m measuredLen) {
	if !(m.Seconds >= 0) || math.IsInf(m.Seconds, 1) {
		return
	}
	d := math.Max(m.Seconds, leastLength)
	if l.Count == 0 {
		l.PerTask = m.PerTask
		l.Line = newRegression([]float64{fixedShare * d, (1 - fixedShare) * d}, []float64{fixedShareDeviation * d, fixedShareDeviation * d})
	}
	x := l.row(m.PerTask)
	mean, _ := l.Line.solve().at(x)
	mean = math.Max(mean, leastLength)
	off := (d - mean) / mean
	scatter := l.Scatter.deviation(lengthScatter, lengthWorth)
	if l.Count >= 3 {
		off = math.Max(-outlier*scatter, math.Min(outlier*scatter, off))
		l.Scatter.add(off, 1)
	}
	l.Line.add(x, mean+off*mean, math.Sqrt2*scatter*mean)
	l.Count++
}

func (l *length) row(perTask float64) []float64 {
	switch {
	case l.PerTask > 0 && perTask > 0:
		return []float64{1, perTask / l.PerTask}
	default: // state is not told: as it was
		return []float64{1, 1}
	}
}

// assumedLength stands where no checkpoint has completed: a tenth of the interval,
// the largest share of time that a checkpoint should take.
const assumedLength = 0.1

// at is the duration of the next checkpoint with that much state on each
// TaskManager.
func (l *length) at(perTask, interval float64) recovery.Uncertain {
	if l.Count == 0 {
		d := math.Max(leastLength, assumedLength*interval)
		return recovery.Uncertain{Median: d, Spread: d}
	}
	mean, deviation := l.Line.solve().at(l.row(perTask))
	mean = math.Max(mean, leastLength)
	own := mean * l.Scatter.deviation(lengthScatter, lengthWorth)
	return recovery.Uncertain{Median: mean, Spread: z95 * math.Hypot(own, deviation)}
}
