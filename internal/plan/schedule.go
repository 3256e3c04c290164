package plan

import (
	"math"
	"slices"

	"rebound/internal/job"
	"rebound/internal/normal"
)

// Prices of what is not resources, as multiples of the present cost.
const (
	// missingPrice is what an hour in which 3 % of the needed capacity are missing
	// costs: 3 % about double the risk where the target binds, so that a small
	// shortfall is worth a restart after some minutes and never a saving.
	missingPrice, missingUnit = 5.0, 0.03
	// latePrice is what a restart costs, in hours of the present cost, that itself
	// is a fifth or more over the target, and hardly less near to that.
	latePrice, lateUnit = 1.0, 0.2
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
// the parallelism and changing to anything else. The load takes its median path;
// that it may rise above it is paid for as the changes that would be forced.
//
// Only the first step is ever taken, and that at the next look is a new one.
type schedule struct {
	q        *question
	epochs   []epoch
	states   []state
	groups   int
	price    float64          // of a change, as a multiple of its disturbance
	scarcity float64          // what a restart is worth as one of few, money
	now      float64          // present cost, money per hour
	spacing  float64          // s between two restarts, if those of a day are spread evenly
	forced   float64          // what a change costs that is not foreseen, money
	ways     [entries]job.Way // of later changes
	value    [][]float64      // [epoch][state] money from there on
	next     [][]int          // [epoch][group] the state to change to in place; the last one: anew
	cost     [][]float64      // what these cost, from there on
}

// newSchedule has room for all states.
func newSchedule(q *question, epochs []epoch, states []state) *schedule {
	s := &schedule{q: q, epochs: epochs, states: states, groups: group(states), price: 1, now: states[0].cost, spacing: q.spacing()}
	n := len(epochs)
	s.value, s.cost, s.next = rows(n, len(states)), rows(n, s.groups+1), make([][]int, n)
	for e := range s.next {
		s.next[e] = make([]int, s.groups+1)
	}
	return s
}

// solve fills in value, next and cost.
func (s *schedule) solve() {
	s.forced = s.change(&s.states[0], s.epochs[0], s.ways[anew])
	for e := range slices.Backward(s.epochs) {
		for g := range s.cost[e] {
			s.cost[e][g] = math.Inf(1)
		}
		for i := range s.states {
			v := s.spends(&s.states[i], e)
			if e+1 < len(s.epochs) {
				c := s.cost[e+1]
				v += min(s.value[e+1][i], c[s.states[i].group], c[s.groups])
			}
			s.value[e][i] = v
		}
		for i := range s.states {
			s.offer(e, s.groups, i)
			s.offer(e, s.states[i].group, i)
		}
	}
}

// spends is what epoch e in a state costs, with what is missing, and what is forced.
func (s *schedule) spends(x *state, e int) float64 {
	miss := min(mostMissing, x.supports.missing(s.epochs[e]))
	v := s.epochs[e].hours() * (x.cost + s.now*missingPrice/missingUnit*miss)
	if e == 0 {
		return v
	}
	// The demand, as far as it is known now, outgrows x in this epoch.
	outgrown := max(0, s.epochs[e].over(x.supports.window)-s.epochs[e-1].over(x.supports.window))
	return v + s.forced*outgrown*(1+hurry*max(0, 1-s.epochs[e].from/s.spacing))
}

// hurry is how many further changes follow, at most, one that is forced at once: what
// has risen so fast goes on rising.
const hurry = 3.0

// over is how probable it is that the demand is above a rate.
func (e *epoch) over(rate float64) float64 {
	z := (rate - e.window) / e.spread
	if z > 4 {
		return 0
	}
	return normal.CDF(-z)
}

// offer makes state i the one to change to, in place from its group or anew from
// any, if it is the best so far. That a change costs something is enough to see of
// most that they are not.
func (s *schedule) offer(e, g, i int) {
	v, way := s.value[e][i], s.ways[inPlace]
	if v >= s.cost[e][g] {
		return
	}
	if g == s.groups {
		way = s.ways[anew]
	}
	if v += s.change(&s.states[i], s.epochs[e], way); v < s.cost[e][g] {
		s.cost[e][g], s.next[e][g] = v, i
	}
}

// change is what a planned restart into x costs, in money.
func (s *schedule) change(x *state, e epoch, w job.Way) float64 {
	median, upper := s.q.restart(x.candidate, e, w)
	late := max(0, upper/s.q.target-1) / lateUnit
	return s.scarcity + s.now*(s.price*s.q.weight()*median/3600+latePrice*min(1, late))
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
	stay := s.value[0][0]
	for i := 1; i < len(s.states); i++ {
		v := s.value[0][i]
		if stay-v <= saves {
			continue // it could not pay even if the change cost nothing
		}
		w, ok := allowed(i)
		if !ok {
			continue
		}
		if v = stay - v - s.change(&s.states[i], s.epochs[0], w); v > saves {
			best, way, saves = i, w, v
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

// changes are those of a path, and the first step.
func changes(path []int) (n int) {
	before := 0
	for _, i := range path {
		if i != before {
			n++
		}
		before = i
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
