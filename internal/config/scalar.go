package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"rebound/internal/job"
)

// scalar is the text of a single value as it is written.
func (v value) scalar() (string, bool) {
	switch n := v.node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode:
		return n.GetToken().Value, true
	default:
		return "", false
	}
}

func (v value) text() (string, bool) {
	if s, ok := v.node.(*ast.StringNode); ok && s.Value != "" {
		return s.Value, true
	}
	v.wrong("%s, want a text", v.shown())
	return "", false
}

func (v value) constant(want string) {
	if s, ok := v.scalar(); !ok || s != want {
		v.wrong("%s, want %s", v.shown(), want)
	}
}

// boolean is true or false; YAML's other words for them are not.
func (v value) boolean() (b, ok bool) {
	n, ok := v.node.(*ast.BoolNode)
	if !ok {
		v.wrong("%s, want true or false", v.shown())
		return false, false
	}
	return n.Value, true
}

// number is finite and within the bounds.
func (v value) number(low, high float64) (float64, bool) {
	x := math.NaN()
	switch n := v.node.(type) {
	case *ast.FloatNode:
		x = n.Value
	case *ast.IntegerNode:
		switch i := n.Value.(type) {
		case int64:
			x = float64(i)
		case uint64:
			x = float64(i)
		}
	}
	if !(x >= low && x <= high) || math.IsInf(x, 0) {
		v.wrong("%s, want a number%s", v.shown(), between(low, high))
		return 0, false
	}
	return x, true
}

func between(low, high float64) string {
	switch {
	case math.IsInf(high, 1) && low == least:
		return " above 0"
	case math.IsInf(high, 1):
		return fmt.Sprintf(", at least %v", low)
	case low == least:
		return fmt.Sprintf(" above 0, at most %v", high)
	default:
		return fmt.Sprintf(" from %v to %v", low, high)
	}
}

// least stands for "above 0" where a bound includes its value.
const least = math.SmallestNonzeroFloat64

// count is a whole number, at least low.
func (v value) count(low int) (int, bool) {
	n, ok := v.node.(*ast.IntegerNode)
	x, signed := int64(0), false
	if ok {
		switch i := n.Value.(type) {
		case int64:
			x, signed = i, true
		case uint64:
			x, signed = int64(min(i, math.MaxInt64)), true //nolint:gosec // bounded right here
		}
	}
	if !signed || x < int64(low) || x > math.MaxInt32 {
		v.wrong("%s, want a whole number, at least %d", v.shown(), low)
		return 0, false
	}
	return int(x), true
}

// duration is above 0, written as Go or Flink do.
func (v value) duration() (time.Duration, bool) {
	s, ok := v.scalar()
	d, err := time.ParseDuration(s)
	if ok && err != nil {
		// Flink's bare number of milliseconds is what people write for seconds.
		if _, bare := strconv.ParseFloat(strings.TrimSpace(s), 64); bare != nil {
			var seconds float64
			if seconds, err = job.ParseDuration(s); err == nil && seconds < maxSeconds {
				d = time.Duration(seconds * float64(time.Second))
			}
		}
	}
	if !ok || err != nil || d <= 0 {
		v.wrong("%s, want a length of time above 0 with its unit, such as 90s or 10 min", v.shown())
		return 0, false
	}
	return d, true
}

// maxSeconds is what a time.Duration holds.
const maxSeconds = float64(math.MaxInt64) / float64(time.Second)

// seconds is a duration as a number.
func (v value) seconds() (float64, bool) {
	d, ok := v.duration()
	return d.Seconds(), ok
}

// size is memory in bytes, above 0.
func (v value) size() (float64, bool) {
	s, ok := v.scalar()
	if !ok {
		v.wrong("%s, want memory, such as 4Gi or 4g", v.shown())
		return 0, false
	}
	b, err := job.ParseSize(s)
	if err != nil {
		v.wrong("%v", err)
		return 0, false
	}
	if !(b > 0) {
		v.wrong("%s, want more than 0", v.shown())
		return 0, false
	}
	return b, true
}

// cores is CPU: a number, or thousandths as Kubernetes writes them (500m).
func (v value) cores() (float64, bool) {
	if s, ok := v.node.(*ast.StringNode); ok {
		if digits, milli := strings.CutSuffix(s.Value, "m"); milli {
			if n, err := strconv.ParseUint(digits, 10, 32); err == nil && n > 0 {
				return float64(n) / 1000, true
			}
		}
	}
	return v.number(least, math.Inf(1))
}

// oneOf is one of the words.
func (v value) oneOf(words ...string) (string, bool) {
	s, _ := v.scalar()
	if slices.Contains(words, s) {
		return s, true
	}
	hint := nearest(s, words)
	if hint != "" {
		hint = fmt.Sprintf("did you mean %s? ", hint)
	}
	v.wrong("%s: %swant one of %s", v.shown(), hint, strings.Join(words, ", "))
	return "", false
}

// set stores what a reader found.
func set[T any](to *T, x T, ok bool) {
	if ok {
		*to = x
	}
}
