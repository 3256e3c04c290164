package model

import (
	"math"
	"math/rand/v2"
	"strings"

	"rebound/internal/job"
	"rebound/internal/recovery"
	"rebound/internal/setting"
)

// draws is how many recoveries a prediction is made of: at a risk of 0.01, 40 of
// them lie beyond the quantile that the target is compared with.
const draws = 4000

// Question is what is asked of a prediction.
type Question struct {
	Failure job.Failure
	Risk    float64  // 0.01 asks for the 99 % quantile
	Age     *float64 // s, of the restored offsets, where the moment is known
}

// Predict says how long the job would take to recover. It is false where too
// little is known to say anything; Missing then says what.
func (m *Model) Predict(q Question) (job.Recovery, bool) { return m.predict(q, m.knobs) }

func (m *Model) predict(q Question, k knobs) (job.Recovery, bool) {
	if m.ends(q.Failure) {
		return job.Recovery{Failure: q.Failure, Outcome: job.Never, P95Outcome: job.Never, AtRiskOutcome: job.Never, Phases: []job.PhaseTime{}}, true
	}
	s, phases, ok := m.scenario(q, k)
	if !ok {
		return job.Recovery{}, false
	}
	sample := s.Draw(m.rng(), draws)
	median := sample.Quantile(0.5)
	r := job.Recovery{Failure: q.Failure, Outcome: outcome(median), AgeSeconds: q.Age, Phases: []job.PhaseTime{}}
	if m.scale != 1 {
		r.IntervalScale = new(m.scale)
	}
	r.P05Seconds = seconds(sample.Quantile(0.05))
	r.MedianSeconds = seconds(median)
	p95, risk := sample.Quantile(0.95), sample.Quantile(1-q.Risk)
	r.P95Seconds, r.P95Outcome = seconds(p95), unless(p95)
	r.AtRiskSeconds, r.AtRiskOutcome = seconds(risk), unless(risk)
	worst := s
	_, high := k.ages(failedInARow(m.Now.Checkpointing.History))
	worst.Age = recovery.AgeModel{Low: high, High: high}
	r.WorstSeconds = seconds(worst.Draw(m.rng(), draws/4).Quantile(0.5))
	if i := sample.Decisive(); i >= 0 && i < len(m.subtasks) {
		r.Decisive = new(m.subtasks[i].ref)
	}
	if median.Outcome == recovery.Recovers {
		r.Phases = m.phaseTimes(sample, phases)
		m.visibility(&r, k)
	}
	return r, true
}

// ends says whether a failure is the end of the job: without a restart strategy
// any is, without high availability the loss of the JobManager.
func (m *Model) ends(f job.Failure) bool {
	if f == job.JobManagerFailure {
		return !m.highlyAvailable()
	}
	return setting.Of(m.Now).RestartStrategy() == "none" && m.Now.Checkpointing.Enabled
}

// highlyAvailable says whether another JobManager takes over from one that dies:
// without, the job is gone with it.
func (m *Model) highlyAvailable() bool {
	kind := strings.ToLower(m.Now.Config["high-availability.type"])
	return kind != "" && kind != "none"
}

// rng gives the same draws to every question, so that what-ifs differ by what
// they ask and not by chance.
func (m *Model) rng() *rand.Rand { return rand.New(rand.NewPCG(m.Seed, 1)) }

// scenario puts together what package recovery draws from.
func (m *Model) scenario(q Question, k knobs) (recovery.Scenario, []downtime, bool) {
	if len(m.subtasks) == 0 || k.interval <= 0 && q.Age == nil || m.ends(q.Failure) {
		return recovery.Scenario{}, nil, false
	}
	phases := m.phases(q.Failure, k)
	low, high := k.ages(failedInARow(m.Now.Checkpointing.History))
	if q.Age != nil {
		low, high = *q.Age, *q.Age
	}
	s := recovery.Scenario{Age: recovery.AgeModel{Low: low, High: high}, Scale: m.scale, Load: m.busy.factor}
	for _, d := range phases {
		s.Downtime = append(s.Downtime, d.length)
	}
	from, tau, _ := m.warmup(q.Failure.TakenOverBy())
	for _, t := range m.subtasks {
		s.Subtasks = append(s.Subtasks, recovery.Subtask{Utilization: m.utilization(t, k), WarmupStart: from, WarmupTau: tau})
	}
	return s, phases, true
}

// phaseTimes names the phases of the median recovery. What its uncertainty leaves
// beside the downtime's belongs to replay and catch-up in proportion.
func (m *Model) phaseTimes(sample recovery.Sample, phases []downtime) []job.PhaseTime {
	median, ok := sample.MedianPhases()
	if !ok {
		return []job.PhaseTime{}
	}
	out := make([]job.PhaseTime, 0, len(median))
	for i, d := range phases {
		out = append(out, job.PhaseTime{
			Phase: d.phase, Seconds: median[i], Spread: d.length.Spread,
			Source: d.source, Samples: d.samples, Note: d.note,
		})
	}
	replay, catchUp := median[len(phases)], median[len(phases)+1]
	half := 0.0
	if low, high := sample.Quantile(0.05), sample.Quantile(0.95); high.Outcome == recovery.Recovers && replay+catchUp > 0 {
		half = (high.Seconds - low.Seconds) / 2 / (replay + catchUp)
	}
	samples := max(1, m.busy.samples)
	return append(out,
		job.PhaseTime{Phase: job.Replay, Seconds: replay, Spread: half * replay, Source: job.Measured, Samples: samples, Note: "input since the checkpoint"},
		job.PhaseTime{Phase: job.CatchUp, Seconds: catchUp, Spread: half * catchUp, Source: job.Measured, Samples: samples, Note: "backlog of the meantime"})
}

// behind is how much longer, at most, the first checkpoint takes whose barriers
// queue behind the backlog in the network buffers (s; 2–10 measured).
const behind = 10.0

// visibility adds what a read-committed reader waits for: the first commit comes
// I_e + D′ after the downtime, D′ being the checkpoint behind the backlog, and
// its lateness is back in its band with the first commit after the catch-up.
func (m *Model) visibility(r *job.Recovery, k knobs) {
	if k.interval <= 0 {
		return
	}
	down, rest := 0.0, 0.0
	for _, p := range r.Phases {
		if p.Phase.Downtime() {
			down += p.Seconds
		} else {
			rest += p.Seconds
		}
	}
	d := k.duration.Median
	wait := prior{value: k.effective() + d + math.Min(behind, rest/2), spread: k.effective() / 2, floor: leastPhaseSpread}
	after := prior{value: k.effective()/2 + d, spread: k.effective() / 2, floor: leastPhaseSpread}
	var waits, afters, ww, wa []float64
	for _, p := range m.Past {
		if !p.SameJob || p.DowntimeSeconds == nil || p.Failure != r.Failure {
			continue
		}
		if p.FirstCommitSeconds != nil {
			waits, ww = append(waits, *p.FirstCommitSeconds-*p.DowntimeSeconds), append(ww, weight(p))
		}
		if p.VisibleSeconds != nil && p.RecoverySeconds != nil {
			afters, wa = append(afters, *p.VisibleSeconds-*p.RecoverySeconds), append(wa, weight(p))
		}
	}
	first := down + math.Max(0, learn(wait, waits, ww).value)
	r.FirstCommitSeconds = &first
	visible := math.Max(first, down+rest+math.Max(0, learn(after, afters, wa).value))
	r.VisibleSeconds = &visible
}

func outcome(t recovery.Time) job.Outcome {
	switch t.Outcome {
	case recovery.Recovers:
		return job.Recovers
	case recovery.BeyondHorizon:
		return job.BeyondHorizon
	default:
		return job.Never
	}
}

// unless is the outcome where it is not the usual one.
func unless(t recovery.Time) job.Outcome {
	if t.Outcome == recovery.Recovers {
		return ""
	}
	return outcome(t)
}

func seconds(t recovery.Time) *float64 {
	if t.Outcome != recovery.Recovers {
		return nil
	}
	return &t.Seconds
}

// Configured says what the configuration alone tells of the downtime of a
// failure: what a drill keeps beside its measurement.
func (m *Model) Configured(f job.Failure) []job.PhaseTime {
	out := []job.PhaseTime{}
	for _, d := range m.configured(f, m.knobs) {
		out = append(out, job.PhaseTime{Phase: d.phase, Seconds: d.length.Median, Spread: d.length.Spread, Source: d.source, Note: d.note})
	}
	return out
}
