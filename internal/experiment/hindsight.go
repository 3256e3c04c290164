package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rebound/internal/job"
	"rebound/internal/recovery"
	"rebound/internal/twin"
)

// ErrNoFixed says that no fixed settings meet the target.
var ErrNoFixed = errors.New("no fixed settings of the space recover in time from every failure")

// The grid that fixed settings are chosen from.
const (
	coreStep   = 0.5
	memoryStep = 0.5 // GiB
	// hopeless is by how much the formula may exceed the target at the highest load
	// before a setting is not tried at all.
	hopeless = 1.25
	// intervalsTried is how many intervals are tried of each size, those with the
	// shortest recovery by the formula first.
	intervalsTried = 3
)

// intervals that fixed settings may have (s).
var intervals = []float64{5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 90, 120} //nolint:gochecknoglobals // a constant

// BestFixed is found in hindsight: the cheapest fixed settings with which no
// recovery of any seed is longer than the target. Nobody could have known them
// beforehand; it is what careful people get near to by trying.
func BestFixed(ctx context.Context, s twin.Scenario, c Contender, seeds []uint64, tell func(tried int, k job.Knobs)) (job.Knobs, error) {
	tried := 0
	for _, k := range sized(s, c) {
		for _, interval := range k.intervals {
			k.IntervalSeconds = interval
			tried++
			if tell != nil {
				tell(tried, k.Knobs)
			}
			ok, err := holds(ctx, s, c, k.Knobs, seeds)
			if err != nil {
				return job.Knobs{}, err
			}
			if ok {
				return k.Knobs, nil
			}
		}
	}
	return job.Knobs{}, fmt.Errorf("%w (%d tried)", ErrNoFixed, tried)
}

// size is one choice of resources with the intervals to try.
type size struct {
	job.Knobs
	cost      float64
	intervals []float64
}

// sized lists what is not hopeless by the formula, the cheapest first.
func sized(s twin.Scenario, c Contender) []size {
	peak := s.PeakPerSecond()
	var out []size
	each(s, func(k job.Knobs) {
		type option struct{ interval, recovery float64 }
		var options []option
		for _, i := range intervals {
			if i < s.Space.IntervalSeconds.Min || s.Space.IntervalSeconds.Max > 0 && i > s.Space.IntervalSeconds.Max {
				continue
			}
			k.IntervalSeconds = i
			down, duration, capacity := s.Expect(k)
			t := recovery.Case{Rate: peak, Capacity: capacity, Downtime: down, Age: math.Max(i, duration) + duration}.Time()
			if t.Within(hopeless * c.Policy.RecoveryTime.Seconds()) {
				options = append(options, option{i, t.Seconds})
			}
		}
		if len(options) == 0 {
			return
		}
		slices.SortFunc(options, func(a, b option) int { return cmp.Compare(a.recovery, b.recovery) })
		z := size{Knobs: k, cost: k.PerHour(s.JobManager.Job(), c.Policy.Prices)}
		for _, o := range options[:min(intervalsTried, len(options))] {
			z.intervals = append(z.intervals, o.interval)
		}
		out = append(out, z)
	})
	slices.SortStableFunc(out, func(a, b size) int { return cmp.Compare(a.cost, b.cost) })
	return out
}

// each visits the sizes of the space; parallelism fills its TaskManagers, since
// what does not costs the same and is slower.
func each(s twin.Scenario, f func(job.Knobs)) {
	sp := s.Space
	for slots := max(1, int(sp.Slots.Min)); slots <= max(1, int(sp.Slots.Max)); slots++ {
		for p := slots; p <= int(sp.Parallelism.Max); p += slots {
			if p < int(sp.Parallelism.Min) || s.Kafka.Partitions > 0 && p > s.Kafka.Partitions {
				continue
			}
			for cpu := sp.CPUCores.Min; cpu <= sp.CPUCores.Max+1e-9; cpu += coreStep {
				for mem := sp.MemoryGiB.Min; mem <= sp.MemoryGiB.Max+1e-9; mem += memoryStep {
					f(job.Knobs{Parallelism: p, Slots: slots, CPUCores: cpu, MemoryBytes: mem * job.GiB})
				}
			}
		}
	}
}

// holds says whether settings meet the target in every seed, and stops at the
// first that they do not. A failure that strikes before an earlier one has been
// caught up is beyond what any settings can promise, and does not count.
func holds(ctx context.Context, s twin.Scenario, c Contender, k job.Knobs, seeds []uint64) (bool, error) {
	c.Planner, c.Start = nil, &k
	for _, seed := range seeds {
		r, err := Case{Scenario: s, Contender: c, Seed: seed}.Run(ctx)
		if err != nil {
			return false, err
		}
		for _, rec := range r.Doc.Recoveries {
			if !rec.Met && !rec.DuringCatchUp {
				return false, nil
			}
		}
	}
	return true, nil
}
