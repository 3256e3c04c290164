package twin

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rebound/internal/job"
)

// Validate reports everything that is wrong with s, one line a field.
func (s Scenario) Validate() error {
	s = s.withDefaults()
	v := &validator{}
	if s.APIVersion != "rebound.dev/v1alpha1" || s.Kind != "Scenario" {
		v.addf("apiVersion and kind: want rebound.dev/v1alpha1 and Scenario")
	}
	v.positive("hours", s.Hours)
	if k := knotSeconds / s.StepSeconds; !(s.StepSeconds >= 0.01) || math.Abs(k-math.Round(k)) > 1e-9 {
		v.addf("step_seconds: %v, want a whole part of %v, such as 1 or 0.5", s.StepSeconds, knotSeconds)
	}
	s.Load.validate(v)
	s.Capacity.validate(v)
	s.validateCheckpoints(v)
	s.validateRestarts(v)
	s.validateKnobs(v)
	s.View.validate(v)
	return errors.Join(v.errs...)
}

// mostRate bounds loads (records/s), so that counts stay far from the end of an int64.
const mostRate = 1e8

type validator struct{ errs []error }

func (v *validator) addf(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

func (v *validator) positive(field string, x float64) {
	if !(x > 0) || math.IsInf(x, 0) {
		v.addf("%s: %v, want more than 0", field, x)
	}
}

func (v *validator) between(field string, x, least, most float64) {
	if !(x >= least && x <= most) {
		v.addf("%s: %v, want %v to %v", field, x, least, most)
	}
}

func (v *validator) atLeast0(field string, x float64) {
	v.between(field, x, 0, math.MaxFloat64)
}

func (l Load) validate(v *validator) {
	l.Noise.validate(v, "load.noise")
	switch {
	case l.File != "" && l.Series == nil:
		return // to be read yet
	case l.Series != nil:
		v.positive("load.series.step_seconds", l.Series.StepSeconds)
		if len(l.Series.PerSecond) == 0 {
			v.addf("load.series.per_second: it is empty")
		}
		for i, x := range l.Series.PerSecond {
			if !(x >= 0 && x <= mostRate) {
				v.addf("load.series.per_second: value %d is %v, want 0 to %v", i, x, mostRate)
				break
			}
		}
		return
	}
	v.positive("load.mean_per_second", l.MeanPerSecond)
	v.between("load.mean_per_second", l.MeanPerSecond, 0, mostRate)
	v.between("load.peak_to_mean", l.PeakToMean, 1, 100)
	v.positive("load.period_hours", l.PeriodHours)
	v.between("load.second_harmonic", l.SecondHarmonic, 0, 1)
	for i, s := range l.Surges {
		v.atLeast0(fmt.Sprintf("load.surges[%d].at_hours", i), s.AtHours)
		v.between(fmt.Sprintf("load.surges[%d].factor", i), s.Factor, 0, 100)
		v.atLeast0(fmt.Sprintf("load.surges[%d].rise_minutes", i), s.RiseMinutes)
		v.atLeast0(fmt.Sprintf("load.surges[%d].hold_hours", i), s.HoldHours)
		v.atLeast0(fmt.Sprintf("load.surges[%d].fall_minutes", i), s.FallMinutes)
	}
}

func (n Noise) validate(v *validator, field string) {
	v.between(field+".ratio", n.Ratio, 0, 0.5)
	v.positive(field+".time_seconds", n.TimeSeconds)
}

func (c Capacity) validate(v *validator) {
	if c.Law != lawTaskManagers && c.Law != lawPower {
		v.addf("capacity.law: %q, want %s or %s", c.Law, lawTaskManagers, lawPower)
	}
	v.positive("capacity.per_core", c.PerCore)
	v.between("capacity.cpu_exponent", c.CPUExponent, 0, 2)
	v.between("capacity.parallelism_exponent", c.ParallelismExponent, 0, 2)
	v.atLeast0("capacity.memory_half_gib", c.MemoryHalfGiB)
	v.atLeast0("capacity.cores_per_slot", c.CoresPerSlot)
	v.between("capacity.taskmanager_efficiency", c.TaskManagerEfficiency, 0.5, 1)
	v.atLeast0("capacity.hot_state_gib", c.HotStateGiB)
	v.between("capacity.skew", c.Skew, 0, 10)
	v.atLeast0("capacity.sink_limit_per_second", c.SinkLimit)
	if c.AlignmentRatio != 0 && c.AlignmentRatio <= 1 {
		v.addf("capacity.alignment_ratio: %v, want more than 1, or 0 for none", c.AlignmentRatio)
	}
	c.Noise.validate(v, "capacity.noise")
}

func (s Scenario) validateCheckpoints(v *validator) {
	c := s.Checkpoint
	v.atLeast0("state.gib", s.State.GiB)
	v.atLeast0("state.gib_per_hour", s.State.GiBPerHour)
	v.atLeast0("state.gib_per_billion_records", s.State.GiBPerBillion)
	v.between("state.increment_ratio", s.State.IncrementRatio, 0, 1)
	v.atLeast0("checkpoint.base_seconds", c.BaseSeconds)
	v.atLeast0("checkpoint.seconds_per_gib", c.SecondsPerGiB)
	v.between("checkpoint.jitter", c.Jitter, 0, 1)
	v.between("checkpoint.loss", c.Loss, 0, 0.95)
	v.atLeast0("checkpoint.alignment_seconds", c.AlignmentSeconds)
	v.atLeast0("checkpoint.min_pause_seconds", c.MinPauseSeconds)
	v.positive("checkpoint.timeout_seconds", c.TimeoutSeconds)
	v.atLeast0("checkpoint.tolerable_failures", float64(c.TolerableFailures))
	v.between("checkpoint.fail_probability", c.FailProbability, 0, 1)
}

func (s Scenario) validateRestarts(v *validator) {
	r := s.Restart
	for kind, x := range r.DetectSeconds {
		v.failure("restart.detect_seconds", kind)
		v.atLeast0("restart.detect_seconds."+string(kind), x)
	}
	v.atLeast0("restart.back_off.initial_seconds", r.BackOff.InitialSeconds)
	v.between("restart.back_off.multiplier", r.BackOff.Multiplier, 1, 10)
	v.between("restart.back_off.max_seconds", r.BackOff.MaxSeconds, 0, 1e6)
	v.positive("restart.back_off.reset_seconds", r.BackOff.ResetSeconds)
	v.between("restart.spare_taskmanagers", float64(r.Spares), 0, 1000)
	v.atLeast0("restart.process_start_seconds", r.ProcessStartSeconds)
	v.atLeast0("restart.restore_seconds", r.RestoreSeconds)
	v.atLeast0("restart.mib_per_second", r.MiBPerSecond)
	v.between("restart.jitter", r.Jitter, 0, 1)
	v.between("warmup.start_ratio", s.Warmup.StartRatio, 0.01, 1)
	v.atLeast0("warmup.time_seconds", s.Warmup.TimeSeconds)
	v.atLeast0("failures.every_minutes", s.Failures.EveryMinutes)
	v.failure("failures.kind", s.Failures.Kind)
	for i, p := range s.Failures.Planned {
		v.failure(fmt.Sprintf("failures.planned[%d].kind", i), p.Kind)
		v.atLeast0(fmt.Sprintf("failures.planned[%d].at_hours", i), p.AtHours)
		v.between(fmt.Sprintf("failures.planned[%d].times", i), float64(p.Times), 0, 1000)
		v.atLeast0(fmt.Sprintf("failures.planned[%d].every_seconds", i), p.EverySeconds)
	}
	v.atLeast0("change.in_place_seconds", s.Change.InPlaceSeconds)
	v.atLeast0("change.redeploy_seconds", s.Change.RedeploySeconds)
	v.positive("change.max_delay_seconds", s.Change.MaxDelaySeconds)
	v.positive("change.savepoint_timeout_seconds", s.Change.SavepointTimeoutSeconds)
	v.between("change.fail_probability", s.Change.FailProbability, 0, 1)
	v.between("profiles.fail_probability", s.Profiles.FailProbability, 0, 1)
}

func (v *validator) failure(field string, kind job.Failure) {
	if !slices.Contains(job.Failures(), kind) {
		v.addf("%s: %q, want task, process, node or jobmanager", field, kind)
	}
}

func (s Scenario) validateKnobs(v *validator) {
	k := s.Start
	v.between("start.interval_seconds", k.IntervalSeconds, 0.1, 1e6)
	v.between("start.parallelism", float64(k.Parallelism), 1, float64(s.Kafka.Partitions))
	v.between("start.slots", float64(k.Slots), 1, 1e4)
	v.positive("start.cpu_cores", k.CPUCores)
	v.positive("start.memory_gib", k.MemoryGiB)
	v.atLeast0("jobmanager.cpu_cores", s.JobManager.CPUCores)
	v.atLeast0("jobmanager.memory_gib", s.JobManager.MemoryGiB)
	v.atLeast0("latency.base_seconds", s.Latency.BaseSeconds)
	v.atLeast0("latency.queue_seconds", s.Latency.QueueSeconds)
	v.between("kafka.partitions", float64(s.Kafka.Partitions), 1, 1e5)
	v.atLeast0("kafka.retention_hours", s.Kafka.RetentionHours)
	for _, r := range []struct {
		name string
		Range
	}{
		{"interval_seconds", s.Space.IntervalSeconds},
		{"parallelism", s.Space.Parallelism},
		{"slots", s.Space.Slots},
		{"cpu_cores", s.Space.CPUCores},
		{"memory_gib", s.Space.MemoryGiB},
	} {
		if r.Min < 0 || r.Max < r.Min {
			v.addf("space.%s: from %v to %v, want 0 ≤ min ≤ max", r.name, r.Min, r.Max)
		}
	}
}

func (w View) validate(v *validator) {
	v.positive("view.scrape_seconds", w.ScrapeSeconds)
	v.between("view.window_seconds", w.WindowSeconds, w.ScrapeSeconds, w.ScrapeSeconds*(scrapesKept-2))
	v.between("view.delay_seconds", w.DelaySeconds, 0, w.ScrapeSeconds*(scrapesKept-2)-w.WindowSeconds)
	for i, l := range w.Lies {
		if !slices.Contains(lieKinds(), l.Kind) {
			v.addf("view.lies[%d].kind: %q, want one of %v", i, l.Kind, lieKinds())
		}
		v.positive(fmt.Sprintf("view.lies[%d].minutes", i), l.Minutes)
	}
}
