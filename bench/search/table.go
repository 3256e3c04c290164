package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

// table prints results of ours and of others on the same problems.
func table(w io.Writer, ours []line, rivals string) error {
	all := slices.Clone(ours)
	names, err := filepath.Glob(rivals)
	if err != nil {
		return err
	}
	for _, name := range names {
		others, err := read(name)
		if err != nil {
			return err
		}
		for _, l := range others {
			if slices.ContainsFunc(ours, func(o line) bool {
				return o.Bench == l.Bench && o.Problem == l.Problem && o.Rate == l.Rate && o.N == l.N
			}) {
				all = append(all, l)
			}
		}
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	last := ""
	for _, g := range groups(all) {
		if kind := g[0].kind(); kind != last {
			fmt.Fprintln(out, heads(kind))
			last = kind
		}
		g.row(out)
	}
	return out.Flush()
}

// group are the seeds of one optimizer on one problem.
type group []line

func groups(all []line) []group {
	var out []group
	for _, l := range all {
		i := slices.IndexFunc(out, func(g group) bool {
			h := g[0]
			h.Seed = l.Seed
			return h.same(l)
		})
		if i < 0 {
			out = append(out, group{l})
			continue
		}
		out[i] = append(out[i], l)
	}
	slices.SortStableFunc(out, func(a, b group) int {
		return cmp.Or(cmp.Compare(a[0].Problem, b[0].Problem), cmp.Compare(a[0].Rate, b[0].Rate), cmp.Compare(a[0].N, b[0].N))
	})
	return out
}

func (l line) kind() string {
	switch {
	case l.N > 0:
		return "speed"
	case l.Problem == "stream":
		return "stream"
	}
	return "box"
}

func heads(kind string) string {
	switch kind {
	case "speed":
		return "RIVAL\tN\tSTEP\tSECONDS\tCPU"
	case "stream":
		return "RATE\tRIVAL\tSEEDS\tHIT\tMEDIAN TRIAL\tBAD TO HIT\tBAD LATE\tAT 20\tRECOMMENDED\tMISSES\tCPU MS"
	}
	return "PROBLEM\tRIVAL\tSEEDS\tHYPERVOLUME\tMIN\tMEDIAN\tMAX\tPERCENT OF BEST\tCPU MS A BATCH"
}

func (g group) row(w io.Writer) {
	switch l := g[0]; l.kind() {
	case "speed":
		fmt.Fprintf(w, "%s\t%d\t%s\t%.4f\t%.4f\n", l.Rival, l.N, l.Step, l.Seconds, l.CPU)
	case "stream":
		g.stream(w)
	default:
		hv := g.each(func(l line) (float64, bool) { return l.Hypervolume, true })
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.4g\t%.5g\t%.5g\t%s\t%.1f\n", l.Problem, l.Rival, len(g), spread(hv),
			slices.Min(hv), median(hv), slices.Max(hv),
			spread(g.each(func(l line) (float64, bool) { return l.Percent, true })),
			1000*mean(g.each(func(l line) (float64, bool) { return l.CPUPerBatch, true })))
	}
}

func (g group) stream(w io.Writer) {
	hits := g.each(func(l line) (float64, bool) {
		if l.Hit == nil {
			return 0, false
		}
		return float64(*l.Hit), true
	})
	first := "-"
	if len(hits) > 0 {
		first = fmt.Sprintf("%g", median(hits))
	}
	fmt.Fprintf(w, "%g\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%.0f\t%.1f\n", g[0].Rate, g[0].Rival, len(g), len(hits), first,
		spread(g.each(func(l line) (float64, bool) { return count(l.BadToHit) })),
		spread(g.each(func(l line) (float64, bool) {
			if l.BadLate == nil {
				return 0, false
			}
			return *l.BadLate, true
		})),
		spread(g.each(func(l line) (float64, bool) {
			if at := l.Reached["20"]; at != nil {
				return *at, true
			}
			return 0, false
		})),
		spread(g.each(func(l line) (float64, bool) { return l.Recommended, true })),
		sum(g.each(func(l line) (float64, bool) { return count(l.Misses) })),
		1000*mean(g.each(func(l line) (float64, bool) { return l.CPUPerAsk, true })))
}

func count(n *int) (float64, bool) {
	if n == nil {
		return 0, false
	}
	return float64(*n), true
}

// each are the values of a field where there is one.
func (g group) each(field func(line) (float64, bool)) []float64 {
	var out []float64
	for _, l := range g {
		if v, ok := field(l); ok {
			out = append(out, v)
		}
	}
	return out
}

func sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}

func mean(v []float64) float64 { return sum(v) / float64(len(v)) }

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// spread is mean and standard error.
func spread(v []float64) string {
	if len(v) == 0 {
		return "-"
	}
	m, square := mean(v), 0.0
	for _, x := range v {
		square += (x - m) * (x - m)
	}
	if len(v) == 1 {
		return fmt.Sprintf("%.5g", m)
	}
	n := float64(len(v))
	return fmt.Sprintf("%.5g ± %.2g", m, math.Sqrt(square/(n-1)/n))
}
