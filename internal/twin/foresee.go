package twin

import (
	"math"
	"math/rand/v2"
)

// Foresight knows the load of a run before it comes, noise and all, and nothing
// else of it. It is for measuring what a perfect forecast would be worth.
type Foresight struct {
	load *arrival
	step float64   // s
	came []float64 // records until each step's begin
}

// Foresee looks ahead into the run that New would begin. The scenario must have its
// load read.
func (s Scenario) Foresee(seed uint64) (*Foresight, error) {
	return s.loadOf(seed, chanceLoad)
}

// Past is a load as it may have been before a run: of the same laws, with other
// noise, and without the surges. It ends, and the run begins, after any whole number
// of periods.
func (s Scenario) Past(seed uint64) (*Foresight, error) {
	s.Load.Surges = nil
	return s.loadOf(seed, chancePast)
}

func (s Scenario) loadOf(seed, purpose uint64) (*Foresight, error) {
	s, err := s.ready()
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, purpose<<32)) // of the load, as that of a run
	return &Foresight{load: newArrival(s.Load, rng), step: s.StepSeconds, came: []float64{0}}, nil
}

// Mean is the mean rate (records/s) of the load between two moments, in seconds
// since the start; what is before the start counts as the first step. It may be
// asked for any time, however late.
func (f *Foresight) Mean(from, to float64) float64 {
	from = math.Max(0, from)
	to = math.Max(from+f.step, to)
	return (f.until(to) - f.until(from)) / (to - from)
}

// until is how many records come before a moment.
func (f *Foresight) until(at float64) float64 {
	i := int(at / f.step)
	for len(f.came) <= i+1 {
		n := len(f.came) - 1
		rate := f.load.rate(float64(n)*f.step + f.step/2)
		f.came = append(f.came, f.came[n]+rate*f.step)
	}
	share := at/f.step - float64(i)
	return f.came[i] + share*(f.came[i+1]-f.came[i])
}
