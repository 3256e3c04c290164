package problems

import (
	"math"
	"math/rand/v2"
)

// Stream is a streaming job of ⌈p/2⌉ workers with four settings: the interval of
// checkpoints I, the parallelism p, cores and memory of a worker. With S the state
// in MB, which grows with the rate:
//
//	cost        n·(cpu + 0.12·mem) an hour, known beforehand
//	checkpoint  c = 1 + S/p/40 seconds
//	capacity    p·(cpu/2)^0.8·2000/(1+0.012(p-1))·m²/(m²+(0.35+S/1000p)²)·max(0.05, 1-0.6c/I), m = mem/2
//	ρ           rate / capacity
//	recovery    (Td + ρA)/(1-ρ), A = max(I, c) + c, Td = 8 + 0.25p + S/p/25
//	latency     20 + 15ρ/(1-ρ) + 200c/I milliseconds
//
// ρ ≥ 0.98 counts as 1800 s and 5000 ms. A trial sees recovery and latency times
// exp(0.1·N(0, 1)).
type Stream struct {
	Rate   float64 // records a second
	Target float64 // seconds
	Noise  float64 // standard deviation of the logarithm
}

// Unstable is the recovery time that stands for a job that never catches up.
const Unstable = 1800.0 // seconds

// NewStream is the job as the rivals know it.
func NewStream(rate float64) Stream { return Stream{Rate: rate, Target: 120, Noise: 0.1} }

// Rates are low, middle and high.
func Rates() map[string]float64 {
	return map[string]float64{"low": 8000, "mid": 16000, "high": 26000}
}

// levels are the values of interval, parallelism, cores and memory.
func levels() [4][]float64 {
	parallel := make([]float64, 28)
	for i := range parallel {
		parallel[i] = float64(i + 1)
	}
	return [4][]float64{
		{5, 8, 12, 18, 27, 40, 60, 90, 120, 180, 300, 600},
		parallel,
		{1, 1.5, 2, 3, 4},
		{1, 1.5, 2, 3, 4, 8},
	}
}

// Settings are all 10,080 in the order of their levels, memory fastest, in the
// unit box: the index of each level over the highest.
func (s Stream) Settings() (units, values [][]float64) {
	l := levels()
	for i := range l[0] {
		for p := range l[1] {
			for c := range l[2] {
				for m := range l[3] {
					units = append(units, []float64{float64(i) / 11, float64(p) / 27, float64(c) / 4, float64(m) / 5})
					values = append(values, []float64{l[0][i], l[1][p], l[2][c], l[3][m]})
				}
			}
		}
	}
	return units, values
}

// Snap is the index of the setting nearest to a point of the unit box.
func (s Stream) Snap(u []float64) int {
	index := 0
	for j, l := range levels() {
		index = index*len(l) + int(math.RoundToEven(u[j]*float64(len(l)-1)))
	}
	return index
}

// Cost is that of a setting per hour.
func (s Stream) Cost(v []float64) float64 { return math.Ceil(v[1]/2) * (v[2] + 0.12*v[3]) }

// Truth is latency in milliseconds and recovery time in seconds, without noise.
func (s Stream) Truth(v []float64) (latency, recovery float64) {
	interval, p, cpu, mem := v[0], v[1], v[2], v[3]
	state := 500 + 0.1*s.Rate
	c := 1 + state/p/40
	m := mem / 2
	spilled := 0.35 + state/1000/p
	spill := m * m / (m*m + spilled*spilled)
	capacity := p * math.Pow(cpu/2, 0.8) * 2000 / (1 + 0.012*(p-1)) * spill
	capacity *= max(0.05, 1-0.6*c/interval)
	rho := s.Rate / capacity
	if rho >= 0.98 {
		return 5000, Unstable
	}
	down := 8 + 0.25*p + state/p/25
	replay := max(interval, c) + c
	return min(20+15*rho/(1-rho)+200*c/interval, 5000), min((down+rho*replay)/(1-rho), Unstable)
}

// Trial is the latency and recovery time that a trial sees.
func (s Stream) Trial(v []float64, rng *rand.Rand) (latency, recovery float64) {
	latency, recovery = s.Truth(v)
	latency *= math.Exp(s.Noise * rng.NormFloat64())
	recovery *= math.Exp(s.Noise * rng.NormFloat64())
	return latency, min(recovery, Unstable)
}

// Optimum is the cost of the cheapest setting that truly meets the target.
func (s Stream) Optimum() float64 {
	best := math.Inf(1)
	_, values := s.Settings()
	for _, v := range values {
		if _, r := s.Truth(v); r <= s.Target {
			best = min(best, s.Cost(v))
		}
	}
	return best
}
