package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rebound/internal/control"
	"rebound/internal/facts"
	"rebound/internal/job"
	"rebound/internal/live"
	"rebound/internal/policy"
	"rebound/internal/twin"
)

// place is where a job runs, with the clock that it runs by.
type place interface {
	control.World
	Now() time.Time
	// Wait returns when so much time of that clock has passed.
	Wait(ctx context.Context, d time.Duration) error
}

// errOver says that a simulation has come to its end.
var errOver = errors.New("the simulation is over")

// lockStep is a simulation in this process. Its time passes only in Wait: at once,
// or at so many simulated seconds in a real one.
type lockStep struct {
	*twin.Twin
	end   time.Time
	speed float64 // 0: as fast as possible
}

func newLockStep(scenario string, seed uint64, speed float64) (*lockStep, error) {
	s, err := loadScenario(scenario)
	if err != nil {
		return nil, err
	}
	t, err := twin.New(s, seed)
	if err != nil {
		return nil, err
	}
	return &lockStep{Twin: t, speed: speed, end: t.Now().Add(time.Duration(s.Hours * float64(time.Hour)))}, nil
}

// Wait lets simulated time pass.
func (l *lockStep) Wait(ctx context.Context, d time.Duration) error {
	left := l.end.Sub(l.Now())
	if left <= 0 {
		return errOver
	}
	d = min(d, left)
	if l.speed > 0 {
		t := time.NewTimer(time.Duration(float64(d) / l.speed))
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	l.Advance(d)
	return ctx.Err()
}

// watched is a job on a cluster, which is not changed: what a redeploy could do is
// recommended.
type watched struct{ *live.World }

// Capabilities are those of whoever follows the recommendation.
func (watched) Capabilities() job.Capabilities { return facts.Redeployed() }

// place connects to where the job runs, and says what of the policy cannot be
// done there.
func (c *runCmd) place(e *env, p *policy.Policy) (place, error) {
	switch {
	case c.World == worldFlink:
		at, err := c.endpoint()
		if err != nil {
			return nil, err
		}
		client, err := c.client(at)
		if err != nil {
			return nil, err
		}
		if p.Mode == job.ModePace || p.Mode == job.ModeApply {
			e.log.Warn("a job on a cluster is only observed, and changes are recommended", "mode_asked", p.Mode, "mode", job.ModeRecommend)
			p.Mode = job.ModeRecommend
		}
		name := c.Job
		if name == "" {
			name = p.Job.Name
		}
		return watched{live.NewWorld(client, at.name, name)}, nil
	case c.URL != "":
		return live.DialTwin(e.ctx, c.URL, twinCluster)
	default:
		return newLockStep(c.Scenario, c.Seed, c.Speed)
	}
}

// twinCluster is the cluster in the identity of simulated jobs.
const twinCluster = "twin"

// fits refuses a job that the policy is not about.
func fits(p policy.Policy, id job.Identity) error {
	if !p.Job.Matches(id) {
		return &exit{exitUsage, fmt.Errorf("the policy is about %s, the job is %s", selected(p.Job), id)}
	}
	return nil
}
