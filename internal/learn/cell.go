package learn

import (
	"math"
	"time"
)

// Evidence of capacity is kept by the settings at which it was seen: a mean of the
// logarithm for each kind of evidence, in cells. The law and what it leaves
// unexplained are fitted to the cells.

// mostCells bounds the cells; the one that was seen longest ago makes room.
const mostCells = 32

// How evidence gets old. The weight within a cell halves in cellHalfLife, so that
// its mean follows drift; and between visits capacity wanders by driftPerDay, as
// data and code change.
const (
	cellHalfLife = 2 * day
	driftPerDay  = 0.015 // on the logarithm, times √days
	day          = 24 * 3600.0
)

// blockSeconds is the length of a block: about that of a recovery, so that the
// scatter of blocks is that of the capacity which a recovery will find.
const blockSeconds = 120.0

// Scatter of blocks before it has been seen, and how many blocks that is worth.
const (
	blockScatter = 0.02
	blockWorth   = 4
)

// cell is what was seen of capacity at some resources.
type cell struct {
	At   resources `json:"at"`
	Busy evidence  `json:"busy"` // rate over busy time, in calm running
	Full evidence  `json:"full"` // output with a backlog, or of a saturated copy
	Load float64   `json:"load"` // typical utilization behind Busy
}

func (c *cell) last() time.Time {
	if c.Busy.Last.After(c.Full.Last) {
		return c.Busy.Last
	}
	return c.Full.Last
}

// evidence is a mean of log capacity over blocks, with checkpoints divided out.
type evidence struct {
	Mean   float64   `json:"mean"`
	Weight float64   `json:"weight"` // blocks, faded
	Count  int       `json:"count"`  // blocks in all
	Last   time.Time `json:"last"`
	// Gamma is the mean of the cost of checkpoints that was divided out, and Slope
	// that of the derivative of log capacity in it, so that what is learned of the
	// cost later corrects what was seen before.
	Gamma float64 `json:"gamma"`
	Slope float64 `json:"slope"`
}

// sample is what one block says of log capacity.
type sample struct {
	log          float64
	weight       float64 // blocks that it is worth, in (0, 1]
	at           time.Time
	gamma, slope float64 // as in evidence
}

func (e *evidence) add(b sample, scatter *noise) {
	y, weight := b.log, b.weight
	e.Weight *= faded(e.Last, b.at, cellHalfLife)
	if e.Weight >= 1 {
		limit := outlier * scatter.deviation(blockScatter, blockWorth)
		// In units of a whole block: both y and the mean are known less well the less
		// they are worth.
		off := math.Abs(y-e.Mean) * math.Sqrt(weight*e.Weight/(weight+e.Weight))
		scatter.add(math.Min(off, limit), weight)
		if off > limit {
			weight *= limit / off
		}
	}
	e.Weight += weight
	share := weight / e.Weight
	e.Mean += (y - e.Mean) * share
	e.Gamma += (b.gamma - e.Gamma) * share
	e.Slope += (b.slope - e.Slope) * share
	e.Count++
	if b.at.After(e.Last) {
		e.Last = b.at
	}
}

// outlier is where a block counts less, in standard deviations.
const outlier = 4.0

// variance of the mean as evidence of capacity now: neighboring blocks are alike,
// so that two count as one, and no mean is better than leastVariance.
func (e *evidence) variance(scatter float64, now time.Time) float64 {
	age := math.Max(0, now.Sub(e.Last).Seconds()) / day
	return scatter*scatter*2/e.Weight + leastVariance + driftPerDay*driftPerDay*age
}

const leastVariance = 0.004 * 0.004

// faded is what is left of a weight after the time from one moment to another.
func faded(from, to time.Time, halfLife float64) float64 {
	if from.IsZero() || !to.After(from) {
		return 1
	}
	return math.Exp2(-to.Sub(from).Seconds() / halfLife)
}

// cells are ordered by when they came into being.
type cells []cell

// at finds the cell, and makes one where there is none.
func (c *cells) at(r resources) *cell {
	for i := range *c {
		if (*c)[i].At == r {
			return &(*c)[i]
		}
	}
	if len(*c) == mostCells {
		oldest := 0
		for i := range *c {
			if (*c)[i].last().Before((*c)[oldest].last()) {
				oldest = i
			}
		}
		*c = append((*c)[:oldest], (*c)[oldest+1:]...)
	}
	*c = append(*c, cell{At: r})
	return &(*c)[len(*c)-1]
}
