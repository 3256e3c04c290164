package gp

import (
	"errors"
	"fmt"
	"math"
)

// maxMagnitude bounds inputs and outputs, so that no square overflows.
const maxMagnitude = 1e100

// Data are observations. The zero value of all fields but X and Y is useful.
type Data struct {
	X [][]float64 // n points of d ≥ 1 inputs each, in the unit cube
	Y []float64   // n outputs, any unit

	// Noise is the variance of the noise of each Y, ≥ 0, in squared units of Y.
	// Nil: one variance for all, learned.
	Noise []float64
	// Count is of how many observations each Y is the mean, ≥ 1. Nil: 1 each. It
	// divides the learned variance; a given Noise is that of Y itself.
	Count []int
	// Within is the sum of squared differences between observations and their
	// mean, over all the means of Y. Without it replicates tell nothing of the
	// noise. Used where the variance is learned.
	Within float64
	// Censored marks a Y that is a lower bound: the observation was not seen to
	// its end and is at least Y. Nil: none. For an upper bound negate all of Y.
	Censored []bool
}

// Validate names everything that is wrong, a line each.
func (d Data) Validate() error {
	n := len(d.Y)
	if n == 0 || len(d.X) == 0 || len(d.X[0]) == 0 {
		return errors.New("gp: no data, want at least one observation of one input")
	}
	var errs []error
	length := func(name string, have int) {
		if have != 0 && have != n {
			errs = append(errs, fmt.Errorf("gp: %s: %d values, want %d as in Y", name, have, n))
		}
	}
	length("X", len(d.X))
	length("Noise", len(d.Noise))
	length("Count", len(d.Count))
	length("Censored", len(d.Censored))
	for i, x := range d.X {
		if len(x) != len(d.X[0]) {
			errs = append(errs, fmt.Errorf("gp: X[%d]: %d inputs, want %d as in X[0]", i, len(x), len(d.X[0])))
		}
		for j, v := range x {
			errs = number(errs, v, "X[%d][%d]", i, j)
		}
	}
	for i, v := range d.Y {
		errs = number(errs, v, "Y[%d]", i)
	}
	for i, v := range d.Noise {
		if errs = number(errs, v, "Noise[%d]", i); v < 0 {
			errs = append(errs, fmt.Errorf("gp: Noise[%d]: %g, want a variance of at least 0", i, v))
		}
	}
	for i, c := range d.Count {
		if c < 1 {
			errs = append(errs, fmt.Errorf("gp: Count[%d]: %d, want at least 1", i, c))
		}
	}
	if errs = number(errs, d.Within, "Within"); d.Within < 0 {
		errs = append(errs, fmt.Errorf("gp: Within: %g, want at least 0", d.Within))
	}
	return errors.Join(errs...)
}

func number(errs []error, v float64, place string, args ...any) []error {
	if math.Abs(v) <= maxMagnitude {
		return errs
	}
	return append(errs, fmt.Errorf("gp: "+place+": %g, want a number of at most %g in size", append(args, v, maxMagnitude)...))
}

// Merged joins observations of equal inputs into their mean, in the order of
// their first appearance: the posterior is the same and the matrices are
// smaller. Means of given noise are weighted by 1/variance; learned noise is
// divided by the count. Censored observations stay as they are. See M. Binois,
// R. B. Gramacy and M. Ludkovski, Practical Heteroscedastic Gaussian Process
// Modeling for Large Simulation Experiments, JCGS 2018, section 2.1.
//
// D must be valid. The rows of X are shared with d.
func (d Data) Merged() Data {
	out := Data{Within: d.Within}
	at := map[string]int{}
	for i, x := range d.X {
		key := fmt.Sprintf("%x", x)
		if k, ok := at[key]; ok && !d.censored(i) {
			out.join(k, d, i)
			continue
		}
		if !d.censored(i) {
			at[key] = len(out.X)
		}
		out.X = append(out.X, x)
		out.Y = append(out.Y, d.Y[i])
		out.Count = append(out.Count, d.count(i))
		if d.Noise != nil {
			out.Noise = append(out.Noise, d.Noise[i])
		}
		if d.Censored != nil {
			out.Censored = append(out.Censored, d.Censored[i])
		}
	}
	return out
}

// join adds observation i of d to the mean at k.
func (d *Data) join(k int, from Data, i int) {
	a, b := float64(d.Count[k]), float64(from.count(i))
	d.Count[k] += from.count(i)
	gap := from.Y[i] - d.Y[k]
	d.Within += gap * gap * a * b / (a + b)
	if d.Noise == nil {
		d.Y[k] += gap * b / (a + b)
		return
	}
	va, vb := d.Noise[k], from.Noise[i]
	switch {
	case va == 0 && vb == 0:
		d.Y[k] += gap * b / (a + b)
	default:
		d.Y[k] += gap * va / (va + vb)
		d.Noise[k] = va * vb / (va + vb)
	}
}

func (d Data) censored(i int) bool { return d.Censored != nil && d.Censored[i] }

func (d Data) count(i int) int {
	if d.Count == nil {
		return 1
	}
	return d.Count[i]
}
