package flink

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebound/internal/job"
)

// snapshot is one read of a job.
type snapshot struct {
	asked, answered time.Time // our clock, around the read of the job's details
	job             wireJob
	vertices        []wireVertex
	sources         map[string]sourceRead // by vertex ID
	averages        map[string]metrics    // by vertex ID; only in a quick read
	watermarks      map[string]metrics    // by vertex ID
	metrics         metrics               // of the job
	stats           *wireCheckpoints
	checkpoints     *wireCheckpointConfig
	execution       executionConfig
	exceptions      []job.Exception
}

// sourceRead is what the source operators of a vertex tell.
type sourceRead struct {
	operators []string
	known     []string // names without subtask, sorted
	values    metrics  // by INDEX.NAME
}

// clusterRead is one read of what the jobs share.
type clusterRead struct {
	taskManagers []wireTaskManager
	cpu          map[string]number // ns of CPU time by TaskManager
	at           time.Time         // our clock
}

// read takes snapshots of the jobs and of the cluster, all at once. A job that is
// gone meanwhile is left out.
func (o *observer) read(ctx context.Context, ids []string) (read, error) {
	all := make([]*snapshot, len(ids))
	r := read{jobs: make(map[string]*snapshot, len(ids))}
	g := newGroup(ctx)
	for i, id := range ids {
		g.run(func(ctx context.Context) error {
			s, err := o.snapshot(ctx, id)
			if notFound(err) {
				return nil
			}
			all[i] = s
			return err
		})
	}
	g.run(func(ctx context.Context) (err error) {
		r.cluster, err = o.readCluster(ctx)
		return err
	})
	err := g.wait()
	for i, s := range all {
		if s != nil {
			r.jobs[ids[i]] = s
		}
	}
	return r, err
}

func (o *observer) readCluster(ctx context.Context) (clusterRead, error) {
	r := clusterRead{cpu: map[string]number{}, at: o.Now()}
	tms, err := o.c.taskManagers(ctx)
	if err != nil {
		return r, err
	}
	r.taskManagers = tms
	times := make([]number, len(tms))
	g := newGroup(ctx)
	for i, tm := range tms {
		g.run(func(ctx context.Context) error {
			m, err := o.c.metrics(ctx, "/taskmanagers/"+tm.ID+"/metrics", []string{cpuTime})
			times[i] = m[cpuTime]
			return optional(err) // it may just have been lost
		})
	}
	err = g.wait()
	for i, tm := range tms {
		r.cpu[tm.ID] = times[i].atLeast0()
	}
	return r, err
}

const cpuTime = "Status.JVM.CPU.Time" // ns since the process began

// optional passes over an answer that only says no: what it would have told is
// missing then. A server that does not answer at all is still an error.
func optional(err error) error {
	if _, ok := errors.AsType[*StatusError](err); ok {
		return nil
	}
	return err
}

// snapshot reads a job's details first, then all that hangs on them.
func (o *observer) snapshot(ctx context.Context, id string) (*snapshot, error) {
	s := &snapshot{asked: o.Now()}
	var err error
	if s.job, err = o.c.job(ctx, id); err != nil {
		return nil, err
	}
	s.answered = o.Now()
	g := newGroup(ctx)
	g.run(func(ctx context.Context) error { return o.readVertices(ctx, s) })
	g.run(func(ctx context.Context) (err error) {
		s.stats, s.checkpoints, err = o.c.checkpoints(ctx, id)
		return err
	})
	g.run(func(ctx context.Context) (err error) {
		s.execution, err = o.c.executionConfig(ctx, id)
		return optional(err)
	})
	g.run(func(ctx context.Context) (err error) {
		s.exceptions, err = o.c.exceptions(ctx, id)
		return optional(err)
	})
	g.run(func(ctx context.Context) (err error) {
		s.metrics, err = o.c.metrics(ctx, jobPath(id, "metrics"), []string{
			"numRestarts", "fullRestarts", "lastCheckpointRestoreTimestamp", "lastCompletedCheckpointId",
		})
		return optional(err)
	})
	return s, g.wait()
}

// readVertices reads the details of all vertices, the operators of sources, and the
// watermarks of the others.
func (o *observer) readVertices(ctx context.Context, s *snapshot) error {
	inputs := s.job.Plan.inputs()
	n := len(s.job.Vertices)
	sources, averages, marks := make([]*sourceRead, n), make([]metrics, n), make([]metrics, n)
	g := newGroup(ctx)
	g.run(func(ctx context.Context) (err error) {
		s.vertices, err = o.c.vertices(ctx, s.job)
		return err
	})
	for i, v := range s.job.Vertices {
		parallelism := v.Parallelism.whole()
		switch {
		case ended(s.job.State):
			continue // its metrics are gone
		case len(inputs[v.ID]) == 0:
			g.run(func(ctx context.Context) (err error) {
				sources[i], err = o.source(ctx, s.job.ID, v.ID, parallelism)
				return optional(err)
			})
		default:
			g.run(func(ctx context.Context) (err error) {
				marks[i], err = o.c.watermarks(ctx, s.job.ID, v.ID)
				return optional(err)
			})
		}
		if o.Quick {
			g.run(func(ctx context.Context) (err error) {
				averages[i], err = o.c.metrics(ctx, jobPath(s.job.ID, "vertices", v.ID, "metrics"), indexed(parallelism, averageNames()))
				return optional(err)
			})
		}
	}
	err := g.wait()
	s.sources, s.averages, s.watermarks = map[string]sourceRead{}, map[string]metrics{}, map[string]metrics{}
	for i, v := range s.job.Vertices {
		s.averages[v.ID], s.watermarks[v.ID] = averages[i], marks[i]
		if sources[i] != nil {
			s.sources[v.ID] = *sources[i]
		}
	}
	return err
}

// averageNames are Flink's own averages over 60 s, of a task.
func averageNames() []string {
	return []string{
		"numRecordsInPerSecond", "numRecordsOutPerSecond",
		"busyTimeMsPerSecond", "backPressuredTimeMsPerSecond", "idleTimeMsPerSecond",
	}
}

// sourceNames are what is asked of a source operator.
func sourceNames() []string {
	return []string{
		"numRecordsIn", "numRecordsOut", "numRecordsInPerSecond", "numRecordsOutPerSecond",
		"pendingRecords", "currentEmitEventTimeLag", "watermarkLag",
	}
}

// clockNames are the accumulated times, read together with the counters so that
// both are of the same age.
func clockNames() []string {
	return []string{"accumulateBusyTimeMs", "accumulateIdleTimeMs", "accumulateBackPressuredTimeMs"}
}

// source asks for the names first: the operators' are in them, and which of its
// metrics a connector has.
func (o *observer) source(ctx context.Context, jobID, vertex string, parallelism int) (*sourceRead, error) {
	names, err := o.c.metricNames(ctx, jobPath(jobID, "vertices", vertex, "subtasks", "metrics"))
	if err != nil {
		return nil, err
	}
	r := &sourceRead{operators: sourceOperators(names)}
	want := slices.Clone(clockNames())
	for _, op := range r.operators {
		for _, m := range sourceNames() {
			if slices.Contains(names, op+"."+m) {
				want = append(want, op+"."+m)
			}
		}
	}
	r.known = want
	r.values, err = o.c.metrics(ctx, jobPath(jobID, "vertices", vertex, "metrics"), indexed(parallelism, want))
	return r, err
}

// sourceOperators finds the operators that read from outside: only they have
// these metrics (FLIP-33), or Flink's prefix in their name.
func sourceOperators(names []string) []string {
	found := map[string]bool{}
	for _, n := range names {
		i := strings.LastIndex(n, ".")
		if i < 0 {
			continue
		}
		op, metric := n[:i], n[i+1:]
		switch metric {
		case "currentEmitEventTimeLag", "pendingRecords", "sourceIdleTime", "numRecordsInErrors":
			found[op] = true
		case "numRecordsOut":
			if strings.HasPrefix(op, "Source__") || strings.HasPrefix(op, "Source:") {
				found[op] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// indexed puts each subtask's index before each name.
func indexed(parallelism int, names []string) []string {
	all := make([]string, 0, parallelism*len(names))
	for i := range parallelism {
		for _, n := range names {
			all = append(all, strconv.Itoa(i)+"."+n)
		}
	}
	return all
}
