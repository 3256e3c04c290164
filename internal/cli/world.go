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

// places connects to where the jobs of a policy run, and says what of the policy
// cannot be done there.
func (c *runCmd) places(e *env, p *policy.Policy) ([]place, error) {
	var w place
	var err error
	switch {
	case c.World == worldFlink:
		return c.onCluster(e, p)
	case c.URL != "":
		w, err = live.DialTwin(e.ctx, c.URL, twinCluster)
	default:
		w, err = newLockStep(c.Scenario, c.Seed, c.Speed)
	}
	return []place{w}, err
}

// onCluster finds the running jobs that a policy is about. One that is submitted
// under another name later is not found before the next start.
func (c *runCmd) onCluster(e *env, p *policy.Policy) ([]place, error) {
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
	all, err := client.Jobs(e.ctx)
	if err != nil {
		return nil, err
	}
	var out []place
	ids := map[string]string{}
	for _, one := range all {
		id := job.Identity{Cluster: at.name, Name: one.Name}
		if one.Ended() || one.Type == typeBatch || !p.Job.Matches(id) || c.Job != "" && c.Job != one.Name && c.Job != one.ID {
			continue
		}
		if other, ok := ids[one.Name]; ok {
			return nil, &exit{exitNoData, fmt.Errorf("two running jobs are called %s: %s and %s; rename one (pipeline.name), or name one ID by --job", id, other, one.ID)}
		}
		ids[one.Name] = one.ID
		name := one.Name // it outlives the ID
		if c.Job == one.ID {
			name = one.ID
		}
		out = append(out, watched{live.NewWorld(client, at.name, name)})
	}
	switch {
	case len(out) > 0:
	case c.Job != "":
		return nil, &exit{exitNoData, fmt.Errorf("no job %s is running at %s that the policy is about (%s)", c.Job, at.url, selected(p.Job))}
	default:
		return nil, &exit{exitNoData, fmt.Errorf("no job is running at %s that the policy is about (%s)", at.url, selected(p.Job))}
	}
	return out, nil
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
