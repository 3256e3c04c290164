package twinserve

import (
	"context"
	"net/http"
	"time"

	"rebound/internal/job"
)

// catchUp moves the simulation to where the real clock puts it.
func (s *Server) catchUp(ctx context.Context) {
	if s.origin.IsZero() {
		s.began, s.origin = s.real(), s.Clock.Now()
		s.counters.boundary = s.origin
		if s.look(ctx); s.seenErr == nil {
			s.counters.count(s.seen)
		}
	}
	if s.Speed > 0 {
		s.advance(ctx, s.due())
	}
}

func (s *Server) real() time.Time {
	if s.Real == nil {
		return time.Now()
	}
	return s.Real()
}

// due is the simulated time that belongs to the present.
func (s *Server) due() time.Time {
	return s.origin.Add(time.Duration(float64(s.real().Sub(s.began)) * s.Speed))
}

// advance moves on to a time, stopping at the end of each window to count.
func (s *Server) advance(ctx context.Context, to time.Time) {
	for now := s.Clock.Now(); now.Before(to); now = s.Clock.Now() {
		next := s.counters.boundary.Add(window)
		if next.After(to) {
			s.Clock.Advance(to.Sub(now))
			return
		}
		if next.After(now) {
			s.Clock.Advance(next.Sub(now))
		}
		s.counters.boundary = next
		if s.look(ctx); s.seenErr == nil {
			s.counters.count(s.seen)
		}
	}
}

// look observes the job once a moment. What is seen is for all who ask: it does
// not end with the request of one who went away.
func (s *Server) look(ctx context.Context) {
	if now := s.Clock.Now(); !s.seenAt.Equal(now) {
		s.seen, s.seenErr = s.World.Observe(context.WithoutCancel(ctx))
		s.seenAt = now
	}
}

// observe is what every answer about the job begins with. The caller must hold
// the lock while it uses the observation.
func (s *Server) observe(r *http.Request) (job.Observation, error) {
	s.catchUp(r.Context())
	s.look(r.Context())
	if s.seenErr != nil {
		return job.Observation{}, refusal{http.StatusServiceUnavailable, "Service temporarily unavailable due to an ongoing leader election. Please refresh."}
	}
	if id := r.PathValue("id"); id != "" && id != s.seen.ID {
		return job.Observation{}, refusal{http.StatusNotFound, "Job " + id + " not found"}
	}
	return s.seen, nil
}
