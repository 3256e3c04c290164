package plan

import (
	"cmp"
	"math"
	"slices"

	"rebound/internal/job"
)

// pruned leaves out the groups that another one makes superfluous: it has, for the
// demand of every level, a setting that costs no more and whose planned restart
// takes no longer. Whatever way through the horizon leads through such a group, one
// through the other is as good: between groups all is changed at once, and within
// both only the parallelism. The groups of the present settings stay.
//
// The last level is the first epoch, for which only what can be gone to now counts.
func (f *frame) pruned(states []state, anew job.Way) []state {
	n, last := group(states), f.demand.epochs[0]
	levels := append(f.levels(), last)
	offers := make([][]offer, n)
	for g := range offers {
		offers[g] = make([]offer, len(levels))
		for e := range offers[g] {
			offers[g][e] = offer{money: math.Inf(1), restart: math.Inf(1)}
		}
	}
	for i := range states {
		x := &states[i]
		for e := range levels {
			if e == len(levels)-1 && !f.reachable(x.candidate) {
				continue
			}
			o := f.offerOf(x, levels[e], anew)
			if b := &offers[x.group][e]; o.money < b.money || o.money == b.money && o.restart < b.restart {
				*b = o
			}
		}
	}
	own := make([]bool, n)
	for i := range states {
		own[states[i].group] = own[states[i].group] || states[i].keeps
	}
	keep := kept(offers, own)
	return slices.DeleteFunc(states, func(x state) bool { return !keep[x.group] })
}

// mostLevels of demand are compared.
const mostLevels = 16

// levels are demands from the easiest to the hardest, as evenly as they come: those
// of the epochs, and of the upper path.
func (f *frame) levels() []epoch {
	all := slices.Clone(f.demand.epochs)
	for _, e := range f.demand.epochs {
		e.window += upperZ * e.spread
		e.mean = math.Exp(e.window)
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b epoch) int { return cmp.Compare(a.window, b.window) })
	if len(all) <= mostLevels {
		return all
	}
	out := make([]epoch, mostLevels, mostLevels+1)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(mostLevels-1)]
	}
	return out
}

// offer is the best of a group in an epoch: its cost (money per hour, with what is
// missing) and how long a restart into it takes.
type offer struct{ money, restart float64 }

func (f *frame) offerOf(x *state, e epoch, anew job.Way) offer {
	miss := min(mostMissing, x.supports.missing(e))
	_, upper := f.restart(x.candidate, e, anew)
	return offer{money: x.cost + f.present.cost*missingPrice/missingUnit*miss, restart: upper}
}

// kept are the groups that no other covers, and the present ones. Of two that cover
// each other it is the first.
func kept(offers [][]offer, own []bool) []bool {
	keep := make([]bool, len(offers))
	for g := range keep {
		keep[g] = true
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
