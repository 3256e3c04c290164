package forecast

import "math"

// mixture weighs members, horizon by horizon, by how wrong each was lately compared
// with the others: weight ∝ (its error / error of the reference)^−6. Inverse error
// weights: J. M. Bates, C. W. J. Granger, The combination of forecasts, Operational
// Research Quarterly 20(4), 1969, with discounting and powers as in J. H. Stock, M. W.
// Watson, Combination forecasts of output growth in a seven-country data set, Journal
// of Forecasting 23, 2004.
//
// The reference is the median of all members at the same times: so a member that
// joined late is compared on what it has seen.
type mixture struct {
	own, ref [][]float64 // [member][grid] discounted absolute errors
	weights  [][]float64 // [member][grid], of sum 1 over the members
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
	for range members {
		m.own = append(m.own, make([]float64, grid))
		m.ref = append(m.ref, make([]float64, grid))
		m.weights = append(m.weights, make([]float64, grid))
	}
	return m
}

// score adds one error of the member at the place g of the grid, and the reference's.
func (m *mixture) score(member, g int, own, ref float64) {
	m.own[member][g] = mixtureDiscount*m.own[member][g] + own
	m.ref[member][g] = mixtureDiscount*m.ref[member][g] + ref
}

// reweigh computes the weights at the place g, of those members that are present.
func (m *mixture) reweigh(g int, present func(member int) bool) {
	var unit, total float64 // an average error; the sum of the weights
	for i := range m.ref {
		unit = max(unit, m.ref[i][g]*(1-mixtureDiscount))
	}
	doubt := mixtureDoubt * unit
	for i := range m.own {
		m.weights[i][g] = 0
		if !present(i) {
			continue
		}
		ratio := 1.0
		if ref := m.ref[i][g] + doubt; ref > 0 {
			ratio = max((m.own[i][g]+doubt)/ref, mixtureLeast)
		}
		square := ratio * ratio
		m.weights[i][g] = 1 / (square * square * square)
		total += m.weights[i][g]
	}
	for i := range m.weights {
		m.weights[i][g] /= max(total, math.SmallestNonzeroFloat64)
	}
}

// inherit takes the last member's errors from an earlier mixture of the same grid.
func (m *mixture) inherit(old *mixture) {
	i, j := len(m.own)-1, len(old.own)-1
	copy(m.own[i], old.own[j])
	copy(m.ref[i], old.ref[j])
}

func (m *mixture) code(c *codec) {
	for i := range m.own {
		grid := len(m.own[i])
		c.floats(&m.own[i])
		c.floats(&m.ref[i])
		c.floats(&m.weights[i])
		if c.reading && (len(m.own[i]) != grid || len(m.ref[i]) != grid || len(m.weights[i]) != grid) {
			c.err = errState
			*m = *newMixture(len(m.own), grid)
			return
		}
	}
}
