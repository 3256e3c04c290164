package forecast

import "math"

// SMAPE is the symmetric mean absolute percentage error, 0 to 200: the mean of
// 200·|y − f|/(|y| + |f|), where both are 0 counts as 0. Steps where either is NaN are
// left out; ok is false where none remains.
//
// S. Makridakis, Accuracy measures: theoretical and practical concerns, International
// Journal of Forecasting 9, 1993, in the form of the M4 competition.
func SMAPE(actual, forecast []float64) (percent float64, ok bool) {
	var sum, n float64
	for i, y := range actual {
		e := symmetric(y, forecast[i])
		if !math.IsNaN(e) {
			sum += e
			n++
		}
	}
	return sum / max(n, 1), n > 0
}

// symmetric is one term of SMAPE.
func symmetric(y, f float64) float64 {
	d := math.Abs(y) + math.Abs(f)
	if d == 0 {
		return 0
	}
	return 200 * math.Abs(y-f) / d
}

// MASE is the mean absolute error in units of what the seasonal naive forecast errs by
// in the history, one season ahead. ok is false where that is nothing or not known.
//
// R. J. Hyndman, A. B. Koehler, Another look at measures of forecast accuracy,
// International Journal of Forecasting 22, 2006, section 2.4.
func MASE(history, actual, forecast []float64, season int) (ratio float64, ok bool) {
	unit, known := naiveError(history, season)
	var sum, n float64
	for i, y := range actual {
		if e := math.Abs(y - forecast[i]); !math.IsNaN(e) {
			sum += e
			n++
		}
	}
	if !known || n == 0 {
		return 0, false
	}
	return sum / n / unit, true
}

// naiveError is the mean of |y_t − y_{t−season}|.
func naiveError(history []float64, season int) (unit float64, ok bool) {
	var sum, n float64
	for t := season; t < len(history); t++ {
		if e := math.Abs(history[t] - history[t-season]); !math.IsNaN(e) {
			sum += e
			n++
		}
	}
	return sum / max(n, 1), sum > 0
}

// MSIS is the mean scaled interval score of the intervals from low to high that promise
// to hold the share 1 − alpha: width, and 2/alpha times what lies outside, in the unit
// of MASE. Less is better.
//
// T. Gneiting, A. E. Raftery, Strictly proper scoring rules, prediction, and estimation,
// Journal of the American Statistical Association 102, 2007, section 6.2.
func MSIS(history, actual []float64, in Interval, season int) (score float64, ok bool) {
	unit, known := naiveError(history, season)
	var sum, n float64
	for i, y := range actual {
		miss := max(in.Low[i]-y, 0) + max(y-in.High[i], 0)
		if s := in.High[i] - in.Low[i] + 2/in.Alpha*miss; !math.IsNaN(s) {
			sum += s
			n++
		}
	}
	if !known || n == 0 {
		return 0, false
	}
	return sum / n / unit, true
}

// Interval promises to hold the share 1 − Alpha of what comes.
type Interval struct {
	Low, High []float64
	Alpha     float64
}

// Coverage is the share of the values that lie inside, ends included; ok is false where
// there is none.
func (in Interval) Coverage(actual []float64) (share float64, ok bool) {
	var inside, n float64
	for i, y := range actual {
		if math.IsNaN(y) {
			continue
		}
		n++
		if y >= in.Low[i] && y <= in.High[i] {
			inside++
		}
	}
	return inside / max(n, 1), n > 0
}

// OWA is the overall weighted average of the M4 competition: the mean of sMAPE and MASE,
// each as a multiple of the same measure of a reference method. 1 is as good as it.
func OWA(smape, mase, referenceSMAPE, referenceMASE float64) float64 {
	return (smape/referenceSMAPE + mase/referenceMASE) / 2
}
