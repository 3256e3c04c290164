package learn

import (
	"math"
	"testing"
	"time"

	"rebound/internal/job"

	"pgregory.net/rapid"
)

func anyResources(t *rapid.T) resources {
	return resources{
		Parallelism: rapid.IntRange(1, 60).Draw(t, "parallelism"), Slots: rapid.IntRange(1, 5).Draw(t, "slots"),
		Cores: rapid.Float64Range(0.3, 8).Draw(t, "cores"), GiB: rapid.Float64Range(0.3, 16).Draw(t, "GiB"),
	}
}

// The gradient of the law is what finite differences say.
func TestSlopeOfTheLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		theta, deviation := prior()
		for i := range theta {
			theta[i] += deviation[i] * rapid.Float64Range(-1, 1).Draw(t, "theta")
		}
		r := anyResources(t)
		_, slope := theta.at(r)
		for i := range busyBias {
			const h = 1e-6
			up, down := theta, theta
			up[i] += h
			down[i] -= h
			a, _ := up.at(r)
			b, _ := down.at(r)
			if want := (a - b) / (2 * h); math.Abs(slope[i]-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("slope %d at %+v: %v, want %v", i, r, slope[i], want)
			}
		}
	})
}

// With the numbers of the pinned scenarios the law is theirs, but for the corner
// that the smooth minimum rounds off.
func TestLawIsThePinnedOne(t *testing.T) {
	theta := vector{logUnit: math.Log(8000), processes: 1, cores: 0.9, logMemory: math.Log(0.25), logThread: math.Log(1.2), perOther: -math.Log(0.985)}
	for _, k := range []job.Knobs{knobs(8, 1, 1, 2), knobs(24, 2, 2, 4), knobs(7, 2, 3, 1), knobs(9, 4, 2, 2), knobs(1, 4, 3, 2)} {
		got, _ := theta.at(resourcesOf(k))
		near(t, k.String(), math.Exp(got), pinned(k), 0.006)
	}
}

var noon = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

// scattered is what is known of cells whose blocks have a certain scatter, as of noon.
func scattered(deviation float64, c ...cell) *known {
	return &known{Cells: c, At: noon, Scatter: noise{Square: 1e9 * deviation * deviation, Weight: 1e9}}
}

func oneCell(r resources, y float64) cell {
	return cell{At: r, Load: 1, Busy: evidence{Mean: y, Weight: 50, Count: 50, Last: noon}}
}

// By hand: where the level of capacity is all but unknown, one cell of busy times
// of mean y and variance v decides it there: the mean is y − E φ, the variance
// v + Var φ = v + 0.03². v is 0.02²·2/50 + 0.004².
func TestBelieveOneCell(t *testing.T) {
	r := resources{8, 1, 2, 4}
	k := scattered(0.02, oneCell(r, 11))
	b := believe(k)
	mean, variance := b.lasting(r)
	if math.Abs(mean-(11-0.01)) > 1e-3 {
		t.Errorf("mean %v, want 10.99", mean)
	}
	near(t, "variance", variance, 0.02*0.02*2/50+0.004*0.004+0.03*0.03, 0.01)
	_, deviation := b.at(r)
	near(t, "deviation of what a recovery finds", deviation, math.Sqrt(variance+0.02*0.02), 1e-9)
	k.At = noon.AddDate(0, 0, 16)
	_, old := believe(k).lasting(r)
	near(t, "variance 16 days later", old, variance+16*0.015*0.015, 0.01)
}

// From one cell, capacity at half and double of each resource is known to within
// 8–20 %: more for what may count little or fully.
func TestSpreadByKnob(t *testing.T) {
	r := resources{8, 2, 2, 2}
	b := believe(scattered(0.01, oneCell(r, 11)))
	_, here := b.at(r)
	for name, other := range map[string]resources{
		"half the TaskManagers": {4, 2, 2, 2}, "twice the TaskManagers": {16, 2, 2, 2},
		"half the cores": {8, 2, 1, 2}, "twice the cores": {8, 2, 4, 2},
		"half the memory": {8, 2, 2, 1}, "more slots": {16, 4, 2, 2},
	} {
		_, there := b.at(other)
		if added := z95 * math.Sqrt(there*there-here*here); added < 0.075 || added > 0.2 {
			t.Errorf("%s: ± %.1f %% more than here", name, 100*added)
		}
	}
}

// What no law explains is learned where it was seen: a job that loses a tenth from
// 12 TaskManagers on has that at 12 and 14, and not at 8.
func TestMisfitIsLocal(t *testing.T) {
	odd := func(r resources) float64 {
		y := 11 + 0.97*math.Log(float64(r.Parallelism))
		if r.Parallelism >= 12 {
			y += math.Log(0.9)
		}
		return y
	}
	var c []cell
	for _, p := range []int{6, 8, 10, 12, 14} {
		r := resources{p, 1, 1, 2}
		c = append(c, cell{At: r, Load: 1, Full: evidence{Mean: odd(r), Weight: 100, Count: 100, Last: noon}})
	}
	b := believe(scattered(0.01, c...))
	for _, p := range []int{6, 8, 10, 12, 14} {
		r := resources{p, 1, 1, 2}
		if mean, _ := b.at(r); math.Abs(mean-odd(r)) > 0.012 {
			t.Errorf("%d TaskManagers: off by %.1f %%", p, 100*(mean-odd(r)))
		}
	}
}

// One block far off among many moves the mean by little, and is not taken for
// scatter.
func TestOneOddBlock(t *testing.T) {
	var e evidence
	var scatter noise
	for i := range 40 {
		e.add(sample{log: 10 + 0.01*float64(i%3-1), weight: 1, at: noon.Add(time.Duration(i) * 2 * time.Minute)}, &scatter)
	}
	before := scatter.deviation(blockScatter, blockWorth)
	e.add(sample{log: 12, weight: 1, at: noon.Add(80 * time.Minute)}, &scatter)
	if math.Abs(e.Mean-10) > 0.01 {
		t.Errorf("mean %v, want about 10", e.Mean)
	}
	if after := scatter.deviation(blockScatter, blockWorth); after > 1.5*before {
		t.Errorf("scatter %v, was %v", after, before)
	}
}

// The cell that was seen longest ago makes room.
func TestCellsAreBounded(t *testing.T) {
	var c cells
	var scatter noise
	for i := range mostCells + 3 {
		c.at(resources{i + 1, 1, 1, 1}).Busy.add(sample{log: 10, weight: 1, at: noon.Add(time.Duration(i) * time.Hour)}, &scatter)
	}
	if len(c) != mostCells || c[0].At.Parallelism != 4 || c[mostCells-1].At.Parallelism != mostCells+3 {
		t.Errorf("%d cells from %d to %d", len(c), c[0].At.Parallelism, c[len(c)-1].At.Parallelism)
	}
}

// A job that is in a checkpoint all the time does not show what one costs: its
// capacity without is known no better than the cost is, until the same job at
// a longer interval shows that, which corrects what was seen before.
func TestCostLearnedLaterCorrects(t *testing.T) {
	j, s := named(), newSynthetic(20, pinned)
	s.interval = 4.25
	s.hour(j, 7200)
	u := j.Behavior(s.knobs).Capacity
	if truth := pinned(s.knobs); u.Quantile(0.05) > truth || u.Quantile(0.95) < truth || u.Spread < 0.15*u.Median {
		t.Errorf("capacity %.0f ± %.0f, truth %.0f: want it unsure", u.Median, u.Spread, truth)
	}
	other := knobs(10, 1, 2, 4)
	before := s.knobs
	s.knobs, s.interval = other, 60
	s.restart(60)
	s.hour(j, 7200)
	for _, k := range []job.Knobs{other, before} {
		u := j.Behavior(k).Capacity
		near(t, "capacity of "+k.String(), u.Median, pinned(k), 0.03)
		if u.Spread > 0.09*u.Median {
			t.Errorf("%v: ± %.1f %%", k, 100*u.Spread/u.Median)
		}
	}
}

// strangers are copies of a job whose cores give it more than any law would: twice the
// cores 2.8 times the capacity, and nothing beyond 2.1 cores of a slot. They lie along
// a diagonal, few with many cores and many with few.
func strangers(noise float64) (c []cell, truth func(resources) float64) {
	truth = func(r resources) float64 {
		return 9.1 + math.Log(float64(r.Parallelism)) + 1.48*math.Log(math.Min(r.Cores, 2.1)) - math.Log1p(0.24/r.GiB)
	}
	for i, r := range []resources{{24, 1, 1, 4}, {19, 1, 1, 1}, {12, 1, 1.5, 2}, {10, 1, 1.5, 4}, {7, 1, 2, 1.5}, {6, 1, 2, 4}, {5, 1, 2.5, 2}} {
		y := truth(r) + noise*[...]float64{0, 1, -1, 1, -1, 1, -1}[i]
		c = append(c, cell{At: r, Load: 1, Full: evidence{Mean: y, Weight: 1, Count: 1, Last: noon}})
	}
	return c, truth
}

// Such a job is known from seven copies, off the diagonal as well, and is no more sure
// of itself than it is right.
func TestAStrangeJobIsTakenForWhatItIs(t *testing.T) {
	c, truth := strangers(0.02)
	b := believe(scattered(0.02, c...))
	for _, r := range []resources{{9, 1, 1.5, 1}, {8, 1, 1.5, 3}, {6, 1, 2, 2}, {8, 1, 2, 1}, {14, 1, 1.5, 2}, {12, 1, 2, 2}, {5, 1, 3, 2}} {
		mean, deviation := b.at(r)
		if off := mean - truth(r); math.Abs(off) > 0.15 || math.Abs(off) > 3*deviation {
			t.Errorf("%+v: off by %.3f ± %.3f", r, off, deviation)
		}
	}
}

// A job that does as the law says is not doubted, however much has been seen.
func TestAnOrdinaryJobIsNotDoubted(t *testing.T) {
	theta, _ := prior()
	var c []cell
	for _, r := range []resources{{24, 1, 1, 4}, {12, 1, 1.1, 2}, {8, 2, 2, 2}, {6, 1, 0.5, 1}, {16, 4, 4, 4}} {
		y, _ := theta.at(r)
		c = append(c, cell{At: r, Load: 1, Full: evidence{Mean: y, Weight: 20, Count: 20, Last: noon}})
	}
	if b := believe(scattered(0.01, c...)); b.misfit != misfit {
		t.Errorf("it is taken for %v times as strange as usual", b.misfit*b.misfit/(misfit*misfit))
	}
}

// The fit is the most probable one: no small step away from it is clearly more so.
func TestTheFitIsTheMostProbable(t *testing.T) {
	c, _ := strangers(0.02)
	for _, times := range strange() {
		b := believeIn(scattered(0.02, c...), times)
		own := b.unexplained()
		at := b.misery(own, &b.theta)
		for k := range b.theta {
			for _, h := range []float64{-0.01, 0.01} {
				try := b.theta
				try[k] += h * math.Sqrt(b.spread[k])
				if m := b.misery(own, &try); m < at-0.05 {
					t.Errorf("%v times as strange: parameter %d is not at its best, by %v", times, k, at-m)
				}
			}
		}
	}
}
