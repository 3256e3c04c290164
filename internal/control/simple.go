package control

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"time"

	"rebound/internal/plan"
)

// Simple forecasts by the level of the last minutes, moved as a day ago or, before
// a day has been seen, by a trend that fades (as in E. S. Gardner, E. McKenzie,
// Forecasting Trends in Time Series, Management Science 31(10), 1985). The trend is
// the lesser of those of the last short and long while, and none where they point
// different ways: noise has no trend over both, and a surge that is over has none
// over the short one. Its quantiles grow with the horizon as its own errors have. It
// is what package forecast is compared with, and helped by in the first days.
type Simple struct{ s simpleState }

// simpleState is all that is stored. Values are ln(1 + rate).
type simpleState struct {
	Step  float64 // s
	N     int     // steps seen
	Day   []float64
	Level float64
	Last  int // the step of the last known value
	Seen  int // known values
	Open  [][]float64
	Error []float64 // mean squared error, by place of horizons
	Count []float64
}

const (
	simpleAlpha = 0.3
	// simpleShort and simpleLong are the steps that a trend is taken from, simpleFades
	// after how many it has faded to 1/e.
	simpleShort, simpleLong, simpleFades = 20, 60, 100.0
	// simplePrior is the relative error a step ahead that is assumed at first, and
	// how many errors it counts as; it grows with the square root of the horizon.
	simplePrior, simplePriorWeight = 0.04, 10.0
	simpleFade                     = 0.99 // of an error's weight, a step
	simpleMost                     = 0.7  // the largest standard deviation on the logarithm
	// simpleSmooth is how many steps around a moment of the day before are averaged.
	simpleSmooth = 2
)

// simpleHorizons are the steps ahead at which errors are kept.
func simpleHorizons() []int { return []int{1, 3, 10, 30, 90, 180} }

// simpleQuantiles are those that are forecast, with their normal deviates.
func simpleQuantiles() (q, z []float64) {
	q = []float64{0.05, 0.25, 0.5, 0.75, 0.95, 0.99}
	for _, p := range q {
		z = append(z, math.Sqrt2*math.Erfinv(2*p-1))
	}
	return q, z
}

// NewSimple forecasts in steps of the given length.
func NewSimple(step time.Duration) *Simple {
	f := &Simple{simpleState{Step: step.Seconds(), Day: make([]float64, max(1, int(day/step)))}}
	for i := range f.s.Day {
		f.s.Day[i] = math.NaN()
	}
	for _, h := range simpleHorizons() {
		open := make([]float64, h)
		for i := range open {
			open[i] = math.NaN()
		}
		f.s.Open = append(f.s.Open, open)
	}
	f.s.Error, f.s.Count = make([]float64, len(f.s.Open)), make([]float64, len(f.s.Open))
	return f
}

// Observe takes the mean rate of the step that has just ended; NaN: unknown.
func (f *Simple) Observe(rate float64) {
	s := &f.s
	y := math.Log1p(rate)
	if !(rate >= 0) || math.IsInf(rate, 0) {
		y = math.NaN()
	}
	for i, h := range simpleHorizons() {
		if e := y - s.Open[i][s.N%h]; !math.IsNaN(e) {
			s.Count[i] = simpleFade*s.Count[i] + 1
			s.Error[i] += (e*e - s.Error[i]) / s.Count[i]
		}
	}
	f.learn(y)
	s.Day[s.N%len(s.Day)] = y
	s.N++
	for i, h := range simpleHorizons() {
		if s.Seen > 0 { // it is compared h steps from now, and takes the place of what just was
			s.Open[i][(s.N-1)%h] = f.ahead(h)
		}
	}
}

func (f *Simple) learn(y float64) {
	s := &f.s
	if math.IsNaN(y) {
		return
	}
	s.Seen++
	if s.Seen == 1 {
		s.Level, s.Last = y, s.N
		return
	}
	gap := s.N - s.Last
	s.Last = s.N
	expected := s.Level + f.trend()*faded(gap)
	s.Level = expected + max(simpleAlpha, 1/float64(s.Seen))*(y-expected)
}

// faded is how many full steps of the trend h steps ahead are.
func faded(h int) float64 { return simpleFades * (1 - math.Exp(-float64(h)/simpleFades)) }

// trend of a step.
func (f *Simple) trend() float64 {
	short, long := f.slope(simpleShort), f.slope(simpleLong)
	switch {
	case short*long <= 0:
		return 0
	case math.Abs(short) < math.Abs(long):
		return short
	default:
		return long
	}
}

// slope is the least-squares line's through the last n steps; 0 while fewer than
// half of them are known.
func (f *Simple) slope(n int) float64 {
	s := &f.s
	if s.N < n || n > len(s.Day) {
		return 0
	}
	known, t, y, tt, ty := 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range n {
		v := s.Day[(s.N-1-i)%len(s.Day)]
		if math.IsNaN(v) {
			continue
		}
		x := -float64(i)
		known, t, y, tt, ty = known+1, t+x, y+v, tt+x*x, ty+x*v
	}
	if known < float64(n)/2 {
		return 0
	}
	return (known*ty - t*y) / (known*tt - t*t)
}

// ahead is the forecast h steps after the last one observed.
func (f *Simple) ahead(h int) float64 {
	s := &f.s
	then, ok1 := f.dayAgo(h)
	was, ok2 := f.dayAgo(0)
	if ok1 && ok2 {
		return s.Level + then - was
	}
	return s.Level + f.trend()*faded(h)
}

// dayAgo is the level a day before h steps from now, smoothed.
func (f *Simple) dayAgo(h int) (float64, bool) {
	s := &f.s
	n := len(s.Day)
	middle := s.N - 1 + h - n
	if middle-simpleSmooth < max(0, s.N-n) || middle+simpleSmooth > s.N-1 {
		return 0, false
	}
	var m mean
	for t := middle - simpleSmooth; t <= middle+simpleSmooth; t++ {
		if y := s.Day[t%n]; !math.IsNaN(y) {
			m.add(y)
		}
	}
	return m.sum / max(1, float64(m.n)), m.n > 0
}

// deviation is the standard error of the forecast h steps ahead, on the logarithm.
func (f *Simple) deviation(h int) float64 {
	s := &f.s
	hs := simpleHorizons()
	at := func(i int) float64 {
		prior := simplePrior * simplePrior * float64(hs[i])
		v := (s.Error[i]*s.Count[i] + prior*simplePriorWeight) / (s.Count[i] + simplePriorWeight)
		return math.Sqrt(v)
	}
	i := 0
	for i < len(hs)-1 && hs[i+1] <= h {
		i++
	}
	d := at(i) * math.Sqrt(float64(h)/float64(hs[i]))
	if i+1 < len(hs) {
		share := float64(h-hs[i]) / float64(hs[i+1]-hs[i])
		d = at(i) + share*(at(i+1)-at(i))
	}
	return min(simpleMost, d)
}

// Forecast covers the horizon (s) from now. Before anything was observed it is
// empty.
func (f *Simple) Forecast(horizon float64) plan.Load {
	s := &f.s
	q, z := simpleQuantiles()
	l := plan.Load{Step: s.Step, Quantiles: q, Members: []string{"level", "day ago"}}
	if s.Seen == 0 {
		return l
	}
	n := max(1, int(math.Ceil(horizon/s.Step)))
	l.Now = math.Expm1(s.Level)
	room := make([]float64, n*(1+len(q)))
	l.Mean, room = room[:n:n], room[n:]
	l.Paths = make([][]float64, len(q))
	for i := range q {
		l.Paths[i], room = room[:n:n], room[n:]
	}
	for h := 1; h <= n; h++ {
		y, d := f.ahead(h), f.deviation(h)
		l.Mean[h-1] = max(0, math.Expm1(y))
		for i := range z {
			l.Paths[i][h-1] = max(0, math.Expm1(y+z[i]*d))
		}
	}
	return l
}

// MarshalBinary stores all, to the bit.
func (f *Simple) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(f.s)
	return b.Bytes(), err
}

// UnmarshalBinary resumes what MarshalBinary stored.
func (f *Simple) UnmarshalBinary(b []byte) error {
	var s simpleState
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return fmt.Errorf("forecast: %w", err)
	}
	hs := simpleHorizons()
	if len(s.Open) != len(hs) || len(s.Error) != len(hs) || len(s.Count) != len(hs) || len(s.Day) != len(f.s.Day) || s.N < 0 || s.Step != f.s.Step {
		return fmt.Errorf("forecast: the state is of another form, or of steps of %v s", s.Step)
	}
	for i, h := range hs {
		if len(s.Open[i]) != h {
			return errors.New("forecast: the state is of another form")
		}
	}
	f.s = s
	return nil
}
