package gp

import "slices"

// Grid is the prediction at many candidates, kept up to date while observations
// are appended.
type Grid struct {
	// Mean and Variance are as those of Predict, one for each candidate. Read
	// only; Append changes them in place.
	Mean, Variance []float64

	gp    *GP
	field *field
}

// Grid predicts at candidates: O(n²m) once, with 8nm bytes kept so that Append
// costs O(nm). Later appends to g do not reach it.
func (g *GP) Grid(candidates [][]float64) *Grid {
	s := &Grid{gp: g.Clone(), field: newField(g.factor, candidates)}
	s.gp.factor = s.field.factor
	s.Mean, s.Variance = make([]float64, len(candidates)), s.field.variances()
	s.field.weighted(s.Mean, s.gp.z)
	for c, x := range candidates {
		s.Mean[c] = g.unscale(x, s.Mean[c])
		s.Variance[c] = g.spread(s.Variance[c])
	}
	return s
}

// Append conditions the grid on another observation, as GP.Append does.
func (s *Grid) Append(x []float64, y, noise float64) error {
	if err := s.gp.check(x, y, noise); err != nil {
		return err
	}
	s.extend(x, s.gp.standardized(x, y), noise)
	return nil
}

// Believe conditions the grid on an observation at x that has no result yet, as
// if it were what is expected (the kriging believer): means stay as they are,
// variances shrink.
func (s *Grid) Believe(x []float64, noise float64) error {
	if err := s.gp.check(x, 0, noise); err != nil {
		return err
	}
	mean, _ := s.gp.Predict(x)
	s.extend(x, s.gp.standardized(x, mean), noise)
	return nil
}

// extend is the update of section 3.2 of C. Chevalier, D. Ginsbourger and X.
// Emery, Corrected Kriging Update Formulae for Batch-Sequential Data
// Assimilation, 2014, for one point: the new row v of V takes v² off the
// variances and moves the means by v times the new z.
func (s *Grid) extend(x []float64, y, noise float64) {
	l, v := s.field.extend(s.gp.scale(x), s.gp.standardNoise(noise))
	s.gp.appended(l, y)
	z := s.gp.z[len(s.gp.z)-1]
	scale := s.gp.from.scale
	floor := s.gp.spread(0)
	for c, w := range v {
		s.Mean[c] += scale * w * z
		s.Variance[c] = max(floor, s.Variance[c]-scale*scale*w*w)
	}
}

// GP is the process of the grid with all that was appended; a copy.
func (s *Grid) GP() *GP { return s.gp.Clone() }

// Clone is a copy that can be appended to on its own: O(m), since what was
// solved is shared.
func (s *Grid) Clone() *Grid {
	c := &Grid{Mean: slices.Clone(s.Mean), Variance: slices.Clone(s.Variance), gp: s.gp.Clone(), field: s.field.clone()}
	c.gp.factor = c.field.factor
	return c
}
