package control_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"rebound/internal/control"
	"rebound/internal/job"
	"rebound/internal/plan"
)

// fullJournal cannot be written to while it is full.
type fullJournal struct {
	*control.Memory
	full bool
}

var errFull = errors.New("disk full")

func (j *fullJournal) AddDecision(ctx context.Context, d job.Decision) (string, error) {
	if j.full {
		return "", errFull
	}
	return j.Memory.AddDecision(ctx, d)
}

func (j *fullJournal) UpdateDecision(ctx context.Context, d job.Decision) error {
	if j.full {
		return errFull
	}
	return j.Memory.UpdateDecision(ctx, d)
}

func (j *fullJournal) AddPredictions(ctx context.Context, p []job.Standing) ([]string, error) {
	if j.full {
		return nil, errFull
	}
	return j.Memory.AddPredictions(ctx, p)
}

func (j *fullJournal) AddOutage(ctx context.Context, id job.Identity, m job.Measurement, p string, c *job.Recovery) error {
	if j.full {
		return errFull
	}
	return j.Memory.AddOutage(ctx, id, m, p, c)
}

func (j *fullJournal) AddWindow(ctx context.Context, w job.Window) error {
	if j.full {
		return errFull
	}
	return j.Memory.AddWindow(ctx, w)
}

func (j *fullJournal) SaveState(ctx context.Context, id job.Identity, kind string, version int, state []byte) error {
	if j.full {
		return errFull
	}
	return j.Memory.SaveState(ctx, id, kind, version, state)
}

// With a full disk the loop goes on looking and says so, changes nothing, and
// writes down what happened meanwhile once it can.
func TestFullDisk(t *testing.T) {
	s := newStory(t)
	j := &fullJournal{Memory: s.journal}
	o := s.options()
	o.Journal = j
	var err error
	if s.loop, err = control.New(o); err != nil {
		t.Fatal(err)
	}
	if err := s.loop.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.run(t, 15*time.Minute)
	j.full = true
	s.planner.want = func(in plan.Input) job.Knobs { in.Now.Parallelism = 14; return in.Now }
	failed, looks := 0, 0
	for end := s.world.now.Add(20 * time.Minute); s.world.now.Before(end); looks++ {
		if looks == 10 {
			s.world.fail("app.UserException")
		}
		next, err := s.loop.Step(t.Context())
		if errors.Is(err, errFull) {
			failed++
		}
		s.world.advance(next)
	}
	if len(s.world.changes) > 0 || failed < 20 || looks < 80 {
		t.Fatalf("%d changes, %d of %d looks said that the disk is full", len(s.world.changes), failed, looks)
	}
	j.full = false
	s.run(t, 5*time.Minute)
	if n := len(j.Outages()); n == 0 || j.Outages()[0].Measurement.Failure != job.TaskFailure {
		t.Errorf("%d outages in the journal, want that of the task first", n)
	}
	if n := len(s.world.changes); n != 1 {
		t.Errorf("%d changes once the disk has room, want 1", n)
	}
	if open, err := j.OpenDecisions(t.Context(), jobID); err != nil || len(open) > 0 {
		t.Errorf("open: %v, %v", open, err)
	}
}
