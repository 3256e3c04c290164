package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"rebound/bench/search/problems"
	"rebound/internal/search"
)

// stream runs the stream job for all seeds.
func (k work) stream(ctx context.Context, kept *store) error {
	rate, ok := problems.Rates()[k.Rate]
	if !ok {
		return fmt.Errorf("rate: %q, want low, mid or high", k.Rate)
	}
	if err := known("way", k.Way, "", "physics", "transfer"); err != nil {
		return err
	}
	rival := "rebound"
	if k.Way != "" {
		rival += "-" + k.Way
	}
	for seed := k.First; seed < k.Last; seed++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		l := line{Problem: "stream", Rate: rate, Rival: rival, Seed: seed}
		err := kept.once(l, func(l line) (line, error) {
			r := newRun(k.Rate, seed, k.Budget)
			r.line = l
			err := r.do(k.Way)
			return r.line, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func newRun(rate string, seed uint64, budget int) *run {
	r := &run{
		Stream: problems.NewStream(problems.Rates()[rate]), noise: rand.New(rand.NewPCG(seed, 3)),
		line: line{Seed: seed}, budget: budget,
	}
	r.units, r.values = r.Settings()
	return r
}

// run is one search on the stream job.
type run struct {
	problems.Stream
	units, values [][]float64
	noise         *rand.Rand
	line          line
	budget        int

	tried []int // indices of settings
	cpu   float64
}

// past is how many trials at each other rate are known before a transfer.
const past = 30

func (r *run) do(way string) error {
	p := r.problem(way)
	s, err := search.New(p)
	if err != nil {
		return err
	}
	if way == "transfer" {
		if err := r.elsewhere(s); err != nil {
			return err
		}
	}
	for range r.budget {
		x, err := r.next(s)
		if err != nil {
			return err
		}
		r.tried = append(r.tried, r.Snap(x))
		_, recovery := r.Trial(r.values[r.Snap(x)], r.noise)
		if err := s.Tell(r.trial(x, recovery)); err != nil {
			return err
		}
	}
	c, _, err := s.Recommend()
	if err != nil {
		return err
	}
	r.score(r.Snap(c.X))
	return nil
}

// next is what is asked, or the recommended setting once more where another trial
// is not worth its price.
func (r *run) next(s *search.Search) ([]float64, error) {
	before := burned()
	defer func() { r.cpu += burned() - before }()
	asked, err := s.Ask(1)
	if err != nil {
		return nil, err
	}
	if len(asked) > 0 && asked[0].Worth {
		return asked[0].X, nil
	}
	if r.line.Stopped == nil {
		n := len(r.tried)
		r.line.Stopped = &n
	}
	c, _, err := s.Recommend()
	return c.X, err
}

// A trial must be expected to save so much, in cost an hour, and must not be more
// likely than so to miss the target; what is recommended meets it with that
// probability at least. Chosen on seeds 0 to 11.
const (
	price = 0.02
	harm  = 0.5
	safe  = 0.8
)

// speed is the output that is limited, of a recovery time: -√(target/recovery).
// Where a job hardly catches up its recovery time and the logarithm of it have a
// pole; speed has none, and the root leaves noise nearly even.
func (r *run) speed(recovery float64) float64 { return -math.Sqrt(r.Target / recovery) }

// problem is the job as our search is told of it: cost is known, recovery is not.
func (r *run) problem(way string) search.Problem {
	limit := r.speed(r.Target)
	cost := func(x []float64) float64 { return r.Cost(r.values[r.Snap(x)]) }
	p := search.Problem{
		Settings: r.units, Seed: r.line.Seed, Price: price, Harm: harm, Safe: safe,
		Outputs: []search.Output{
			{Name: "cost", Minimize: true, Known: cost, Ref: 1 + cost([]float64{1, 1, 1, 1})},
			{Name: "speed of recovery", Limit: &limit},
		},
		// The biggest setting, with a checkpoint interval in the middle.
		Start: [][]float64{r.units[r.Snap([]float64{0.5, 1, 1, 1})]},
	}
	if way == "physics" {
		p.Outputs[1].Mean = func(x []float64) float64 { return r.speed(r.rough(r.values[r.Snap(x)])) }
	}
	if way == "transfer" {
		p.Level, p.Start = []float64{level(r.Rate)}, [][]float64{}
	}
	return p
}

// rough is what physics says of a recovery time without knowing the job: down for
// 10 s, then catching up, every core good for 1000 records a second.
func (r *run) rough(v []float64) float64 {
	rho := r.Rate / (1000 * v[1] * v[2])
	if rho >= 0.98 {
		return problems.Unstable
	}
	return min((10+rho*v[0])/(1-rho), problems.Unstable)
}

// level is a rate in the unit interval, by its logarithm.
func level(rate float64) float64 {
	rates := problems.Rates()
	return math.Log(rate/rates["low"]) / math.Log(rates["high"]/rates["low"])
}

// elsewhere tells of trials at the other rates.
func (r *run) elsewhere(s *search.Search) error {
	for k, name := range []string{"low", "mid", "high"} {
		rate := problems.Rates()[name]
		if rate == r.Rate {
			continue
		}
		other := r.Stream
		other.Rate = rate
		start, err := problems.Start(4, past, r.line.Seed+20_000+uint64(k))
		if err != nil {
			return err
		}
		for _, u := range start {
			i := r.Snap(u)
			_, recovery := other.Trial(r.values[i], r.noise)
			t := r.trial(r.units[i], recovery)
			t.Level = []float64{level(rate)}
			if err := s.Tell(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// trial is what our search is told. A job that never catches up has not recovered
// within the time that was waited.
func (r *run) trial(x []float64, recovery float64) search.Trial {
	result := search.Seen(r.speed(recovery))
	if recovery >= problems.Unstable {
		result = search.AtLeast(r.speed(problems.Unstable))
	}
	return search.Trial{X: x, Results: []search.Result{{}, result}}
}

// score fills the line as the rivals' scripts do.
func (r *run) score(recommended int) {
	best, reached := r.Optimum(), math.Inf(1)
	l := &r.line
	l.Trials, l.Reached, l.CPUPerAsk = len(r.tried), map[string]*float64{}, r.cpu/float64(len(r.tried))
	bad, late := 0, 0
	for n, i := range r.tried {
		ok := r.meets(i)
		if n == 0 {
			l.First = &ok
		}
		if !ok && l.Hit == nil {
			bad++
		}
		if !ok && n >= 15 {
			late++
		}
		if ok {
			reached = min(reached, r.Cost(r.values[i])/best)
		}
		if reached <= 1.05 && l.Hit == nil {
			hit := n + 1
			l.Hit = &hit
		}
		if slices.Contains([]int{5, 10, 15, 20, 30, 40}, n+1) {
			l.Reached[strconv.Itoa(n+1)] = finite(reached)
		}
	}
	l.BadToHit = &bad
	if n := len(r.tried) - 15; n > 0 {
		share := float64(late) / float64(n)
		l.BadLate = &share
	}
	misses := 0
	if !r.meets(recommended) {
		misses = 1
	}
	l.Recommended, l.Misses = r.Cost(r.values[recommended])/best, &misses
}

func (r *run) meets(i int) bool {
	_, recovery := r.Truth(r.values[i])
	return recovery <= r.Target
}

func finite(v float64) *float64 {
	if math.IsInf(v, 1) {
		return nil
	}
	return &v
}
