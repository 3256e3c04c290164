package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rebound/internal/api"
	"rebound/internal/chart"
)

// ourName is what we are called among the methods.
const ourName = "rebound"

// tie is a difference of sMAPE (percent) that a table does not show.
const tie = 0.005

// methods are ours and the rivals, ours first.
func methods(doc api.Backtest) []api.Rival {
	return append([]api.Rival{{Method: ourName, BacktestScore: doc.BacktestScore}}, doc.Rivals...)
}

func (t trial) table(w io.Writer, file string, doc api.Backtest) error {
	wrap(w, t.heading(file), "")
	wrap(w, fmt.Sprintf("Learned from the first %s; then %s, one each step, with what was before it.",
		number(doc.Trained, "step"), number(doc.Origins, "forecast")), "")
	fmt.Fprintln(w)
	shown := horizonsShown(doc.Horizon)
	head := []string{"METHOD", "SMAPE", "MASE"}
	for _, h := range shown {
		head = append(head, t.aheadWords(h))
	}
	rows := [][]string{head}
	for _, m := range methods(doc) {
		row := []string{strings.ReplaceAll(m.Method, "_", " "), fmt.Sprintf("%.2f %%", m.SMAPE), or(m.MASE, func(v float64) string { return fmt.Sprintf("%.2f", v) })}
		for _, h := range shown {
			row = append(row, fmt.Sprintf("%.2f %%", m.ByHorizon[h-1]))
		}
		rows = append(rows, row)
	}
	columns(w, rows)
	fmt.Fprintln(w)
	for _, sentence := range t.verdict(doc) {
		wrap(w, sentence, "")
	}
	return nil
}

// horizonsShown are the first step, the last one and two between them.
func horizonsShown(h int) []int {
	shown := []int{1, max(1, h/4), max(1, h/2), h}
	return slices.Compact(shown)
}

// aheadWords say how far ahead a step is.
func (t trial) aheadWords(h int) string {
	if t.timed {
		return "IN " + strings.ToUpper(calendar(float64(h)*t.Step))
	}
	return fmt.Sprintf("IN %d", h)
}

// verdict says what follows, in sentences.
func (t trial) verdict(doc api.Backtest) []string {
	var out []string
	if doc.AverageOrigins {
		out = append(out, "SMAPE is of the mean of all forecasts made for a time; the columns after it are of single ones.")
	}
	best := slices.MinFunc(methods(doc), func(a, b api.Rival) int { return cmp.Compare(a.SMAPE, b.SMAPE) })
	if best.SMAPE < doc.SMAPE-tie {
		out = append(out, fmt.Sprintf("The method %q was better here: do not rely on the mean of our forecasts for this series at this horizon.", strings.ReplaceAll(best.Method, "_", " ")))
	}
	if doc.Coverage != nil {
		s := fmt.Sprintf("The %.0f %% interval held %.1f %% of the values", 100*doc.CoverageNominal, 100**doc.Coverage)
		if doc.Width != nil {
			s += fmt.Sprintf("; it is %.0f %% of the mean value wide", 100**doc.Width)
		}
		out = append(out, s+".")
	}
	return append(out, fmt.Sprintf("Season: %s. First fit %s, each value with its forecast %s.",
		t.seasonWords(doc.Season), millis(doc.FitSeconds), millis(doc.UpdateSeconds)))
}

// plot has the error over the horizon, a line each method.
func (t trial) plot(doc api.Backtest) chart.Plot {
	p := chart.Plot{
		Title: doc.Series.Column + ": error by horizon", Unit: "sMAPE, %",
		FormatX: func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }, FormatY: level,
	}
	colors := []chart.Color{chart.Forecast, chart.Other, chart.Capacity, chart.Processed, chart.Predicted}
	for k, m := range methods(doc) {
		l := chart.Line{Name: strings.ReplaceAll(m.Method, "_", " "), Color: colors[k%len(colors)], Y: m.ByHorizon, Thin: k > 0}
		for h := range m.ByHorizon {
			l.X = append(l.X, float64(h+1))
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

// backtestRows is the flat form: a row each method.
func backtestRows(doc api.Backtest) [][]string {
	head := []string{"method", "smape", "mase", "coverage", "update_seconds"}
	for h := range doc.Horizon {
		head = append(head, "smape_"+strconv.Itoa(h+1))
	}
	rows := [][]string{head}
	for k, m := range methods(doc) {
		row := []string{m.Method, exact(m.SMAPE), maybeExact(m.MASE), "", ""}
		if k == 0 {
			row[3], row[4] = maybeExact(doc.Coverage), exact(doc.UpdateSeconds)
		}
		for _, v := range m.ByHorizon {
			row = append(row, exact(v))
		}
		rows = append(rows, row)
	}
	return rows
}

// maybeExact is empty for what is unknown.
func maybeExact(v *float64) string {
	if v == nil {
		return ""
	}
	return exact(*v)
}
