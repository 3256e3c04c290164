package control

import (
	"context"
	"fmt"
	"slices"

	"rebound/internal/job"
)

// profileOf is a profile with its job.
type profileOf struct {
	of job.Identity
	job.Profile
}

// AddProfile stores a running profile; the same ID again does nothing.
func (m *Memory) AddProfile(_ context.Context, id job.Identity, p job.Profile) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.profile(id, p.ID) == nil {
		m.profiles = keep(m.profiles, profileOf{id, p}, m.most())
	}
	return nil
}

// EndProfile replaces a running profile by what it showed.
func (m *Memory) EndProfile(_ context.Context, id job.Identity, p job.Profile) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.profile(id, p.ID)
	if old == nil {
		return fmt.Errorf("profile %s is not in the journal", p.ID)
	}
	if old.State == job.ProfileRunning {
		old.Profile = p
	}
	return nil
}

func (m *Memory) profile(of job.Identity, id string) *profileOf {
	i := slices.IndexFunc(m.profiles, func(p profileOf) bool { return p.of == of && p.ID == id })
	if i < 0 {
		return nil
	}
	return &m.profiles[i]
}

// Profiles are the newest n, newest first; 0: all.
func (m *Memory) Profiles(_ context.Context, id job.Identity, n int) ([]job.Profile, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []job.Profile
	for i := len(m.profiles) - 1; i >= 0 && (n == 0 || len(out) < n); i-- {
		if m.profiles[i].of == id {
			out = append(out, m.profiles[i].Profile)
		}
	}
	return out, nil
}
