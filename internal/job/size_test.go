package job

import "testing"

// The units of Kubernetes and Flink, told apart by case.
func TestParseSize(t *testing.T) {
	for text, want := range map[string]float64{
		"4G": 4_000_000_000, "4Gi": 4_294_967_296, "4g": 4_294_967_296, "4 gb": 4_294_967_296,
		"2048m": 2_147_483_648, "2048Mi": 2_147_483_648, "1.5Gi": 1_610_612_736, "1024": 1024, "512 bytes": 512, "1k": 1024, "1K": 1000,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "G", "4GB", "4 cows", "-1g", "1..5g", "1e9"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// Whatever a file says: a size is finite and not negative.
func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"4Gi", "2048m", "1.5 gb", "9999999999999999999999T", ".", "4GB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := ParseSize(text); err == nil && !(v >= 0 && v < 1e300*1e8) {
			t.Errorf("%q: %v", text, v)
		}
	})
}
