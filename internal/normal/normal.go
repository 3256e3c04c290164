// Package normal computes with the standard normal distribution where package
// math runs out of digits: logarithms of probabilities far in the tail, and of
// the expected excess over a threshold that improvement criteria are made of.
//
// φ is the density, Φ the distribution function. Every function is finite for
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
	return math.Log(erfcx(-z/math.Sqrt2)/2) - z*z/2
}

// Hazard is φ(z)/Φ(z), the inverse Mills ratio of -z: about -z far to the left,
// 0 far to the right.
func Hazard(z float64) float64 {
	if z > -1 {
		return PDF(z) / CDF(z)
	}
	return math.Sqrt(2/math.Pi) / erfcx(-z/math.Sqrt2)
}

// Excess is E max(0, z+Z) of a standard normal Z: h(z) = φ(z) + zΦ(z), always
// positive (0 where it is below the range of float64).
func Excess(z float64) float64 {
	switch {
	case z > 9:
		return z // the rest is below half a unit in the last place
	case z > -1:
		return PDF(z) + z*CDF(z)
	}
	return math.Exp(LogExcess(z))
}

// LogExcess is log h(z), after Ament, Daulton, Eriksson, Balandat and Bakshy,
// Unexpected Improvements to Expected Improvement for Bayesian Optimization,
// NeurIPS 2023 (arXiv:2310.20708), equation 9. For z < -1 their form is
// log φ(z) + log(1 - |z|·Φ(z)/φ(z)); here the difference is expanded where it
// cancels.
func LogExcess(z float64) float64 {
	if z > -1 {
		return math.Log(Excess(z))
	}
	return -z*z/2 - logSqrt2Pi + math.Log(tail(-z))
}

// tail is 1 - x·m(x) for x ≥ 1, with Mills' ratio m(x) = Φ(-x)/φ(x). It falls
// like 1/x², so that the plain difference loses 2·log10(x) digits.
func tail(x float64) float64 {
	if x < 5 {
		return 1 - x*math.Sqrt(math.Pi/2)*erfcx(x/math.Sqrt2)
	}
	// m(x) = 1/(x + 1/(x + 2/(x + …))) ([AS] 26.2.14), and with c the part from
	// the first 1/ on, 1 - x/(x+c) = c/(x+c).
	c := 0.0
	for k := fractionTerms; k >= 1; k-- {
		c = float64(k) / (x + c)
	}
	return c / (x + c)
}

// fractionTerms are enough for full accuracy at x ≥ 5.
const fractionTerms = 60

// erfcx is exp(x²)·erfc(x) for x ≥ 0.
func erfcx(x float64) float64 {
	if x < 5 {
		hi := x * x
		lo := math.FMA(x, x, -hi) // what rounding lost of x², as exp magnifies it
		return math.Exp(hi) * (1 + lo) * math.Erfc(x)
	}
	// Abramowitz and Stegun, 7.1.14.
	c := 0.0
	for k := fractionTerms; k >= 1; k-- {
		c = float64(k) / 2 / (x + c)
	}
	return 1 / (math.Sqrt(math.Pi) * (x + c))
}
