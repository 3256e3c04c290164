package forecast

import "math"

// mixture weighs members, horizon by horizon, by how wrong each was lately compared
// with the combination of all: weight ∝ (its error / that of the combination)^−6.
// Inverse error weights: J. M. Bates, C. W. J. Granger, The combination of forecasts,
// Operational Research Quarterly 20(4), 1969, with discounting and powers as in J. H.
// Stock, M. W. Watson, Combination forecasts of output growth in a seven-country data
// set, Journal of Forecasting 23, 2004.
//
// A member that joined late is so compared on what it has seen.
type mixture struct {
	own, ref [][]float64 // [grid][member] discounted absolute errors
	weights  [][]float64 // [grid][member], of sum 1
}

const (
	mixtureDiscount = 0.99
	// mixtureDoubt is how many average errors a member is assumed to have made
	// before any was seen: a few lucky forecasts must not take all.
	mixtureDoubt = 5
	// mixtureLeast bounds the ratio of a member that never errs.
	mixtureLeast = 0.01
)

func newMixture(members, grid int) *mixture {
	m := &mixture{}
	for range grid {
		m.own = append(m.own, make([]float64, members))
		m.ref = append(m.ref, make([]float64, members))
		m.weights = append(m.weights, make([]float64, members))
	}
	return m
}

// score takes what the members forecast for the place g of the grid (NaN: nothing),
// what their combination did, and what came.
func (m *mixture) score(g int, values []float64, combined, y float64) {
	ref := math.Abs(combined - y)
	for i, v := range values {
		if own := math.Abs(v - y); own >= 0 {
			m.own[g][i] = mixtureDiscount*m.own[g][i] + own
			m.ref[g][i] = mixtureDiscount*m.ref[g][i] + ref
		}
	}
}

// reweigh computes the weights at the place g, of those members that are present.
func (m *mixture) reweigh(g int, present []bool) {
	var unit, total float64 // an average error; the sum of the weights
	own, ref, weights := m.own[g], m.ref[g], m.weights[g]
	for _, r := range ref {
		unit = max(unit, r*(1-mixtureDiscount))
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
