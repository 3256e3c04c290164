package flink

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rebound/internal/job"
)

// ObserveOptions say what to look at.
type ObserveOptions struct {
	Cluster string   // becomes part of each job's identity
	Quick   bool     // one read: rates are Flink's own averages over 60 s
	Jobs    []string // names or IDs; none for all jobs that have not ended
	// Window is how far apart the reads are; at least, and by default, one
	// metrics.fetcher.update-interval. Longer ones make rates steadier.
	Window time.Duration
	// Now is our clock, for what is stamped with it; nil for time.Now.
	Now func() time.Time
	// Progress is told in a few words what takes time; nil for silence.
	Progress func(string)
}

// observer is one call of Observe.
type observer struct {
	ObserveOptions
	// latest: the newest read tells levels, where it tells any, rather than the
	// largest value of all.
	latest  bool
	c       *Client
	version string
	config  map[string]string // nil where the JobManager does not tell
	fetch   time.Duration     // metrics.fetcher.update-interval
}

// Observe shows the jobs as they are, each with what could not be seen. It reads
// the metrics twice, one fetcher interval apart, and once more if nothing new came;
// it answers within two intervals and a second (or Window more). No job at all is an empty list.
//
// Rates and shares of time are differences over what the subtask's own clock says
// has passed; a subtask whose attempt changed, whose counters went back, or whose
// values stand still has none.
func (c *Client) Observe(ctx context.Context, opts ObserveOptions) ([]job.Observation, error) {
	o := &observer{ObserveOptions: opts, c: c, fetch: defaultFetch}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	jobs, err := o.begin(ctx)
	if err != nil {
		return nil, err
	}
	if len(jobs) == 0 {
		return []job.Observation{}, nil
	}
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	reads, err := o.reads(ctx, ids)
	if err != nil {
		return nil, err
	}
	all := make([]job.Observation, 0, len(jobs))
	for _, j := range jobs {
		if b := newBuilder(o, j, reads); b != nil {
			all = append(all, b.observation())
		}
	}
	return all, nil
}

// begin learns the version, the configuration and which jobs there are.
func (o *observer) begin(ctx context.Context) ([]JobSummary, error) {
	var jobs []JobSummary
	g := newGroup(ctx)
	g.run(func(ctx context.Context) (err error) {
		o.version, err = o.c.version(ctx)
		return err
	})
	g.run(func(ctx context.Context) (err error) {
		o.config, err = o.c.clusterConfig(ctx)
		return optional(err)
	})
	g.run(func(ctx context.Context) (err error) {
		jobs, err = o.c.Jobs(ctx)
		return err
	})
	g.run(o.touch)
	if err := g.wait(); err != nil {
		return nil, err
	}
	if d, err := ParseDuration(o.config["metrics.fetcher.update-interval"]); err == nil {
		o.fetch = d
	}
	return pick(jobs, o.Jobs)
}

// touch makes the JobManager refresh its metric store, if its interval has passed.
func (o *observer) touch(ctx context.Context) error {
	_, err := o.c.metrics(ctx, "/jobmanager/metrics", []string{"numRegisteredTaskManagers"})
	return optional(err)
}

// pick finds the wanted jobs: by ID, or all of a name that have not ended, or else
// the latest of that name.
func pick(jobs []JobSummary, want []string) ([]JobSummary, error) {
	slices.SortStableFunc(jobs, func(a, b JobSummary) int { return b.StartedAt.Compare(a.StartedAt) }) // latest first
	live := slices.DeleteFunc(slices.Clone(jobs), JobSummary.Ended)
	if len(want) == 0 {
		return live, nil
	}
	var picked []JobSummary
	for _, w := range want {
		byID := func(j JobSummary) bool { return j.ID == w }
		byName := func(j JobSummary) bool { return j.Name == w }
		found := slices.DeleteFunc(slices.Clone(live), func(j JobSummary) bool { return !byName(j) })
		if i := slices.IndexFunc(jobs, byID); i >= 0 {
			found = jobs[i : i+1]
		} else if i := slices.IndexFunc(jobs, byName); len(found) == 0 && i >= 0 {
			found = jobs[i : i+1]
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("job %q is not there: %s", w, listed(jobs))
		}
		for _, j := range found {
			if !slices.ContainsFunc(picked, func(p JobSummary) bool { return p.ID == j.ID }) {
				picked = append(picked, j)
			}
		}
	}
	return picked, nil
}

func listed(jobs []JobSummary) string {
	if len(jobs) == 0 {
		return "the cluster has no jobs"
	}
	names := make([]string, 0, len(jobs))
	for _, j := range jobs {
		if n := fmt.Sprintf("%q", j.Name); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return "the cluster has " + strings.Join(names, ", ")
}
