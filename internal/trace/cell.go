package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// absent tells whether a cell says that there is no value, in the words that
// Flink, Prometheus, pandas and spreadsheets use.
func absent(s string) bool {
	switch strings.ToLower(s) {
	case "", "nan", "null", "nil", "none", "na", "n/a", "-", "undefined":
		return true
	}
	return false
}

// number reads one cell. Digits grouped by comma or point are refused: whether
// 1.234 is one or a thousand cannot be told.
func number(s string) (float64, error) {
	s = strings.TrimSpace(s)
	if absent(s) {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a number (empty, NaN and null mean missing)", clip(s))
	}
	return v, nil
}

func numbers(texts []string) (v []float64, bad int, err error) {
	v = make([]float64, len(texts))
	for i, s := range texts {
		if v[i], err = number(s); err != nil {
			return nil, i, err
		}
	}
	return v, -1, nil
}

// dateForms are the forms of a date that are understood; those without a zone are UTC.
func dateForms() []string {
	return []string{
		time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	}
}

// Times reads moments, all of one form: seconds on an axis of their own; seconds,
// milliseconds, microseconds or nanoseconds since 1970, told by their size (from
// 1973 on); or RFC 3339, where a missing zone is UTC. It returns seconds, NaN
// for a missing cell, and whether they are dated, that is since 1970.
func Times(texts []string) (seconds []float64, dated bool, err error) {
	seconds, dated, bad, err := times(texts)
	if err != nil {
		return nil, false, fmt.Errorf("row %d: %w", bad+1, err)
	}
	return seconds, dated, nil
}

func times(texts []string) (v []float64, dated bool, bad int, err error) {
	v = make([]float64, len(texts))
	plain, dates, largest := -1, -1, 0.0
	for i, raw := range texts {
		s := strings.TrimSpace(raw)
		x, numberErr := number(s)
		switch at, ok := date(s); {
		case absent(s):
			x = math.NaN()
		case numberErr == nil:
			plain, largest = i, max(largest, math.Abs(x))
		case ok:
			dates, x = i, at
		default:
			return nil, false, i, fmt.Errorf("%q is not a time: want seconds, epoch seconds or milliseconds, or 2006-01-02T15:04:05Z", clip(s))
		}
		v[i] = x
	}
	if plain >= 0 && dates >= 0 {
		return nil, false, max(plain, dates), fmt.Errorf("%q: the column mixes numbers and dates, want one form", clip(texts[max(plain, dates)]))
	}
	unit, dated := epochUnit(largest)
	for i := range v {
		v[i] /= unit
	}
	return v, dated || dates >= 0, -1, nil
}

// epochUnit tells by size which part of a second numbers since 1970 count.
// 1e8 s, 1e11 ms, … are in 1973; 1e8 s on an axis of its own would be three years.
func epochUnit(largest float64) (perSecond float64, dated bool) {
	switch {
	case largest >= 1e17:
		return 1e9, true
	case largest >= 1e14:
		return 1e6, true
	case largest >= 1e11:
		return 1e3, true
	}
	return 1, largest >= 1e8
}

func date(s string) (float64, bool) {
	if len(s) < len("2006-01-02") || s[4] != '-' {
		return 0, false
	}
	for _, form := range dateForms() {
		if t, err := time.Parse(form, s); err == nil {
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true
		}
	}
	return 0, false
}

// clip keeps a message short, whatever the cell holds.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
