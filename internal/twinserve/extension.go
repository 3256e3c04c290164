package twinserve

import (
	"net/http"
	"time"

	"rebound/internal/job"
)

// ClockAnswer is what /rebound/clock and /rebound/wait answer.
type ClockAnswer struct {
	Now time.Time `json:"now"`
	// Speed is simulated over real time; 0: time moves only while it is waited for.
	Speed float64 `json:"speed"`
}

// WaitRequest is the body of /rebound/wait.
type WaitRequest struct {
	Seconds float64 `json:"seconds"` // simulated; at most a day
}

// CapabilitiesAnswer is what /rebound/capabilities answers.
type CapabilitiesAnswer struct {
	job.Capabilities
	Restart map[job.Knob]job.Way `json:"restart"`
}

// FailRequest is the body of /rebound/fail.
type FailRequest struct {
	Failure job.Failure `json:"failure"`
}

const maxWait = 86400 // s

func (s *Server) clock(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(r.Context())
	return ClockAnswer{s.Clock.Now(), s.Speed}, nil
}

// wait returns when the simulation has come further by as much as is asked for:
// at once where time waits for whoever asks, else when it has passed.
func (s *Server) wait(r *http.Request) (any, error) {
	var body WaitRequest
	if err := decode(r, &body); err != nil {
		return nil, err
	}
	if !(body.Seconds >= 0 && body.Seconds <= maxWait) {
		return nil, refusal{http.StatusBadRequest, "seconds must lie in 0 to 86400"}
	}
	d := seconds(body.Seconds)
	if s.Speed > 0 {
		t := time.NewTimer(time.Duration(float64(d) / s.Speed))
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		return s.clock(r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(r.Context())
	s.advance(r.Context(), s.Clock.Now().Add(d))
	return ClockAnswer{s.Clock.Now(), 0}, nil
}

func (s *Server) capabilities(*http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.World.Capabilities()
	return CapabilitiesAnswer{c, c.Restart}, nil
}

func (s *Server) truth(r *http.Request) (any, error) {
	if s.Truth == nil {
		return nil, refusal{http.StatusNotFound, "the truth of this job is not told"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(r.Context())
	return s.Truth(), nil
}

// change gives the job other settings, in any way. The ID makes it safe to ask
// twice.
func (s *Server) change(r *http.Request) (any, error) {
	var c job.Change
	if err := decode(r, &c); err != nil {
		return nil, err
	}
	if c.ID == "" {
		return nil, refusal{http.StatusBadRequest, "id: want one"}
	}
	if err := c.Want.Validate(); err != nil {
		return nil, refusal{http.StatusBadRequest, err.Error()}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	if c.Job, err = here(c.Job, o); err != nil {
		return nil, err
	}
	if err := s.World.Apply(r.Context(), c); err != nil {
		return nil, refusal{http.StatusConflict, err.Error()}
	}
	s.moved()
	return object{"accepted": c.ID}, nil
}

func (s *Server) fail(r *http.Request) (any, error) {
	var body FailRequest
	if err := decode(r, &body); err != nil {
		return nil, err
	}
	if s.Fail == nil {
		return nil, refusal{http.StatusNotFound, "failures of this job are not injected by request"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(r.Context())
	s.Fail(body.Failure)
	s.moved()
	return object{"injected": body.Failure}, nil
}
