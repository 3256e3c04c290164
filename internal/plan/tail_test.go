package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// The rate that a setting supports is the one at which the drawn recoveries miss the
// target as often as the risk allows: within a factor of 2 of 1 %, which is what
// about 2 % of capacity make.
func TestSupportIsTheQuantile(t *testing.T) {
	for name, change := range map[string]func(l *formula){
		"known well":      func(l *formula) { l.width, l.down = 0.02, 0.05 },
		"capacity unsure": func(l *formula) { l.width = 0.25 },
		"downtime unsure": func(l *formula) { l.down = 0.8 },
		"all unsure":      func(l *formula) { l.width, l.down = 0.15, 0.5 },
	} {
		t.Run(name, func(t *testing.T) {
			l := reference()
			change(l)
			in := referenceInput(flat(1, 0.05))
			in.Model = l
			p, _ := newPaths(in.Load, Horizon)
			f := newFrame(in, p)
			c := f.newCandidate(in.Now)
			rate := math.Exp(f.support(&c, 30).window)
			if missed := f.missed(&c, rate, 30); missed < 0.005 || missed > 0.02 {
				t.Errorf("at %.0f/s %.2f %% miss, want about 1 %%", rate, 100*missed)
			}
		})
	}
}

// missed is the share of drawn recoveries from the greatest age that miss the
// target at a constant rate, by plain Monte Carlo.
func (f *frame) missed(c *candidate, rate, interval float64) float64 {
	const n = 200000
	rng, b, late := rand.New(rand.NewPCG(3, 3)), c.behavior, 0
	for range n {
		z := rng.NormFloat64
		d := b.Duration.At(z())
		o := recovery.Case{
			Rate: rate * math.Exp(f.spread*z()), Age: d + max(interval, d),
			Capacity: b.Capacity.At(z()) * (1 - b.Loss.At(z())*d/max(interval, d)),
			Warmup:   recovery.Warmup{Start: b.Cold.Start.At(z()), Tau: b.Cold.Tau.At(z())},
		}
		for _, p := range b.Down[job.ProcessFailure].Phases {
			o.Downtime += p.At(z())
		}
		if !o.Time().Within(f.target) {
			late++
		}
	}
	return float64(late) / n
}

// Of the intervals the one is found that supports most.
func TestBestInterval(t *testing.T) {
	in := referenceInput(flat(30000, 0.05))
	p, _ := newPaths(in.Load, Horizon)
	f := newFrame(in, p)
	all := between(intervals(), 5, 120)
	for _, start := range []int{0, 5, len(all) - 1} {
		f.last = start
		c := f.newCandidate(in.Now)
		i, s := f.question.best(&c, all)
		for _, v := range all {
			if o := f.support(&c, v); o.least() > s.least() {
				t.Errorf("from %d: %v s supports %v, but %v s %v", start, i, s.least(), v, o.least())
			}
		}
		// By the model (package recovery): T* = b + √(b² + (R* + D)b) with b = βD =
		// 1.275, D = 4.25: 1.275 + √(1.63 + 184.25·1.275) = 16.7 s; next in the list: 15.
		if i != 15 {
			t.Errorf("best interval %v, want 15", i)
		}
	}
}
