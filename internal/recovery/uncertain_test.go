package recovery_test

import (
	"math"
	"testing"

	"rebound/internal/recovery"
)

// By hand: the 95 % quantile of a median of 100 and σ = 0.1 is 100·e^(1.6449·0.1) = 117.88,
// and the 5 % quantile 100²/117.88 = 84.83.
func TestLogNormal(t *testing.T) {
	u := recovery.LogNormal(100, 0.1)
	for p, want := range map[float64]float64{0.05: 84.834, 0.5: 100, 0.95: 117.877} {
		if got := u.Quantile(p); math.Abs(got-want) > 0.01 {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
	}
	if s := u.LogSpread(); math.Abs(s-0.1) > 1e-12 {
		t.Errorf("σ %v, want 0.1", s)
	}
}
