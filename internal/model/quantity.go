package model

import (
	"rebound/internal/job"
	"rebound/internal/recovery"
)

// Quantities lists what the predictions rest on, with where it comes from.
func (m *Model) Quantities() []job.Quantity {
	out := []job.Quantity{}
	add := func(q job.Quantity) { out = append(out, q) }
	rate := m.Now.InputRate()
	if rate != nil {
		add(job.Quantity{Name: "input rate", Value: *rate, Unit: job.PerSecond, Source: job.Measured, Samples: 1})
	}
	if i, rho, ok := m.busiest(); ok {
		add(job.Quantity{
			Name: "utilization", Value: rho.Median, Unit: job.Ratio, Spread: rho.Spread, Source: job.Measured, Samples: 1 + m.busy.samples,
			Note: "of the busiest subtask, " + m.subtasks[i].ref.Vertex,
		})
		if rate != nil {
			capacity := *rate / rho.Median
			add(job.Quantity{
				Name: "capacity", Value: capacity, Unit: job.PerSecond, Spread: capacity * rho.Spread / rho.Median, Source: job.Measured, Samples: 1 + m.busy.samples,
				Note: "input rate at which the busiest subtask is always busy",
			})
		}
	}
	if m.knobs.interval > 0 {
		add(job.Quantity{Name: "checkpoint interval", Value: m.knobs.interval, Unit: job.Seconds, Source: job.Configured})
		d := m.knobs.duration
		n := len(completed(m.Now.Checkpointing.History))
		source := job.Measured
		if n == 0 {
			source = job.Assumed
		}
		add(job.Quantity{Name: "checkpoint duration", Value: d.Median, Unit: job.Seconds, Spread: d.Spread, Source: source, Samples: n})
		add(job.Quantity{
			Name: "effective interval", Value: m.knobs.effective(), Unit: job.Seconds, Spread: d.Spread, Source: job.Configured,
			Note: "max(interval, duration + min pause)",
		})
	}
	if b := m.stateBytes(); b > 0 {
		add(job.Quantity{Name: "state", Value: b, Unit: job.Bytes, Source: job.Measured, Samples: 1})
	}
	return append(out, m.warmupQuantities()...)
}

func (m *Model) warmupQuantities() []job.Quantity {
	from, tau, n := m.warmup(job.Cold)
	source := job.Measured
	if n == 0 {
		source = job.Assumed
	}
	return []job.Quantity{
		{Name: "warm-up start", Value: from.Median, Unit: job.Ratio, Spread: from.Spread, Source: source, Samples: n, Note: "capacity of a new process at first, over its capacity once warm"},
		{Name: "warm-up time constant", Value: tau.Median, Unit: job.Seconds, Spread: tau.Spread, Source: source, Samples: n},
	}
}

// busiest is the subtask whose utilization is greatest.
func (m *Model) busiest() (index int, rho recovery.Uncertain, ok bool) {
	for i, s := range m.subtasks {
		if u := m.corrected(s); !ok || u.Median > rho.Median {
			index, rho, ok = i, u, true
		}
	}
	return index, rho, ok
}

// Utilization is that of the busiest subtask; false where none is known.
func (m *Model) Utilization() (recovery.Uncertain, bool) {
	_, rho, ok := m.busiest()
	return rho, ok
}

// WorstDowntime is a credible bound of the downtime after a failure: the 95 %
// bounds of all phases at once (s).
func (m *Model) WorstDowntime(f job.Failure) float64 {
	sum := 0.0
	for _, d := range m.phases(f, m.knobs) {
		sum += d.length.Median + d.length.Spread
	}
	return sum
}
