package twin

import (
	"slices"

	"rebound/internal/job"
)

// Truth is what really happened so far. It is for reports: no policy sees it.
type Truth struct {
	// Records by the job's exactly-once count: In = Processed + Waiting + Lost. Out
	// are those that a read-committed reader can see. Lost were taken away by the
	// log's retention before they were read.
	In, Processed, Waiting, Out, Lost int64

	Recoveries []Recovery // from failures, in order of their end; the open ones last
	Restarts   []Recovery // planned, the same way

	// Latency of processing over all records; Calm over those outside [failure, caught up];
	// Visible until a read-committed reader sees them.
	Latency, Calm, Visible Histogram

	Usage     Usage // of the job with its JobManager and of profiling
	Profiling Usage // part of Usage
	Copies    int   // of the job that were profiled

	Checkpoints Checkpoints
	Changes     Changes
	Minutes     []Minute
}

// Truth tells what really happened. The slices are the caller's.
func (t *Twin) Truth() Truth {
	b := &t.book
	r := Truth{
		In: t.in, Processed: t.pos - t.lost, Waiting: t.in - t.pos, Out: t.committed - t.ckpt.last.lost, Lost: t.lost,
		Recoveries: slices.Clone(b.failures), Restarts: slices.Clone(b.planned),
		Latency: b.calm, Calm: b.calm, Visible: b.visible,
		Profiling: b.profiling, Copies: t.copies.started,
		Checkpoints: b.checkpoints, Changes: b.changes, Minutes: slices.Clone(b.minutes.points),
	}
	r.Latency.merge(&b.disturbed)
	r.Usage = Usage{b.coreHours + b.profiling.CPUCoreHours, b.gibHours + b.profiling.MemoryGiBHours}
	for _, o := range t.open {
		still := *o
		still.Seconds, still.Knobs = t.clock()-o.at, t.knobs
		still.Phases = []job.PhaseTime{}
		if o.Failure == "" {
			r.Restarts = append(r.Restarts, still)
		} else {
			r.Recoveries = append(r.Recoveries, still)
		}
	}
	return r
}
