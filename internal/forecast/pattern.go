package forecast

import "math"

// pattern is how the size of errors goes over a season: nights are calm, rush hours are
// not. It is learned from the errors one step ahead, each as a multiple of the spread
// at its time, in 24 parts of the season.
type pattern struct {
	period int // steps; below 2: none
	clock  int // of the season, 0 to period−1: the place of the next step
	sums   [patternParts]float64
	counts [patternParts]float64
}

const (
	patternParts = 24
	// patternPrior is how many errors of average size a part starts with.
	patternPrior = 10
	// patternLeast is how many errors must be known before parts differ.
	patternLeast = 2 * patternParts
	// patternClip bounds one error's share, in spreads.
	patternClip = 5
	// patternSeasons and patternErrors are the memory of a part, the longer one.
	patternSeasons, patternErrors = 5, 50
)

// part is the part of the season in which the step lies, 1 being the next one.
func (p *pattern) part(step int) int {
	return (p.clock + step - 1) % p.period * patternParts / p.period
}

// add takes the size of the next step's error, in spreads; NaN where there was none.
func (p *pattern) add(size float64) {
	if p.period < 2 {
		return
	}
	if !math.IsNaN(size) {
		memory := max(patternErrors, patternSeasons*p.period/patternParts)
		keep := 1 - 1/float64(memory)
		i := p.part(1)
		p.sums[i] = keep*p.sums[i] + min(size, patternClip)
		p.counts[i] = keep*p.counts[i] + 1
	}
	p.clock = (p.clock + 1) % p.period
}

// factors are how much larger than usual errors are at each of the steps given; 1 where
// too little is known.
func (p *pattern) factors(steps []int) []float64 {
	f := make([]float64, len(steps))
	var sum, n float64
	for i := range p.sums {
		sum += p.sums[i]
		n += p.counts[i]
	}
	for i, h := range steps {
		f[i] = 1
		if p.period >= 2 && n >= patternLeast && sum > 0 {
			k, usual := p.part(h), sum/n
			f[i] = (p.sums[k] + patternPrior*usual) / (p.counts[k] + patternPrior) / usual
		}
	}
	return f
}

func (p *pattern) code(c *codec) {
	c.int(&p.clock)
	for i := range p.sums {
		c.float(&p.sums[i])
		c.float(&p.counts[i])
	}
	if c.reading && (p.clock < 0 || p.clock > 0 && p.clock >= p.period) {
		c.err = errState
	}
}
