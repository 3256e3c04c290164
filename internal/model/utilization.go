package model

import (
	"math"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// busyReadings is how many independent looks at busy time a second of window is
// taken for, and busyJitter the spread of a single one: busy time is sampled by
// the runtime and varies with bursts of the input. One read of Flink's own
// 60-second averages counts as a short window, since it may stem from before.
const (
	busyJitter   = 0.10 // relative, of a one-second look
	quickWindow  = 2.0  // s, what Flink's own averages are worth
	leastSpread  = 0.02 // relative: no look is better than this
	priorBusyFit = 1.02 // capacity in catch-up is a little lower than busy time says
	priorBusyErr = 0.06 // spread of the log of that
)

// correction relates utilization as busy time shows it to utilization as the
// catch-up shows it: ρ = busy · Factor.
type correction struct {
	factor  recovery.Uncertain
	samples int
}

// busySubtasks returns the subtasks whose busy time is known.
func (m *Model) busySubtasks() []subtask {
	window := value(m.Now.WindowSeconds, quickWindow)
	var out []subtask
	unknown := 0
	for _, v := range m.Now.Vertices {
		for _, s := range v.Subtasks {
			if s.BusyRatio == nil {
				unknown++
				continue
			}
			rho := clampBusy(*s.BusyRatio)
			// A subtask that waits for a slower one downstream has its time in
			// back-pressure; what it could do is its busy time over what was left.
			if s.BackPressuredRatio != nil && *s.BackPressuredRatio < 1 {
				rho = math.Min(1, rho/(1-math.Min(0.9, *s.BackPressuredRatio)))
			}
			out = append(out, subtask{
				ref:  job.SubtaskRef{Vertex: v.Name, ID: v.ID, Subtask: s.Index},
				busy: recovery.Uncertain{Median: rho, Spread: rho * math.Max(leastSpread, busyJitter/math.Sqrt(window))},
			})
		}
	}
	if out = m.unsaturate(out); len(out) == 0 && unknown == 0 {
		return nil
	}
	if len(out) == 0 {
		m.lack("utilization", "no subtask tells how busy it is",
			"wait for two updates of the metrics, or look whether the TaskManagers' metrics are reachable")
	} else if unknown > 0 {
		m.lack("utilization of some subtasks", "busy time is NaN or absent there, as of legacy sources",
			"a catch-up after any restart shows their capacity")
	}
	return out
}

// A job that is always busy is overloaded, or it catches up: then what it reads
// is its capacity, not the load. Settling is how long after a start that is to be
// expected, and then much less says it already: cold code is busy, too.
const (
	saturated = 0.95
	starting  = 0.75
	settling  = 60.0 // s
)

// unsaturate tells load from capacity where a job is always busy: the load is what
// it reads and what its backlog grows by. A job that has just started and does
// not show its backlog is not judged.
func (m *Model) unsaturate(all []subtask) []subtask {
	busiest := 0.0
	for _, s := range all {
		busiest = math.Max(busiest, s.busy.Median)
	}
	up := m.Now.ServerTime.Sub(m.Now.StartedAt).Seconds()
	young := !m.Now.StartedAt.IsZero() && up < settling
	if busiest < starting || !young && busiest < saturated {
		return all
	}
	if read, slope := m.Now.InputRate(), m.backlogSlope(); read != nil && *read > 0 && slope != nil && *slope < 0 {
		// A backlog that grows says no more than that the job is overloaded.
		share := math.Max(leastBusy, (*read+*slope) / *read)
		for i := range all {
			all[i].busy.Median *= share
			all[i].busy.Spread *= share
		}
		return all
	}
	if young {
		m.lack("load", "the job started a moment ago and is busy most of the time: it catches up, or it cannot keep up", "ask again in a minute")
		return nil
	}
	return all
}

// backlogSlope is how fast the backlog before the sources grows (records/s).
func (m *Model) backlogSlope() *float64 {
	var sum *float64
	for _, v := range m.Now.Vertices {
		for _, s := range v.Subtasks {
			if len(v.Inputs) > 0 || s.PendingSlope == nil {
				continue
			}
			if sum == nil {
				sum = new(0.0)
			}
			*sum += *s.PendingSlope
		}
	}
	return sum
}

// learnBusy learns the correction from catch-ups that were seen.
func (m *Model) learnBusy() correction {
	var logs, weights []float64
	for _, p := range m.Past {
		if p.Utilization == nil || p.CatchUpUtilization == nil || !(*p.Utilization > 0) || !(*p.CatchUpUtilization > 0) {
			continue
		}
		logs = append(logs, math.Log(*p.CatchUpUtilization / *p.Utilization))
		weights = append(weights, weight(p))
	}
	l := learn(prior{value: math.Log(priorBusyFit), spread: priorBusyErr, floor: leastSpread}, logs, weights)
	f := math.Exp(l.value)
	return correction{recovery.Uncertain{Median: f, Spread: f * l.spread}, l.samples}
}

// utilization is ρ of a subtask as busy time says, at the capacity asked for; the
// correction is shared by all subtasks and comes on top (Scenario.Load).
func (m *Model) utilization(s subtask, k knobs) recovery.Uncertain {
	u := recovery.Uncertain{Median: s.busy.Median / k.capacity, Spread: s.busy.Spread / k.capacity}
	if m.busy.samples > 1 {
		// How busy time scatters from look to look is in what was learned.
		u.Spread = leastSpread * u.Median
	}
	return u
}

// Busy is how busy the busiest subtask is, before any correction; absent if none
// tells.
func (m *Model) Busy() *float64 {
	var most *float64
	for i, s := range m.subtasks {
		if most == nil || s.busy.Median > *most {
			most = &m.subtasks[i].busy.Median
		}
	}
	if most == nil {
		return nil
	}
	return new(*most)
}

// corrected is ρ of a subtask with everything known.
func (m *Model) corrected(s subtask) recovery.Uncertain {
	f := m.busy.factor
	median := s.busy.Median * f.Median
	return recovery.Uncertain{Median: median, Spread: median * math.Hypot(s.busy.Spread/s.busy.Median, f.Spread/f.Median)}
}

// warmups of a cold process: where the work is computation, a fresh JVM starts
// at about half speed and is warm after some ten seconds (measured: 0.4 cores,
// 46 % of steady speed in the first 10 s, 80 % in the next 6). Where the busy
// time is waiting, there is nothing to compile.
const (
	coldStart, coldStartSpread = 0.5, 0.25
	coldTau, coldTauSpread     = 12.0, 8.0
	warmStart, warmStartSpread = 0.99, 0.03
	idleCores                  = 0.1      // what a TaskManager uses beside the records
	ample, full                = 0.5, 0.9 // shares of a CPU limit: not held back by it, and altogether
	compiling                  = 180.0    // s after a start in which CPU time is mostly compilation
)

// computing is the share of busy time that is computation, or false where it
// cannot be told: CPU time over busy time, or over the limit of a process that
// gets no more. It is that of the TaskManager where it is least, since a process
// that is still compiling its code uses more than it will.
func (m *Model) computing() (share float64, ok bool) {
	busy := map[string]float64{}
	for _, v := range m.Now.Vertices {
		for _, s := range v.Subtasks {
			busy[s.TaskManager] += value(s.BusyRatio, 0)
		}
	}
	young := !m.Now.StartedAt.IsZero() && m.Now.ServerTime.Sub(m.Now.StartedAt).Seconds() < compiling
	share = 1
	for _, tm := range m.Now.TaskManagers {
		b := busy[tm.ID]
		if tm.CPUUsedCores == nil || b <= leastBusy {
			continue
		}
		part := 0.0
		if !young {
			part = math.Max(0, *tm.CPUUsedCores-idleCores) / b
		}
		if tm.CPUCores != nil && *tm.CPUCores > 0 {
			part = math.Max(part, (*tm.CPUUsedCores / *tm.CPUCores - ample)/(full-ample))
		}
		share, ok = math.Min(share, math.Min(1, part)), true
	}
	return share, ok
}

// warmup says how capacity grows after a restart on processes that are new or
// not, and how many catch-ups have shown it.
func (m *Model) warmup(start job.Start) (from, tau recovery.Uncertain, samples int) {
	p := prior{value: warmStart, spread: warmStartSpread, floor: leastSpread}
	if share, ok := m.computing(); start == job.Cold && ok {
		p.value = warmStart + (coldStart-warmStart)*share
		p.spread = warmStartSpread + (coldStartSpread-warmStartSpread)*share
	} else if start == job.Cold {
		p.value, p.spread = (warmStart+coldStart)/2, coldStartSpread
	}
	pt := prior{value: coldTau, spread: coldTauSpread, floor: 1}
	var starts, taus, weights, tauWeights []float64
	for _, q := range m.Past {
		if q.CatchUpUtilization == nil || q.Process != start || !q.SameJob {
			continue
		}
		if q.Warmup == nil {
			// No bend could be told in that catch-up: what there was of it is in its
			// utilization already, and must not be counted twice.
			starts, weights = append(starts, 1), append(weights, weight(q))
			continue
		}
		starts, weights = append(starts, q.Warmup.StartRatio), append(weights, weight(q))
		if q.Warmup.StartRatio < warmStart {
			taus, tauWeights = append(taus, q.Warmup.TimeConstantSeconds), append(tauWeights, weight(q))
		}
	}
	l, lt := learn(p, starts, weights), learn(pt, taus, tauWeights)
	return recovery.Uncertain{Median: math.Min(1, l.value), Spread: l.spread},
		recovery.Uncertain{Median: lt.value, Spread: lt.spread}, l.samples
}
