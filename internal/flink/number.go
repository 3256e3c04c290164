package flink

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// number is a number as Flink writes it: bare, in quotes, as "NaN", as −1 for
// "not yet", or not at all. What is not a finite number is unknown, never an error:
// one odd value must not hide the rest of an answer.
type number struct {
	v  float64
	ok bool
}

// UnmarshalJSON never fails on a well-formed value.
func (n *number) UnmarshalJSON(b []byte) error {
	*n = parseNumber(strings.Trim(string(b), `"`))
	return nil
}

func parseNumber(s string) number {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return number{}
	}
	return number{v, true}
}

// atLeast0 drops negative values, which stand for "unknown" wherever Flink
// counts or measures.
func (n number) atLeast0() number {
	if n.v < 0 {
		return number{}
	}
	return n
}

// ptr is the value times scale, or nil where it is unknown.
func (n number) ptr(scale float64) *float64 {
	if !n.ok {
		return nil
	}
	v := n.v * scale
	return &v
}

// count is the value as a whole number ≥ 0 of at most 32 bits, or nil.
func (n number) count() *int {
	if !n.ok || n.v < 0 || n.v > math.MaxInt32 {
		return nil
	}
	v := int(n.v)
	return &v
}

// whole is count with 0 for unknown: for fields where 0 says the same.
func (n number) whole() int {
	if v := n.count(); v != nil {
		return *v
	}
	return 0
}

// maxMillis is the year 9999: later is a sentinel such as Java's Long.MAX_VALUE.
const maxMillis = 253402300799999

// time reads milliseconds since the epoch; 0 and −1 mean "has not happened".
func (n number) time() time.Time {
	if !n.ok || n.v <= 0 || n.v > maxMillis {
		return time.Time{}
	}
	return time.UnixMilli(int64(n.v)).UTC()
}

// millis reads a span in milliseconds; unknown is 0.
func (n number) millis() time.Duration {
	if !n.ok || n.v < 0 || n.v > maxMillis {
		return 0
	}
	return time.Duration(n.v * float64(time.Millisecond))
}
