package recovery

import "math"

// z95 is the 95 % quantile of the standard normal.
const z95 = 1.6448536269514722

// Uncertain is a quantity and how well it is known. Spread is half of what lies
// between its 5 % and 95 % quantiles; 0 means exactly known.
//
// One with a Median above 0 is drawn log-normally, so that it stays above 0:
// Median·e^(σZ), where Spread = Median·sinh(1.645σ). One whose Median is 0 is 0
// in half of all draws, and half normal in the others, with a 95 % quantile of
// 2·Spread.
type Uncertain struct {
	Median float64 // at least 0
	Spread float64 // at least 0, in the unit of Median
}

// Exactly is a quantity without uncertainty.
func Exactly(v float64) Uncertain { return Uncertain{Median: v} }

// LogNormal is a quantity of a median whose logarithm is normal with the standard
// deviation sigma: LogSpread gives sigma back.
func LogNormal(median, sigma float64) Uncertain {
	return Uncertain{Median: median, Spread: median * math.Sinh(z95*sigma)}
}

// Quantile is the value below which a share p of the draws lie, 0 < p < 1.
func (u Uncertain) Quantile(p float64) float64 {
	return u.law().at(math.Sqrt2 * math.Erfinv(2*p-1))
}

// At is the value where the standard normal behind a draw is z: the median at 0.
func (u Uncertain) At(z float64) float64 { return u.law().at(z) }

// LogSpread is the standard deviation σ of the logarithm of a draw; of one whose
// Median is 0 it is 0.
func (u Uncertain) LogSpread() float64 { return u.law().sigma }

// law is the distribution of an Uncertain, ready to be drawn from often.
type law struct {
	median float64
	sigma  float64 // of the logarithm
	slope  float64 // a unit of Z, where the median is 0
}

func (u Uncertain) law() law {
	switch {
	case !(u.Spread > 0):
		return law{median: u.Median}
	case !(u.Median > 1e-9*u.Spread): // as good as 0
		return law{slope: 2 * u.Spread / z95}
	}
	return law{median: u.Median, sigma: math.Asinh(u.Spread/u.Median) / z95}
}

// at is the value where the standard normal Z is z.
func (l law) at(z float64) float64 {
	if l.sigma > 0 {
		return l.median * math.Exp(l.sigma*z)
	}
	return max(0, l.median+l.slope*z)
}
