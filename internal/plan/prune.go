package plan

import (
	"cmp"
	"math"
	"slices"
)

// pruned leaves out the groups that another one makes superfluous: it has, for the
// demand of every level, a setting that costs no more and whose planned restart
// takes no longer. Whatever way through the horizon leads through such a group, one
// through the other is as good: between groups all is changed at once, and within
// both only the parallelism. The groups of the present settings stay.
//
// The last level is the first epoch, for which only what can be gone to now counts.
func (s *schedule) pruned(levels []epoch, reachable func(c *candidate) bool) []state {
	levels = append(levels, s.epochs[0])
	offers := make([][]offer, s.groups)
	for g := range offers {
		offers[g] = make([]offer, len(levels))
		for e := range offers[g] {
			offers[g][e] = offer{money: math.Inf(1), restart: math.Inf(1)}
		}
	}
	for i := range s.states {
		x := &s.states[i]
		for e := range levels {
			if e == len(levels)-1 && !reachable(x.candidate) {
				continue
			}
			o := s.offerOf(x, levels[e])
			if b := &offers[x.group][e]; o.money < b.money || o.money == b.money && o.restart < b.restart {
				*b = o
			}
		}
	}
	keep := s.kept(offers)
	out := s.states[:0]
	for _, x := range s.states {
		if keep[x.group] {
			out = append(out, x)
		}
	}
	return out
}

// mostLevels of demand are compared.
const mostLevels = 16

// levels are epochs from the easiest to the hardest, as evenly as they come.
func levels(epochs []epoch) []epoch {
	all := slices.Clone(epochs)
	slices.SortFunc(all, func(a, b epoch) int { return cmp.Compare(a.window, b.window) })
	if len(all) <= mostLevels {
		return all
	}
	out := make([]epoch, mostLevels)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(mostLevels-1)]
	}
	return out
}

// offer is the best of a group in an epoch: its cost (money per hour, with what is
// missing) and how long a restart into it takes.
type offer struct{ money, restart float64 }

func (s *schedule) offerOf(x *state, e epoch) offer {
	miss := min(mostMissing, x.supports.missing(e))
	_, upper := s.q.restart(x.candidate, e, s.ways[anew])
	return offer{money: x.cost + s.now*missingPrice/missingUnit*miss, restart: upper}
}

// kept are the groups that no other covers. Of two that cover each other it is the
// first.
func (s *schedule) kept(offers [][]offer) []bool {
	keep := make([]bool, s.groups)
	for g := range keep {
		keep[g] = true
	}
	own := map[int]bool{}
	for i := range s.states {
		if s.states[i].keeps {
			own[s.states[i].group] = true
		}
	}
	for g := range keep {
		for h := range keep {
			if h != g && keep[h] && !own[g] && covers(offers[h], offers[g]) {
				keep[g] = false
				break
			}
		}
	}
	return keep
}

// covers says whether h is nowhere worse than g.
func covers(h, g []offer) bool {
	for e := range g {
		if h[e].money > g[e].money || h[e].restart > g[e].restart*(1+similar) {
			return false
		}
	}
	return true
}

// similar restarts differ by less than can be predicted.
const similar = 0.02
