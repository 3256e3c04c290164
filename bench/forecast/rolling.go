package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"rebound/internal/forecast"
)

// trainShare is the part of a series before the first origin.
const trainShare = 0.8

func rollingCommand(ctx context.Context, w io.Writer, args []string) error {
	var out output
	f := flag.NewFlagSet("rolling", flag.ContinueOnError)
	files := f.String("files", "", "pattern of CSV files, NAME_GRAIN.csv; more may follow as arguments")
	given := f.String("grain", "", "5min, 15min, 30min or 1h, where the names do not say")
	column := f.Int("column", 1, "column of the values, from 0")
	out.flags(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	paths, err := expand(append(f.Args(), *files))
	if err != nil {
		return err
	}
	var all []line
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := readSeries(p, *given, *column)
		if err != nil {
			return err
		}
		lines, err := roll(s)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		all = append(all, lines...)
	}
	theirs, err := out.Rivals.rolling(ctx, paths, *given, *column)
	all = append(all, theirs...)
	if out.JSON {
		return errors.Join(err, printLines(w, all))
	}
	return errors.Join(err, rollingTable(w, all))
}

// expand finds the files of the patterns; one that finds nothing is an error.
func expand(patterns []string) ([]string, error) {
	var all []string
	for _, p := range patterns {
		if p == "" {
			continue
		}
		found, err := filepath.Glob(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no such file", p)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, errors.New("no files: give -files GLOB")
	}
	return all, nil
}

// contender is a method with its name in the results.
type contender struct {
	rival, model string
	method       forecast.Method
	intervals    bool
}

// contenders are ours and the simple ones, for a day of so many steps.
func contenders(seconds float64, horizon, day int) ([]contender, error) {
	ours, err := forecast.New(forecast.Options{Step: seconds, Horizon: horizon})
	if err != nil {
		return nil, err
	}
	return []contender{
		{"rebound", "Rebound", ours, true},
		{"baseline", "LastValue", forecast.LastValue(), false},
		{"baseline", "SeasonalNaive", forecast.SeasonalNaive(day), false},
		{"baseline", "HoltWinters", forecast.HoltWinters(day), false},
	}, nil
}

// timed is a method whose calls are measured.
type timed struct {
	forecast.Method
	fitWall, fitCPU, wall, cpu float64
}

func (t *timed) Fit(history []float64) {
	s := start()
	t.Method.Fit(history)
	t.fitWall, t.fitCPU = s.seconds()
}

// roll runs all methods over one series.
func roll(s series) ([]line, error) {
	g := grains()[s.Grain]
	day := int(86400 / g.seconds)
	cut := int(trainShare * float64(len(s.Values)))
	if cut < 1 {
		return nil, errors.New("too short")
	}
	all, err := contenders(g.seconds, g.horizon, day)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, c := range all {
		m := &timed{Method: c.method}
		watch := start()
		score := forecast.Rolling{Start: cut, Horizon: g.horizon}.Run(m, s.Values, day)
		m.wall, m.cpu = watch.seconds()
		n := float64(score.Origins)
		l := line{
			Protocol: "rolling", Rival: c.rival, Model: c.model, Series: s.Name, Grain: s.Grain,
			N: len(s.Values), Test: score.Origins, H: g.horizon,
			SMAPE: round(score.AverageOrigins, 4), WAPE: round(score.AverageWAPE, 4),
			FitSeconds: round(m.fitWall, 4), FitCPUSeconds: round(m.fitCPU, 4),
			UpdateForecastMs: round(1000*(m.wall-m.fitWall)/n, 4), UpdateForecastCPUMs: round(1000*(m.cpu-m.fitCPU)/n, 4),
		}
		if c.intervals {
			l.Cover90 = new(round(score.Coverage, 4))
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// round keeps so many digits after the point.
func round(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}
