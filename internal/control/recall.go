package control

import (
	"context"
	"fmt"

	"rebound/internal/job"
)

// Recall resumes what a loop has stored of a job, for somebody who only looks. It
// is false where nothing was stored, or what was cannot be read any more.
func Recall(ctx context.Context, j Journal, id job.Identity, m Learner, f Forecaster) (known bool, err error) {
	for _, s := range []struct {
		kind    string
		version int
		take    func([]byte) error
	}{{modelState, modelVersion, m.UnmarshalBinary}, {forecastState, forecastVersion, f.UnmarshalBinary}} {
		b, ok, err := j.LoadState(ctx, id, s.kind, s.version)
		if err != nil {
			return false, fmt.Errorf("read the state of the %s: %w", s.kind, err)
		}
		if !ok || s.take(b) != nil {
			return false, nil //nolint:nilerr // what cannot be read is as if it were not there
		}
	}
	return true, nil
}
