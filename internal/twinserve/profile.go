package twinserve

import (
	"context"
	"net/http"

	"rebound/internal/job"
)

// A Profiler is a World that can run copies of its job.
type Profiler interface {
	StartProfile(ctx context.Context, t job.Trial) error
	Profile(ctx context.Context, id string) (p job.Profile, known bool, err error)
}

// profiler is there if the caller holds the lock and the world can profile.
func (s *Server) profiler() (Profiler, error) {
	p, ok := s.World.(Profiler)
	if !ok {
		return nil, refusal{http.StatusNotFound, "no copies of this job can be run"}
	}
	return p, nil
}

// profile starts a copy of the job. The ID makes it safe to ask twice.
func (s *Server) profile(r *http.Request) (any, error) {
	var t job.Trial
	if err := decode(r, &t); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.observe(r)
	if err != nil {
		return nil, err
	}
	p, err := s.profiler()
	if err != nil {
		return nil, err
	}
	if t.Job != (job.Identity{}) {
		if t.Job, err = here(t.Job, o); err != nil {
			return nil, err
		}
	}
	if err := p.StartProfile(r.Context(), t); err != nil {
		return nil, refusal{http.StatusConflict, err.Error()}
	}
	return object{"accepted": t.ID}, nil
}

// profiled says how a copy stands.
func (s *Server) profiled(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(r.Context())
	p, err := s.profiler()
	if err != nil {
		return nil, err
	}
	got, known, err := p.Profile(r.Context(), r.PathValue("profile"))
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, refusal{http.StatusNotFound, "there is no profile " + r.PathValue("profile")}
	}
	return got, nil
}

// here is the job that is asked about, as this server calls it: the cluster's name
// is of the reader's choice.
func here(asked job.Identity, o job.Observation) (job.Identity, error) {
	if asked.Name != o.Job.Name || asked.Namespace != o.Job.Namespace {
		return asked, refusal{http.StatusNotFound, "job " + asked.String() + " is not here, but " + o.Job.String()}
	}
	return o.Job, nil
}
