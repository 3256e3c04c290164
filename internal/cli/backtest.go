package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"rebound/internal/api"
	"rebound/internal/forecast"
)

type backtestCmd struct {
	seriesFile
	Test           float64 `default:"0.2" help:"Share of the series, at its end, that is forecast."`
	AverageOrigins bool    `help:"Score the mean of all forecasts made for a time, as some publications do, instead of each."`
	charted
}

// Help is the example of --help.
func (backtestCmd) Help() string {
	return `Example:
  rebound forecast backtest -f load.csv --test 0.2 --horizon 12

Learns the first part of the series, then goes through the rest step by step: each
time it forecasts with what was before, and nothing else, then sees the next value.
The same work is given to four simple methods, so that it shows whether ours is
worth it here: the last value, the value of a day before, that of a season before,
and Holt-Winters smoothing.`
}

// backtestCoverage is what the intervals that are scored promise.
const backtestCoverage = 0.9

func (c *backtestCmd) Run(e *env) error {
	if !(c.Test > 0 && c.Test < 1) {
		return &exit{exitUsage, fmt.Errorf("--test %v: want a share between 0 and 1", c.Test)}
	}
	s, err := c.read(e)
	if err != nil {
		return err
	}
	start := int(math.Round((1 - c.Test) * float64(len(s.Values))))
	if !anyKnown(s.Values[:start]) || !anyKnown(s.Values[min(len(s.Values), start+c.Horizon-1):]) {
		return &exit{exitNoData, fmt.Errorf(
			"%s: not enough data: %s, of which %d are to be forecast from the others, %d ahead: want a value before them and one that far in them; try another --test or --horizon",
			c.File, number(len(s.Values), "step"), len(s.Values)-start, c.Horizon)}
	}
	ours, err := c.forecaster(s)
	if err != nil {
		return err
	}
	ours.Fit(s.Values[:start])
	t := trial{
		series: s, season: ours.Forecast(1, nil).Season,
		Rolling: forecast.Rolling{Start: start, Horizon: c.Horizon, Coverage: backtestCoverage},
	}
	doc, err := c.score(e, t, ours)
	if err != nil {
		return err
	}
	return c.write(e.stdout, view{
		doc:   doc,
		table: func(w io.Writer) error { return t.table(w, c.File, doc) },
		rows:  func() [][]string { return backtestRows(doc) },
	}, t.plot(doc))
}

// anyKnown says whether there is a value.
func anyKnown(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) })
}

// trial is the work that all methods get.
type trial struct {
	*series
	forecast.Rolling
	season []float64 // as a forecaster gets it: found in the first part, or given
}

// rival is a simple method by its name.
type rival struct {
	name   string
	method forecast.Method
}

// rivals are those that this series allows.
func (t trial) rivals() []rival {
	all := []rival{{"last_value", forecast.LastValue()}}
	if day := oneDay.Seconds() / t.Step; t.timed && day >= 2 && day == math.Round(day) {
		all = append(all, rival{"last_day", forecast.SeasonalNaive(int(day))})
	}
	if len(t.season) > 0 {
		all = append(all, rival{"seasonal_naive", forecast.SeasonalNaive(t.steps(slices.Max(t.season)))})
	}
	return append(all, rival{"holt_winters", forecast.HoltWinters(t.unit())})
}

func (t trial) steps(season float64) int { return int(math.Round(season / t.seconds())) }

// unit is the shortest season in steps, 1 where there is none: MASE is in units of
// the error of the forecast by it.
func (t trial) unit() int {
	if len(t.season) == 0 {
		return 1
	}
	return t.steps(slices.Min(t.season))
}

// score gives the work to ours and to all rivals.
func (c *backtestCmd) score(e *env, t trial, ours forecast.Method) (api.Backtest, error) {
	line := newProgress(e.stderr)
	defer line.clear()
	run := func(name string, m forecast.Method) (forecast.Score, *watchedMethod, error) {
		w := &watchedMethod{Method: m, ctx: e.ctx, tell: func(done int) {
			line.step(fmt.Sprintf("%s: %d of %d forecasts", name, done, len(t.Values)-t.Start))
		}}
		s := t.Run(w, t.Values, t.unit())
		return s, w, e.ctx.Err()
	}
	s, watch, err := run("rebound", ours)
	if err != nil {
		return api.Backtest{}, err
	}
	doc := api.Backtest{
		Header: api.NewHeader("Backtest"), Series: t.document(), Horizon: t.Horizon, Trained: t.Start, Origins: s.Origins,
		AverageOrigins: c.AverageOrigins, BacktestScore: c.errors(s), CoverageNominal: t.Coverage,
		FitSeconds: watch.fit.Seconds(), UpdateSeconds: watch.updates.Seconds() / float64(s.Origins),
		Season: t.shown(t.season), Rivals: []api.Rival{},
	}
	if s.Scored > 0 {
		doc.Coverage = &s.Coverage
	}
	if s.Width > 0 {
		doc.Width = &s.Width
	}
	for _, r := range t.rivals() {
		s, _, err := run(r.name, r.method)
		if err != nil {
			return api.Backtest{}, err
		}
		doc.Rivals = append(doc.Rivals, api.Rival{Method: r.name, BacktestScore: c.errors(s)})
	}
	return doc, nil
}

// errors are one method's, by the protocol asked for.
func (c *backtestCmd) errors(s forecast.Score) api.BacktestScore {
	out := api.BacktestScore{SMAPE: s.SMAPE, ByHorizon: s.ByHorizon}
	if c.AverageOrigins {
		out.SMAPE = s.AverageOrigins
	}
	if s.MASE > 0 {
		out.MASE = &s.MASE
	}
	return out
}

// watchedMethod measures the time of a method and tells how far it is. Once the
// context has ended it does nothing, so that a long run can be interrupted.
type watchedMethod struct {
	forecast.Method
	ctx          context.Context //nolint:containedctx // a Method takes none
	tell         func(done int)
	fit, updates time.Duration
	done         int
}

// tellEvery is after how many steps the progress is told.
const tellEvery = 256

func (w *watchedMethod) Fit(history []float64) {
	began := time.Now()
	w.Method.Fit(history)
	w.fit = time.Since(began)
}

func (w *watchedMethod) Observe(value float64) {
	if w.ctx.Err() != nil {
		return
	}
	began := time.Now()
	w.Method.Observe(value)
	w.updates += time.Since(began)
	if w.done++; w.done%tellEvery == 0 {
		w.tell(w.done)
	}
}

func (w *watchedMethod) Forecast(horizon int, quantiles []float64) forecast.Forecast {
	if w.ctx.Err() != nil {
		return forecast.Forecast{}
	}
	began := time.Now()
	defer func() { w.updates += time.Since(began) }()
	return w.Method.Forecast(horizon, quantiles)
}
