package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"rebound/internal/drill"
)

func split(b []byte) [][]byte {
	return slices.DeleteFunc(bytes.Split(b, []byte("\n")), func(l []byte) bool { return len(bytes.TrimSpace(l)) == 0 })
}

// tables prints a row a drill and then the score over those that count.
func tables(w io.Writer, lines []line) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "run\tfailure\tA s\tT_d s\tR s\tpredicted s\t5–95 %\terror\tinside\tlost\tdoubled\tstarved\t")
	for _, l := range lines {
		p, m := l.Drill.Predicted, l.Drill.Measured
		lost, doubled := "?", "?"
		if m.Audit != nil && m.Audit.Verdict != "unsettled" {
			lost, doubled = strconv.FormatInt(m.Audit.Lost, 10), strconv.FormatInt(m.Audit.Duplicated, 10)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s–%s\t%s\t%s\t%s\t%s\t%s\t\n", l.Run.Name, l.Drill.Failure,
			num(m.AgeSeconds), num(m.DowntimeSeconds), num(m.RecoverySeconds), num(p.MedianSeconds),
			num(p.P05Seconds), num(p.P95Seconds), relative(l.Drill.Pair()), inside(l.Drill.Pair()), lost, doubled, num(m.StarvedRatio))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	counted := slices.DeleteFunc(slices.Clone(lines), func(l line) bool { return !l.Run.Counted })
	_, err := fmt.Fprintln(w, score(counted))
	return err
}

// score says how good the predictions of these drills were.
func score(lines []line) string {
	pairs := make([]drill.Pair, 0, len(lines))
	in, known := 0, 0
	for _, l := range lines {
		pairs = append(pairs, l.Drill.Pair())
		if inside, ok := l.Drill.Pair().Inside(); ok {
			known++
			if inside {
				in++
			}
		}
	}
	s := drill.Summarize(pairs)
	return fmt.Sprintf("%d drills that count: median absolute error %s s or %s %%, %d of %d inside 5–95 %%, median width %s",
		len(lines), num(s.MedianAbsoluteErrorSeconds), percent(s.MedianAbsoluteError), in, known, ratio(s.MedianWidthRatio))
}

func inside(p drill.Pair) string {
	in, known := p.Inside()
	switch {
	case !known:
		return "?"
	case in:
		return "yes"
	default:
		return "no"
	}
}

func relative(p drill.Pair) string {
	e, ok := p.Error()
	if !ok {
		return "?"
	}
	return fmt.Sprintf("%+.0f %%", 100*e)
}

func percent(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.1f", 100**v)
}

func ratio(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.2f", *v)
}

func num(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.1f", *v)
}
