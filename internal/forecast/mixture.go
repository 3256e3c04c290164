package forecast

import "math"

// mixture weighs members, horizon by horizon, by how wrong each was lately compared
// with the others: weight ∝ (its error / the mean error of all)^−6. Inverse error
// weights: J. M. Bates, C. W. J. Granger, The combination of forecasts, Operational
// Research Quarterly 20(4), 1969, with discounting and powers as in J. H. Stock, M. W.
// Watson, Combination forecasts of output growth in a seven-country data set, Journal
// of Forecasting 23, 2004.
//
// A member that joined late is compared on what it has seen.
type mixture struct {
	keep     []float64   // [grid] what a score leaves of those before it
	own, ref [][]float64 // [grid][member] discounted absolute errors
	weights  [][]float64 // [grid][member], of sum 1
}

const (
	// mixtureMemory and mixtureSteps times the horizon is how many scores count:
	// those of long horizons overlap, so that it takes more of them to know as much.
	mixtureMemory, mixtureSteps = 100, 2
	// mixtureDoubt is how many average errors a member is assumed to have made
	// before any was seen: one lucky forecast must not take all.
	mixtureDoubt = 2
	// mixtureLeast bounds the ratio of a member that never errs.
	mixtureLeast = 0.01
)

func newMixture(members int, g grid) *mixture {
	m := &mixture{}
	for _, h := range g {
		m.keep = append(m.keep, 1-1/float64(mixtureMemory+mixtureSteps*h))
		m.own = append(m.own, make([]float64, members))
		m.ref = append(m.ref, make([]float64, members))
		m.weights = append(m.weights, make([]float64, members))
	}
	return m
}

// score takes what the members forecast for the place g of the grid (NaN: nothing),
// and what came.
func (m *mixture) score(g int, values []float64, y float64) {
	var ref, n float64
	for _, v := range values {
		if own := math.Abs(v - y); own >= 0 {
			ref += own
			n++
		}
	}
	ref /= max(n, 1)
	for i, v := range values {
		if own := math.Abs(v - y); own >= 0 {
			m.own[g][i] = m.keep[g]*m.own[g][i] + own
			m.ref[g][i] = m.keep[g]*m.ref[g][i] + ref
		}
	}
}

// reweigh computes the weights at the place g, of those members that are present.
func (m *mixture) reweigh(g int, present []bool) {
	var unit, total float64 // an average error; the sum of the weights
	own, ref, weights := m.own[g], m.ref[g], m.weights[g]
	for _, r := range ref {
		unit = max(unit, r*(1-m.keep[g]))
	}
	doubt := mixtureDoubt * unit
	for i := range weights {
		weights[i] = 0
		if !present[i] {
			continue
		}
		ratio := 1.0
		if r := ref[i] + doubt; r > 0 {
			ratio = max((own[i]+doubt)/r, mixtureLeast)
		}
		square := ratio * ratio
		weights[i] = 1 / (square * square * square)
		total += weights[i]
	}
	for i := range weights {
		weights[i] /= max(total, math.SmallestNonzeroFloat64)
	}
}

// counts says whether the member's weight matters at any horizon.
func (m *mixture) counts(member int) bool {
	const least = 1e-3
	for _, w := range m.weights {
		if w[member] >= least {
			return true
		}
	}
	return false
}

// inherit takes the last member's errors from an earlier mixture of the same grid.
func (m *mixture) inherit(old *mixture) {
	for g := range m.own {
		i, j := len(m.own[g])-1, len(old.own[g])-1
		m.own[g][i], m.ref[g][i] = old.own[g][j], old.ref[g][j]
	}
}

func (m *mixture) code(c *codec) {
	for g := range m.own {
		n := len(m.own[g])
		for _, v := range []*[]float64{&m.own[g], &m.ref[g], &m.weights[g]} {
			c.floats(v)
			if c.reading && len(*v) != n {
				c.err = errState
				*v = make([]float64, n)
			}
		}
	}
}
