package control

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"strconv"
	"time"

	"rebound/internal/job"
)

// look is what one observation says, in the numbers that the loop works with.
// What is nil is unknown.
type look struct {
	obs    job.Observation
	at     time.Time // our clock
	server time.Time // the JobManager's clock, which exceptions and checkpoints are on

	rate    *float64 // records/s that the sources read
	lag     *float64 // records that wait before the sources
	slope   *float64 // records/s by which the lag grew
	busy    *float64 // of the busiest subtask, a share of 1
	latency *float64 // s, age of what the slowest source emits
	cpu     *float64 // cores used, all TaskManagers

	knobs   job.Knobs
	known   bool // all five knobs
	settled bool // the job and every subtask RUNNING
	broken  bool // the job or a subtask is seen not to be; neither: it cannot be told
	// running is when the last subtask came to run; zero: unknown.
	running time.Time
	hash    uint64
}

func newLook(o job.Observation) look {
	k := look{obs: o, at: o.At, server: o.ServerTime, rate: finite(o.InputRate()), running: o.StartedAt}
	if k.server.IsZero() {
		k.server = o.At
	}
	k.knobs, k.known = o.Knobs()
	_, whole := o.Settled()
	up := o.State == "RUNNING" || o.State == ""
	k.settled = whole && up && len(o.Vertices) > 0
	k.broken = !whole || !up
	k.lag = overSources(o, func(s job.Subtask) *float64 { return s.PendingRecords }, sum)
	k.slope = overSources(o, func(s job.Subtask) *float64 { return s.PendingSlope }, sum)
	k.latency = overSources(o, func(s job.Subtask) *float64 { return s.EmitLagSeconds }, math.Max)
	for _, v := range o.Vertices {
		for _, s := range v.Subtasks {
			if b := finite(s.BusyRatio); b != nil && (k.busy == nil || *b > *k.busy) {
				k.busy = b
			}
			if s.RunningSince != nil && s.RunningSince.After(k.running) {
				k.running = *s.RunningSince
			}
		}
	}
	k.cpu = cpuUsed(o.TaskManagers)
	k.hash = k.fingerprint()
	return k
}

// arriving is λ: what is read and what the backlog grew by. Without the slope
// it is what is read, which is right only while no backlog changes.
func (k *look) arriving() *float64 {
	if k.rate == nil || k.slope == nil {
		return k.rate
	}
	return new(math.Max(0, *k.rate+*k.slope))
}

// tells says whether anything of the job's work can be seen.
func (k *look) tells() bool { return k.rate != nil || k.lag != nil || k.latency != nil }

// hashed is the fingerprint as text.
func (k *look) hashed() string { return strconv.FormatUint(k.hash, 16) }

// checkpointing says whether a checkpoint is under way.
func (k *look) checkpointing() bool {
	n := k.obs.Checkpointing.InProgress
	return n != nil && *n > 0
}

// interval is the configured checkpoint interval (s), 0 where it is not known.
func (k *look) interval() float64 { return known(k.obs.Checkpointing.IntervalSeconds) }

// fingerprint is a hash of what was seen, so that a decision can be tied to it.
func (k *look) fingerprint() uint64 {
	h := fnv.New64a()
	var b [8]byte
	put := func(bits uint64) {
		binary.LittleEndian.PutUint64(b[:], bits)
		_, _ = h.Write(b[:]) // a hash never fails
	}
	put(uint64(k.at.UnixNano()))      //nolint:gosec // only a hash: a wrap does no harm
	put(uint64(k.running.UnixNano())) //nolint:gosec // as above
	for _, v := range []*float64{k.rate, k.lag, k.slope, k.busy, k.latency, k.cpu} {
		if v == nil {
			put(math.MaxUint64)
			continue
		}
		put(math.Float64bits(*v))
	}
	_, _ = h.Write([]byte(k.obs.ID + k.obs.State + k.obs.LastChange))
	return h.Sum64()
}

func sum(a, b float64) float64 { return a + b }

// overSources joins a value over all subtasks of all sources; nil if one of them
// does not tell.
func overSources(o job.Observation, of func(job.Subtask) *float64, join func(a, b float64) float64) *float64 {
	total, n := 0.0, 0
	for _, v := range o.Vertices {
		if len(v.Inputs) > 0 {
			continue
		}
		for _, s := range v.Subtasks {
			x := finite(of(s))
			if x == nil {
				return nil
			}
			if n++; n == 1 {
				total = *x
			} else {
				total = join(total, *x)
			}
		}
	}
	if n == 0 {
		return nil
	}
	return &total
}

func cpuUsed(tms []job.TaskManager) *float64 {
	total := 0.0
	for _, t := range tms {
		used := finite(t.CPUUsedCores)
		if used == nil {
			return nil
		}
		total += *used
	}
	if len(tms) == 0 {
		return nil
	}
	return &total
}

// finite leaves out what is no number.
func finite(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

// known is the value, or 0 where there is none.
func known(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// seconds makes a span of time of a number of seconds.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
