package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rebound/internal/flink"
	"rebound/internal/job"
)

// Twin is a simulated job in a process of its own (rebound twin serve): read by
// Flink's requests, as a job on a cluster, changed by those that Flink lacks, and
// with a clock of its own. It is used by one goroutine at a time.
type Twin struct {
	World
	url     string
	http    *http.Client
	can     job.Capabilities
	now     time.Time // simulated, at fetched
	fetched time.Time // real
	speed   float64   // 0: time moves only by Wait
}

// DialTwin connects to a simulation and watches its job.
func DialTwin(ctx context.Context, address, cluster string) (*Twin, error) {
	c, err := flink.New(flink.Config{URL: address})
	if err != nil {
		return nil, err
	}
	jobs, err := c.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	if len(jobs) != 1 {
		return nil, fmt.Errorf("%s has %d jobs, and a simulation has one: give the address that rebound twin serve prints", c.URL(), len(jobs))
	}
	t := &Twin{World: *NewWorld(c, cluster, jobs[0].Name), url: c.URL(), http: &http.Client{}}
	t.watch.Options.Now = t.Now
	t.watch.Settle = func(context.Context) error { return nil } // its values are never old
	var can struct {
		job.Capabilities
		Restart map[job.Knob]job.Way `json:"restart"`
	}
	if err := t.call(ctx, http.MethodGet, "capabilities", nil, &can); err != nil {
		return nil, err
	}
	t.can = can.Capabilities
	t.can.Restart = can.Restart
	return t, t.clock(ctx, http.MethodGet, "clock", nil)
}

// Observe looks at the job.
func (t *Twin) Observe(ctx context.Context) (job.Observation, error) {
	if t.speed > 0 {
		if err := t.clock(ctx, http.MethodGet, "clock", nil); err != nil {
			return job.Observation{}, err
		}
	}
	return t.World.Observe(ctx)
}

// Apply accepts a change and returns; the same ID does nothing again.
func (t *Twin) Apply(ctx context.Context, c job.Change) error {
	return t.call(ctx, http.MethodPost, "change", c, nil)
}

// StartProfile starts a copy of the job; the same ID starts one.
func (t *Twin) StartProfile(ctx context.Context, a job.Trial) error {
	return t.call(ctx, http.MethodPost, "profiles", a, nil)
}

// Profile is how a copy stands.
func (t *Twin) Profile(ctx context.Context, id string) (p job.Profile, known bool, err error) {
	err = t.call(ctx, http.MethodGet, "profiles/"+url.PathEscape(id), nil, &p)
	if e, ok := errors.AsType[answerError](err); ok && e.code == http.StatusNotFound {
		return job.Profile{}, false, nil
	}
	return p, err == nil, err
}

// Capabilities are the simulation's.
func (t *Twin) Capabilities() job.Capabilities { return t.can }

// Now is the simulated time.
func (t *Twin) Now() time.Time {
	return t.now.Add(time.Duration(float64(time.Since(t.fetched)) * t.speed))
}

// Wait returns when so much simulated time has passed.
func (t *Twin) Wait(ctx context.Context, d time.Duration) error {
	return t.clock(ctx, http.MethodPost, "wait", map[string]float64{"seconds": d.Seconds()})
}

// clock asks for the time.
func (t *Twin) clock(ctx context.Context, method, path string, in any) error {
	var a struct {
		Now   time.Time `json:"now"`
		Speed float64   `json:"speed"`
	}
	if err := t.call(ctx, method, path, in, &a); err != nil {
		return err
	}
	t.now, t.fetched, t.speed = a.Now, time.Now(), a.Speed
	return nil
}

// Truth copies what the simulation knows of itself, as JSON: for reports.
func (t *Twin) Truth(ctx context.Context, into any) error {
	return t.call(ctx, http.MethodGet, "truth", nil, into)
}

// Fail makes the job fail now.
func (t *Twin) Fail(ctx context.Context, f job.Failure) error {
	return t.call(ctx, http.MethodPost, "fail", map[string]job.Failure{"failure": f}, nil)
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 20

// answerError is what a simulation says no with.
type answerError struct {
	code int
	text string
}

func (e answerError) Error() string { return e.text }

// call speaks to what a simulation has beside Flink's paths.
func (t *Twin) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("ask the twin for its %s: %w", path, err)
		}
		body = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, t.url+"/rebound/"+path, body)
	if err != nil {
		return err
	}
	resp, err := t.http.Do(r)
	if err != nil {
		return fmt.Errorf("%w: is rebound twin serve still running?", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		var e struct{ Errors []string }
		if json.Unmarshal(b, &e) != nil || len(e.Errors) == 0 {
			return fmt.Errorf("%s %s: %s, which is no twin: give the address that rebound twin serve prints", method, r.URL, resp.Status)
		}
		return answerError{resp.StatusCode, "twin: " + strings.Join(e.Errors, "; ")}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(b, out)
}
