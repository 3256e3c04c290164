package facts

import (
	"fmt"
	"math"
	"strconv"

	"rebound/internal/job"
	"rebound/internal/recovery"
)

// leastInterval is the shortest checkpoint interval worth considering (s).
const leastInterval = 1.0

// Verdict compares the worst of the named failures with the target.
func (f Facts) Verdict(failures []job.Failure) job.Verdict {
	rho, ok := f.rho()
	effective, ok2 := f.Checkpoint.effective()
	if f.Target == nil || !ok || !ok2 || len(failures) == 0 {
		return job.Unknown
	}
	d, _ := f.Checkpoint.duration()
	shortest := recovery.EffectiveInterval(leastInterval, or(f.Checkpoint.MinPause, 0), d)
	verdict := job.Met
	for _, k := range failures {
		switch {
		case f.within(k, rho, effective):
		case f.within(k, rho, shortest):
			verdict = job.Missed
		default:
			return job.Infeasible
		}
	}
	return verdict
}

func (f Facts) within(k job.Failure, rho, effective float64) bool {
	v := f.at(k, rho, effective).AtRiskSeconds
	return v != nil && *v <= *f.Target
}

// Advice says what would meet the target, each alone: the longest interval, and
// the parallelism. Both hold even for the oldest checkpoint and for every failure
// named.
func (f Facts) Advice(failures []job.Failure) []job.Advice {
	out := []job.Advice{}
	rho, ok := f.rho()
	effective, ok2 := f.Checkpoint.effective()
	if f.Target == nil || !ok || !ok2 || len(failures) == 0 {
		return out
	}
	if a, ok := f.adviseInterval(failures, rho); ok {
		out = append(out, a)
	}
	if a, ok := f.adviseCapacity(failures, rho, effective); ok && f.Verdict(failures) != job.Met {
		out = append(out, a)
	}
	return out
}

// slowest is the longest downtime that a failure may take at the risk accepted:
// each phase at that quantile.
func (f Facts) slowest(failures []job.Failure) float64 {
	most := 0.0
	for _, k := range failures {
		sum := 0.0
		for _, p := range f.phases(k) {
			sum += recovery.Uncertain{Median: p.Seconds, Spread: p.Spread}.Quantile(1 - f.Risk)
		}
		most = max(most, sum)
	}
	return most
}

func (f Facts) adviseInterval(failures []job.Failure, rho float64) (job.Advice, bool) {
	d, _ := f.Checkpoint.duration()
	longest, ok := recovery.LongestInterval(*f.Target, rho, f.slowest(failures), d)
	// Flink takes whole milliseconds; whole seconds are what people set.
	longest = math.Floor(longest + 1e-6)
	now := *f.Checkpoint.Interval
	shortest := recovery.EffectiveInterval(leastInterval, or(f.Checkpoint.MinPause, 0), d)
	if !ok || math.IsInf(longest, 1) || longest < shortest || longest >= now && longest < 2*now {
		return job.Advice{}, false
	}
	why := "the target allows it, and fewer checkpoints cost less"
	if longest < now {
		why = "the longest interval with which even the oldest checkpoint meets the target"
	}
	return job.Advice{
		Setting: "execution.checkpointing.interval", Now: flinkText(now), Want: flinkText(longest), Why: why,
		Recovery: f.after(failures, rho, recovery.EffectiveInterval(longest, or(f.Checkpoint.MinPause, 0), d)),
	}, true
}

func (f Facts) adviseCapacity(failures []job.Failure, rho, effective float64) (job.Advice, bool) {
	d, _ := f.Checkpoint.duration()
	_, high := recovery.AgeRange(effective, d, f.Checkpoint.FailedInARow)
	needed, ok := recovery.NeededUtilization(*f.Target, f.slowest(failures), high)
	if !ok || needed >= rho {
		return job.Advice{}, false
	}
	a := job.Advice{
		Setting: "capacity", Want: fmt.Sprintf("%.2f × the present", rho/needed),
		Why:      fmt.Sprintf("at a utilization of %.2f the present interval would do, now it is %.2f", needed, rho),
		Recovery: f.after(failures, needed, effective),
	}
	if mu, ok := f.Capacity.At(f.Parallelism, f.Parallelism); ok && f.Parallelism > 0 && f.SinkLimit == nil && f.Alignment.MaxDrift == nil {
		for p := f.Parallelism + 1; p <= 64*f.Parallelism; p++ {
			if more, _ := f.Capacity.At(p, f.Parallelism); more >= mu*rho/needed {
				a.Setting, a.Now, a.Want = "parallelism", strconv.Itoa(f.Parallelism), strconv.Itoa(p)
				break
			}
		}
	}
	return a, true
}

// after is the (1 − risk) recovery by failure once advice is taken.
func (f Facts) after(failures []job.Failure, rho, effective float64) map[job.Failure]float64 {
	out := map[job.Failure]float64{}
	for _, k := range failures {
		if v := f.at(k, rho, effective).AtRiskSeconds; v != nil {
			out[k] = *v
		}
	}
	return out
}

// Quantities are what is stated, and what follows from it.
func (f Facts) Quantities() []job.Quantity {
	out := []job.Quantity{}
	add := func(name string, v float64, ok bool, unit, note string) {
		if ok {
			out = append(out, job.Quantity{Name: name, Value: v, Unit: unit, Source: job.Configured, Note: note})
		}
	}
	note := ""
	if f.Rate.Amplitude != 0 || len(f.Rate.Values) > 0 {
		note = "the peak"
	}
	add("input rate", f.Rate.Peak(), f.Rate.Known(), job.PerSecond, note)
	mu, ok := f.capacity()
	add("capacity", mu, ok, job.PerSecond, "")
	rho, ok := f.rho()
	add("utilization", rho, ok, job.Ratio, note)
	add("checkpoint interval", or(f.Checkpoint.Interval, 0), f.Checkpoint.Interval != nil, job.Seconds, "")
	d, ok := f.Checkpoint.duration()
	add("checkpoint duration", d, ok, job.Seconds, "median of all, those that failed included")
	effective, ok := f.Checkpoint.effective()
	add("effective interval", effective, ok, job.Seconds, "max(interval, duration + min pause)")
	if f.Visibility != nil {
		add("visibility", recovery.Visibility(effective, d), ok, job.Seconds, fmt.Sprintf("effective interval + duration; wanted: at most %.4g s", *f.Visibility))
	}
	add("downtime", or(f.Downtime.Total, 0), f.Downtime.Total != nil, job.Seconds, "as stated")
	return out
}

// Missing lists what a prediction would need.
func (f Facts) Missing() []job.Lack {
	out := []job.Lack{}
	if _, ok := f.rho(); !ok {
		out = append(out, job.Lack{Quantity: "utilization", Why: "neither capacity with input_rate nor utilization is stated", How: "add capacity: 80000 and input_rate: 50000, or utilization: 0.62"})
	}
	if f.Checkpoint.Interval == nil {
		out = append(out, job.Lack{Quantity: "checkpoint interval", Why: "it is not stated", How: "add checkpoint: {interval: 1 min}"})
	}
	if len(f.Checkpoint.Durations) == 0 && f.Checkpoint.Interval != nil {
		out = append(out, job.Lack{Quantity: "checkpoint duration", Why: "it is not stated, and taken as 0", How: "add checkpoint: {duration: 30s}"})
	}
	return out
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
