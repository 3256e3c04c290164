package recovery

import (
	"math"
	"slices"
)

const (
	// rateBands is into how many bands, by rank of rate, rows are cut to leave one
	// out.
	rateBands = 4
	// innerFolds is how many parts the rows that may be seen are cut into, at
	// most, to find out how far off their predictions are.
	innerFolds = 6
	// nominal is the share of measured recoveries that an interval is to hold.
	nominal = 0.9
)

// Held is the prediction of one row by a model that has not seen any row at its
// interval.
type Held struct {
	Predicted Time
	Known     bool // else the other rows do not determine a model
	// Low and High are the 90 % interval, where the other rows suffice for one: 9,
	// since of fewer the largest error is exceeded too often. Like the prediction
	// it uses no row at this interval.
	Low, High float64
	Bounded   bool
}

// Validation is a model and how good it is.
type Validation struct {
	Model    Model
	Rows     []Held  // one a row
	InSample float64 // mean of |predicted/measured − 1|
	// The same, each row predicted without those at its interval, or in its band
	// of rates. A prediction of "never" counts as an error of 1. Nil: what is left
	// does not determine a model.
	LeaveInterval, LeaveBand *float64
	Coverage                 *float64 // share of rows inside their interval
}

// Validate fits a Model and cross-validates it. An error is ErrUndetermined.
func Validate(rows []Observed) (Validation, error) {
	m, err := Fit(rows)
	if err != nil {
		return Validation{}, err
	}
	v := Validation{Model: m, Rows: make([]Held, len(rows))}
	all := make([]Held, len(rows))
	for i, r := range rows {
		all[i] = Held{Predicted: m.Predict(r.Interval, r.Rate), Known: true}
	}
	v.InSample = *meanError(rows, all)
	leaveOut(rows, byInterval(rows), v.Rows)
	v.LeaveInterval = meanError(rows, v.Rows)
	bound(rows, v.Rows)
	v.Coverage = coverage(rows, v.Rows)
	leaveOut(rows, byBand(rows), all)
	v.LeaveBand = meanError(rows, all)
	return v, nil
}

// leaveOut predicts every row without those that are in its fold.
func leaveOut(rows []Observed, fold []int, held []Held) {
	for f := range slices.Max(fold) + 1 {
		seen := without(rows, fold, f)
		known := len(seen) >= 4 && len(distinct(seen, Observed.rate)) >= 2
		var m Model
		if known {
			m = fit(seen)
		}
		for i, r := range rows {
			if fold[i] == f {
				held[i] = Held{Known: known}
				if known {
					held[i].Predicted = m.Predict(r.Interval, r.Rate)
				}
			}
		}
	}
}

// bound puts an interval around every prediction: as far off, in ln R, as nine
// in ten predictions were within the rows at other intervals, each predicted
// without its own fold of these (split conformal prediction: V. Vovk,
// Cross-conformal predictors, Ann. Math. Artif. Intell. 74, 2015).
func bound(rows []Observed, held []Held) {
	fold := byInterval(rows)
	for i := range fold { // several intervals together, where there are many
		fold[i] %= innerFolds
	}
	for f := range slices.Max(fold) + 1 {
		seen := without(rows, fold, f)
		off, ok := errorQuantile(seen)
		if !ok {
			continue
		}
		extra := unseenAge(seen)
		for i, r := range rows {
			t := held[i].Predicted
			if fold[i] != f || !held[i].Known || t.Outcome != Recovers {
				continue
			}
			wide := math.Hypot(off, extra(r, t.Seconds))
			held[i].Low, held[i].High = t.Seconds*math.Exp(-wide), t.Seconds*math.Exp(wide)
			held[i].Bounded = true
		}
	}
}

// unseenAge is what the prior of k leaves open in ln R at an interval, where seen
// has but one, so that their errors do not show it: a k that is off by δ is made
// up for by T_d at that interval, but not at another.
func unseenAge(seen []Observed) func(r Observed, predicted float64) float64 {
	if len(distinct(seen, Observed.interval)) > 1 {
		return func(Observed, float64) float64 { return 0 }
	}
	m := fit(seen)
	return func(r Observed, predicted float64) float64 {
		rho := r.Rate / m.Capacity
		away := math.Abs(r.Interval - seen[0].Interval)
		return z95 * priorAgeSpread * rho * away / (1 - rho) / predicted
	}
}

// errorQuantile is the size of ln(measured/predicted) that a further row stays
// below with probability nominal.
func errorQuantile(rows []Observed) (size float64, ok bool) {
	fold := byInterval(rows)
	if slices.Max(fold) == 0 { // a single interval: by rank of rate
		fold = ranks(rows, Observed.rate)
	}
	for i := range fold {
		fold[i] %= innerFolds
	}
	held := make([]Held, len(rows))
	leaveOut(rows, fold, held)
	var sizes []float64
	for i, h := range held {
		switch {
		case h.Known && h.Predicted.Outcome == Recovers:
			sizes = append(sizes, math.Abs(math.Log(rows[i].Seconds/h.Predicted.Seconds)))
		case h.Known:
			sizes = append(sizes, math.Inf(1))
		}
	}
	slices.Sort(sizes)
	rank := int(math.Ceil(nominal * float64(len(sizes)+1)))
	if rank > len(sizes) || math.IsInf(sizes[rank-1], 1) {
		return 0, false
	}
	return sizes[rank-1], true
}

// meanError is the mean of |predicted/measured − 1| over the rows with a
// prediction.
func meanError(rows []Observed, held []Held) *float64 {
	sum, n := 0.0, 0
	for i, h := range held {
		if !h.Known {
			continue
		}
		n++
		if h.Predicted.Outcome == Recovers {
			sum += math.Abs(h.Predicted.Seconds/rows[i].Seconds - 1)
		} else {
			sum++
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / float64(n))
}

func coverage(rows []Observed, held []Held) *float64 {
	inside, n := 0.0, 0.0
	for i, h := range held {
		if !h.Bounded {
			continue
		}
		n++
		if r := rows[i].Seconds; h.Low <= r && r <= h.High {
			inside++
		}
	}
	if n == 0 {
		return nil
	}
	return new(inside / n)
}

// byInterval numbers the rows by their interval, the shortest 0.
func byInterval(rows []Observed) []int {
	values := distinct(rows, Observed.interval)
	fold := make([]int, len(rows))
	for i, r := range rows {
		fold[i], _ = slices.BinarySearch(values, r.Interval)
	}
	return fold
}

// byBand cuts the rows into rateBands parts of equal size, by rate.
func byBand(rows []Observed) []int {
	fold := ranks(rows, Observed.rate)
	for i := range fold {
		fold[i] = fold[i] * rateBands / len(rows)
	}
	return fold
}

// ranks numbers the rows by value, from 0; equals get the number of the first.
func ranks(rows []Observed, value func(Observed) float64) []int {
	sorted := column(rows, value)
	slices.Sort(sorted)
	fold := make([]int, len(rows))
	for i, r := range rows {
		fold[i], _ = slices.BinarySearch(sorted, value(r))
	}
	return fold
}

// without is the rows that are not in fold f.
func without(rows []Observed, fold []int, f int) []Observed {
	var rest []Observed
	for i, r := range rows {
		if fold[i] != f {
			rest = append(rest, r)
		}
	}
	return rest
}

func (o Observed) interval() float64 { return o.Interval }
func (o Observed) rate() float64     { return o.Rate }

// column is one value of every row.
func column(rows []Observed, value func(Observed) float64) []float64 {
	values := make([]float64, len(rows))
	for i, r := range rows {
		values[i] = value(r)
	}
	return values
}

// distinct is the different values in rows, in order.
func distinct(rows []Observed, value func(Observed) float64) []float64 {
	values := column(rows, value)
	slices.Sort(values)
	return slices.Compact(values)
}

// highest is the greatest rate.
func highest(rows []Observed) float64 {
	return slices.Max(column(rows, Observed.rate))
}
