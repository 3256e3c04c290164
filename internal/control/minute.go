package control

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
)

// minute gathers the looks of a stretch, a minute as a rule, for the journal and
// the forecast.
type minute struct {
	from      time.Time // zero: nothing gathered yet
	count     int
	arriving  mean // records/s, where it can be believed
	processed mean
	busy      mean
	latency   mean
	cpu       mean
	hash      uint64
	calm      float64 // records/s that arrived in calm times lately; 0: not seen yet
	predicted *float64
	cpuShare  *float64 // of the CPU reserved for TaskManagers, in the stretch before
	worst     learn.Situation
}

// implausible: while the job catches up, metrics that have just come back may be
// anything; an input that differs from the calm one by this factor is not believed.
const implausible = 3.0

func (m *minute) add(k *look, s learn.Situation) {
	if m.count == 0 && m.from.IsZero() {
		m.from = k.at
	}
	m.count++
	m.worst = worse(m.worst, s)
	m.hash = m.hash*1099511628211 ^ k.hash // FNV's prime: the order matters
	m.processed.take(k.rate)
	m.busy.take(k.busy)
	m.latency.take(k.latency)
	m.cpu.take(k.cpu)
	a := k.arriving()
	switch {
	case a == nil:
	case s == learn.Calm:
		m.calm = *a
		m.arriving.add(*a)
	case s == learn.CatchingUp && k.slope != nil && (m.calm == 0 || *a < implausible*m.calm && *a > m.calm/implausible):
		m.arriving.add(*a)
	}
}

// worse is the situation that tells more of a minute.
func worse(a, b learn.Situation) learn.Situation {
	order := map[learn.Situation]int{"": -1, learn.Calm: 0, learn.Blind: 1, learn.CatchingUp: 2, learn.Changing: 3, learn.Down: 4}
	if order[b] > order[a] {
		return b
	}
	return a
}

// due says whether the stretch is over.
func (m *minute) due(now time.Time, span time.Duration) bool { return now.Sub(m.from) >= span }

// close ends the stretch, tells the forecaster and starts the next.
func (m *minute) close(k *look, l *Loop) job.Window {
	steps := int(k.at.Sub(m.from) / l.Decide)
	rate := math.NaN()
	if m.arriving.n > 0 {
		rate = m.arriving.value()
	}
	for range min(steps-1, mostGaps) { // looks are missing: so are values
		l.Forecaster.Observe(math.NaN())
	}
	l.Forecaster.Observe(rate)
	w := job.Window{
		Job: l.job, From: m.from, To: k.at, ServerTo: k.server, Count: m.count,
		RatePerSecond: m.arriving.pointer(), ProcessedPerSecond: m.processed.pointer(), LagRecords: k.lag,
		Utilization: m.busy.pointer(), LatencySeconds: m.latency.pointer(), CPUUsedCores: m.cpu.pointer(),
		Situation: string(m.worst), ForecastPerSecond: m.predicted,
		Lacks: []job.Lack{}, Hash: strconv.FormatUint(m.hash, 16),
	}
	if k.known {
		w.Knobs = &k.knobs
	}
	w.Lacks = append(w.Lacks, k.obs.Lacks...)
	*m = minute{from: m.from.Add(time.Duration(max(1, steps)) * l.Decide), calm: m.calm, cpuShare: m.share(k)}
	return w
}

// share is the CPU used over the CPU reserved.
func (m *minute) share(k *look) *float64 {
	reserved := float64(k.knobs.TaskManagers()) * k.knobs.CPUCores
	if m.cpu.n == 0 || !k.known || !(reserved > 0) {
		return nil
	}
	return new(m.cpu.value() / reserved)
}

// mostGaps bounds what a forecaster is told of a long time without looks: a day
// of minutes.
const mostGaps = 1440

// inWords is the minute for people.
func inWords(w job.Window) string {
	s := w.Situation
	if w.RatePerSecond != nil {
		s += fmt.Sprintf(", %.0f records/s arrive", *w.RatePerSecond)
	}
	if w.LagRecords != nil {
		s += fmt.Sprintf(", %.0f wait", *w.LagRecords)
	}
	if w.Utilization != nil {
		s += fmt.Sprintf(", %.0f %% busy", 100**w.Utilization)
	}
	return s
}
