package plan

import (
	"math"

	"rebound/internal/job"
)

// Prices of what is not resources, as multiples of the present cost.
const (
	// missingPrice is what an hour in which 3 % of the needed capacity are missing
	// costs: 3 % about double the risk where the target binds, so that a small
	// shortfall is worth a restart after some minutes and never a saving.
	missingPrice, missingUnit = 5.0, 0.03
	// latePrice is what a restart costs, in hours of the present cost, that itself
	// is a fifth or more over the target, and hardly less near to that.
	latePrice, lateUnit = 2.0, 0.2
	mostMissing         = 3.0
)

// enter says by which way a setting is entered.
type enter int

const (
	inPlace enter = iota // only the parallelism changes
	anew                 // more does
	entries
)

// state is a setting that the job may be in during an epoch.
type state struct {
	*candidate
	supports support
	group    int  // settings among which only the parallelism differs
	keeps    bool // the configured interval as it is now
}

// schedule is the cheapest way through the horizon: which state the job is in
// during each epoch. State 0 is the present one. What will be known later is not
// known now, so that the first step is chosen for all futures together, and all
// later ones for each by itself (a two-stage stochastic program with recourse: G. B.
// Dantzig, Linear Programming under Uncertainty, Management Science 1(3–4), 1955).
//
// Only the first step is ever taken, and that at the next look is a new one.
type schedule struct {
	q      *question
	states []state
	groups int
	price  float64          // of a change, as a multiple of the disturbance
	now    float64          // present cost, money per hour
	ways   [entries]job.Way // of later changes
	first  epoch
	routes []*route  // one a future
	value  []float64 // of each state for the first epoch: money from then on
}

// route is the cheapest way through one future, found by dynamic programming
// backwards (R. Bellman, Dynamic Programming, 1957): what is spent from an epoch on
// in a state is its cost then, and the least of staying, changing the parallelism
// and changing to anything else.
type route struct {
	future
	value [][]float64 // [epoch][state] money from there on
	next  [][]int     // [epoch][group] the state to change to in place; the last one: anew
	cost  [][]float64 // what these cost, from there on
}

// newSchedule has room for all states.
func newSchedule(q *question, d demand, states []state) *schedule {
	s := &schedule{q: q, states: states, groups: group(states), price: 1, now: states[0].cost, first: d.epochs[0]}
	s.value = make([]float64, len(states))
	for _, f := range d.futures {
		n := len(f.epochs)
		r := &route{future: f, value: rows(n, len(states)), cost: rows(n, s.groups+1), next: make([][]int, n)}
		for e := range r.next {
			r.next[e] = make([]int, s.groups+1)
		}
		s.routes = append(s.routes, r)
	}
	return s
}

// solve fills in all routes, and the value of each first state.
func (s *schedule) solve() {
	for i := range s.states {
		s.value[i] = s.spends(&s.states[i], s.first)
	}
	for _, r := range s.routes {
		for e := len(r.epochs) - 1; e > 0; e-- {
			s.epoch(r, e)
		}
		if len(r.epochs) > 1 {
			for i := range s.states {
				s.value[i] += r.share * r.onward(1, i, s.states[i].group)
			}
		}
	}
}

// spends is what an epoch in a state costs, with what is missing.
func (s *schedule) spends(x *state, e epoch) float64 {
	miss := min(mostMissing, x.supports.missing(e))
	return e.hours() * (x.cost + s.now*missingPrice/missingUnit*miss)
}

// onward is what is spent from epoch e on by a job that was in state i before.
func (r *route) onward(e, i, group int) float64 {
	c := r.cost[e]
	return min(r.value[e][i], c[group], c[len(c)-1])
}

// epoch solves one, given those after it.
func (s *schedule) epoch(r *route, e int) {
	for g := range r.cost[e] {
		r.cost[e][g] = math.Inf(1)
	}
	for i := range s.states {
		x := &s.states[i]
		v := s.spends(x, r.epochs[e])
		if e+1 < len(r.epochs) {
			v += r.onward(e+1, i, x.group)
		}
		r.value[e][i] = v
	}
	for i := range s.states {
		s.offer(r, e, s.groups, i)
		s.offer(r, e, s.states[i].group, i)
	}
}

// offer makes state i the one to change to, in place from its group or anew from
// any, if it is the best so far. That a change costs something is enough to see of
// most that they are not.
func (s *schedule) offer(r *route, e, g, i int) {
	v, way := r.value[e][i], s.ways[inPlace]
	if v >= r.cost[e][g] {
		return
	}
	if g == s.groups {
		way = s.ways[anew]
	}
	if v += s.change(&s.states[i], r.epochs[e], way); v < r.cost[e][g] {
		r.cost[e][g], r.next[e][g] = v, i
	}
}

// change is what a planned restart into x costs, in money.
func (s *schedule) change(x *state, e epoch, w job.Way) float64 {
	median, upper := s.q.restart(x.candidate, e, w)
	late := max(0, upper/s.q.target-1) / lateUnit
	return s.now * (s.price*s.q.weight()*median/3600 + latePrice*min(1, late))
}

// weight is the policy's, 0 for one that does not mind disturbance.
func (q *question) weight() float64 { return q.in.Policy.DisruptionWeight }

// longestRestart stands where the backlog of a restart never ends, in targets.
const longestRestart = 10.0

// restart is how long a planned restart into c takes, catch-up included: its median
// and a bound (s).
func (q *question) restart(c *candidate, e epoch, w job.Way) (median, upper float64) {
	d := c.downs(w)
	age := c.duration
	if w == job.Savepoint {
		age = 0
	}
	most := longestRestart * q.target
	rho := e.mean / c.behavior.Capacity.Median
	bad := rho * c.doubt
	return catchUp(d.median, age, rho, most), catchUp(d.upper, age, bad, most)
}

// catchUp is (T + ρA)/(1 − ρ), at most the longest.
func catchUp(down, age, rho, longest float64) float64 {
	if !(rho < 1) {
		return longest
	}
	return min(longest, (down+rho*age)/(1-rho))
}

// best is the best first step: the state to be in now, and what it saves over
// staying, the change's own cost taken off.
func (s *schedule) best(allowed func(i int) (job.Way, bool)) (best int, way job.Way, saves float64) {
	stay := s.value[0]
	for i := 1; i < len(s.states); i++ {
		v := s.value[i]
		if stay-v <= saves {
			continue // it could not pay even if the change cost nothing
		}
		w, ok := allowed(i)
		if !ok {
			continue
		}
		if v = stay - v - s.change(&s.states[i], s.first, w); v > saves {
			best, way, saves = i, w, v
		}
	}
	return best, way, saves
}

// path is the state in each epoch of a future if the first is i.
func (s *schedule) path(r *route, i int) []int {
	out := []int{i}
	for e := 1; e < len(r.epochs); e++ {
		g := s.states[i].group
		switch stay, in, anew := r.value[e][i], r.cost[e][g], r.cost[e][s.groups]; {
		case stay <= in && stay <= anew:
		case in <= anew:
			i = r.next[e][g]
		default:
			i = r.next[e][s.groups]
		}
		out = append(out, i)
	}
	return out
}

// changes are those to be expected if the first state is i: the mean over futures.
func (s *schedule) changes(i int) (n float64) {
	if i != 0 {
		n = 1
	}
	for _, r := range s.routes {
		path := s.path(r, i)
		for e := 1; e < len(path); e++ {
			if path[e] != path[e-1] {
				n += r.share
			}
		}
	}
	return n
}

// stands is how many epochs the first state of a path stands.
func stands(path []int) int {
	for e, i := range path {
		if i != path[0] {
			return e
		}
	}
	return len(path)
}

func rows(n, m int) [][]float64 {
	room, out := make([]float64, n*m), make([][]float64, n)
	for i := range out {
		out[i] = room[i*m : (i+1)*m : (i+1)*m]
	}
	return out
}
