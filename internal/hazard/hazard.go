// Package hazard finds what in a job's configuration, or in what is seen of it,
// makes recovery slow, endless or lossy. Each hazard has a file of its own, and
// says why, with the numbers, and what to set, in Flink's key and text.
//
// A hazard comes only from what is known. An option that is not set has Flink's
// default for that version (package setting); an option that could not be read,
// a fact that nobody knows, is no hazard: naming what is missing is the
// caller's part. Recovery terms (I_e, D, T_d, ρ) are those of package recovery.
package hazard

import (
	"cmp"
	"slices"

	"rebound/internal/job"
)

// Facts are what is known beyond an observation. A nil pointer or map is
// unknown.
type Facts struct {
	TargetSeconds *float64 // wanted recovery time
	Risk          float64  // with which it may be missed; for the caller's RecoverySeconds
	Utilization   *float64 // ρ, of the subtask that decides

	// By kind of failure: the worst credible downtime T_d, failed attempts
	// included, and the (1 − Risk) quantile of the recovery.
	DowntimeSeconds map[job.Failure]float64
	RecoverySeconds map[job.Failure]float64

	ExactlyOnceSink                    *bool
	TransactionTimeoutSeconds          *float64 // transaction.timeout.ms of the sink
	BrokerMaxTransactionTimeoutSeconds *float64 // transaction.max.timeout.ms
	RetentionSeconds                   *float64 // of the input topic
	Partitions                         *int     // of the input topic

	// BacklogSeconds is event time to be caught up; nil: what the worst downtime
	// and the oldest checkpoint would make.
	BacklogSeconds *float64
	// Watermark alignment of the sources, which DataStream programs set in code;
	// nil: what the SQL options say.
	AlignmentMaxDriftSeconds, AlignmentUpdateSeconds *float64

	// Requirements is the upper bound of each vertex in the job's resource
	// requirements, by vertex ID.
	Requirements map[string]int
}

// A rule looks for one hazard. It returns none, or what it found.
type rule func(sight) []job.Hazard

// rules are all of them, in the order of the phases that they harm.
func rules() []rule {
	return []rule{
		checkpointingOff, savepointOnly, atLeastOnce, intervalBelowDuration, checkpointTimeoutsNear,
		noRecentCheckpoint, externalizedRetention, unalignedExclusions, recoveryCheckpointsAligned,
		transactionTimeout, transactionAboveBroker, retentionShort,
		haMissing, restartStrategyMissing, backOffLevel, heartbeatSlow, deadSlotRestarts, webTimeout,
		adaptiveParallelismBelow, noSpareSlots, localRecoveryNodeLoss,
		alignmentCap, maxParallelism, partitionsUneven,
	}
}

// Find returns the hazards of a streaming job, the most severe first. The list
// is never nil. A batch job has none: it has no checkpoints to recover from.
func Find(o job.Observation, f Facts) []job.Hazard {
	found := []job.Hazard{}
	if o.Type == "BATCH" {
		return found
	}
	s := look(o, f)
	for _, r := range rules() {
		found = append(found, r(s)...)
	}
	slices.SortStableFunc(found, func(a, b job.Hazard) int {
		return cmp.Or(cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.ID, b.ID))
	})
	return found
}

func rank(s job.Severity) int { return slices.Index([]job.Severity{job.High, job.Medium, job.Low}, s) }

// one makes the list of a rule that has found its hazard.
func one(id string, s job.Severity, why, fix string) []job.Hazard {
	return []job.Hazard{{ID: id, Severity: s, Why: why, Fix: fix}}
}
