package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// rollingTable has a row for each grain and model, a column for each series.
func rollingTable(w io.Writer, all []line) error {
	type key struct{ grain, model string }
	var rows []key
	var names []string
	cells := map[key]map[string]line{}
	for _, l := range all {
		k := key{l.Grain, l.Model}
		if cells[k] == nil {
			cells[k] = map[string]line{}
			rows = append(rows, k)
		}
		cells[k][l.Series] = l
		if !slices.Contains(names, l.Series) {
			names = append(names, l.Series)
		}
	}
	slices.SortStableFunc(rows, func(a, b key) int { return slices.Index(order(all), a.grain) - slices.Index(order(all), b.grain) })
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	io.WriteString(tw, "grain\tmodel\t")
	for _, n := range names {
		fmt.Fprintf(tw, "%s\t", n)
	}
	io.WriteString(tw, "mean\tcover90\tfit ms\tupdate ms\t\n")
	for _, k := range rows {
		fmt.Fprintf(tw, "%s\t%s\t", k.grain, k.model)
		var sum, n, cover, covered, fit, update float64
		for _, name := range names {
			l, ok := cells[k][name]
			if !ok {
				io.WriteString(tw, "-\t")
				continue
			}
			fmt.Fprintf(tw, "%.3f\t", l.SMAPE)
			n++
			sum += l.SMAPE
			fit += l.FitCPUSeconds
			update += l.UpdateForecastCPUMs
			if l.Cover90 != nil {
				cover += *l.Cover90
				covered++
			}
		}
		fmt.Fprintf(tw, "%.3f\t%s\t%.1f\t%.3f\t\n", sum/n, share(cover, covered), 1000*fit/n, update/n)
	}
	return tw.Flush()
}

// order is the grains as they came.
func order(all []line) []string {
	var grains []string
	for _, l := range all {
		if !slices.Contains(grains, l.Grain) {
			grains = append(grains, l.Grain)
		}
	}
	return grains
}

// share is the mean of n shares, where there are any.
func share(sum, n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", sum/n)
}

func collectionTable(w io.Writer, all []total) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	io.WriteString(tw, "model\tseries\tsMAPE\tMASE\tOWA\tMSIS 95\tcover 95\twall s\tCPU ms a series\t\n")
	for _, t := range all {
		msis, cover := "-", "-"
		if t.MSIS95 != nil {
			msis = fmt.Sprintf("%.3f", *t.MSIS95)
		}
		if t.Cover95 != nil {
			cover = fmt.Sprintf("%.3f", *t.Cover95)
		}
		fmt.Fprintf(tw, "%s\t%d\t%.3f\t%.3f\t%.4f\t%s\t%s\t%.2f\t%.2f\t\n",
			t.Model, t.Series, t.SMAPE, t.MASE, t.OWA, msis, cover, t.WallSeconds, 1000*t.CPUSecondsPerSeries)
	}
	return tw.Flush()
}
