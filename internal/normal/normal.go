// Package normal computes with the standard normal distribution where package
// math runs out of digits: logarithms of probabilities far in the tail, and of
// the expected excess over a threshold that improvement criteria are made of.
// For loops over thousands of candidates there are faster forms from tables.
//
// φ is the density, Φ the distribution function. [AS] is M. Abramowitz and I. A.
// Stegun, Handbook of Mathematical Functions, 1964. Every function is finite for
// every finite argument, apart from logarithms whose value is beyond the range
// of float64, and keeps a relative accuracy near 1e-13.
package normal

import "math"

const (
	logSqrt2Pi = 0.918938533204672741780329736405617639861397473637783 // log √(2π)
	sqrt2Pi    = 2.506628274631000502415765284811045253006986740609938 // √(2π)
)

// PDF is the density φ(z).
func PDF(z float64) float64 {
	return math.Exp(-z*z/2 - logSqrt2Pi)
}

// LogPDF is log φ(z).
func LogPDF(z float64) float64 { return -z*z/2 - logSqrt2Pi }

// CDF is the distribution function Φ(z).
func CDF(z float64) float64 {
	return math.Erfc(-z/math.Sqrt2) / 2
}

// LogCDF is log Φ(z), also where Φ(z) itself is 0 in float64 (z < -38).
func LogCDF(z float64) float64 {
	switch {
	case z > 0:
		return math.Log1p(-math.Erfc(z/math.Sqrt2) / 2)
	case z > -1:
		return math.Log(CDF(z))
	}
	return LogPDF(z) + math.Log(mills(-z))
}

// Hazard is φ(z)/Φ(z): about -z far to the left, 0 far to the right.
func Hazard(z float64) float64 {
	if z > -1 {
		return PDF(z) / CDF(z)
	}
	return 1 / mills(-z)
}

// Excess is E max(0, z+Z) of a standard normal Z: h(z) = φ(z) + zΦ(z), always
// positive (0 where it is below the range of float64).
func Excess(z float64) float64 {
	switch {
	case z > noTail:
		return z
	case z > -far:
		return PDF(z) + z*CDF(z)
	}
	return PDF(z) * tail(-z)
}

// LogExcess is log h(z), after S. Ament, S. Daulton, D. Eriksson, M. Balandat and
// E. Bakshy, Unexpected Improvements to Expected Improvement for Bayesian
// Optimization, NeurIPS 2023 (arXiv:2310.20708), equation 9. For z < -1 their
// form is log φ(z) + log(1 - |z|·Φ(z)/φ(z)); here the difference is expanded
// where it cancels.
func LogExcess(z float64) float64 {
	if z > -1 {
		return math.Log(Excess(z))
	}
	return LogPDF(z) + math.Log(tail(-z))
}

const (
	// noTail is where h(z) is z but for less than half a unit in the last place.
	noTail = 9
	// far is where differences that cancel are expanded.
	far = 6
)

// mills is Mills' ratio Φ(-x)/φ(x) for x ≥ 0.
func mills(x float64) float64 {
	if x > far {
		return (1 - tail(x)) / x
	}
	square := x * x
	lost := math.FMA(x, x, -square) // by rounding, which the exponential magnifies
	return math.Sqrt(math.Pi/2) * math.Exp(square/2) * (1 + lost/2) * math.Erfc(x/math.Sqrt2)
}

// tail is 1 - x·Φ(-x)/φ(x) for x ≥ 1. It falls like 1/x², so that the plain
// difference loses 2·log10(x) digits. Beyond far it is 1/x² times a rational
// function of t = 1/x², which has the values of the asymptotic series 1 - 3t +
// 15t² - 105t³ … ([AS] 26.2.12) to 5e-14: interpolated at the Chebyshev points of
// [0, 1/36], with mpmath at 60 digits.
func tail(x float64) float64 {
	if x < far {
		return 1 - x*mills(x)
	}
	t := 1 / (x * x)
	above := 0.999999999999956345 + t*(33.9195553267274492+t*(320.600258877407774+t*(815.294205736054932+t*138.016174743634006)))
	below := 1 + t*(36.9195553264704522+t*(416.358925115312079+t*(1615.5775468851072+t*1670.9404663206879)))
	return t * above / below
}
