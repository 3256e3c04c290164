package drill

import (
	"testing"

	"rebound/internal/job"
)

// Of 10, 20 and 40 s measured, 11, 18 and 40 s predicted: off by 10, 10 and 0 %,
// by 1, 2 and 0 s; the second outside its narrow interval. A fourth that did not
// recover says nothing about the error.
func TestSummarize(t *testing.T) {
	pair := func(low, median, high, measured float64) Pair {
		return Pair{
			job.Recovery{P05Seconds: &low, MedianSeconds: &median, P95Seconds: &high},
			job.Measurement{RecoverySeconds: &measured},
		}
	}
	s := Summarize([]Pair{
		pair(9, 11, 13, 10), pair(17, 18, 19, 20), pair(30, 40, 50, 40),
		{Predicted: job.Recovery{MedianSeconds: new(5.0)}, Measured: job.Measurement{AtLeastSeconds: new(60.0)}},
	})
	near := func(name string, got *float64, want float64) {
		if got == nil || *got < want-1e-9 || *got > want+1e-9 {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	near("error", s.MedianAbsoluteError, 0.1)
	near("error in seconds", s.MedianAbsoluteErrorSeconds, 1)
	near("inside", s.Inside90, 2.0/3)
	near("width", s.MedianWidthRatio, 4.0/11)
	if s := Summarize(nil); s.MedianAbsoluteError != nil || s.Inside90 != nil {
		t.Errorf("of nothing: %+v", s)
	}
}
