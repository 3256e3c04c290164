package recovery

import "math/rand/v2"

// Scenario is what is known of a recovery to come, from which it is drawn.
type Scenario struct {
	Subtasks []Subtask
	Age      AgeModel
	// Downtime has the phases from the failure to the moment when subtasks run
	// again, drawn once a recovery and shared by all subtasks.
	Downtime []Uncertain
	// Load is a factor on every subtask's utilization, drawn once a recovery: how
	// wrong rate or capacity of the whole job may be. The zero value means 1.
	Load Uncertain
	// Scale stretches the drawn recoveries about their median, as a factor on the
	// logarithm of their ratio to it, by what past predictions have shown to make
	// the interval honest ([HonestScale]). Zero means 1.
	Scale float64
}

// Subtask is one subtask in a Scenario.
type Subtask struct {
	Utilization Uncertain // ρ = λ/μ, once warm; a draw of 1 or more never recovers
	// Lag is how much longer this subtask's downtime is than the job's, seconds. It
	// may be negative, so it is drawn normally, but takes no more from the downtime
	// than its last phase has.
	Lag Uncertain
	// WarmupStart and WarmupTau (seconds) are those of a Warmup. A median of 0 of
	// either, or a Start of 1, means warm at once.
	WarmupStart, WarmupTau Uncertain
}

// AgeModel is the age of the restored offsets: uniform from Low to High seconds,
// known where these are equal.
type AgeModel struct{ Low, High float64 }

// draw is one recovery drawn.
type draw struct {
	phases   []float64 // of the downtime, without lags
	downtime float64   // their sum
	load     float64
	age      float64
	start    float64 // standard normal, of the warm-up
	tau      float64
	decisive int // the subtask that is done last
	slowest  Case
	time     Time // of it
}

// Draw draws n recoveries. The numbers that it takes from rng depend only on n,
// the count of phases and the count of subtasks, a block for each in that order:
// two scenarios drawn with the same seed differ by what they say and not by
// chance, and a further subtask leaves the draws of the others as they are.
func (s Scenario) Draw(rng *rand.Rand, n int) Sample {
	draws := s.drawJob(rng, n)
	for i, u := range s.Subtasks {
		laws := u.laws()
		for j := range draws {
			c := laws.draw(rng, &draws[j])
			if i > 0 && c.doneBy(draws[j].time) {
				continue
			}
			if t := c.Time(); i == 0 || t.Compare(draws[j].time) > 0 {
				draws[j].decisive, draws[j].slowest, draws[j].time = i, c, t
			}
		}
	}
	if len(s.Subtasks) == 0 { // no input, so nothing to catch up on
		for j := range draws {
			d := &draws[j]
			d.slowest = Case{Capacity: 1, Age: d.age, Downtime: d.downtime}
			d.decisive, d.time = -1, d.slowest.Time()
		}
	}
	return newSample(draws, s.Scale)
}

// drawJob draws what all subtasks share.
func (s Scenario) drawJob(rng *rand.Rand, n int) []draw {
	draws, phases := make([]draw, n), len(s.Downtime)
	room := make([]float64, n*phases)
	for j := range draws {
		draws[j].age = s.Age.Low + rng.Float64()*(s.Age.High-s.Age.Low)
		draws[j].phases = room[j*phases : (j+1)*phases]
	}
	load := s.Load.law()
	if s.Load == (Uncertain{}) {
		load = Exactly(1).law()
	}
	for j := range draws {
		draws[j].load = load.at(rng.NormFloat64())
	}
	for k, u := range s.Downtime {
		phase := u.law()
		for j := range draws {
			v := phase.at(rng.NormFloat64())
			draws[j].phases[k] = v
			draws[j].downtime += v
		}
	}
	for j := range draws {
		draws[j].start, draws[j].tau = rng.NormFloat64(), rng.NormFloat64()
	}
	return draws
}

// subtaskLaws are the distributions of a Subtask.
type subtaskLaws struct {
	utilization, start, tau law
	lag, lagSlope           float64
	warm                    bool // at once
}

func (u Subtask) laws() subtaskLaws {
	return subtaskLaws{
		utilization: u.Utilization.law(), start: u.WarmupStart.law(), tau: u.WarmupTau.law(),
		lag: u.Lag.Median, lagSlope: u.Lag.Spread / z95,
		warm: !(u.WarmupStart.Median > 0) || !(u.WarmupTau.Median > 0),
	}
}

// draw is the subtask's part in d. It always takes two numbers. How warm-up goes is
// shared by all subtasks: they run the same code.
func (l subtaskLaws) draw(rng *rand.Rand, d *draw) Case {
	rho := l.utilization.at(rng.NormFloat64()) * d.load
	lag := l.lag + l.lagSlope*rng.NormFloat64()
	last := 0.0
	if n := len(d.phases); n > 0 {
		last = d.phases[n-1]
	}
	c := Case{Rate: rho, Capacity: 1, Age: d.age, Downtime: d.downtime + max(lag, -last)}
	if !l.warm {
		c.Warmup = Warmup{Start: l.start.at(d.start), Tau: l.tau.at(d.tau)}
	}
	return c
}
