package control

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"rebound/internal/plan"
)

// Last forecasts that all stays as it is now, and is honest about it: its quantiles
// are those of the errors that this made within the last day, at the same distance.
// It is what a job without a forecast of its load can know, to compare others with.
type Last struct {
	s      lastState
	sorted [][]float64 // the errors of each distance, least first
}

// lastState is all that is stored. Values are ln(1 + rate).
type lastState struct {
	Step   float64 // s
	N      int     // steps seen
	Value  float64 // the last that was known
	Seen   bool
	Recent []float64   // by the step modulo their number; NaN for a gap
	Errors [][]float64 // by place of horizons, oldest first
}

const (
	// lastPrior is how many errors are made up at the beginning, of the size that a
	// Simple assumes then; real ones take their place.
	lastPrior = 20
	// lastKept is how many errors are kept at most, whatever the step.
	lastKept = 1440
)

// NewLast forecasts in steps of the given length.
func NewLast(step time.Duration) *Last {
	hs := simpleHorizons()
	f := &Last{s: lastState{Step: step.Seconds(), Recent: make([]float64, hs[len(hs)-1])}}
	for i := range f.s.Recent {
		f.s.Recent[i] = math.NaN()
	}
	for _, h := range hs {
		made := make([]float64, lastPrior)
		for i := range made {
			z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/lastPrior-1)
			made[i] = z * simplePrior * math.Sqrt(float64(h))
		}
		f.s.Errors = append(f.s.Errors, made)
	}
	f.sort()
	return f
}

// kept is how many errors of a distance count: those of a day, so that its rise and
// its fall are among them.
func (f *Last) kept() int {
	return min(lastKept, max(lastPrior, int(day.Seconds()/f.s.Step)))
}

func (f *Last) sort() {
	f.sorted = make([][]float64, len(f.s.Errors))
	for i, e := range f.s.Errors {
		f.sorted[i] = slices.Sorted(slices.Values(e))
	}
}

// Observe takes the mean rate of the step that has just ended; NaN: unknown.
func (f *Last) Observe(rate float64) {
	s := &f.s
	y := math.Log1p(rate)
	if !(rate >= 0) || math.IsInf(rate, 0) {
		y = math.NaN()
	}
	for i, h := range simpleHorizons() {
		if h > s.N {
			break
		}
		if e := y - s.Recent[(s.N-h)%len(s.Recent)]; !math.IsNaN(e) {
			f.missed(i, e)
		}
	}
	if s.Recent[s.N%len(s.Recent)] = y; !math.IsNaN(y) {
		s.Value, s.Seen = y, true
	}
	s.N++
}

// missed adds an error; the oldest goes where there are enough, and the made-up
// ones one by one from the first real one on.
func (f *Last) missed(place int, e float64) {
	old, sorted := f.s.Errors[place], f.sorted[place]
	if len(old) >= f.kept() || f.s.N < lastPrior+simpleHorizons()[place] {
		at, _ := slices.BinarySearch(sorted, old[0])
		sorted = slices.Delete(sorted, at, at+1)
		old = old[1:]
	}
	at, _ := slices.BinarySearch(sorted, e)
	f.s.Errors[place], f.sorted[place] = append(old, e), slices.Insert(sorted, at, e)
}

// quantile is that of the errors h steps ahead. Between two distances that are
// followed, and beyond the last, it grows as that of a random walk does, with the
// square root.
func (f *Last) quantile(h int, q float64) float64 {
	hs := simpleHorizons()
	i := 0
	for i < len(hs)-1 && hs[i+1] <= h {
		i++
	}
	low := empirical(f.sorted[i], q)
	if i == len(hs)-1 {
		return low * math.Sqrt(float64(h)/float64(hs[i]))
	}
	root := func(h int) float64 { return math.Sqrt(float64(h)) }
	share := (root(h) - root(hs[i])) / (root(hs[i+1]) - root(hs[i]))
	return low + share*(empirical(f.sorted[i+1], q)-low)
}

// empirical is the quantile of sorted values, the one above where it falls between
// two: (n + 1)·q values lie at it or below, as conformal prediction has it.
func empirical(sorted []float64, q float64) float64 {
	n := len(sorted)
	return sorted[max(0, min(n-1, int(math.Ceil(float64(n+1)*q))-1))]
}

// Forecast covers the horizon (s) from now. Before anything was observed it is
// empty.
func (f *Last) Forecast(horizon float64) plan.Load {
	s := &f.s
	levels, _ := simpleQuantiles()
	l := plan.Load{Step: s.Step, Quantiles: levels, Members: []string{"last value"}}
	if !s.Seen {
		return l
	}
	l.Now = math.Expm1(s.Value)
	n := max(1, int(math.Ceil(horizon/s.Step)))
	l.Mean = slices.Repeat([]float64{l.Now}, n)
	for _, q := range levels {
		path := make([]float64, n)
		for h := range path {
			path[h] = max(0, math.Expm1(s.Value+f.quantile(h+1, q)))
		}
		l.Paths = append(l.Paths, path)
	}
	return l
}

// MarshalBinary stores all, to the bit.
func (f *Last) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(f.s)
	return b.Bytes(), err
}

// UnmarshalBinary resumes what MarshalBinary stored.
func (f *Last) UnmarshalBinary(b []byte) error {
	var s lastState
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return fmt.Errorf("forecast: %w", err)
	}
	if s.Step != f.s.Step || s.N < 0 || len(s.Recent) != len(f.s.Recent) || len(s.Errors) != len(f.s.Errors) {
		return fmt.Errorf("forecast: the state is of another form, or of steps of %v s", s.Step)
	}
	for _, e := range s.Errors {
		if len(e) == 0 || slices.ContainsFunc(e, math.IsNaN) {
			return errors.New("forecast: the state is of another form")
		}
	}
	f.s = s
	f.sort()
	return nil
}
