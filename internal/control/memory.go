package control

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"rebound/internal/job"
)

// Memory is a Journal that is gone with the process: of simulations and tests. It
// keeps the newest of everything, as many as fit in Most. The zero value is ready
// to use. Its methods may be called concurrently.
type Memory struct {
	Most int // of each kind; 0: 10,000

	mu          sync.Mutex
	next        map[string]int // IDs given, by their first letter
	decisions   []job.Decision // oldest first
	predictions []job.Standing
	ids         []string // of the predictions
	outages     []Outcome
	windows     []job.Window
	requests    []job.Request
	profiles    []profileOf // oldest first
	states      map[string][]byte
}

// Outcome is a recovery with what had been predicted of it.
type Outcome struct {
	Job         job.Identity
	Measurement job.Measurement
	Standing    *job.Recovery // that stood at the failure; nil: none did
	// Conditional is the prediction given the age of the restored checkpoint.
	Conditional *job.Recovery

	standing string // its ID
}

// NewMemory makes an empty journal.
func NewMemory() *Memory { return &Memory{} }

func (m *Memory) most() int {
	if m.Most == 0 {
		return 10_000
	}
	return m.Most
}

// keep appends and forgets the oldest.
func keep[T any](list []T, v T, most int) []T {
	if len(list) >= most {
		list = slices.Delete(list, 0, len(list)-most+1+most/16)
	}
	return append(list, v)
}

func (m *Memory) id(prefix string) string {
	if m.next == nil {
		m.next = map[string]int{}
	}
	m.next[prefix]++
	return prefix + strconv.Itoa(m.next[prefix])
}

// AddDecision stores a new decision.
func (m *Memory) AddDecision(_ context.Context, d job.Decision) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d.ID = m.id("d")
	d.Applied = copied(d.Applied)
	m.decisions = keep(m.decisions, d, m.most())
	return d.ID, nil
}

// copied keeps what is stored apart from what the caller goes on with.
func copied(c *job.Change) *job.Change {
	if c == nil {
		return nil
	}
	return new(*c)
}

// UpdateDecision replaces a decision that is not closed.
func (m *Memory) UpdateDecision(_ context.Context, d job.Decision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.decisions) - 1; i >= 0; i-- {
		old := &m.decisions[i]
		if old.ID != d.ID {
			continue
		}
		if old.State.Closed() {
			return fmt.Errorf("decision %s is closed (%s)", d.ID, old.State)
		}
		d.Applied = copied(d.Applied)
		*old = d
		return nil
	}
	return fmt.Errorf("decision %s is not in the journal", d.ID)
}

// OpenDecisions are those not closed, oldest first.
func (m *Memory) OpenDecisions(_ context.Context, id job.Identity) ([]job.Decision, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []job.Decision
	for _, d := range m.decisions {
		if d.Job == id && !d.State.Closed() {
			d.Applied = copied(d.Applied)
			out = append(out, d)
		}
	}
	return out, nil
}

// Decisions are the newest n, newest first; 0: all.
func (m *Memory) Decisions(_ context.Context, id job.Identity, n int) ([]job.Decision, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []job.Decision
	for i := len(m.decisions) - 1; i >= 0 && (n == 0 || len(out) < n); i-- {
		if m.decisions[i].Job == id {
			out = append(out, m.decisions[i])
		}
	}
	return out, nil
}

// All are the decisions, oldest first.
func (m *Memory) All() []job.Decision {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.decisions)
}

// AddPredictions stores predictions.
func (m *Memory) AddPredictions(_ context.Context, p []job.Standing) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]string, 0, len(p))
	for _, s := range p {
		id := m.id("p")
		m.predictions, m.ids = keep(m.predictions, s, m.most()), keep(m.ids, id, m.most())
		out = append(out, id)
	}
	return out, nil
}

// AddOutage stores a recovery; the same one only once.
func (m *Memory) AddOutage(_ context.Context, id job.Identity, got job.Measurement, predictionID string, conditional *job.Recovery) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range m.outages {
		if o.Job == id && o.Measurement.At.Equal(got.At) && o.Measurement.Failure == got.Failure {
			return nil
		}
	}
	o := Outcome{Job: id, Measurement: got, Conditional: conditional}
	if i := slices.Index(m.ids, predictionID); i >= 0 {
		o.Standing = new(m.predictions[i].Recovery)
	}
	m.outages = keep(m.outages, o, m.most())
	return nil
}

// Outages are the recoveries, oldest first.
func (m *Memory) Outages() []Outcome {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.outages)
}

// Scores are the past predictions with their outcomes, newest first.
func (m *Memory) Scores(_ context.Context, id job.Identity, n int) ([]job.Scored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []job.Scored
	for i := len(m.outages) - 1; i >= 0 && (n == 0 || len(out) < n); i-- {
		if o := &m.outages[i]; o.Job == id && o.Conditional != nil {
			out = append(out, o.score())
		}
	}
	return out, nil
}

// score holds the conditional prediction against what was measured.
func (o *Outcome) score() job.Scored {
	c, got := o.Conditional, o.Measurement.RecoverySeconds
	s := job.Scored{
		At: o.Measurement.At, Failure: o.Measurement.Failure, MeasuredSeconds: got,
		P05Seconds: c.P05Seconds, MedianSeconds: c.MedianSeconds, P95Seconds: c.P95Seconds,
	}
	if got != nil && c.P05Seconds != nil && c.P95Seconds != nil {
		s.Inside = new(*got >= *c.P05Seconds && *got <= *c.P95Seconds)
	}
	return s
}

// AddWindow stores a window.
func (m *Memory) AddWindow(_ context.Context, w job.Window) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.windows = keep(m.windows, w, m.most())
	return nil
}

// Windows are what was seen, oldest first.
func (m *Memory) Windows() []job.Window {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.windows)
}

func stateKey(id job.Identity, kind string, version int) string {
	return fmt.Sprintf("%s\x00%s\x00%d", id, kind, version)
}

// SaveState keeps a state.
func (m *Memory) SaveState(_ context.Context, id job.Identity, kind string, version int, state []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.states == nil {
		m.states = map[string][]byte{}
	}
	m.states[stateKey(id, kind, version)] = slices.Clone(state)
	return nil
}

// LoadState returns the state that was kept last.
func (m *Memory) LoadState(_ context.Context, id job.Identity, kind string, version int) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.states[stateKey(id, kind, version)]
	return slices.Clone(b), ok, nil
}

// Ask adds a request, as a user's command does.
func (m *Memory) Ask(r job.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.ID == "" {
		r.ID = m.id("r")
	}
	m.requests = keep(m.requests, r, m.most())
}

// Requests are those that nobody has answered, oldest first.
func (m *Memory) Requests(_ context.Context, id job.Identity) ([]job.Request, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []job.Request
	for _, r := range m.requests {
		if r.Job == id && r.DoneAt.IsZero() {
			out = append(out, r)
		}
	}
	return out, nil
}

// AnswerRequest stores what became of a request.
func (m *Memory) AnswerRequest(_ context.Context, r job.Request) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.requests {
		if m.requests[i].ID == r.ID {
			m.requests[i] = r
			return nil
		}
	}
	return fmt.Errorf("request %s is not in the journal", r.ID)
}
