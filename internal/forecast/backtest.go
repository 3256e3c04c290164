package forecast

import "math"

// Method is a way to forecast that a backtest can drive.
type Method interface {
	// Fit starts with a history, oldest first, NaN for gaps.
	Fit(history []float64)
	// Observe takes the value of the next step, NaN for a gap.
	Observe(value float64)
	// Forecast says what comes next. A method without quantiles gives none.
	Forecast(horizon int, quantiles []float64) Forecast
}

// Rolling is a backtest with rolling origins: from every step of the test part on, a
// forecast is made with what was before it, and nothing else.
type Rolling struct {
	Start   int // values before the first origin
	Horizon int // steps ahead, at least 1
	Stride  int // steps from origin to origin; 0: 1
	// Coverage is what the intervals promise, as a share; 0: 0.9. Gaps and values of
	// the test part that lie beyond its end are not scored.
	Coverage float64
}

// Score is what a backtest found. Percentages are sMAPE, 0 to 200; shares are of 1.
type Score struct {
	Origins int
	// SMAPE and MASE are over all origins and horizons. MASE is in units of the
	// seasonal naive error of the history; it is 0 where that is unknown.
	SMAPE, MASE float64
	// AverageOrigins is the sMAPE of the mean of all forecasts made for a time.
	AverageOrigins float64
	// AverageWAPE is of the same means: the sum of absolute errors in percent of the
	// sum of the values.
	AverageWAPE float64
	ByHorizon   []float64 // sMAPE at each horizon
	// Coverage is the share of values that the intervals held, Width the intervals'
	// mean width as a share of the mean value. Scored is how many there were, 0 for
	// a method without quantiles.
	Coverage, Width float64
	Scored          int
}

// Run scores m on y, which it forecasts from r.Start on; season is the unit of MASE, in
// steps.
func (r Rolling) Run(m Method, y []float64, season int) Score {
	t := newTally(r, y)
	m.Fit(y[:r.Start])
	stride := max(1, r.Stride)
	share := r.Coverage
	if share == 0 {
		share = 0.9
	}
	ends := []float64{(1 - share) / 2, (1 + share) / 2}
	for o := r.Start; o < len(y); o++ {
		if (o-r.Start)%stride == 0 {
			t.add(o, m.Forecast(r.Horizon, ends))
		}
		m.Observe(y[o])
	}
	return t.score(season)
}

// tally sums up a backtest.
type tally struct {
	start          int
	y              []float64
	sums, counts   []float64 // of the forecasts for a time
	errs, n        []float64 // by horizon
	absolute       float64
	inside, scored int
	width, level   float64
	origins        int
}

func newTally(r Rolling, y []float64) *tally {
	return &tally{
		start: r.Start, y: y,
		sums: make([]float64, len(y)), counts: make([]float64, len(y)),
		errs: make([]float64, r.Horizon), n: make([]float64, r.Horizon),
	}
}

func (t *tally) add(origin int, f Forecast) {
	t.origins++
	for h, v := range f.Mean {
		at := origin + h
		if at >= len(t.y) {
			break
		}
		t.sums[at] += v
		t.counts[at]++
		y := t.y[at]
		if math.IsNaN(y) {
			continue
		}
		t.errs[h] += symmetric(y, v)
		t.n[h]++
		t.absolute += math.Abs(y - v)
		if len(f.Quantiles) < 2 {
			continue
		}
		lo, hi := f.Quantiles[0][h], f.Quantiles[1][h]
		t.scored++
		t.width += hi - lo
		t.level += math.Abs(y)
		if lo <= y && y <= hi {
			t.inside++
		}
	}
}

func (t *tally) score(season int) Score {
	s := Score{Origins: t.origins, Scored: t.scored, ByHorizon: make([]float64, len(t.errs))}
	var sum, n float64
	for h := range t.errs {
		s.ByHorizon[h] = t.errs[h] / max(t.n[h], 1)
		sum += t.errs[h]
		n += t.n[h]
	}
	s.SMAPE = sum / max(n, 1)
	if unit, ok := naiveError(t.y[:t.start], season); ok {
		s.MASE = t.absolute / max(n, 1) / unit
	}
	averages := make([]float64, 0, len(t.y)-t.start)
	for at := t.start; at < len(t.y); at++ {
		averages = append(averages, t.sums[at]/t.counts[at]) // NaN where none was made
	}
	s.AverageOrigins, _ = SMAPE(t.y[t.start:], averages)
	s.AverageWAPE = wape(t.y[t.start:], averages)
	if t.scored > 0 {
		s.Coverage = float64(t.inside) / float64(t.scored)
		if t.level > 0 {
			s.Width = t.width / t.level
		}
	}
	return s
}

// wape is 100·Σ|y − f| / Σ|y|, steps with NaN left out; 0 where all values are.
func wape(actual, forecast []float64) float64 {
	var off, size float64
	for i, y := range actual {
		if e := math.Abs(y - forecast[i]); !math.IsNaN(e) {
			off += e
			size += math.Abs(y)
		}
	}
	if size == 0 {
		return 0
	}
	return 100 * off / size
}
