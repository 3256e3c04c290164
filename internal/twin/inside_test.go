package twin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"rebound/internal/job"
)

// The ring agrees with a list of every step, near and far back.
func TestArrivalsAgreeWithAList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := arrivals{step: 1}
		var list []int64 // by the end of each step
		in := int64(0)
		for range rapid.IntRange(1, 30).Draw(rt, "stretches") {
			rate := rapid.Int64Range(0, 1000).Draw(rt, "rate")
			for range rapid.IntRange(1, 900).Draw(rt, "steps") {
				in += rate
				a.push(in)
				list = append(list, in)
			}
			if in == 0 {
				continue
			}
			pos := rapid.Int64Range(0, in-1).Draw(rt, "pos")
			step, _ := slices.BinarySearch(list, pos+1) // the first with more than pos
			got := a.arrived(pos)
			slack := 0.0
			if len(list)-step > fineKept {
				slack = coarseSeconds
			}
			if got < float64(step)-slack || got > float64(step)+1+slack {
				rt.Fatalf("record %d arrived at %v, want within step %d of %d", pos, got, step, len(list))
			}
		}
	})
}

func TestArrivedBy(t *testing.T) {
	a := arrivals{step: 1}
	for i := range int64(20000) {
		a.push((i + 1) * 10)
	}
	// Near: the end of the step; far: of the minute, 20000 s − 8192 s = 11808 s ago.
	for at, want := range map[float64]int64{-1: 0, 19990: 199910, 12000: 120010, 600: 6600, 25000: 200000} {
		if got := a.arrivedBy(at); got != want {
			t.Errorf("by %v s %d had arrived, want %d", at, got, want)
		}
	}
}

// Quantiles are those of the sorted list, within a bucket (4.4 %).
func TestHistogramAgreesWithAList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var h Histogram
		var list []float64
		for _, v := range rapid.SliceOfN(rapid.Float64Range(math.Log(2e-3), math.Log(1e5)), 1, 50).Draw(rt, "logs") {
			n := rapid.Int64Range(1, 5).Draw(rt, "n")
			h.add(math.Exp(v), n)
			for range n {
				list = append(list, math.Exp(v))
			}
		}
		slices.Sort(list)
		q := rapid.Float64Range(0.01, 1).Draw(rt, "q")
		want := list[int(math.Ceil(q*float64(len(list))))-1]
		if got := h.Quantile(q); math.Abs(got/want-1) > 0.045 {
			rt.Errorf("quantile %v is %v, want %v", q, got, want)
		}
		sum := 0.0
		for _, v := range list {
			sum += v
		}
		if want := sum / float64(len(list)); math.Abs(h.Mean()/want-1) > 1e-9 {
			rt.Errorf("mean %v, want %v", h.Mean(), want)
		}
		limit := rapid.SampledFrom(list).Draw(rt, "limit")
		late := 0
		for _, v := range list {
			if v > limit*1.1 {
				late++
			}
		}
		if got := h.LaterThan(limit) * float64(len(list)); got < float64(late)-1e-6 {
			rt.Errorf("%v later than %v, want at least %d", got, limit, late)
		}
	})
}

func TestHistogramOfNothing(t *testing.T) {
	var h Histogram
	h.add(1, 0)
	if h.Mean() != 0 || h.Quantile(0.5) != 0 || h.LaterThan(1) != 0 {
		t.Errorf("mean %v, median %v, later %v; want 0", h.Mean(), h.Quantile(0.5), h.LaterThan(1))
	}
}

// The parts of the exponential distribution that stand for a step's records have
// its mean, and its 95 % point lies between the last two.
func TestSharesOfTheExponential(t *testing.T) {
	shareA := 1 - shareB - shareC - shareD
	mean := shareA*meanOfA + shareB*meanOfB + shareC*meanOfC + shareD*meanOfD
	if math.Abs(mean-1) > 1e-3 || meanOfC > p95OfExponential || meanOfD < p95OfExponential {
		t.Errorf("mean %v, want 1", mean)
	}
	between := func(a, b float64) float64 {
		f := func(x float64) float64 {
			if x == 1 {
				return 0
			}
			return (1 - x) * (1 - math.Log(1-x))
		}
		return (f(a) - f(b)) / (b - a)
	}
	for want, got := range map[float64]float64{between(0, 0.5): meanOfA, between(0.5, 0.8): meanOfB, between(0.8, 0.95): meanOfC, between(0.95, 1): meanOfD} {
		if math.Abs(want-got) > 1e-4 {
			t.Errorf("mean of a part %v, want %v", got, want)
		}
	}
}

// daily: the law of the reference scenarios, by hand. 12 TaskManagers with 2 slots, 2.4 cores, 2 GiB:
// c′ = min(2.4, 2.4), 8000·2.4^0.9·2/2.25 = 15,634 each, 12 of them × 0.985^11.
func TestCapacityOfTheReference(t *testing.T) {
	s, err := Builtin("daily")
	if err != nil {
		t.Fatal(err)
	}
	k := job.Knobs{IntervalSeconds: 30, Parallelism: 24, Slots: 2, CPUCores: 2.4, MemoryBytes: 2 * job.GiB}
	one := 8000 * math.Pow(2.4, 0.9) * 2 / 2.25
	if got, _ := s.Capacity.rate(k); math.Abs(got/(12*one*math.Pow(0.985, 11))-1) > 1e-12 {
		t.Errorf("capacity %v, want %v", got, 12*one*math.Pow(0.985, 11))
	}
	// 23 subtasks: the last TaskManager has one slot in use, and c′ = 1.2.
	k.Parallelism = 23
	want := (11*one + 8000*math.Pow(1.2, 0.9)*2/2.25) * math.Pow(0.985, 11)
	if got, cores := s.Capacity.rate(k); math.Abs(got/want-1) > 1e-12 || math.Abs(cores-(11*2.4+1.2)) > 1e-9 {
		t.Errorf("capacity %v with %v cores, want %v with 27.6", got, cores, want)
	}
	// A slot cannot use more than 1.2 cores.
	k.CPUCores = 3
	if a, _ := s.Capacity.rate(k); math.Abs(a/want-1) > 1e-12 {
		t.Errorf("capacity %v with cores that no slot can use, want %v", a, want)
	}
	// Hot state that does not fit throttles: 12 · 2 GiB of 96: half.
	s.Capacity.HotStateGiB = 96
	if got, _ := s.Capacity.rate(k); math.Abs(got/(want/2)-1) > 1e-12 {
		t.Errorf("capacity %v with a quarter of the memory, want %v", got, want/2)
	}
	s.Capacity.SinkLimit = 1000
	if got, _ := s.Capacity.rate(k); got != 1000 {
		t.Errorf("capacity %v before a sink of 1000", got)
	}
}

// The load of the reference scenarios: mean, peak over mean, and where the peak is.
func TestShapeOfTheLoad(t *testing.T) {
	s, err := Builtin("daily")
	if err != nil {
		t.Fatal(err)
	}
	s.Load.Noise.Ratio = 0
	a := newArrival(s.Load, nil)
	sum, peak, at := 0.0, 0.0, 0.0
	for x := 0.0; x < 86400; x += 10 {
		r := a.level(x)
		sum += r
		if r > peak {
			peak, at = r, x
		}
	}
	if mean := sum / 8640; math.Abs(mean-50000) > 1 || math.Abs(peak-100000) > 1 || at != 15*3600 {
		t.Errorf("mean %v, peak %v at %v h; want 50,000, 100,000 at 15 h", mean, peak, at/3600)
	}
	s, err = Builtin("surge")
	if err != nil {
		t.Fatal(err)
	}
	s.Load.Noise.Ratio = 0
	a = newArrival(s.Load, nil)
	for hour, want := range map[float64]float64{9.9: 40000, 10 + 1.0/6: 60000, 10 + 1.0/3: 80000, 13.3: 80000, 13 + 1.0/3 + 0.5: 60000, 15: 40000} {
		if got := a.level(hour * 3600); math.Abs(got-want) > 1 {
			t.Errorf("load at %v h is %v, want %v", hour, got, want)
		}
	}
}

// Noise has its deviation and its correlation time, whatever the seed.
func TestNoise(t *testing.T) {
	p := newProcess(Noise{Ratio: 0.03, TimeSeconds: 300}, 10, rand.New(rand.NewPCG(1, 2)))
	const n, lag = 200000, 30 // 300 s
	x := make([]float64, n)
	sum, squares, products := 0.0, 0.0, 0.0
	for i := range x {
		x[i] = p.next() - 1
		sum += x[i]
		squares += x[i] * x[i]
		if i >= lag {
			products += x[i] * x[i-lag]
		}
	}
	if mean, sd := sum/n, math.Sqrt(squares/n); math.Abs(mean) > 0.002 || math.Abs(sd-0.03) > 0.001 {
		t.Errorf("mean %v, standard deviation %v; want 0, 0.03", mean, sd)
	}
	if c := products / squares; math.Abs(c-1/math.E) > 0.05 {
		t.Errorf("correlation after 300 s is %v, want 1/e", c)
	}
}

// The greatest age is that of the peaks of the last quarter of an hour.
func TestGreatestAgeAgreesWithAList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var g greatestAge
		var all []peak
		at := 0.0
		for range rapid.IntRange(1, 60).Draw(rt, "n") {
			at += rapid.Float64Range(0, 200).Draw(rt, "gap")
			p := peak{at, rapid.Float64Range(1, 100).Draw(rt, "age")}
			g.add(p.at, p.age)
			all = append(all, p)
			want := 0.0
			for _, q := range all {
				if q.at >= at-greatestOver {
					want = max(want, q.age)
				}
			}
			if got, ok := g.value(at); !ok || got != want {
				rt.Fatalf("greatest age %v, want %v", got, want)
			}
		}
		if _, ok := g.value(at + greatestOver + 1); ok {
			rt.Error("an age of long ago counts")
		}
	})
}

// Each purpose, and each event of a purpose, has draws of its own.
func TestChancesAreApart(t *testing.T) {
	s, err := Builtin("daily")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]bool{}
	for _, seed := range []uint64{1, 2} {
		w, err := New(s, seed)
		if err != nil {
			t.Fatal(err)
		}
		for purpose := range uint64(8) {
			for number := range uint64(3) {
				v := w.chance(purpose+1, number).Uint64()
				if seen[v] {
					t.Fatalf("seed %d, purpose %d, event %d: the draws of another", seed, purpose+1, number)
				}
				seen[v] = true
			}
		}
	}
}
