package plan

import (
	"math"
	"testing"

	"rebound/internal/job"
)

// paced is the reference job with resources that hold the peak, checkpoints on
// request and no restart, at an hour of the day.
func paced(hour float64) Input {
	in := referenceInput(day(50000, hour))
	in.Now = job.Knobs{IntervalSeconds: 120, Parallelism: 24, Slots: 2, CPUCores: 2.4, MemoryBytes: 4 * job.GiB}
	in.World.Pacing, in.Policy.Mode = true, job.ModePace
	in.Policy.Knobs.Parallelism.Max, in.Policy.Knobs.CPU.Max = 24, 2.4
	return in
}

// Over a day, in which all is as expected, the paces that are proposed make recovery
// from the greatest age as short, on average, as the longest fixed interval that
// holds the peak, with clearly fewer checkpoints; and none misses the target. What
// can be had at all is 1 − (E√w)²/E[w] with w = ρ/(1 − ρ): a fifth on this day.
func TestPacingBeatsFixed(t *testing.T) {
	f := func(hour float64) *frame {
		in := paced(hour)
		p, _ := newPaths(in.Load, Horizon)
		x := newFrame(in, p)
		x.stands = len(x.demand.epochs)
		return x
	}
	whole := f(0)
	fixed, ok := whole.longestPace(whole.present, whole.demand.epochs)
	if !ok {
		t.Fatal("no interval holds the peak")
	}
	var count, mean [2]float64
	for hour := 0.0; hour < 24; hour += 0.5 {
		x := f(hour)
		pace := x.paceOf(x.present, len(x.demand.epochs))
		e := x.demand.epochs[0]
		if !x.holds(x.present, pace, x.demand.epochs[:1]) {
			t.Errorf("hour %v: a pace of %v s misses the target", hour, pace)
		}
		for i, v := range []float64{fixed, pace} {
			count[i] += 1800 / v
			mean[i] += x.expected(x.present, e, v) / 48
		}
	}
	t.Logf("fixed %.0f s: %.0f checkpoints, mean recovery %.1f s; paced: %.0f, %.1f s", fixed, count[0], mean[0], count[1], mean[1])
	if count[1] > 0.85*count[0] || mean[1] > mean[0]*1.015 {
		t.Error("want 15 % fewer checkpoints at no longer recovery")
	}
}

// A pace keeps its bounds: no more requests than the budget, no shorter than a
// checkpoint and its pause, no longer than the configured interval.
func TestPaceBounds(t *testing.T) {
	in := paced(15)
	in.MinPauseSeconds, in.Policy.Budget.CheckpointsPerMinute = 20, 4
	p, _ := newPaths(in.Load, Horizon)
	f := newFrame(in, p)
	for _, v := range f.periods {
		if d := in.Model.Behavior(in.Now).Duration.Median; v < 20+d-1e-9 || v < 15 || v > 120 {
			t.Errorf("period %v s", v)
		}
	}
	in.Now.IntervalSeconds = 10 // shorter than any pace may be
	if got := (Search{}).Plan(in); got.PaceSeconds != nil {
		t.Errorf("a pace of %v s, with 10 s configured", *got.PaceSeconds)
	}
}

// A pace near the best one is kept, so that it does not change every minute.
func TestPaceIsCalm(t *testing.T) {
	in := paced(3)
	first := Search{}.Plan(in).PaceSeconds
	if first == nil {
		t.Fatal("no pace")
	}
	for _, c := range []struct {
		factor float64
		kept   bool
	}{{1.05, true}, {0.8, true}, {1.3, false}, {0.5, false}} {
		in.PaceSeconds = new(*first * c.factor)
		got := Search{}.Plan(in).PaceSeconds
		if got == nil || (math.Abs(*got-*in.PaceSeconds) < 1e-9) != c.kept {
			t.Errorf("in force %v times the best: got %v of %v", c.factor, got, *first)
		}
	}
}
