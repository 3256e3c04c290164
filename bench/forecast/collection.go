package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"

	"rebound/internal/forecast"
)

// The collection is hourly, with a day's season, as the competition scored it.
const (
	collectionStep   = 3600
	collectionSeason = 24
	collectionAlpha  = 0.05
	// meansScored is how many forecasts a fit scores where only means are asked for.
	meansScored = 50
)

// collectionFlags says what to run.
type collectionFlags struct {
	train, test           string
	every                 int
	naiveSMAPE, naiveMASE float64
	out                   output
}

func collectionCommand(ctx context.Context, w io.Writer, args []string) error {
	c := collectionFlags{out: output{JSON: true}}
	f := flag.NewFlagSet("collection", flag.ContinueOnError)
	f.StringVar(&c.train, "train", "", "histories: a header, then a name and its values a row")
	f.StringVar(&c.test, "test", "", "what came after, in the same form")
	f.IntVar(&c.every, "every", 1, "take each `N`-th series only")
	// Naive2 on all hourly series of the M4 competition.
	f.Float64Var(&c.naiveSMAPE, "naive-smape", 18.383, "sMAPE of the method that OWA refers to")
	f.Float64Var(&c.naiveMASE, "naive-mase", 2.395, "its MASE")
	c.out.flags(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	if c.train == "" || c.test == "" || c.every < 1 {
		return errors.New("give -train FILE and -test FILE, and -every 1 or more")
	}
	tasks, err := c.tasks()
	if err != nil {
		return err
	}
	var all []total
	for _, model := range models() {
		all = append(all, c.run(ctx, model, tasks))
	}
	theirs, err := c.out.Rivals.collection(ctx, c)
	all = append(all, theirs...)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	if c.out.JSON {
		return printLines(w, all)
	}
	return collectionTable(w, all)
}

// task is one series to forecast.
type task struct {
	name            string
	history, actual []float64
}

func (c collectionFlags) tasks() ([]task, error) {
	names, train, err := readCollection(c.train)
	if err != nil {
		return nil, err
	}
	_, test, err := readCollection(c.test)
	if err != nil {
		return nil, err
	}
	var all []task
	for i := 0; i < len(names); i += c.every {
		t := task{names[i], train[names[i]], test[names[i]]}
		if len(t.history) == 0 || len(t.actual) == 0 {
			return nil, fmt.Errorf("series %s: want values in both files", t.name)
		}
		all = append(all, t)
	}
	return all, nil
}

// Ours, with intervals and, in less time, without.
const (
	ours      = "Rebound"
	oursMeans = "Rebound-means"
)

func models() []string { return []string{ours, oursMeans, "LastValue", "SeasonalNaive", "HoltWinters"} }

// result is the score of one series; scored is false where its history has no scale.
type result struct {
	smape, mase, msis, cover float64
	scored                   bool
}

// run forecasts all series with one method, on all cores.
func (c collectionFlags) run(ctx context.Context, model string, tasks []task) total {
	results := make([]result, len(tasks))
	watch := start()
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range tasks {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			results[i] = c.score(t, model)
			return nil
		})
	}
	_ = g.Wait() // only the context's, which the caller looks at
	wall, cpu := watch.seconds()
	return c.sum(model, results, wall, cpu)
}

// score forecasts one series.
func (c collectionFlags) score(t task, model string) result {
	m, err := method(model, len(t.actual))
	if err != nil {
		return result{} // a horizon beyond what Options takes
	}
	m.Fit(t.history)
	f := m.Forecast(len(t.actual), []float64{collectionAlpha / 2, 1 - collectionAlpha/2})
	var r result
	r.smape, _ = forecast.SMAPE(t.actual, f.Mean)
	r.mase, r.scored = forecast.MASE(t.history, t.actual, f.Mean, collectionSeason)
	if model == ours {
		in := forecast.Interval{Low: f.Quantiles[0], High: f.Quantiles[1], Alpha: collectionAlpha}
		r.msis, _ = forecast.MSIS(t.history, t.actual, in, collectionSeason)
		r.cover, _ = in.Coverage(t.actual)
	}
	return r
}

// method is a fresh one of the model.
func method(model string, horizon int) (forecast.Method, error) {
	o := forecast.Options{Step: collectionStep, Season: []float64{86400, 604800}, Horizon: horizon}
	switch model {
	case "LastValue":
		return forecast.LastValue(), nil
	case "SeasonalNaive":
		return forecast.SeasonalNaive(collectionSeason), nil
	case "HoltWinters":
		return forecast.HoltWinters(collectionSeason), nil
	case oursMeans:
		o.Scored = meansScored
	}
	return forecast.New(o)
}

// sum is the mean over the series that could be scored.
func (c collectionFlags) sum(model string, results []result, wall, cpu float64) total {
	out := total{
		Protocol: "m4", Rival: "baseline", Model: model, Series: len(results),
		WallSeconds: round(wall, 3), CPUSeconds: round(cpu, 3), CPUSecondsPerSeries: round(cpu/float64(len(results)), 5),
	}
	var n, smape, mase, msis, cover float64
	for _, r := range results {
		if !r.scored {
			out.NaNSeries++
			continue
		}
		n++
		smape += r.smape
		mase += r.mase
		msis += r.msis
		cover += r.cover
	}
	n = max(n, 1)
	out.SMAPE, out.MASE = round(smape/n, 3), round(mase/n, 3)
	out.OWA = round(forecast.OWA(smape/n, mase/n, c.naiveSMAPE, c.naiveMASE), 4)
	if model == ours || model == oursMeans {
		out.Rival = "rebound"
	}
	if model == ours {
		out.MSIS95, out.Cover95 = new(round(msis/n, 3)), new(round(cover/n, 4))
	}
	return out
}
