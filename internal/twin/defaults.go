package twin

import "rebound/internal/job"

// withDefaults fills in what a scenario leaves out, as its fields' comments say.
func (s Scenario) withDefaults() Scenario {
	or(&s.StepSeconds, 1)
	or(&s.Load.PeakToMean, 1)
	or(&s.Load.PeriodHours, 24)
	s.Load.Noise.fill()
	s.Capacity.Noise.fill()
	if s.Capacity.Law == "" {
		s.Capacity.Law = lawTaskManagers
	}
	or(&s.Capacity.CPUExponent, 1)
	or(&s.Capacity.ParallelismExponent, 1)
	or(&s.Capacity.TaskManagerEfficiency, 1)
	or(&s.State.IncrementRatio, 1)
	or(&s.Checkpoint.TimeoutSeconds, 600)
	or(&s.Restart.BackOff.MaxSeconds, 60)
	or(&s.Restart.BackOff.Multiplier, 1)
	or(&s.Restart.BackOff.ResetSeconds, 3600)
	or(&s.Warmup.StartRatio, 1)
	or(&s.Change.MaxDelaySeconds, 600)
	or(&s.Change.SavepointTimeoutSeconds, 60)
	or(&s.View.ScrapeSeconds, 5)
	or(&s.View.WindowSeconds, 10)
	if s.Failures.Kind == "" {
		s.Failures.Kind = job.ProcessFailure
	}
	return s
}

func or(v *float64, otherwise float64) {
	if *v == 0 {
		*v = otherwise
	}
}

func (n *Noise) fill() { or(&n.TimeSeconds, 300) }
