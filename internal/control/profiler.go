package control

import (
	"context"

	"rebound/internal/job"
)

// A Profiler is a World that can run copies of its job at other settings.
type Profiler interface {
	// StartProfile accepts a trial and returns; the same ID starts one copy.
	StartProfile(ctx context.Context, t job.Trial) error
	// Profile is how a trial stands: running, or what it showed. It is not known
	// where the world has no trial of this ID, or has forgotten it.
	Profile(ctx context.Context, id string) (p job.Profile, known bool, err error)
}

// A ProfileJournal keeps profiles: before a copy is started that it is to be, and
// afterwards what it showed.
type ProfileJournal interface {
	// AddProfile stores a running profile; adding the same ID again does nothing.
	AddProfile(ctx context.Context, id job.Identity, p job.Profile) error
	// EndProfile replaces a running profile by what it showed, once.
	EndProfile(ctx context.Context, id job.Identity, p job.Profile) error
	// Profiles are the newest n, newest first, running ones among them.
	Profiles(ctx context.Context, id job.Identity, n int) ([]job.Profile, error)
}
