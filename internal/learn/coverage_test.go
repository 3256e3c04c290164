package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rebound/internal/job"
)

// anyLaw is a plausible law of capacity: that of the pinned scenarios with other
// numbers, or a plain power law.
func anyLaw(rng *rand.Rand) func(job.Knobs) float64 {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	unit, b, h := math.Exp(between(5, 11)), between(0.78, 1), between(0.1, 0.6)
	if rng.IntN(4) == 0 {
		a := between(0.88, 1)
		return func(k job.Knobs) float64 {
			m := k.MemoryBytes / job.GiB
			return unit * math.Pow(float64(k.TaskManagers()), a) * math.Pow(k.CPUCores, b) * m / (m + h)
		}
	}
	thread, efficiency := between(1, 1.35), between(0.975, 1)
	return func(k job.Knobs) float64 {
		sum, m := 0.0, k.MemoryBytes/job.GiB
		for left := k.Parallelism; left > 0; left -= k.Slots {
			sum += math.Pow(math.Min(k.CPUCores, thread*float64(min(left, k.Slots))), b)
		}
		return unit * sum * m / (m + h) * math.Pow(efficiency, float64(k.TaskManagers()-1))
	}
}

func anyKnobs(rng *rand.Rand) job.Knobs {
	s := 1 + rng.IntN(4)
	return knobs(min(24, s*(2+rng.IntN(10))), s, 1+0.5*float64(rng.IntN(5)), 1+0.5*float64(rng.IntN(7)))
}

// Of many jobs, each with a law of its own, the 5–95 % interval of the capacity
// that a recovery finds holds it in about 90 %: where the job has been, and where
// it has not.
func TestSpreadIsHonest(t *testing.T) {
	var here, there, elsewhere counter
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s, j := newSynthetic(seed, anyLaw(rng)), named()
		s.bias = 0.03 * rng.NormFloat64()
		check := func(c *counter, k job.Knobs) {
			u := j.Behavior(k).Capacity
			truth := s.capacity(k) * math.Exp(s.noise*0.85*rng.NormFloat64()) // over the length of a recovery
			c.add(truth >= u.Quantile(0.05) && truth <= u.Quantile(0.95))
		}
		for range 1 + rng.IntN(3) {
			s.knobs = anyKnobs(rng)
			s.restart(60)
			s.hour(j, 3600)
			check(&here, s.knobs)
			s.recover(j, 80)
			check(&there, s.knobs)
		}
		for range 10 {
			check(&elsewhere, anyKnobs(rng))
		}
	}
	for name, c := range map[string]counter{"by busy time": here, "after a catch-up": there, "elsewhere": elsewhere} {
		t.Logf("%s: %s", name, c)
		if share := c.share(); share < 0.8 || share > 0.97 {
			t.Errorf("%s: %s inside of 5–95 %%, want about 0.9", name, c)
		}
	}
}

type counter struct{ inside, all int }

func (c *counter) add(inside bool) {
	c.all++
	if inside {
		c.inside++
	}
}

func (c counter) share() float64 { return float64(c.inside) / float64(c.all) }

func (c counter) String() string { return fmt.Sprintf("%d of %d (%.3f)", c.inside, c.all, c.share()) }
