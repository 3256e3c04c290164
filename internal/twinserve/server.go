// Package twinserve puts a simulated job behind the REST dialect of Flink's
// JobManager, so that whoever reads a cluster reads the simulation by the same
// requests.
//
// What it answers is made from observations alone: it knows of the job what a
// cluster would tell. Rates become the counters that they are on a cluster, moved
// on once a window of the simulation's metrics, with the clock that each subtask
// brings; a reader takes the differences. The shapes are those of Flink 2.3, as
// recorded; fields that say nothing of a simulation are left out.
//
// Beside Flink's paths there are a few of its own under /rebound, for what Flink
// cannot do: new resources for a running job, and the simulation's clock. Time
// runs at a multiple of real time, or only when somebody waits for it.
package twinserve

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"rebound/internal/job"
)

// A World is a job that is simulated. Server calls one method at a time.
type World interface {
	Observe(ctx context.Context) (job.Observation, error)
	Apply(ctx context.Context, c job.Change) error
	Checkpoint(ctx context.Context, id string) error
	Capabilities() job.Capabilities
}

// A Clock is the simulation's.
type Clock interface {
	Now() time.Time
	Advance(d time.Duration)
}

// Server answers for one job. World and Clock are needed.
type Server struct {
	World World
	Clock Clock
	// Speed is simulated over real time; 0: time stands still but when a request to
	// /rebound/wait moves it on.
	Speed float64
	// Real is the real clock; nil for time.Now.
	Real func() time.Time
	// Truth is what the simulation knows of itself, for reports; nil: not told.
	Truth func() any
	// Fail injects a failure; nil: refused.
	Fail func(job.Failure)

	mu       sync.Mutex
	began    time.Time // real time at which the simulation stood at origin
	origin   time.Time
	counters counters
	seen     job.Observation // at seenAt
	seenAt   time.Time
	seenErr  error
	triggers map[string]trigger
}

// window is how often the counters move, as the JobManager's metric store does:
// the default of metrics.fetcher.update-interval, and the window over which the
// simulation shows rates.
const window = 10 * time.Second

// Handler answers the requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, f := range map[string]func(*http.Request) (any, error){
		"GET /config":                            s.config,
		"GET /overview":                          s.overview,
		"GET /jobmanager/config":                 s.jobManagerConfig,
		"GET /jobmanager/metrics":                s.jobManagerMetrics,
		"GET /taskmanagers":                      s.taskManagers,
		"GET /taskmanagers/{tm}/metrics":         s.taskManagerMetrics,
		"GET /jobs/overview":                     s.jobs,
		"GET /jobs/{id}":                         s.job,
		"GET /jobs/{id}/config":                  s.jobConfig,
		"GET /jobs/{id}/metrics":                 s.jobMetrics,
		"GET /jobs/{id}/exceptions":              s.exceptions,
		"GET /jobs/{id}/checkpoints":             s.checkpoints,
		"GET /jobs/{id}/checkpoints/config":      s.checkpointConfig,
		"GET /jobs/{id}/checkpoints/details/{n}": s.checkpointDetails,
		"GET /jobs/{id}/checkpoints/{trigger}":   s.triggered,
		"POST /jobs/{id}/checkpoints":            s.trigger,

		"GET /jobs/{id}/vertices/{vertex}":                  s.vertex,
		"GET /jobs/{id}/vertices/{vertex}/watermarks":       s.watermarks,
		"GET /jobs/{id}/vertices/{vertex}/metrics":          s.vertexMetrics,
		"GET /jobs/{id}/vertices/{vertex}/subtasks/metrics": s.metricNames,
		"GET /jobs/{id}/resource-requirements":              s.requirements,
		"PUT /jobs/{id}/resource-requirements":              s.require,

		"GET /rebound/clock":        s.clock,
		"POST /rebound/wait":        s.wait,
		"GET /rebound/capabilities": s.capabilities,
		"GET /rebound/truth":        s.truth,
		"POST /rebound/change":      s.change,
		"POST /rebound/fail":        s.fail,

		"POST /rebound/profiles":          s.profile,
		"GET /rebound/profiles/{profile}": s.profiled,
	} {
		mux.HandleFunc(pattern, adapt(f))
	}
	mux.HandleFunc("/", adapt(func(r *http.Request) (any, error) {
		return nil, refusal{http.StatusNotFound, "Unable to load requested file " + r.URL.Path + "."}
	}))
	return mux
}

// refusal is an error with its status.
type refusal struct {
	code int
	text string
}

func (e refusal) Error() string { return e.text }

// adapt writes an answer, or an error, as Flink's server does.
func adapt(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := f(r)
		code := http.StatusOK
		if err != nil {
			code = http.StatusInternalServerError
			if e, ok := errors.AsType[refusal](err); ok {
				code = e.code
			}
			answer = object{"errors": []string{err.Error()}}
		}
		b, err := json.Marshal(answer)
		if err != nil {
			code, b = http.StatusInternalServerError, []byte(`{"errors":["the answer has no JSON form"]}`)
		}
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		w.WriteHeader(code)
		w.Write(b) //nolint:errcheck // the client has gone
	}
}

// object is a JSON object of an answer.
type object = map[string]any
