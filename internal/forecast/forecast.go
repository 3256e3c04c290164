package forecast

import "slices"

// Forecast is what is said of the steps that come next. All paths have the length of
// the horizon; the first element is the next step.
type Forecast struct {
	// Mean is the combined forecast of the members.
	Mean []float64
	// Quantiles has a path for each quantile asked for, in that order. They do not
	// cross.
	Quantiles [][]float64
	// Members took part, heaviest weight over the horizon first; those below one
	// hundredth are left out.
	Members []string
	// Season lists the seasons in use, in seconds, ascending.
	Season []float64
	// Widened is how many times wider than usual the intervals are because
	// forecasts were wrong lately: 1 in calm.
	Widened float64
}

// Forecast says what comes over the next horizon steps, with the quantiles asked for
// (each in (0, 1)). It changes nothing. Before the first observation all is zero.
func (f *Forecaster) Forecast(horizon int, quantiles []float64) Forecast {
	if horizon < 1 {
		return Forecast{Widened: 1}
	}
	out := Forecast{Mean: make([]float64, horizon), Season: f.seasons(), Widened: f.bands.widened()}
	f.base.mean(out.Mean)
	f.base.lifted(out.Mean)
	out.Members = f.base.heaviest()
	for _, q := range quantiles {
		out.Quantiles = append(out.Quantiles, f.bands.quantile(out.Mean, q))
	}
	uncross(quantiles, out.Quantiles)
	f.floor(out.Mean)
	for _, path := range out.Quantiles {
		f.floor(path)
	}
	return out
}

// Peak is the quantile of the greatest value that comes from step from to step to of
// the horizon, the next step being 1. From 1 it is as honest as its history; from
// later on it takes the error of the peak since now, which is the wider one.
func (f *Forecaster) Peak(from, to int, quantile float64) float64 {
	from = max(1, from)
	to = max(from, to)
	path := make([]float64, to)
	f.base.mean(path)
	f.base.lifted(path)
	peak := []float64{slices.Max(path[from-1:]) + f.bands.peakOffset(to, quantile)}
	f.floor(peak)
	return peak[0]
}

// floor lets nothing fall below 0 that was never seen there.
func (f *Forecaster) floor(path []float64) {
	if f.signed {
		return
	}
	for i, v := range path {
		path[i] = max(v, 0)
	}
}

// uncross sorts the paths at each step, in the order of their quantiles.
func uncross(quantiles []float64, paths [][]float64) {
	if len(paths) < 2 {
		return
	}
	order := make([]int, len(quantiles))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if quantiles[a] < quantiles[b] {
			return -1
		}
		if quantiles[a] > quantiles[b] {
			return 1
		}
		return 0
	})
	step := make([]float64, len(paths))
	for h := range paths[0] {
		for i, p := range paths {
			step[i] = p[h]
		}
		slices.Sort(step)
		for i, v := range step {
			paths[order[i]][h] = v
		}
	}
}

// seasons in seconds.
func (f *Forecaster) seasons() []float64 {
	var all []float64
	for _, s := range f.base.seasons {
		all = append(all, float64(s)*f.options.Step)
	}
	if f.coarse != nil {
		for _, s := range f.coarse.engine.seasons {
			all = append(all, float64(s*f.coarse.size)*f.options.Step)
		}
	}
	return all
}

// heaviest are the members by weight.
func (e *engine) heaviest() []string {
	type weighed struct {
		label  string
		weight float64
	}
	var all []weighed
	for i := range len(e.owned) + 1 {
		if e.mix == nil || !e.here[i] {
			continue
		}
		label := "season-of-sums"
		if i < len(e.specs) {
			label = e.specs[i].label
		}
		var w float64
		for g := range e.grid {
			w += e.mix.weights[g][i] / float64(len(e.grid))
		}
		if w >= 0.01 {
			all = append(all, weighed{label, w})
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int {
		if a.weight > b.weight {
			return -1
		}
		if a.weight < b.weight {
			return 1
		}
		return 0
	})
	var labels []string
	for _, w := range all {
		labels = append(labels, w.label)
	}
	return labels
}
