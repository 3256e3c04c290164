package model

import (
	"fmt"
	"math"
	"strconv"

	"rebound/internal/job"
	"rebound/internal/recovery"
	"rebound/internal/setting"
)

// dominant is the share of a recovery from which on a phase is worth a word.
const dominant = 0.25

// Advice lists what would help to meet the target, each alone, the cheapest
// first: settings before resources.
func (m *Model) Advice(t Target) []job.Advice {
	out := []job.Advice{}
	worst, ok := m.worst(t, m.knobs)
	if !ok {
		return out
	}
	for _, a := range []func(Target) (job.Advice, knobs, bool){
		m.adviseInterval, m.adviseHeartbeat, m.adviseBackOff, m.adviseSpare, m.adviseCapacity,
	} {
		advice, k, ok := a(t)
		if !ok {
			continue
		}
		advice.Recovery = map[job.Failure]float64{}
		for _, f := range t.Failures {
			if v, ok := m.atRisk(Question{Failure: f, Risk: t.Risk}, k, draws/4); ok && v < unbounded {
				advice.Recovery[f] = v
			}
		}
		after, _ := m.worst(t, k)
		// What brings less than a twentieth is no advice; a longer interval costs
		// recovery time and is offered for what it saves.
		if after < 0.95*worst || advice.Setting == keyInterval && worst <= t.Seconds {
			out = append(out, advice)
		}
	}
	return out
}

const keyInterval = "execution.checkpointing.interval"

// adviseInterval finds the longest interval that keeps the target: shorter than
// now where the target is missed, and worth a word where it may double.
func (m *Model) adviseInterval(t Target) (job.Advice, knobs, bool) {
	longest, ok := m.LongestInterval(t)
	if !ok || m.knobs.interval <= 0 || t.Seconds <= 0 {
		return job.Advice{}, m.knobs, false
	}
	longest = math.Floor(longest)
	k := m.knobs
	k.interval = longest
	a := job.Advice{Setting: keyInterval, Now: flinkText(m.knobs.interval), Want: flinkText(longest)}
	switch {
	case longest < m.knobs.interval:
		a.Why = "the longest interval that keeps the target"
		return a, k, longest >= leastInterval
	case longest >= 2*m.knobs.interval:
		a.Why = "the target allows it, and fewer checkpoints cost less"
		return a, k, true
	default:
		return a, k, false
	}
}

// LongestInterval is the longest checkpoint interval at which the worst of the
// named failures stays within the target at its risk (s). It is false where even
// one of a second does not.
func (m *Model) LongestInterval(t Target) (float64, bool) {
	within := func(interval float64) bool {
		k := m.knobs
		k.interval = interval
		v, ok := m.worst(t, k)
		return ok && v <= t.Seconds && m.transactionsOutlive(k, t.Failures)
	}
	low, high := leastInterval, 24*3600.0
	if !within(low) {
		return 0, false
	}
	if within(high) {
		return high, true
	}
	for high-low > 0.01*low {
		if mid := math.Sqrt(low * high); within(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low, true
}

// transactionsOutlive says whether a transaction that is open when the worst of
// these failures comes is still there to be committed.
func (m *Model) transactionsOutlive(k knobs, failures []job.Failure) bool {
	if m.TransactionTimeoutSeconds == nil {
		return true
	}
	downtime := 0.0
	for _, f := range failures {
		downtime = max(downtime, m.WorstDowntime(f))
	}
	open := recovery.TransactionBound(k.effective(), k.duration.Median+k.duration.Spread, downtime, failedInARow(m.Now.Checkpointing.History))
	return open <= *m.TransactionTimeoutSeconds
}

// adviseHeartbeat shortens detection where it dominates, to the 5 s that public
// reports call safe, or to a tenth of the target.
func (m *Model) adviseHeartbeat(t Target) (job.Advice, knobs, bool) {
	if m.share(t, job.Detect, job.Resources) < dominant {
		return job.Advice{}, m.knobs, false
	}
	want := 5.0
	if t.Seconds > 0 {
		want = math.Max(1, math.Min(want, math.Floor(t.Seconds/10)))
	}
	if want >= m.knobs.heartbeat {
		return job.Advice{}, m.knobs, false
	}
	k := m.knobs
	k.heartbeat, k.timeout = want, math.Min(k.timeout, 4*want)
	return job.Advice{
		Setting: "heartbeat.interval", Now: flinkText(m.knobs.heartbeat), Want: flinkText(want),
		Why: "detection dominates; with heartbeat.timeout: " + flinkText(k.timeout),
	}, k, true
}

func (m *Model) adviseBackOff(t Target) (job.Advice, knobs, bool) {
	if m.share(t, job.BackOff) < dominant || m.knobs.backOff.Median <= 1 {
		return job.Advice{}, m.knobs, false
	}
	s := setting.Of(m.Now)
	key, now, ok := s.RestartDelay()
	if !ok {
		return job.Advice{}, m.knobs, false
	}
	if d, ok := s.ExponentialDelay(); ok && s.RestartStrategy() == "exponential-delay" && d.Initial <= 1 {
		key, now = "restart-strategy.exponential-delay.max-backoff", d.Most
	}
	k := m.knobs
	k.backOff = recovery.Uncertain{Median: 1, Spread: 0.05}
	return job.Advice{
		Setting: s.Key(key), Now: flinkText(now), Want: flinkText(1),
		Why: "the wait before a restart dominates",
	}, k, true
}

func (m *Model) adviseSpare(t Target) (job.Advice, knobs, bool) {
	if m.knobs.spare || m.share(t, job.Resources) < dominant {
		return job.Advice{}, m.knobs, false
	}
	k := m.knobs
	k.spare = true
	return job.Advice{
		Setting: "spare TaskManagers", Now: "0", Want: "1",
		Why: "waiting for a new process dominates (slotmanager.redundant-taskmanager-num where Flink starts its own)",
	}, k, true
}

// adviseCapacity finds the capacity that the target needs, as parallelism of the
// vertex that decides.
func (m *Model) adviseCapacity(t Target) (job.Advice, knobs, bool) {
	worst, ok := m.worst(t, m.knobs)
	if t.Seconds <= 0 || !ok || worst <= t.Seconds {
		return job.Advice{}, m.knobs, false
	}
	factor, ok := m.NeededCapacity(t)
	if !ok {
		return job.Advice{}, m.knobs, false
	}
	k := m.knobs
	r, _ := m.predict(Question{Failure: t.Failures[len(t.Failures)-1], Risk: t.Risk}, k)
	if r.Decisive == nil {
		return job.Advice{}, k, false
	}
	now := 0
	for _, v := range m.Now.Vertices {
		if v.ID == r.Decisive.ID {
			now = v.Parallelism
		}
	}
	want := int(math.Ceil(float64(now) * factor))
	k.capacity = float64(want) / math.Max(1, float64(now))
	return job.Advice{
		Setting: "parallelism of " + r.Decisive.Vertex, Now: strconv.Itoa(now), Want: strconv.Itoa(want),
		Why: fmt.Sprintf("the target needs %.2f × the present capacity", factor),
	}, k, true
}

// NeededCapacity is the factor on the present capacity at which the target is
// kept. It is false where no capacity helps, since the downtime alone is longer.
func (m *Model) NeededCapacity(t Target) (factor float64, ok bool) {
	within := func(c float64) bool {
		k := m.knobs
		k.capacity = c
		v, ok := m.worst(t, k)
		return ok && v <= t.Seconds
	}
	low, high := 1.0, 1.0
	for !within(high) {
		low, high = high, high*2
		if high > 1e4 {
			return 0, false
		}
	}
	for high-low > 0.005*high {
		if mid := (low + high) / 2; within(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, true
}

// share is what these phases are of the worst failure's median recovery.
func (m *Model) share(t Target, phases ...job.Phase) float64 {
	most := 0.0
	for _, f := range t.Failures {
		r, ok := m.Predict(Question{Failure: f, Risk: t.Risk})
		if !ok || r.MedianSeconds == nil {
			continue
		}
		sum := 0.0
		for _, p := range phases {
			v, _ := job.PhaseSeconds(r.Phases, p)
			sum += v
		}
		most = math.Max(most, sum / *r.MedianSeconds)
	}
	return most
}

// flinkText writes seconds as Flink does, in the largest unit without decimals.
func flinkText(s float64) string {
	switch {
	case s >= 60 && math.Mod(s, 60) == 0:
		return fmt.Sprintf("%.0f min", s/60)
	case s == math.Trunc(s):
		return fmt.Sprintf("%.0f s", s)
	default:
		return fmt.Sprintf("%.0f ms", s*1000)
	}
}
