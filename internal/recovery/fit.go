package recovery

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// ErrUndetermined says that recoveries do not tell the three numbers of a Model.
var ErrUndetermined = errors.New("not enough data")

// Observed is one measured recovery.
type Observed struct {
	Interval float64 // I, seconds, more than 0
	Rate     float64 // λ, more than 0
	Seconds  float64 // R, more than 0
}

// Model is recovery in three numbers, R = (T_d + ρ·k·I)/(1 − ρ) with ρ = λ/μ: what
// can be learned of a job from its interval, rate and recovery time alone.
type Model struct {
	Downtime  float64 // T_d, seconds
	Capacity  float64 // μ, in the unit of Rate
	AgeFactor float64 // k = A/I: 1 for failures just before a checkpoint, ½ at random
	Scale     float64 // robust standard deviation of ln(measured/predicted)
}

// Predict is R at this interval and rate.
func (m Model) Predict(interval, rate float64) Time {
	return Case{Rate: rate, Capacity: m.Capacity, Age: m.AgeFactor * interval, Downtime: m.Downtime}.Time()
}

// What is known of k before any data: A is uniform on [D, I + D], so that k is ½
// in the mean of random failures and 1, plus D/I, for the worst; most series lie
// between. As wide as it is, the prior matters only where data says little, as
// when all intervals are short.
const (
	priorAgeFactor = 0.75
	priorAgeSpread = 0.25 // standard deviation
)

const (
	// huber is where a residual stops counting by its square, in standard
	// deviations: 95 % efficient for normal residuals. P. J. Huber, Robust
	// Estimation of a Location Parameter, Ann. Math. Stat. 35(1), 1964.
	huber = 1.345
	// leastScale keeps data without noise from an infinite weight.
	leastScale = 1e-3
	// The search for μ: from a highest observed utilization of 0.999 down to 0.02,
	// below which R no longer tells μ from any larger one.
	highestLogit     = 6.9
	lowestLogit      = -3.9
	leastUtilization = 0.025
	gridPoints       = 40
)

// Fit finds the Model that is closest to the rows in ln R, in which an error of
// 10 % weighs the same for a short and for a long recovery. It minimizes Huber's
// loss plus the prior of k. For a given μ the other two numbers are a weighted
// linear regression, and μ is searched over its whole range, so that the
// answer does not depend on a first guess. An error is ErrUndetermined.
func Fit(rows []Observed) (Model, error) {
	if err := determined(rows); err != nil {
		return Model{}, err
	}
	if !growsWithRate(rows) {
		return Model{}, fmt.Errorf("%w: recovery does not get longer as the rate grows, so that the capacity cannot be told; add recoveries at higher rates", ErrUndetermined)
	}
	m := fit(rows)
	top, middle := highest(rows), weightedMedian(column(rows, Observed.rate), nil)
	switch {
	case top/m.Capacity >= leastUtilization:
		return m, nil
	case top > 5*middle:
		return Model{}, fmt.Errorf("%w: recovery at the highest rate, %.4g records/s, is no longer than at a fifth of it, so that the capacity cannot be told; if that rate is a mistake, leave it out", ErrUndetermined, top)
	}
	return Model{}, fmt.Errorf("%w: recovery hardly gets longer as the rate grows, so that the capacity cannot be told; add recoveries at higher rates", ErrUndetermined)
}

// growsWithRate reports whether, of two recoveries at one interval, more often
// than not the one at the higher rate is longer; true where there are no two.
func growsWithRate(rows []Observed) bool {
	pairs, longer := 0, 0
	for i, a := range rows {
		for _, b := range rows[:i] {
			if a.Interval == b.Interval && a.Rate != b.Rate {
				pairs++
				longer += cmp.Compare(a.Rate, b.Rate) * cmp.Compare(a.Seconds, b.Seconds)
			}
		}
	}
	return pairs == 0 || longer > 0
}

// determined reports whether three numbers can be told from rows at all.
func determined(rows []Observed) error {
	intervals, rates := distinct(rows, Observed.interval), distinct(rows, Observed.rate)
	switch {
	case len(rows) < 4:
		return fmt.Errorf("%w: %d recoveries, want at least 4, since three numbers fit any three", ErrUndetermined, len(rows))
	case len(intervals) < 2:
		return fmt.Errorf("%w: all recoveries are at one interval, %g s, so that downtime and replay cannot be told apart; add some at another", ErrUndetermined, intervals[0])
	case rates[len(rates)-1] < 1.05*rates[0]:
		return fmt.Errorf("%w: all recoveries are at about one rate, %.4g records/s, so that the capacity cannot be told; add some at another", ErrUndetermined, rates[0])
	}
	return nil
}

// fit needs at least one row.
func fit(rows []Observed) Model {
	// Again and again: the scale of the residuals about one fit decides what the
	// next takes for an outlier, and how much the prior weighs.
	scale := 0.1
	var m Model
	for range 3 {
		m = search(rows, scale)
		scale = max(leastScale, residualScale(rows, m))
	}
	m.Scale = scale
	return m
}

// search looks for μ over a grid and then, by golden section, around the best.
func search(rows []Observed, scale float64) Model {
	top := highest(rows)
	m := Model{AgeFactor: priorAgeFactor}
	for _, r := range rows { // somewhere to start: half of the mean is downtime
		m.Downtime += r.Seconds / float64(len(rows)) / 2
	}
	at := func(logit float64) float64 { // ρ = 1/(1 + e^(−logit)) at the highest rate
		m.Capacity = top * (1 + math.Exp(-logit))
		var loss float64
		m, loss = m.regress(rows, scale) // from where the last one ended
		return loss
	}
	const step = (highestLogit - lowestLogit) / gridPoints
	best, least := 0.0, math.Inf(1)
	for i := range gridPoints + 1 {
		logit := lowestLogit + step*float64(i)
		if loss := at(logit); loss < least {
			best, least = logit, loss
		}
	}
	at(golden(at, max(lowestLogit, best-step), min(highestLogit, best+step)))
	return m
}

// golden is where f is least between low and high, by golden section.
func golden(f func(float64) float64, low, high float64) float64 {
	const share = 0.6180339887498949
	a, b := high-share*(high-low), low+share*(high-low)
	fa, fb := f(a), f(b)
	for range 25 {
		if fa <= fb {
			high, b, fb = b, a, fa
			a = high - share*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + share*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}

// regress fits T_d and k for the μ of m, from those of m, and returns the loss.
// By iteratively reweighted least squares: ln R is linearized about the last
// prediction p, where its slope in what is predicted is 1/p, and residuals beyond
// huber·scale get less weight.
func (m Model) regress(rows []Observed, scale float64) (Model, float64) {
	for range 60 {
		next := m.step(rows, scale)
		done := math.Abs(next.Downtime-m.Downtime) <= 1e-8*m.Downtime && math.Abs(next.AgeFactor-m.AgeFactor) <= 1e-8
		m = next
		if done {
			break
		}
	}
	loss := square((m.AgeFactor - priorAgeFactor) / priorAgeSpread / math.Sqrt2)
	for _, r := range rows {
		z := math.Abs(m.residual(r)) / scale
		if z <= huber {
			loss += z * z / 2
		} else {
			loss += huber * (z - huber/2)
		}
	}
	return m, loss
}

// step is one weighted least squares, with the prior of k as one more row. Both
// numbers stay positive: a downtime of nothing would be one of the rounding's.
func (m Model) step(rows []Observed, scale float64) Model {
	k := square(scale / priorAgeSpread)
	a := [2][2]float64{{0, 0}, {0, k}}
	b := [2]float64{0, k * priorAgeFactor}
	for _, r := range rows {
		rho := r.Rate / m.Capacity
		p := (m.Downtime + rho*m.AgeFactor*r.Interval) / (1 - rho)
		x := [2]float64{1 / (1 - rho) / p, rho * r.Interval / (1 - rho) / p}
		residual := math.Log(r.Seconds / p)
		y := x[0]*m.Downtime + x[1]*m.AgeFactor + residual
		w := min(1, huber*scale/math.Abs(residual)) // residual 0: +Inf, so 1
		for i := range 2 {
			b[i] += w * x[i] * y
			for j := range 2 {
				a[i][j] += w * x[i] * x[j]
			}
		}
	}
	det := a[0][0]*a[1][1] - a[0][1]*a[1][0]
	next := Model{
		Downtime:  (b[0]*a[1][1] - b[1]*a[0][1]) / det,
		AgeFactor: (b[1]*a[0][0] - b[0]*a[1][0]) / det,
		Capacity:  m.Capacity,
	}
	// No more than a factor of ten down at once keeps the logarithm defined.
	next.Downtime = max(next.Downtime, m.Downtime/10)
	next.AgeFactor = max(next.AgeFactor, m.AgeFactor/10)
	return next
}

// residual is ln(measured/predicted); rows have a rate below the capacity.
func (m Model) residual(r Observed) float64 {
	return math.Log(r.Seconds / m.Predict(r.Interval, r.Rate).Seconds)
}

// residualScale is the standard deviation of the residuals, from the median of
// their absolute values and for the three numbers that were fitted to them.
func residualScale(rows []Observed, m Model) float64 {
	sizes := make([]float64, len(rows))
	for i, r := range rows {
		sizes[i] = math.Abs(m.residual(r))
	}
	n := float64(len(rows))
	return madToSigma * weightedMedian(sizes, nil) * math.Sqrt(n/max(1, n-3))
}

func square(x float64) float64 { return x * x }
