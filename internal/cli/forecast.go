package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"rebound/internal/api"
	"rebound/internal/forecast"
)

type forecastCmd struct {
	Next     forecastNextCmd `cmd:"" default:"withargs" help:"Forecast the steps that come next; this word may be left out."`
	Backtest backtestCmd     `cmd:"" help:"Measure how good forecasts of the last part of a series would have been."`
}

type forecastNextCmd struct {
	seriesFile
	Quantiles []float64 `default:"0.05,0.5,0.95" help:"Levels of the quantiles, each between 0 and 1."`
	charted
}

// Help is the example of --help.
func (forecastNextCmd) Help() string {
	return `Example:
  rebound forecast -f load.csv --column rate --horizon 24

Learns the series and says what comes in the next steps: a mean, quantiles, and the
greatest value. A step is the usual time between two rows; rows that are missing are
gaps, and without a column of times each row is a step. Times without a zone are
taken as they are: an hour that a clock shows twice counts once, with its mean.`
}

func (c *forecastNextCmd) Run(e *env) error {
	slices.Sort(c.Quantiles)
	c.Quantiles = slices.Compact(c.Quantiles)
	for _, q := range c.Quantiles {
		if !(q > 0 && q < 1) {
			return &exit{exitUsage, fmt.Errorf("--quantiles %v: want levels between 0 and 1, as 0.05,0.5,0.95", q)}
		}
	}
	s, err := c.read(e)
	if err != nil {
		return err
	}
	f, err := c.forecaster(s)
	if err != nil {
		return err
	}
	f.Fit(s.Values)
	ahead := prophecy{series: s, Forecast: f.Forecast(c.Horizon, c.Quantiles), levels: c.Quantiles}
	doc := ahead.document(f)
	return c.write(e.stdout, view{
		doc:   doc,
		table: func(w io.Writer) error { return ahead.table(w, c.File, doc) },
		rows:  ahead.rows,
	}, ahead.plot())
}

// forecaster is ours, for this series.
func (c *seriesFile) forecaster(s *series) (*forecast.Forecaster, error) {
	seasons, err := c.seasons(s)
	if err != nil {
		return nil, err
	}
	f, err := forecast.New(forecast.Options{Step: s.seconds(), Season: seasons, Horizon: c.Horizon})
	if err != nil {
		return nil, &exit{exitUsage, errors.Unwrap(err)}
	}
	return f, nil
}

// prophecy is a forecast with what it was made from.
type prophecy struct {
	*series
	forecast.Forecast
	levels []float64
}

// levelName is a quantile's level as it was asked for.
func levelName(q float64) string { return strconv.FormatFloat(q, 'g', -1, 64) }

func (p prophecy) document(f *forecast.Forecaster) api.Forecast {
	doc := api.Forecast{
		Header: api.NewHeader("Forecast"), Series: p.series.document(), Points: make([]api.ForecastPoint, len(p.Mean)),
		Peak: map[string]float64{}, Members: append([]string{}, p.Members...), Season: p.shown(p.Season), Widened: p.Widened,
	}
	for i, mean := range p.Mean {
		point := api.ForecastPoint{Step: i + 1, Mean: mean, Quantiles: map[string]float64{}}
		if p.timed {
			point.Time = &api.Moment{Seconds: p.when(i), Dated: p.dated}
		}
		for k, q := range p.levels {
			point.Quantiles[levelName(q)] = p.Quantiles[k][i]
		}
		doc.Points[i] = point
	}
	for _, q := range p.levels {
		doc.Peak[levelName(q)] = f.Peak(1, len(p.Mean), q)
	}
	return doc
}

// when is the moment of the forecast i steps after the next.
func (p prophecy) when(i int) float64 { return p.at(len(p.Values) + i) }
