// Package learn is what is learned of one job while it runs: how its capacity,
// its restarts, its checkpoints and its latency depend on its settings, each with
// how well it is known.
//
// It is told what is observed, what recoveries and changes took and what copies
// of the job have shown. Where nothing has been seen it leans on priors that are
// wide; near what has been seen it is sure. It keeps sums, not histories, so that
// its size is bounded, and can be stored and resumed. What is absent or no number
// changes nothing.
//
//   - Capacity is a power law in TaskManagers, cores and slots with saturation in
//     memory, and a smooth Gaussian process for what that leaves unexplained, in
//     logarithms: C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for
//     Machine Learning, MIT Press 2006, section 2.7. Evidence is kept by settings:
//     rate over busy time in calm running, in blocks of two minutes whose scatter
//     tells how far a mean is to be trusted; output while a backlog is worked off;
//     and profiles. How far busy time misleads is a parameter of its own.
//   - What a checkpoint costs shows in busy time over rate with and without one.
//   - Warm-up is a posterior on a grid, from catch-ups, together with the capacity
//     that each of them ends at.
//   - Downtimes are learned by phase and kind, as differences from what the
//     configuration says; the restore as a line over the state of a TaskManager.
//   - The duration of checkpoints is a line over that state too, and latency one
//     over ρ/(1 − ρ).
//
// Old evidence fades, with half-lives of days to a month. All spreads are those of
// the next one to be seen, not of a mean.
package learn

import (
	"rebound/internal/job"
	"rebound/internal/recovery"
)

// Behavior is what is believed of a job at some settings.
type Behavior struct {
	// Capacity is μ₀ of the whole job (records/s): sustained, warm, while no
	// checkpoint runs.
	Capacity recovery.Uncertain
	// Duration of a checkpoint (s), and the share β of capacity that is lost while
	// one runs.
	Duration, Loss recovery.Uncertain
	// Cold and Warm are how processes that are new, or not, gain speed.
	Cold, Warm Warmup
	// Down has the phases of the downtime, in the order of job.Phases, by kind of
	// failure.
	Down map[job.Failure]Downtime
	// Change is the downtime of a planned restart, by its way.
	Change map[job.Way]Downtime
	// Latency of a record in calm running (s): p95 = Base + Queue·ρ/(1 − ρ).
	LatencyBase, LatencyQueue recovery.Uncertain
	// Proven: the job has run at these resources, or a copy has been profiled.
	Proven bool
}

// Warmup is the uncertain form of recovery.Warmup.
type Warmup struct{ Start, Tau recovery.Uncertain }

// Downtime is how long nothing runs: detect, back-off, resources, restore. Of a
// planned restart the first two are 0.
type Downtime struct {
	Phases  [4]recovery.Uncertain
	Cold    bool // new processes take over
	Samples int  // restarts of this kind that were seen
	Source  job.Source
}
