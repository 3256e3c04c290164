package learn

import (
	"fmt"
	"math"
	"time"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// Quantities lists what has been learned, of the settings that the job has now.
func (j *Job) Quantities(now time.Time) []job.Quantity {
	k, out := &j.state.Known, []job.Quantity{}
	add := func(q job.Quantity, u recovery.Uncertain, last time.Time) {
		q.Value, q.Spread, q.Source = u.Median, u.Spread, job.Assumed
		if q.Samples > 0 {
			q.Source = job.Measured
			if !last.IsZero() {
				q.AgeSeconds = new(max(0, now.Sub(last).Seconds()))
			}
		}
		out = append(out, q)
	}
	if k.Now.valid() {
		j.capacityQuantities(add)
	}
	add(job.Quantity{Name: "checkpoint loss", Unit: job.Ratio, Samples: k.Cost.Count, Note: "share of capacity lost while a checkpoint runs"}, k.Cost.loss(), k.At)
	b := j.believed()
	for _, w := range []struct {
		name string
		warmth
		Warmup
	}{{"new", k.Cold, b.cold}, {"running", k.Warm, b.hot}} {
		add(job.Quantity{Name: "warm-up start of " + w.name + " processes", Unit: job.Ratio, Samples: w.Count}, w.Start, k.At)
		add(job.Quantity{Name: "warm-up time of " + w.name + " processes", Unit: job.Seconds, Samples: w.Count}, w.Tau, k.At)
	}
	add(job.Quantity{Name: "latency at rest", Unit: job.Seconds, Samples: k.Latency.Count, Note: "p95 is this and the latency of the queue times ρ/(1 − ρ)"}, b.base, k.At)
	add(job.Quantity{Name: "latency of the queue", Unit: job.Seconds, Samples: k.Latency.Count}, b.queue, k.At)
	if k.State > 0 {
		out = append(out, job.Quantity{Name: "state", Value: k.State * job.GiB, Unit: job.Bytes, Source: job.Measured, Samples: 1})
	}
	return out
}

// capacityQuantities are those that depend on the settings in force.
func (j *Job) capacityQuantities(add func(job.Quantity, recovery.Uncertain, time.Time)) {
	k := &j.state.Known
	b, now := j.Behavior(job.Knobs{Parallelism: k.Now.Parallelism, Slots: k.Now.Slots, CPUCores: k.Now.Cores, MemoryBytes: k.Now.GiB * job.GiB}), cell{}
	for i := range k.Cells {
		if k.Cells[i].At == k.Now {
			now = k.Cells[i]
		}
	}
	add(job.Quantity{
		Name: "capacity", Unit: job.PerSecond, Samples: now.Busy.Count + now.Full.Count,
		Note: fmt.Sprintf("warm, while no checkpoint runs; %d stretches with a backlog, settings of %d kinds seen", now.Full.Count, len(k.Cells)),
	}, b.Capacity, now.last())
	add(job.Quantity{Name: "checkpoint duration", Unit: job.Seconds, Samples: k.Length.Count}, b.Duration, k.At)
	for _, f := range job.Failures() {
		j.downtimeQuantity(add, "downtime after "+string(f)+" failure", b.Down[f])
	}
	for _, w := range ways() {
		j.downtimeQuantity(add, "downtime of change "+string(w), b.Change[w])
	}
}

func (j *Job) downtimeQuantity(add func(job.Quantity, recovery.Uncertain, time.Time), name string, d Downtime) {
	if d.Samples == 0 {
		return
	}
	total := recovery.Uncertain{}
	for _, p := range d.Phases {
		total.Median += p.Median
		total.Spread += p.Spread * p.Spread
	}
	total.Spread = math.Sqrt(total.Spread)
	add(job.Quantity{Name: name, Unit: job.Seconds, Samples: d.Samples}, total, j.state.Known.At)
}
