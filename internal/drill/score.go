package drill

import (
	"math"
	"slices"

	"rebound/internal/job"
)

// Pair is what was predicted and what was measured.
type Pair struct {
	Predicted job.Recovery
	Measured  job.Measurement
}

// Error is predicted over measured recovery, less 1: 0.1 says that the prediction
// was a tenth too long. It is false where one of them is not known.
func (p Pair) Error() (float64, bool) {
	if p.Predicted.MedianSeconds == nil || p.Measured.RecoverySeconds == nil || !(*p.Measured.RecoverySeconds > 0) {
		return 0, false
	}
	return *p.Predicted.MedianSeconds / *p.Measured.RecoverySeconds - 1, true
}

// Inside says whether the measured recovery lies within the predicted 5–95 %.
func (p Pair) Inside() (inside, known bool) {
	r, m := p.Predicted, p.Measured
	if m.RecoverySeconds == nil && m.AtLeastSeconds != nil && r.P95Seconds != nil && *m.AtLeastSeconds > *r.P95Seconds {
		return false, true // whatever it came to
	}
	if m.RecoverySeconds == nil || r.P05Seconds == nil || r.P95Seconds == nil {
		return false, false
	}
	return *m.RecoverySeconds >= *r.P05Seconds && *m.RecoverySeconds <= *r.P95Seconds, true
}

// Summary is how good predictions were.
type Summary struct {
	MedianAbsoluteError        *float64 `json:"median_absolute_error,omitempty"`         // a ratio of what was measured
	MedianAbsoluteErrorSeconds *float64 `json:"median_absolute_error_seconds,omitempty"` // of the same
	Inside90                   *float64 `json:"inside_90,omitempty"`                     // share of drills inside 5–95 %
	MedianWidthRatio           *float64 `json:"median_width_ratio,omitempty"`            // (p95 − p05)/median
}

// Summarize scores predictions. What cannot be told of any pair is absent.
func Summarize(pairs []Pair) Summary {
	var relative, absolute, width []float64
	in, known := 0, 0
	for _, p := range pairs {
		if e, ok := p.Error(); ok {
			relative = append(relative, math.Abs(e))
			absolute = append(absolute, math.Abs(e)**p.Measured.RecoverySeconds)
		}
		if inside, ok := p.Inside(); ok {
			known++
			if inside {
				in++
			}
		}
		if r := p.Predicted; r.MedianSeconds != nil && r.P05Seconds != nil && r.P95Seconds != nil {
			width = append(width, (*p.Predicted.P95Seconds-*p.Predicted.P05Seconds) / *p.Predicted.MedianSeconds)
		}
	}
	s := Summary{MedianAbsoluteError: median(relative), MedianAbsoluteErrorSeconds: median(absolute), MedianWidthRatio: median(width)}
	if known > 0 {
		s.Inside90 = new(float64(in) / float64(known))
	}
	return s
}

func median(v []float64) *float64 {
	if len(v) == 0 {
		return nil
	}
	v = slices.Sorted(slices.Values(v))
	return new((v[(len(v)-1)/2] + v[len(v)/2]) / 2)
}
