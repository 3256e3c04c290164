package model

import "rebound/internal/job"

// Target is what a user wants of a job.
type Target struct {
	Seconds  float64
	Risk     float64       // share of failures that may take longer
	Failures []job.Failure // that the verdict is about
}

// leastInterval is the shortest checkpoint interval that is worth considering (s).
const leastInterval = 1.0

// Verdict compares the worst of the named failures with the target.
func (m *Model) Verdict(t Target) job.Verdict {
	if t.Seconds <= 0 {
		return job.Unknown
	}
	worst, ok := m.exactly(t, m.knobs)
	switch {
	case !ok:
		return job.Unknown
	case worst <= t.Seconds:
		return job.Met
	}
	least := m.knobs
	least.interval = leastInterval
	if v, ok := m.exactly(t, least); ok && v > t.Seconds {
		return job.Infeasible
	}
	return job.Missed
}

// unbounded stands for a recovery that never ends, where times are compared.
const unbounded = 1e18

// worst is the (1 − risk) recovery of the worst of the named failures (s), from
// few enough draws to search with; exactly is from those of a prediction.
func (m *Model) worst(t Target, k knobs) (float64, bool)   { return m.of(t, k, draws/4) }
func (m *Model) exactly(t Target, k knobs) (float64, bool) { return m.of(t, k, draws) }

func (m *Model) of(t Target, k knobs, n int) (float64, bool) {
	w := 0.0
	for _, f := range t.Failures {
		v, ok := m.atRisk(Question{Failure: f, Risk: t.Risk}, k, n)
		if !ok {
			return 0, false
		}
		w = max(w, v)
	}
	return w, len(t.Failures) > 0
}

func (m *Model) atRisk(q Question, k knobs, n int) (float64, bool) {
	if m.ends(q.Failure) {
		return unbounded, true
	}
	s, _, ok := m.scenario(q, k)
	if !ok {
		return 0, false
	}
	if v := seconds(s.Draw(m.rng(), n).Quantile(1 - q.Risk)); v != nil {
		return *v, true
	}
	return unbounded, true
}
