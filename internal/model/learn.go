package model

import (
	"math"

	"rebound/internal/recovery"
)

// How past recoveries count: one of this job as one, one of another job in the
// same journal as a third; half after a month; and less where the machine was
// busy (recoveries were seen 8–31 % longer then). Starting a process on two idle
// cores makes two or three threads wait for a CPU on average; from four on it
// counts as a half and less.
const (
	otherJob = 1.0 / 3
	starved  = 4.0              // threads
	halfLife = 30 * 24 * 3600.0 // s
	// priorWeight is how many recoveries the prior is worth.
	priorWeight = 0.5
)

func weight(p Past) float64 {
	w := math.Exp2(-p.Old / halfLife)
	if !p.SameJob {
		w *= otherJob
	}
	if s := p.StarvedRatio; s != nil {
		w /= 1 + (*s/starved)*(*s/starved)
	}
	return w
}

// prior is what is believed before anything has been measured. Floor is the
// least spread of a next one, however alike the past ones were.
type prior struct{ value, spread, floor float64 }

// learned is the belief afterwards, of the next one to come.
type learned struct {
	value, spread float64
	samples       int
}

// learn moves the prior by what was measured: the location by a robust mean of
// the measured, the spread by that of the measured around it; the prior counts
// as priorWeight recoveries in both, so that one measurement moves the value
// most of the way and leaves the spread wide.
func learn(p prior, values, weights []float64) learned {
	if len(values) == 0 {
		return learned{p.value, p.spread, 0}
	}
	location, spread := recovery.Center(values, weights)
	n := 0.0
	for _, w := range weights {
		n += w
	}
	share := n / (n + priorWeight)
	// The spread that the prior claims holds for a place not yet seen; that of
	// one's own samples is known only from the second on.
	own := math.Max(spread, p.spread/math.Sqrt(1+2*n))
	return learned{
		value:   p.value + share*(location-p.value),
		spread:  math.Max(p.floor, share*own+(1-share)*p.spread),
		samples: len(values),
	}
}
