package learn

import (
	"math"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// How processes gain speed is learned on a grid of starts and time constants: the
// likelihood of all catch-ups, each with the capacity that it ended at unknown.

const (
	warmStarts = 19 // 0.1, 0.15, … 1
	warmTaus   = 20 // 2 s … 60 s, in equal ratios
	// warmKept is what is left of earlier catch-ups after each: about 14 count.
	warmKept       = 0.93
	warmHalfLife   = 14 * day
	lookScatter    = 0.03 // of one look's rate in a catch-up, on the logarithm
	lookAlike      = 3.0  // neighboring looks are alike: so many count as one
	leastStartErr  = 0.02
	leastTauErr    = 0.08 // relative
	warmFitStart   = 0.08 // standard deviations of a warm-up that others have fitted
	warmFitLogTau  = 0.3
	leastLooks     = 4
	mostCatchLooks = 64
)

func gridStart(i int) float64 { return 0.1 + 0.05*float64(i) }

func gridTau(j int) float64 { return 2 * math.Pow(30, float64(j)/(warmTaus-1)) }

// warmPrior is what is believed of a start: mean and standard deviation of a normal
// that is cut at 0.1 and 1; and of the logarithm of τ. New processes begin at about
// half of their speed (measured: 46 % in the first 10 s, 80 % in the next 6) and
// are warm after some ten seconds; old ones have cold state.
type warmPrior struct{ start, startDeviation, logTau, logTauDeviation float64 }

func warmPriorOf(s job.Start) warmPrior {
	p := warmPrior{start: 0.6, startDeviation: 0.2, logTau: math.Log(12), logTauDeviation: 0.4}
	if s == job.Warm {
		p.start = 0.85
	}
	return p
}

// warmth is the evidence for one kind of process.
type warmth struct {
	Likelihood []float64 `json:"log"` // by start, then τ; empty: none
	Count      int       `json:"count"`
}

func (w *warmth) fade(share float64) {
	for i := range w.Likelihood {
		w.Likelihood[i] *= share
	}
}

func (w *warmth) grid() []float64 {
	if len(w.Likelihood) == 0 {
		w.Likelihood = make([]float64, warmStarts*warmTaus)
	}
	return w.Likelihood
}

// addFit takes a warm-up that somebody else has fitted.
func (w *warmth) addFit(fit job.Warmup) {
	if !(fit.StartRatio > 0) || !(fit.StartRatio <= 1) || !(fit.TimeConstantSeconds > 0) || math.IsInf(fit.TimeConstantSeconds, 1) {
		return
	}
	w.fade(warmKept)
	g := w.grid()
	for i := range warmStarts {
		for j := range warmTaus {
			s := (gridStart(i) - fit.StartRatio) / warmFitStart
			t := math.Log(gridTau(j)/fit.TimeConstantSeconds) / warmFitLogTau * (1 - math.Min(fit.StartRatio, 0.95))
			g[i*warmTaus+j] -= (s*s + t*t) / 2
		}
	}
	w.Count++
}

// posterior has the probabilities of the grid, for a prior.
func (w *warmth) posterior(s job.Start) []float64 {
	p, out := warmPriorOf(s), make([]float64, warmStarts*warmTaus)
	for i := range warmStarts {
		for j := range warmTaus {
			a := (gridStart(i) - p.start) / p.startDeviation
			b := (math.Log(gridTau(j)) - p.logTau) / p.logTauDeviation
			k := i*warmTaus + j
			out[k] = -(a*a + b*b) / 2
			if len(w.Likelihood) > 0 {
				out[k] += w.Likelihood[k]
			}
		}
	}
	return normalized(out)
}

// normalized turns logarithms into probabilities, in place.
func normalized(logs []float64) []float64 {
	most, total := math.Inf(-1), 0.0
	for _, v := range logs {
		most = math.Max(most, v)
	}
	for i, v := range logs {
		logs[i] = math.Exp(v - most)
		total += logs[i]
	}
	for i := range logs {
		logs[i] /= total
	}
	return logs
}

// summary is the posterior in two numbers and their spreads.
func (w *warmth) summary(s job.Start) Warmup {
	var start, start2, tau, tau2 float64
	for k, p := range w.posterior(s) {
		a, b := gridStart(k/warmTaus), math.Log(gridTau(k%warmTaus))
		start += p * a
		start2 += p * a * a
		tau += p * b
		tau2 += p * b * b
	}
	sd := math.Max(leastStartErr, math.Sqrt(math.Max(0, start2-start*start)))
	sl := math.Max(leastTauErr, math.Sqrt(math.Max(0, tau2-tau*tau)))
	t := math.Exp(tau)
	return Warmup{
		Start: recovery.Uncertain{Median: start, Spread: z95 * sd},
		Tau:   recovery.Uncertain{Median: t, Spread: t * math.Sinh(z95*sl)},
	}
}
