package flink

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rebound/internal/job"
)

// findings are what was missing, gathered while the subtasks were looked at.
type findings struct {
	running, waiting     int // subtasks in state RUNNING, and in another
	empty, frozen, fresh int // of the running: no values, old values, a new attempt
	frozenOn             map[string]bool
	noPending, noLag     []string // sources
	noBusy               []string
	early, tooNew        bool // backlog, averages: too soon after a restart
}

// subtask looks at a running subtask.
func (f *findings) subtask(b *builder, h history, s job.Subtask) {
	f.running++
	_, moved := h.pair()
	last := h.last()
	switch {
	case last.empty():
		f.empty++
	case b.stale(h):
		f.frozen++
		if f.frozenOn == nil {
			f.frozenOn = map[string]bool{}
		}
		f.frozenOn[s.TaskManager] = true
	case !b.Quick && (!moved || s.BusyRatio == nil && s.RecordsInPerSecond == nil):
		f.fresh++
	}
	if s.RunningSince != nil && !last.now.IsZero() {
		f.early = f.early || last.now.Sub(*s.RunningSince) < pendingUnknown
		f.tooNew = f.tooNew || b.Quick && last.now.Sub(*s.RunningSince) < averageOver
	}
}

// vertex looks at a whole vertex: what no subtask has.
func (f *findings) vertex(v job.Vertex, p place) {
	var seen, pending, lag, busy bool
	for _, s := range v.Subtasks {
		if s.State != "RUNNING" {
			f.waiting++
			continue
		}
		seen = seen || s.RecordsInPerSecond != nil
		pending = pending || s.PendingRecords != nil
		lag = lag || s.EmitLagSeconds != nil
		busy = busy || s.BusyRatio != nil
	}
	if !seen {
		return // nothing is known of it, and said so otherwise
	}
	if p.source && !pending {
		f.noPending = append(f.noPending, v.Name)
	}
	if p.source && !lag {
		f.noLag = append(f.noLag, v.Name)
	}
	if !busy {
		f.noBusy = append(f.noBusy, v.Name)
	}
}

const frozenHow = "set web.timeout: 3000 in the cluster's configuration (its default of 600000 ms lets one query to a dead TaskManager stop all others for ten minutes) and restart the JobManager, or read the metrics from Prometheus"

// lacks says all that the observation does not hold.
func (b *builder) lacks() []job.Lack {
	all := append(b.clusterLacks(), b.metricLacks()...)
	// One that is checkpointed on request only has an endless interval, but some.
	c := b.obs.Checkpointing
	if !c.Enabled && (c.Completed == nil || *c.Completed == 0) && b.obs.Type != "BATCH" && !ended(b.obs.State) {
		all = append(all, job.Lack{
			Quantity: "checkpoints", Why: "the job takes none",
			How: "set execution.checkpointing.interval",
		})
	}
	if b.staleJobMetrics() {
		all = append(all, job.Lack{
			Quantity: "restarts", Why: "the job's metrics are older than its last restore or checkpoint", How: frozenHow,
		})
	} else if b.obs.Restarts == nil && !ended(b.obs.State) {
		all = append(all, job.Lack{
			Quantity: "restarts", Why: "the JobManager has no metric numRestarts yet", How: "ask again",
		})
	}
	return all
}

// clusterLacks are about clocks and configuration.
func (b *builder) clusterLacks() []job.Lack {
	all := []job.Lack{}
	diff, uncertain, ok := b.last.clockDifference()
	if ok && diff.Abs() > clockSlack+uncertain {
		all = append(all, job.Lack{
			Quantity: "common clock", Why: "the JobManager's clock is " + signed(diff) + " ours",
			How: "let both hosts keep time by NTP; until then, spans between their stamps are off by as much",
		})
	}
	if b.config == nil {
		all = append(all, job.Lack{
			Quantity: "cluster configuration", Why: "the JobManager does not answer /jobmanager/config",
			How: "let this user read it; defaults are assumed until then",
		})
	}
	return all
}

// metricLacks are about what the metric store did not tell.
func (b *builder) metricLacks() []job.Lack {
	f, all := b.found, []job.Lack{}
	add := func(quantity, why, how string) {
		all = append(all, job.Lack{Quantity: quantity, Why: why, How: how})
	}
	if b.Quick {
		add("window", "one read was taken: rates are Flink's own averages over 60 s, and CPU use is not known", "leave out the quick mode")
	}
	if f.waiting > 0 && b.obs.State == "RUNNING" && !b.allFinished() {
		add("rates of all subtasks", fmt.Sprintf("%d of %d subtasks are not running, though the job is", f.waiting, f.waiting+f.running), "ask again when they are")
	}
	if f.empty > 0 {
		add("subtask metrics", fmt.Sprintf("the JobManager has no values of %d of %d running subtasks", f.empty, f.running), "ask again; if it lasts, "+frozenHow)
	}
	if f.frozen > 0 {
		add("subtask metrics", fmt.Sprintf("the values of %d of %d running subtasks (on %s) stand still", f.frozen, f.running, names(slices.Sorted(maps.Keys(f.frozenOn)))), frozenHow)
	}
	if f.fresh > 0 {
		add("rates", fmt.Sprintf("%d of %d running subtasks have no two readings that can be compared, as after a restart", f.fresh, f.running), "ask again")
	}
	if f.tooNew {
		add("rates", "the job restarted less than 60 s ago: Flink's averages are wrong until then", "leave out the quick mode, or ask again in a minute")
	}
	return append(all, b.sourceLacks()...)
}

func (b *builder) sourceLacks() []job.Lack {
	f, all := b.found, []job.Lack{}
	if len(f.noPending) > 0 {
		l := job.Lack{
			Quantity: "pending_records of " + names(f.noPending), Why: "the source does not report its backlog (pendingRecords)",
			How: "use a connector that does, such as KafkaSource; the emit lag or the broker's offsets tell the same",
		}
		if f.early {
			l.Why, l.How = "in the first 30 s after a restart a source reports no backlog, or 0 without knowing it", "ask again"
		}
		all = append(all, l)
	}
	if len(f.noLag) > 0 {
		all = append(all, job.Lack{
			Quantity: "emit_lag of " + names(f.noLag), Why: "the source does not report how old what it emits is (currentEmitEventTimeLag)",
			How: "assign event timestamps, with a connector of the new source interface",
		})
	}
	if len(f.noBusy) > 0 {
		all = append(all, job.Lack{
			Quantity: "busy_ratio of " + names(f.noBusy), Why: "Flink computes no busy time here, as for sources of the old interface",
			How: "use a connector of the new source interface; a stretch in which the job is saturated shows its capacity too",
		})
	}
	return all
}

// allFinished: a bounded source that is through is not waited for.
func (b *builder) allFinished() bool {
	for _, v := range b.obs.Vertices {
		for _, s := range v.Subtasks {
			if s.State != "RUNNING" && s.State != "FINISHED" {
				return false
			}
		}
	}
	return true
}

// names joins a few names, and counts the rest.
func names(all []string) string {
	const most = 3
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}
