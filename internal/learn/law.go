package learn

import (
	"math"

	"rebound/internal/job"
)

// resources are the knobs that capacity depends on: all but the interval.
type resources struct {
	Parallelism int     `json:"p"`
	Slots       int     `json:"s"`
	Cores       float64 `json:"c"` // of one TaskManager
	GiB         float64 `json:"m"` // of one TaskManager
}

func resourcesOf(k job.Knobs) resources {
	return resources{k.Parallelism, k.Slots, k.CPUCores, k.MemoryBytes / job.GiB}
}

func (r resources) valid() bool {
	return r.Parallelism > 0 && r.Slots > 0 && r.Cores > 0 && r.GiB > 0 &&
		!math.IsInf(r.Cores, 0) && !math.IsInf(r.GiB, 0)
}

func (r resources) taskManagers() int {
	return job.Knobs{Parallelism: r.Parallelism, Slots: r.Slots}.TaskManagers()
}

// place is where resources lie for the part of capacity that no law explains:
// logarithms, in units of placeScale.
func (r resources) place() [4]float64 {
	n := float64(r.taskManagers())
	return [4]float64{
		math.Log(n) / placeScale, math.Log(r.Cores) / placeScale,
		math.Log(float64(r.Parallelism)/n) / placeScale, math.Log(r.GiB) / placeScale,
	}
}

// placeScale is the factor in resources, as a logarithm, over which what is not
// explained changes: about 2.
const placeScale = 0.7

// The parameters of the law, θ. Capacity of a job of n TaskManagers with c cores
// and m GiB each and u slots in use is
//
//	μ = μ₁ · n^a · mean(c′^b) · u^d · m/(m + h) · e^(−ℓ(n−1)),  c′ = min(c, κu),
//
// the mean being over its TaskManagers, the last of which may have fewer slots in
// use. A slot is one thread for the records, and what runs beside it is worth a
// part of a core more: κ. Busy time overstates capacity by e^φ.
const (
	logUnit   = iota // log μ₁: one TaskManager with one core
	processes        // a
	cores            // b
	slots            // d
	logMemory        // log h, h in GiB
	logThread        // log κ
	perOther         // ℓ
	busyBias         // φ
	costError        // of the cost of checkpoints, γ, that was divided out: no part of the law
	params
)

type vector [params]float64

// prior is what is believed before anything has been seen: means and standard
// deviations. Scaling out costs a little coordination; more cores are used less
// than fully; the JVM and its network buffers leave about 0.25 GiB short; and
// capacity in a catch-up was seen to be 0–5 % below what busy time says.
func prior() (mean, deviation vector) {
	mean = vector{logUnit: math.Log(5000), processes: 0.97, cores: 0.9, slots: 0.02, logMemory: math.Log(0.25), logThread: math.Log(1.15), perOther: 0.01, busyBias: 0.01}
	deviation = vector{logUnit: 3, processes: 0.05, cores: 0.07, slots: 0.06, logMemory: 0.6, logThread: 0.1, perOther: 0.007, busyBias: 0.03}
	return mean, deviation
}

// sharpness of the smooth minimum in c′: at 1.2 times the other value it is
// within 0.4 % of the true minimum, and has a slope for the fit on both sides.
const sharpness = 16.0

// at is log μ at resources r, and its gradient in θ, with 0 for what concerns evidence only, φ and the
// error of γ.
func (t *vector) at(r resources) (value float64, slope vector) {
	n := float64(r.taskManagers())
	full, rest := r.Parallelism/r.Slots, r.Parallelism%r.Slots
	var total, logs, threads float64
	add := func(count, used float64) {
		limit := math.Log(used) + t[logThread]
		c := math.Log(r.Cores)
		over := math.Exp(sharpness * (c - limit)) // (c/κu)^q
		effective := c - math.Log1p(over)/sharpness
		bound := 1.0
		if !math.IsInf(over, 1) {
			bound = over / (1 + over)
		} else {
			effective = limit
		}
		part := count * math.Exp(t[cores]*effective)
		total += part
		logs += part * effective
		threads += part * bound
	}
	if full > 0 {
		add(float64(full), float64(r.Slots))
	}
	if rest > 0 {
		add(1, float64(rest))
	}
	h := math.Exp(t[logMemory])
	used := math.Log(float64(r.Parallelism) / n)
	slope = vector{
		logUnit: 1, processes: math.Log(n), cores: logs / total, slots: used,
		logMemory: -h / (r.GiB + h), logThread: t[cores] * threads / total, perOther: -(n - 1),
	}
	value = t[logUnit] + t[processes]*math.Log(n) + math.Log(total/n) + t[slots]*used -
		math.Log1p(h/r.GiB) - t[perOther]*(n-1)
	return value, slope
}
