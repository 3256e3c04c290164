package twin

import (
	"math"
	"math/rand/v2"
	"slices"

	"rebound/internal/job"
)

const (
	nearWorst        = 0.95    // of the greatest age, at which the injector fires
	greatestOver     = 15 * 60 // s, over which the greatest age is taken
	secondsPerMinute = 60
)

// injector decides when something fails.
type injector struct {
	every   float64    // s; 0: never
	next    float64    // when it arms, or of Poisson failures when it fires
	poisson *rand.Rand // nil: the worst age
	armed   bool
	kind    job.Failure
	planned []due // ascending
	asked   []job.Failure
	number  uint64 // of failures so far

	replaced []float64 // s, when spares were needed
}

type due struct {
	at   float64
	kind job.Failure
}

func newInjector(f Failures, seed uint64, rng *rand.Rand) injector {
	i := injector{every: f.EveryMinutes * secondsPerMinute, kind: f.Kind}
	i.next = i.every
	if f.Poisson && seed%2 == 1 {
		i.poisson = rng
		i.next = i.every * rng.ExpFloat64()
	}
	for _, p := range f.Planned {
		for n := range max(1, p.Times) {
			i.planned = append(i.planned, due{p.AtHours*3600 + float64(n)*p.EverySeconds, p.Kind})
		}
	}
	slices.SortStableFunc(i.planned, func(a, b due) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	return i
}

// Inject lets something fail at the beginning of the next step.
func (t *Twin) Inject(f job.Failure) { t.injector.asked = append(t.injector.asked, f) }

// failuresDue lets happen what is due at the beginning of a step.
func (t *Twin) failuresDue(at float64) {
	i := &t.injector
	for len(i.planned) > 0 && i.planned[0].at <= at {
		t.fail(i.planned[0].kind, at)
		i.planned = i.planned[1:]
	}
	if len(i.asked) > 0 {
		for _, kind := range i.asked {
			t.fail(kind, at)
		}
		i.asked = i.asked[:0]
	}
	switch {
	case i.every == 0:
	case i.poisson != nil:
		if at >= i.next {
			i.next += i.every * i.poisson.ExpFloat64()
			t.fail(i.kind, at)
		}
	default:
		t.worst(at)
	}
}

// worst fires at nearly the greatest age, once each time that it has been armed.
func (t *Twin) worst(at float64) {
	i := &t.injector
	if at >= i.next {
		i.armed = true
		i.next += i.every
	}
	if !i.armed || t.down != nil || t.now.upAt > at {
		return
	}
	greatest, ok := t.ckpt.greatest.value(at)
	if !ok {
		return
	}
	c := &t.ckpt
	age := at - c.last.trigger
	if c.running && c.current.done <= at+t.step+1e-9 { // the last moment before the age falls
		age = c.current.done - c.last.trigger
	}
	if age >= nearWorst*greatest {
		i.armed = false
		t.fail(i.kind, at)
	}
}

// fail lets the job fail at the beginning of a step.
func (t *Twin) fail(kind job.Failure, at float64) {
	number := t.injector.number
	t.injector.number++
	rng := t.chance(chanceDowntime, number)
	r := t.s.Restart
	d := &downtime{failure: kind, victim: -1, from: at}
	t.takePending() // the scheduler restarts with what has been asked for
	if kind == job.ProcessFailure || kind == job.NodeFailure {
		d.victim = rng.IntN(t.knobs.TaskManagers())
	}
	t.record(&Recovery{Failure: kind}, at)
	ranFor := 0.0
	if t.down == nil {
		ranFor = at - t.now.upAt
	}
	detect := jittered(r.DetectSeconds[kind], r.Jitter, rng)
	wait := t.backOff.next(r.BackOff, ranFor)
	resources := jittered(t.resources(kind), r.Jitter, rng)
	if d.victim >= 0 {
		t.takeSpare(at)
	}
	restore := jittered(t.restoring(r.LocalRecovery && kind == job.TaskFailure), r.Jitter, rng)
	d.lay(detect, wait, resources, restore)
	if t.down != nil && t.down.instead != nil {
		d.instead = t.down.instead
	}
	t.stop(at, d)
	t.view.failed(d)
}

// resources is how long it takes until all slots are there (s).
func (t *Twin) resources(kind job.Failure) float64 {
	lost := kind == job.ProcessFailure || kind == job.NodeFailure
	if kind == job.TaskFailure || lost && t.sparesReady(t.clock()) > 0 {
		return 0
	}
	return t.s.Restart.ProcessStartSeconds
}

// sparesReady counts the TaskManagers that wait without work: one that was needed is
// replaced after a process start.
func (t *Twin) sparesReady(at float64) int {
	n := t.s.Restart.Spares
	for _, since := range t.injector.replaced {
		if at < since+t.s.Restart.ProcessStartSeconds {
			n--
		}
	}
	return max(0, n)
}

// takeSpare notes that a spare has been needed.
func (t *Twin) takeSpare(at float64) {
	if t.sparesReady(at) == 0 {
		return
	}
	i := &t.injector
	i.replaced = slices.DeleteFunc(i.replaced, func(since float64) bool { return at >= since+t.s.Restart.ProcessStartSeconds })
	i.replaced = append(i.replaced, at)
}

// greatestAge is the greatest of the ages that were reached in the last while.
type greatestAge struct {
	peaks []peak // ascending in time, descending in age
}

type peak struct{ at, age float64 }

func (g *greatestAge) add(at, age float64) {
	n := len(g.peaks)
	for n > 0 && g.peaks[n-1].age <= age {
		n--
	}
	g.peaks = append(g.peaks[:n], peak{at, age})
}

// value is false where no age has come to its end in that time.
func (g *greatestAge) value(at float64) (float64, bool) {
	old := 0
	for old < len(g.peaks) && g.peaks[old].at < at-greatestOver {
		old++
	}
	if old > 0 {
		g.peaks = slices.Delete(g.peaks, 0, old)
	}
	if len(g.peaks) == 0 {
		return math.NaN(), false
	}
	return g.peaks[0].age, true
}
