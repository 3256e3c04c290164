package forecast

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// smoothing is exponential smoothing with up to two additive seasons, one within the
// other, and an autoregressive error: J. W. Taylor, Short-term electricity demand
// forecasting using double seasonal exponential smoothing, Journal of the Operational
// Research Society 54, 2003; in the form of J. W. Taylor, Triple seasonal methods for
// short-term electricity demand forecasting, European Journal of Operational Research
// 204, 2010, equations (3)-(7):
//
//	e_t = y_t − (l_{t−1} + d_{t−s} + w_{t−m})
//	ŷ_t(k) = l_t + d + w + φᵏ e_t
//	l_t = l_{t−1} + λ e_t,  d_t = d_{t−s} + δ e_t,  w_t = w_{t−m} + ω e_t
//
// Without seasons it is simple exponential smoothing with that error.
type smoothing struct {
	rates smoothingRates
	level float64
	day   []float64 // nil: no season
	week  []float64 // nil: no second season
	i, j  int       // the next step's place in day and week
	err   float64   // e_t
}

const (
	// smoothingTries is how many rates are tried, enough for two digits of them.
	smoothingTries = 65
)

// smoothingRates are λ, δ, ω in (0, 1) and φ in (−1, 1).
type smoothingRates struct{ level, day, week, phi float64 }

func (m *smoothing) base() float64 {
	v := m.level
	if m.day != nil {
		v += m.day[m.i]
	}
	if m.week != nil {
		v += m.week[m.j]
	}
	return v
}

func (m *smoothing) observe(y float64) {
	m.err = y - m.base()
	m.level += m.rates.level * m.err
	if m.day != nil {
		m.day[m.i] += m.rates.day * m.err
		if m.i++; m.i == len(m.day) {
			m.i = 0
		}
	}
	if m.week != nil {
		m.week[m.j] += m.rates.week * m.err
		if m.j++; m.j == len(m.week) {
			m.j = 0
		}
	}
}

func (m *smoothing) predict(path []float64) {
	i, j, fade := m.i, m.j, m.err
	for h := range path {
		fade *= m.rates.phi
		v := m.level + fade
		if m.day != nil {
			v += m.day[i]
			if i++; i == len(m.day) {
				i = 0
			}
		}
		if m.week != nil {
			v += m.week[j]
			if j++; j == len(m.week) {
				j = 0
			}
		}
		path[h] = v
	}
}

// newSmoothing finds the rates that make the least squared error one step ahead on y
// and stands at its end. Seasons are in steps, ascending, at most two; y must hold at
// least two of each.
func newSmoothing(seasons []int, y []float64) *smoothing {
	start := startOfSmoothing(seasons, y)
	m := start.copy()
	cost := func(x []float64) float64 {
		m.restart(start)
		m.rates = ratesAt(x)
		return m.learn(y)
	}
	best := []float64{-2, -3, -3, 1}
	found, err := optimize.Minimize(optimize.Problem{Func: cost}, best,
		&optimize.Settings{FuncEvaluations: smoothingTries, Concurrent: 0}, &optimize.NelderMead{SimplexSize: 1})
	if err == nil || found != nil {
		best = found.X
	}
	m.restart(start)
	m.rates = ratesAt(best)
	m.learn(y)
	return m
}

// learn observes all of y and returns the sum of the squared errors one step ahead. It
// is what most of a fit's time goes to, hence the local copies; a season that is not
// there is one of a step that never moves.
func (m *smoothing) learn(y []float64) float64 {
	day, week, rates := m.day, m.week, m.rates
	if day == nil {
		day, rates.day = make([]float64, 1), 0
	}
	if week == nil {
		week, rates.week = make([]float64, 1), 0
	}
	i, j, level, err, sum := m.i, m.j, m.level, m.err, 0.0
	for _, v := range y {
		fade := rates.phi * err
		err = v - level - day[i] - week[j]
		off := err - fade
		sum += off * off
		level += rates.level * err
		day[i] += rates.day * err
		week[j] += rates.week * err
		if i++; i == len(day) {
			i = 0
		}
		if j++; j == len(week) {
			j = 0
		}
	}
	m.i, m.j, m.level, m.err = i, j, level, err
	return sum
}

// ratesAt maps any four numbers to admissible rates.
func ratesAt(x []float64) smoothingRates {
	unit := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	return smoothingRates{level: unit(x[0]), day: unit(x[1]), week: unit(x[2]), phi: 0.99 * math.Tanh(x[3])}
}

// startOfSmoothing takes level and seasons from the first two of the longest season.
func startOfSmoothing(seasons []int, y []float64) *smoothing {
	m := &smoothing{}
	head := min(len(y), 5)
	if n := len(seasons); n > 0 {
		head = 2 * seasons[n-1]
	}
	m.level = mean(y[:head])
	rest := make([]float64, head)
	for t, v := range y[:head] {
		rest[t] = v - m.level
	}
	if len(seasons) > 0 {
		m.day = profile(rest, seasons[0])
	}
	if len(seasons) > 1 {
		for t := range rest {
			rest[t] -= m.day[t%len(m.day)]
		}
		m.week = profile(rest, seasons[1])
	}
	return m
}

// profile is the mean of x at each place of a season of s steps.
func profile(x []float64, s int) []float64 {
	p, n := make([]float64, s), make([]float64, s)
	for t, v := range x {
		p[t%s] += v
		n[t%s]++
	}
	for i := range p {
		p[i] /= n[i]
	}
	return p
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// emptySmoothing has the seasons of the right length.
func emptySmoothing(seasons []int) *smoothing {
	m := &smoothing{}
	if len(seasons) > 0 {
		m.day = make([]float64, seasons[0])
	}
	if len(seasons) > 1 {
		m.week = make([]float64, seasons[1])
	}
	return m
}

func (m *smoothing) copy() *smoothing {
	c := *m
	c.day = append([]float64(nil), m.day...)
	c.week = append([]float64(nil), m.week...)
	if m.day == nil {
		c.day = nil
	}
	if m.week == nil {
		c.week = nil
	}
	return &c
}

// restart sets the state of m to that of start, without allocating.
func (m *smoothing) restart(start *smoothing) {
	copy(m.day, start.day)
	copy(m.week, start.week)
	m.level, m.err, m.i, m.j = start.level, start.err, start.i, start.j
}

func (m *smoothing) code(c *codec) {
	day, week := len(m.day), len(m.week)
	for _, v := range []*float64{&m.rates.level, &m.rates.day, &m.rates.week, &m.rates.phi, &m.level, &m.err} {
		c.float(v)
	}
	c.int(&m.i)
	c.int(&m.j)
	if day > 0 {
		c.floats(&m.day)
	}
	if week > 0 {
		c.floats(&m.week)
	}
	if c.reading && (len(m.day) != day || len(m.week) != week || m.i < 0 || m.i > max(0, day-1) || m.j < 0 || m.j > max(0, week-1)) {
		c.err = errState
	}
}
