package problems

import "math"

// braninCurrin is Branin (rescaled to the unit square) and Currin's exponential
// function, as in S. Belakaria, A. Deshwal and J. R. Doppa, Max-value Entropy
// Search for Multi-Objective Bayesian Optimization, NeurIPS 2019.
func braninCurrin(u []float64) (objectives, slacks []float64) {
	a, b := 15*u[0]-5, 15*u[1]
	bend := b - 5.1/(4*math.Pi*math.Pi)*a*a + 5/math.Pi*a - 6
	branin := bend*bend + 10*(1-1/(8*math.Pi))*math.Cos(a) + 10
	x := u[0]
	decay := 1 - math.Exp(-1/(2*max(u[1], 1e-12)))
	currin := decay * (2300*x*x*x + 1900*x*x + 2092*x + 60) / (100*x*x*x + 500*x*x + 4*x + 20)
	return []float64{branin, currin}, nil
}

// constrainedBraninCurrin keeps to a disc in Branin's own coordinates.
func constrainedBraninCurrin(u []float64) (objectives, slacks []float64) {
	f, _ := braninCurrin(u)
	a, b := 15*u[0]-5, 15*u[1]
	return f, []float64{50 - (a-2.5)*(a-2.5) - (b-7.5)*(b-7.5)}
}

// dtlz2 is that of K. Deb, L. Thiele, M. Laumanns and E. Zitzler, Scalable
// Multi-objective Optimization Test Problems, CEC 2002, with two objectives: the
// front is a quarter of a circle.
func dtlz2(u []float64) (objectives, slacks []float64) {
	radius := 1.0
	for _, v := range u[1:] {
		radius += (v - 0.5) * (v - 0.5)
	}
	sin, cos := math.Sincos(u[0] * math.Pi / 2)
	return []float64{radius * cos, radius * sin}, nil
}

// c2DTLZ2 leaves three discs of radius 0.2 of it, H. Jain and K. Deb, An
// Evolutionary Many-Objective Optimization Algorithm, part II, 2014.
func c2DTLZ2(u []float64) (objectives, slacks []float64) {
	f, _ := dtlz2(u)
	half := 1 / math.Sqrt2
	nearest := min(
		(f[0]-1)*(f[0]-1)+f[1]*f[1],
		(f[1]-1)*(f[1]-1)+f[0]*f[0],
		(f[0]-half)*(f[0]-half)+(f[1]-half)*(f[1]-half),
	)
	return f, []float64{0.04 - nearest}
}

// osy is that of A. Osyczka and S. Kundu, 1995: six variables, six constraints.
func osy(u []float64) (objectives, slacks []float64) {
	x := stretch(u, []float64{0, 0, 1, 0, 1, 0}, []float64{10, 10, 5, 6, 5, 10})
	a, b, c, d, e, f := x[0], x[1], x[2], x[3], x[4], x[5]
	first := -(25*(a-2)*(a-2) + (b-2)*(b-2) + (c-1)*(c-1) + (d-4)*(d-4) + (e-1)*(e-1))
	second := 0.0
	for _, v := range x {
		second += v * v
	}
	return []float64{first, second}, []float64{
		a + b - 2, 6 - a - b, 2 - b + a, 2 - a + 3*b, 4 - (c-3)*(c-3) - d, (e-3)*(e-3) + f - 4,
	}
}

// bnh is that of T. T. Binh and U. Korn, 1997.
func bnh(u []float64) (objectives, slacks []float64) {
	x, y := 5*u[0], 3*u[1]
	return []float64{4*x*x + 4*y*y, (x-5)*(x-5) + (y-5)*(y-5)},
		[]float64{25 - (x-5)*(x-5) - y*y, (x-8)*(x-8) + (y+3)*(y+3) - 7.7}
}

// srn is that of N. Srinivas and K. Deb, 1994.
func srn(u []float64) (objectives, slacks []float64) {
	x, y := 40*u[0]-20, 40*u[1]-20
	return []float64{2 + (x-2)*(x-2) + (y-1)*(y-1), 9*x - (y-1)*(y-1)},
		[]float64{225 - x*x - y*y, 3*y - x - 10}
}

// mw7 is that of Z. Ma and Y. Wang, Evolutionary Constrained Multiobjective
// Optimization: Test Suite Construction and Performance Comparisons, 2019: the
// front runs partly along the constraints.
func mw7(u []float64) (objectives, slacks []float64) {
	g := 1.0
	for i := 1; i < len(u); i++ {
		away := u[i] + (u[i-1]-0.5)*(u[i-1]-0.5) - 1
		g += 2 * away * away
	}
	f := []float64{g * u[0], g * math.Sqrt(max(0, 1-u[0]*u[0]))}
	wave := math.Sin(4 * math.Atan2(f[1], f[0]))
	outer := 1.2 + 0.4*math.Pow(wave, 16)
	inner := 1.15 - 0.2*math.Pow(wave, 8)
	square := f[0]*f[0] + f[1]*f[1]
	return f, []float64{outer*outer - square, square - inner*inner}
}

// weldedBeam is that of T. Ray and K. M. Liew, A Swarm Metaphor for
// Multiobjective Design Optimization, 2002: cost and deflection. Slacks are in
// parts of their bounds.
func weldedBeam(u []float64) (objectives, slacks []float64) {
	x := stretch(u, []float64{0.125, 0.1, 0.1, 0.125}, []float64{5, 10, 10, 5})
	h, l, t, b := x[0], x[1], x[2], x[3]
	lever := math.Sqrt(0.25 * (l*l + (h+t)*(h+t)))
	inertia := 2 * math.Sqrt(0.5) * h * l * (l*l/12 + 0.25*(h+t)*(h+t))
	direct := 6000 / (math.Sqrt2 * h * l)
	torsion := 6000 * (14 + 0.5*l) * lever / inertia
	shear := math.Sqrt(direct*direct + torsion*torsion + l*direct*torsion/lever)
	bending := 504000 / (t * t * b)
	buckling := 64746.022 * (1 - 0.0282346*t) * t * b * b * b
	return []float64{1.10471*h*h*l + 0.04811*t*b*(14+l), 2.1952 / (t * t * t * b)}, []float64{
		1 - shear/13600, 1 - bending/30000, (b - h) / (5 - 0.125), buckling/6000 - 1,
	}
}

// discBrake is problem CRE23 of R. Tanabe and H. Ishibuchi, An Easy-to-use
// Real-world Multi-objective Optimization Problem Suite, 2020.
func discBrake(u []float64) (objectives, slacks []float64) {
	x := stretch(u, []float64{55, 75, 1000, 11}, []float64{80, 110, 3000, 20})
	in, out, force, n := x[0], x[1], x[2], x[3]
	area := out*out - in*in
	cubes := out*out*out - in*in*in
	return []float64{4.9e-5 * area * (n - 1), 9.82e6 * area / (force * n * cubes)}, []float64{
		out - in - 20,
		0.4 - force/(3.14*area),
		1 - 2.22e-3*force*cubes/(area*area),
		2.66e-2*force*n*cubes/area - 900,
	}
}

// stretch maps the unit box to the bounds of each variable.
func stretch(u, low, high []float64) []float64 {
	x := make([]float64, len(u))
	for i, v := range u {
		x[i] = low[i] + v*(high[i]-low[i])
	}
	return x
}
