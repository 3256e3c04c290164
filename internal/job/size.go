package job

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads an amount of memory in bytes, as Kubernetes or Flink writes it.
// Their units collide, and case tells them apart: capitals are Kubernetes' (4G is
// 4·10⁹ bytes, 4Gi 4·2³⁰), small letters Flink's, all powers of 1,024 (4g, 4 gb and
// 4096m are 4·2³⁰). A bare number is bytes. Kubernetes' own m, a thousandth of a
// byte, is never meant.
func ParseSize(text string) (bytes float64, err error) {
	s := strings.TrimSpace(text)
	unit := strings.TrimLeft(s, "0123456789.")
	v, err := strconv.ParseFloat(s[:len(s)-len(unit)], 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("size %q: want a number and a unit, such as 4Gi or 4g", text)
	}
	factor, ok := unitBytes(strings.TrimSpace(unit))
	if !ok {
		return 0, fmt.Errorf("size %q: unknown unit, want one of Ki, Mi, Gi, Ti, K, M, G, T (Kubernetes) or k, m, g, t (Flink)", text)
	}
	return math.Round(v * factor), nil
}

// unitBytes is the value of a unit: those of org.apache.flink.configuration.MemorySize
// in small letters, those of Kubernetes' resource.Quantity in capitals.
func unitBytes(unit string) (float64, bool) {
	switch unit {
	case "", "b", "bytes":
		return 1, true
	case "K":
		return 1e3, true
	case "M":
		return 1e6, true
	case "G":
		return 1e9, true
	case "T":
		return 1e12, true
	case "Ki", "k", "kb", "kibibytes":
		return 1 << 10, true
	case "Mi", "m", "mb", "mebibytes":
		return 1 << 20, true
	case "Gi", "g", "gb", "gibibytes":
		return GiB, true
	case "Ti", "t", "tb", "tebibytes":
		return 1 << 40, true
	default:
		return 0, false
	}
}
