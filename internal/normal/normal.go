// Package normal computes with the standard normal distribution where package
// math runs out of digits: logarithms of probabilities far in the tail, and of
// the expected excess over a threshold that improvement criteria are made of.
//
// φ is the density, Φ the distribution function. [AS] is M. Abramowitz and I. A.
// Stegun, Handbook of Mathematical Functions, 1964. Every function is finite for
// every finite argument, apart from logarithms whose value is beyond the range
// of float64, and keeps a relative accuracy near 1e-13.
package normal

import "math"

// logSqrt2Pi is log √(2π).
const logSqrt2Pi = 0.918938533204672741780329736405617639861397473637783

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
	case z < -nothing:
		return 0
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
	// nothing is where φ(z) is below the range of float64.
	nothing = 39
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
// difference loses 2·log10(x) digits. Beyond far it is a polynomial in t = 1/x²
// over x²: the economized form of the asymptotic series 1 - 3t + 15t² - 105t³ …
// ([AS] 26.2.12), to 7e-15 (Chebyshev fit on [0, 1/36], mpmath.chebyfit with 12
// terms at 50 digits).
func tail(x float64) float64 {
	if x < far {
		return 1 - x*mills(x)
	}
	t := 1 / (x * x)
	sum := 0.0
	for _, c := range [...]float64{
		-14845939858.369593461, 3273829679.3963359816, -361044486.75988653757, 28286601.569604028178,
		-1933450.3737996104407, 134140.32039796895869, -10387.823858586769027, 944.96651180500790359,
		-104.99990646822593518, 14.999999863554666172, -2.9999999999213281427, 0.99999999999999242811,
	} {
		sum = sum*t + c
	}
	return sum * t
}
