package trace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Even is a series at even steps. A step that no row falls into is a gap, NaN.
type Even struct {
	Start  float64 // moment of the first value (s)
	Step   float64 // s
	Values []float64
	Known  int // values that are not gaps
	// Shared counts rows that fell into a step that had a value already: a step has
	// the mean of its rows.
	Shared int
}

// ErrUneven says that rows cannot be laid on even steps.
var ErrUneven = errors.New("not a series")

const (
	// snap is how far a step may be from one that clocks have and still be meant
	// for it: samples of five seconds come every 5.01 s.
	snap = 0.02
	// mostShared is the share of rows that may fall together. An hour that a
	// clock shows twice in autumn is less than that in two days; a file of several
	// series is much more.
	mostShared = 0.05
	// mostEmpty is how many steps there may be for one that has a value.
	mostEmpty = 50
	// mostSteps bounds what a file can ask for: half a year of seconds.
	mostSteps = 16 << 20
)

// Evenly lays rows on steps as long as the usual distance from one moment to the
// next. Rows may come in any order; those without a time are left out. Clocks that
// are put back or forth give a step with two rows, or gaps.
func Evenly(times, values []float64) (Even, error) {
	rows := make([]Reading, 0, len(times))
	for i, t := range times {
		if !math.IsNaN(t) {
			rows = append(rows, Reading{At: t, Value: values[i]})
		}
	}
	slices.SortStableFunc(rows, func(a, b Reading) int { return cmp.Compare(a.At, b.At) })
	step := snapped(usualStep(rows))
	if step == 0 {
		return Even{}, fmt.Errorf("%w: all rows are of one moment, so the length of a step is unknown: want two moments at least", ErrUneven)
	}
	e := Even{Start: rows[0].At, Step: step}
	last := (rows[len(rows)-1].At - e.Start) / step
	if n := float64(len(rows)); last > mostSteps || last > mostEmpty*n+mostEmpty {
		return Even{}, fmt.Errorf("%w: %d rows, and %.0f steps of %.4g s from the first to the last: cut the file to a stretch without long gaps", ErrUneven, len(rows), last, step)
	}
	e.fill(rows, int(math.Round(last))+1)
	if e.Shared > 2 && float64(e.Shared) > mostShared*float64(len(rows)) {
		return Even{}, fmt.Errorf("%w: %d of %d rows fall into a step of %.4g s that has another row: the file holds several series (cut out one, or add them up), or its rows come at uneven times (take means first)", ErrUneven, e.Shared, len(rows), step)
	}
	return e, nil
}

// snapped is the step that a clock has, where one is near.
func snapped(step float64) float64 {
	for _, s := range []float64{
		0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 604800,
	} {
		if math.Abs(step-s) <= snap*s {
			return s
		}
	}
	return step
}

// fill gives each of n steps the mean of its rows.
func (e *Even) fill(rows []Reading, n int) {
	e.Values = make([]float64, n)
	counts := make([]int, n)
	for _, r := range rows {
		if math.IsNaN(r.Value) {
			continue
		}
		i := min(n-1, int(math.Round((r.At-e.Start)/e.Step)))
		if counts[i] > 0 {
			e.Shared++
		}
		counts[i]++
		e.Values[i] += (r.Value - e.Values[i]) / float64(counts[i])
	}
	for i, c := range counts {
		if c == 0 {
			e.Values[i] = math.NaN()
			continue
		}
		e.Known++
	}
}
