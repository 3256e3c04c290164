package learn

import (
	"math"

	"rebound/internal/recovery"
)

// A checkpoint costs capacity while it runs. Time per record is then 1 + γ of what
// it is otherwise, with β = γ/(1 + γ) the share of capacity lost, so that a look in
// which one ran for a share q of the time shows busy time over rate in proportion
// to 1 + γq.

// Prior of γ: β about 0.2, from nearly nothing to a half.
const (
	priorCost, priorCostDeviation = 0.25, 0.12
	leastCostDeviation            = 0.015
	costHalfLife                  = 4 * day
)

// costs are the sums of the regression of busy time over rate on q, centered
// within blocks, since capacity wanders from block to block.
type costs struct {
	QQ     float64 `json:"qq"` // Σ (q − q̄)²
	QR     float64 `json:"qr"` // Σ (q − q̄)(r/r̄ − 1)
	RR     float64 `json:"rr"`
	Share  float64 `json:"share"`  // Σ q̄·(q − q̄)²
	Weight float64 `json:"weight"` // looks, faded
	Count  int     `json:"count"`
}

func (c *costs) fade(share float64) {
	c.QQ *= share
	c.QR *= share
	c.RR *= share
	c.Share *= share
	c.Weight *= share
}

// add takes a block.
func (c *costs) add(b *block) {
	mean := b.R / b.N
	if b.N < 2 || !(mean > 0) {
		return
	}
	qq := math.Max(0, b.QQ-b.Q*b.Q/b.N)
	c.QQ += qq
	c.QR += (b.QR - b.Q*b.R/b.N) / mean
	c.RR += math.Max(0, b.RR-b.R*b.R/b.N) / (mean * mean)
	c.Share += qq * b.Q / b.N
	c.Weight += b.N
	c.Count += int(b.N)
}

// gamma is γ and its standard deviation.
func (c *costs) gamma() (mean, deviation float64) {
	if c.Weight < 1 || !(c.QQ > 1e-9*c.Weight) {
		return priorCost, priorCostDeviation
	}
	g := c.QR / c.QQ
	// Neighboring looks are alike, so that the noise counts twice; and what is left
	// after the fit is at least what rounding leaves.
	left := math.Max(1e-6, (c.RR-g*c.QR)/c.Weight)
	precision := c.QQ / (2 * left)
	share := c.Share / c.QQ
	if d := 1 - g*share; d > 0.2 { // the mean, which r was divided by, has 1 + γq̄
		g /= d
		precision *= d * d * d * d
	}
	p := 1 / (priorCostDeviation * priorCostDeviation)
	mean = math.Max(0, (precision*g+p*priorCost)/(precision+p))
	return mean, math.Max(leastCostDeviation, math.Sqrt(1/(precision+p)))
}

// loss is β.
func (c *costs) loss() recovery.Uncertain {
	g, d := c.gamma()
	return recovery.Uncertain{Median: g / (1 + g), Spread: z95 * d / ((1 + g) * (1 + g))}
}

// inCalm takes a share q of the time in checkpoints out of a rate over busy time,
// and inFull out of the output of a job that does what it can: what is to be added
// to the logarithm, and its derivative in γ.
func inCalm(gamma, q float64) (log, slope float64) {
	return math.Log1p(gamma * q), q / (1 + gamma*q)
}

func inFull(gamma, q float64) (log, slope float64) {
	beta := gamma / (1 + gamma)
	return -math.Log1p(-beta * q), q / ((1 - beta*q) * (1 + gamma) * (1 + gamma))
}

// z95 is the 95 % quantile of the standard normal.
const z95 = 1.6448536269514722
