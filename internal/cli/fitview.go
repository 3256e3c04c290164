package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"rebound/internal/api"
)

// worstRows is how many of the rows with the largest errors are shown to people.
const worstRows = 5

// fitTable is the form for people.
func fitTable(w io.Writer, doc api.Fit) error {
	fmt.Fprintf(w, "%d recoveries, R = (T_d + ρ·k·I) / (1 − ρ) with ρ = λ/μ\n\n", doc.N)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "downtime\tT_d\t%s\tfailure → first record processed again\n", short(doc.DowntimeSeconds))
	fmt.Fprintf(tw, "capacity\tμ\t%s records/s\tinput rate at which it never recovers\n", digits(doc.CapacityPerSecond))
	fmt.Fprintf(tw, "age factor\tk\t%.2f\tage of the restored offsets / interval\n", doc.AgeFactor)
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nmean error of a prediction")
	fmt.Fprintf(tw, "  of rows that were fitted\t%s\n", percent(&doc.MAPEInSample))
	fmt.Fprintf(tw, "  of an interval that was left out\t%s\n", percent(doc.MAPELeaveOneInterval))
	fmt.Fprintf(tw, "  of a quarter of the rates that was left out\t%s\n", percent(doc.MAPELeaveOneBand))
	fmt.Fprintf(tw, "measured inside the 90 %% interval, interval left out\t%s\n", percent(doc.Coverage90))
	if err := tw.Flush(); err != nil {
		return err
	}
	fitPicture(w, doc)
	return fitWorst(w, doc)
}

// fitWorst lists the rows that the fit explains least.
func fitWorst(w io.Writer, doc api.Fit) error {
	rows := slices.DeleteFunc(slices.Clone(doc.Rows), func(r api.FitRow) bool { return r.Outcome == "" })
	if len(rows) == 0 {
		wrap(w, "No row can be predicted from the rows at other intervals: add recoveries at further intervals.", "")
		return nil
	}
	slices.SortStableFunc(rows, func(a, b api.FitRow) int { return cmp.Compare(fitError(b), fitError(a)) })
	rows = rows[:min(worstRows, len(rows))]
	fmt.Fprintln(w, "\nfarthest off, each predicted without the rows at its interval")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "INTERVAL\tRATE\tMEASURED\tPREDICTED\t5 % – 95 %")
	for _, r := range rows {
		between := "–"
		if r.P05Seconds != nil && r.P95Seconds != nil {
			between = short(*r.P05Seconds) + " – " + short(*r.P95Seconds)
		}
		fmt.Fprintf(tw, "%s\t%s/s\t%s\t%s\t%s\n", short(r.IntervalSeconds), digits(r.RatePerSecond),
			short(r.RecoverySeconds), orOutcome(r.PredictedSeconds, r.Outcome), between)
	}
	return tw.Flush()
}

// fitError is how far a row's prediction is off, in either direction alike.
func fitError(r api.FitRow) float64 {
	if r.PredictedSeconds == nil {
		return math.Inf(1)
	}
	return math.Abs(math.Log(*r.PredictedSeconds / r.RecoverySeconds))
}

// fitPicture draws each out-of-sample prediction (o) and measurement (x) over
// the rate, or * where they meet.
func fitPicture(w io.Writer, doc api.Fit) {
	const columns, lines = 60, 12
	p := plot{columns: columns, lines: lines}
	for _, r := range doc.Rows {
		p.mark(r.RatePerSecond, r.RecoverySeconds, 'x')
		if r.PredictedSeconds != nil {
			p.mark(r.RatePerSecond, *r.PredictedSeconds, 'o')
		}
	}
	fmt.Fprintln(w, "\nrecovery over input rate: x measured, o predicted out of sample, * both")
	for i, line := range p.draw() {
		label := ""
		if i == 0 || i == lines-1 {
			label = short(p.high[1])
			if i > 0 {
				label = short(p.low[1])
			}
		}
		fmt.Fprintf(w, "%9s │%s\n", label, line)
	}
	left, right := digits(p.low[0])+"/s", digits(p.high[0])+"/s"
	fmt.Fprintf(w, "%9s └%s\n", "", strings.Repeat("─", columns))
	fmt.Fprintf(w, "%11s%s%*s\n", "", left, columns-len(left), right)
}

// plot is a scatter of characters.
type plot struct {
	columns, lines int
	points         []plotPoint
	low, high      [2]float64 // of x and y
}

type plotPoint struct {
	at   [2]float64
	sign rune
}

func (p *plot) mark(x, y float64, sign rune) {
	at := [2]float64{x, y}
	for i, v := range at {
		if len(p.points) == 0 {
			p.low[i], p.high[i] = v, v
		}
		p.low[i], p.high[i] = min(p.low[i], v), max(p.high[i], v)
	}
	p.points = append(p.points, plotPoint{at, sign})
}

// draw gives the lines, the highest first.
func (p *plot) draw() []string {
	grid := make([][]rune, p.lines)
	for i := range grid {
		grid[i] = []rune(strings.Repeat(" ", p.columns))
	}
	cell := func(v float64, axis, n int) int {
		return int(math.Round(float64(n-1) * (v - p.low[axis]) / max(p.high[axis]-p.low[axis], math.SmallestNonzeroFloat64)))
	}
	for _, m := range p.points {
		c := &grid[p.lines-1-cell(m.at[1], 1, p.lines)][cell(m.at[0], 0, p.columns)]
		if *c != ' ' && *c != m.sign {
			*c = '*'
		} else {
			*c = m.sign
		}
	}
	lines := make([]string, p.lines)
	for i, row := range grid {
		lines[i] = strings.TrimRight(string(row), " ")
	}
	return lines
}

// digits writes a rate to four digits, grouped.
func digits(v float64) string {
	if v >= 1000 {
		unit := math.Pow(10, math.Floor(math.Log10(v))-3)
		return thousands(math.Round(v/unit)*unit, 0)
	}
	return fmt.Sprintf("%.4g", v)
}

// percent writes a share.
func percent(share *float64) string {
	if share == nil {
		return "– (not enough rows)"
	}
	return fmt.Sprintf("%.1f %%", 100**share)
}
