package recovery

import (
	"math"
	"slices"
)

const (
	// warmupBins is into how many stretches of equal length FitWarmup gathers what
	// was processed: enough for the bend, few enough to even out bursts.
	warmupBins     = 48
	leastBins      = 8    // fewer cannot tell a bend from noise
	warmupSpans    = 2.5  // time constants that must have passed to see the level
	clearlyBetter  = 6    // F statistic, 99 % for 2 and 45 degrees of freedom at 5.1
	flatToWithin   = 0.05 // a rise of less than this share counts as warm at once
	warmupTauSteps = 40
)

// FitWarmup learns the Warmup and the capacity μ once warm, records/s, from the
// records processed since the end of the downtime while a backlog was there all
// the time: done[i] until t[i] seconds. It fits rates between samples by
// Huber's loss, so that a pause now and then does no harm. Not ok: the stretch
// is too short or too noisy to tell; capacity is then the plain mean, which a
// warm-up would have made too low.
func FitWarmup(t, done []float64) (w Warmup, capacity float64, ok bool) {
	rates := binned(t, done)
	if len(rates) == 0 {
		return Warmup{}, 0, false
	}
	span := rates[len(rates)-1].to - rates[0].from
	capacity = mean(rates)
	if len(rates) < leastBins || !(capacity > 0) {
		return Warmup{}, capacity, false
	}
	flat := bend{tau: span}
	flat.fit(rates, false)
	best := bend{loss: math.Inf(1)}
	for i := range warmupTauSteps {
		b := bend{tau: span / 50 * math.Pow(50, float64(i)/(warmupTauSteps-1))}
		if b.fit(rates, true); b.loss < best.loss {
			best = b
		}
	}
	dof := float64(len(rates) - 3)
	gain := (flat.loss - best.loss) / 2
	switch {
	case best.missing > 0 && gain > clearlyBetter*best.loss/dof && gain > 1e-9*square(capacity):
		if rates[len(rates)-1].to < warmupSpans*best.tau {
			return Warmup{}, capacity, false
		}
		return Warmup{Start: 1 - best.missing/best.level, Tau: best.tau}, best.level, true
	case len(rates) >= 3*leastBins && rises(rates) < flatToWithin*flat.level:
		return Warmup{Start: 1}, flat.level, true
	}
	return Warmup{}, capacity, false
}

// rate is what was processed a second in a stretch of time.
type rate struct{ from, to, value float64 }

// binned gathers samples into rates over stretches of about equal length; none
// if times do not grow or counts go back.
func binned(t, done []float64) []rate {
	n := min(len(t), len(done))
	if n < 2 || !(t[n-1] > t[0]) || t[0] < 0 {
		return nil
	}
	width := (t[n-1] - t[0]) / warmupBins
	var rates []rate
	last := 0
	for i := 1; i < n; i++ {
		if !(t[i] > t[i-1]) || !(done[i] >= done[i-1]) || math.IsInf(done[i], 1) {
			return nil
		}
		if t[i]-t[last] >= width*(1-1e-9) || i == n-1 {
			rates = append(rates, rate{t[last], t[i], (done[i] - done[last]) / (t[i] - t[last])})
			last = i
		}
	}
	return rates
}

func mean(rates []rate) float64 {
	records, seconds := 0.0, 0.0
	for _, r := range rates {
		records += r.value * (r.to - r.from)
		seconds += r.to - r.from
	}
	return records / seconds
}

// rises is an upper bound of how much the rate grew from the first third of the
// stretch to the last, at two standard errors of their scatter.
func rises(rates []rate) float64 {
	third := len(rates) / 3
	first, last := values(rates[:third]), values(rates[len(rates)-third:])
	a, b := weightedMedian(first, nil), weightedMedian(last, nil)
	variance := 0.0
	for _, part := range []struct {
		values []float64
		middle float64
	}{{first, a}, {last, b}} {
		away := make([]float64, third)
		for i, v := range part.values {
			away[i] = math.Abs(v - part.middle)
		}
		// π/2: the variance of a median over that of a mean.
		variance += math.Pi / 2 * square(madToSigma*weightedMedian(away, nil)) / float64(third)
	}
	return b - a + 2*math.Sqrt(variance)
}

func values(rates []rate) []float64 {
	v := make([]float64, len(rates))
	for i, r := range rates {
		v[i] = r.value
	}
	return v
}

// bend is a rate that grows: level − missing·e^(−t/tau).
type bend struct {
	tau, level, missing float64
	loss                float64 // sum of weighted squares
}

// shape is the mean of e^(−t/tau) over a stretch.
func (b bend) shape(r rate) float64 {
	return b.tau / (r.to - r.from) * math.Exp(-r.from/b.tau) * -math.Expm1(-(r.to-r.from)/b.tau)
}

func (b bend) residual(r rate) float64 { return r.value - b.level + b.missing*b.shape(r) }

// fit finds level and, if it may bend, missing, between 0 and level, for the tau
// of b: least squares, in which residuals of several standard deviations then
// weigh less and less.
func (b *bend) fit(rates []rate, mayBend bool) {
	weights := make([]float64, len(rates))
	for i, r := range rates {
		weights[i] = r.to - r.from
	}
	sizes := make([]float64, len(rates))
	for range 6 {
		b.regress(rates, weights, mayBend)
		for i, r := range rates {
			sizes[i] = math.Abs(b.residual(r))
		}
		limit := 2 * madToSigma * weightedMedian(slices.Clone(sizes), nil)
		for i, r := range rates {
			weights[i] = r.to - r.from
			if sizes[i] > limit && limit > 0 {
				weights[i] *= limit / sizes[i]
			}
		}
	}
	width := (rates[len(rates)-1].to - rates[0].from) / float64(len(rates))
	b.loss = 0
	for i, r := range rates {
		b.loss += weights[i] / width * square(b.residual(r))
	}
}

// regress is weighted least squares of value = level − missing·shape.
func (b *bend) regress(rates []rate, weights []float64, mayBend bool) {
	var w, x, y, xx, xy float64
	for i, r := range rates {
		s := b.shape(r)
		w += weights[i]
		x += weights[i] * s
		y += weights[i] * r.value
		xx += weights[i] * s * s
		xy += weights[i] * s * r.value
	}
	b.level, b.missing = y/w, 0
	det := w*xx - x*x
	if !mayBend || !(det > 1e-12*w*xx) {
		return
	}
	missing := (x*y - w*xy) / det
	if !(missing > 0) {
		return
	}
	b.missing, b.level = missing, (y+missing*x)/w
	if b.missing > b.level { // it began below nothing: so at nothing, value = level·(1 − shape)
		b.level = (y - xy) / (w - 2*x + xx)
		b.missing = b.level
	}
}
