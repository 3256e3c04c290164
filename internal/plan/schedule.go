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
// during each epoch. State 0 is the present one. It is found by dynamic
// programming backwards (R. Bellman, Dynamic Programming, 1957): what is spent
// from an epoch on in a state is its cost then, and the least of staying, changing
// the parallelism and changing to anything else.
//
// Only its first step is ever taken, and that at the next look is a new one.
type schedule struct {
	q      *question
	epochs []epoch
	states []state
	groups int
	price  float64          // of a change, as a multiple of what it is worth
	now    float64          // present cost, money per hour
	ways   [entries]job.Way // of later changes
	value  [][]float64      // [epoch][state] money from there on
	next   [][]int          // [epoch][group] the state to change to in place; the last one: anew
	cost   [][]float64      // what these cost, from there on
}

// solve fills in value, next and cost.
func (s *schedule) solve() {
	n, m := len(s.epochs), len(s.states)
	if s.value == nil {
		s.value, s.next, s.cost = rows(n, m), make([][]int, n), rows(n, s.groups+1)
	}
	for e := n - 1; e >= 0; e-- {
		s.next[e] = make([]int, s.groups+1)
		for g := range s.cost[e] {
			s.cost[e][g] = math.Inf(1)
		}
		hours, row := s.epochs[e].hours(), s.value[e]
		for i := range s.states {
			x := &s.states[i]
			miss := min(mostMissing, x.supports.missing(s.epochs[e]))
			row[i] = hours * (x.cost + s.now*missingPrice/missingUnit*miss)
			if e+1 < n {
				row[i] += min(s.value[e+1][i], s.cost[e+1][x.group], s.cost[e+1][s.groups])
			}
		}
		for i := range s.states {
			s.offer(e, i)
		}
	}
}

// offer lets others know what it costs to change to state i in epoch e. That a
// change costs something is enough to see of most that they are not the best.
func (s *schedule) offer(e, i int) {
	if e == 0 {
		return // the first step is looked at by itself
	}
	x := &s.states[i]
	s.take(e, s.groups, i, s.ways[anew])
	s.take(e, x.group, i, s.ways[inPlace])
}

// take makes state i the one to change to by a way, if it is the best so far.
func (s *schedule) take(e, g, i int, w job.Way) {
	v := s.value[e][i]
	if v >= s.cost[e][g] {
		return
	}
	if v += s.change(&s.states[i], s.epochs[e], w); v < s.cost[e][g] {
		s.cost[e][g], s.next[e][g] = v, i
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

// first is the best first step: the state to be in now, and what it saves over
// staying, the change's own cost taken off.
func (s *schedule) first(allowed func(i int) (job.Way, bool)) (best int, way job.Way, saves float64) {
	stay := s.value[0][0]
	for i := range s.states[1:] {
		v := s.value[0][i+1]
		if stay-v <= saves {
			continue // it could not pay even if the change cost nothing
		}
		w, ok := allowed(i + 1)
		if !ok {
			continue
		}
		if v = stay - v - s.change(&s.states[i+1], s.epochs[0], w); v > saves {
			best, way, saves = i+1, w, v
		}
	}
	return best, way, saves
}

// path is the state in each epoch if the first is i.
func (s *schedule) path(i int) []int {
	out := []int{i}
	for e := 1; e < len(s.epochs); e++ {
		g := s.states[i].group
		switch stay, in, anew := s.value[e][i], s.cost[e][g], s.cost[e][s.groups]; {
		case stay <= in && stay <= anew:
		case in <= anew:
			i = s.next[e][g]
		default:
			i = s.next[e][s.groups]
		}
		out = append(out, i)
	}
	return out
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

// changes in a path before a time (s).
func (s *schedule) changes(path []int, before float64) int {
	n := 0
	for e := 1; e < len(path); e++ {
		if path[e] != path[e-1] && s.epochs[e].from < before {
			n++
		}
	}
	return n
}

func rows(n, m int) [][]float64 {
	room, out := make([]float64, n*m), make([][]float64, n)
	for i := range out {
		out[i] = room[i*m : (i+1)*m : (i+1)*m]
	}
	return out
}
