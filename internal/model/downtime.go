package model

import (
	"math"

	"rebound/internal/job"
	"rebound/internal/recovery"
	"rebound/internal/setting"
)

// Assumptions, from kills of TaskManagers of real Flinks (2.3 and 1.20, on one
// machine), in seconds: value and spread.
const (
	taskDetect, taskDetectSpread   = 0.05, 0.05
	closedDetect, closedSpread     = 0.45, 0.3 // the connection closes: 0.2–0.7
	spareSlot, spareSlotSpread     = 0.1, 0.2
	newProcess, newProcessSpread   = 20.0, 12.0 // a process or pod start, when nobody says how long
	restoreCold, restoreColdSpread = 2.4, 1.4   // deploy into a new process: downtimes of 2.2–5.8 in all
	restoreWarm, restoreWarmSpread = 0.7, 0.5
	bandwidth                      = 100e6 // B/s at which state is read back by one TaskManager
	leastPhaseSpread               = 0.05
	jobManagerStart                = 12.0 // a JVM, until it has taken leadership and recovered the job
	jobManagerStartSpread          = 6.0
)

// defaultZooKeeperSession is high-availability.zookeeper.client.session-timeout
// where it is not set (s).
const defaultZooKeeperSession = 60.0

// heartbeats reads how soon a silent process counts as gone; what cannot be read
// is taken to be as Flink has it.
func heartbeats(s setting.InForce) (interval, timeout, threshold float64) {
	interval, timeout, threshold = 10, 50, 2
	if v, ok := s.Duration("heartbeat.interval"); ok {
		interval = v
	}
	if v, ok := s.Duration("heartbeat.timeout"); ok {
		timeout = v
	}
	if v, ok := s.Number("heartbeat.rpc-failure-threshold"); ok {
		threshold = v
	}
	return interval, timeout, threshold
}

// unknownBackOff stands where the restart strategy cannot be read (s).
const unknownBackOff = 1.0

// backOff is the delay before a restart, at its present level.
func backOff(s setting.InForce) recovery.Uncertain {
	_, delay, ok := s.RestartDelay()
	if !ok {
		return recovery.Uncertain{Median: unknownBackOff, Spread: unknownBackOff}
	}
	if s.RestartStrategy() != "exponential-delay" {
		return recovery.Uncertain{Median: delay, Spread: 0.05 * delay}
	}
	level := delay
	if d, ok := s.ExponentialDelay(); ok {
		level, _ = s.Level(d)
	}
	// Flink adds a jitter of a tenth; which failures have raised the level is
	// read from a history that may lack some.
	return recovery.Uncertain{Median: level, Spread: math.Max(0.1*level, 0.25*(level-delay))}
}

// downtime is one phase of it, with what is behind the number.
type downtime struct {
	phase   job.Phase
	length  recovery.Uncertain
	source  job.Source
	samples int
	note    string
}

// configured says what the configuration alone tells of the downtime.
func (m *Model) configured(f job.Failure, k knobs) []downtime {
	start := f.TakenOverBy()
	restore := downtime{phase: job.Restore, source: job.Assumed, length: recovery.Uncertain{Median: restoreWarm, Spread: restoreWarmSpread}, note: "into running processes"}
	if start == job.Cold {
		restore.length, restore.note = recovery.Uncertain{Median: restoreCold, Spread: restoreColdSpread}, "into a new process"
	}
	if read := m.stateBytes() / float64(max(1, m.holders())) / bandwidth; read > 0 {
		restore.length.Median += read
		restore.length.Spread += read / 2
	}
	wait := downtime{phase: job.Resources, source: job.Measured, samples: 1, length: recovery.Uncertain{Median: spareSlot, Spread: spareSlotSpread}, note: "slots are free"}
	detect, gone := m.detection(f, k)
	switch f {
	case job.TaskFailure:
		wait.note = "the slots stay"
	case job.JobManagerFailure:
		// It starts while the session of the dead one runs out.
		start := math.Max(spareSlot, jobManagerStart-detect.length.Median)
		wait = downtime{phase: job.Resources, source: job.Assumed, length: recovery.Uncertain{Median: start, Spread: jobManagerStartSpread}, note: "a JobManager starts"}
	case job.ProcessFailure, job.NodeFailure:
		if !k.spare {
			wait = downtime{phase: job.Resources, source: job.Assumed, length: recovery.Uncertain{Median: newProcess, Spread: newProcessSpread}, note: "no spare: a process starts"}
		} else if dead := gone - detect.length.Median - k.backOff.Median; dead > 0 {
			// Until its heartbeat fails the dead slot is offered again, and each
			// restart into it is wasted.
			wait = downtime{
				phase: job.Resources, source: job.Configured, note: "dead slot still offered",
				length: recovery.Uncertain{Median: dead + k.backOff.Median/2, Spread: k.heartbeat/4 + k.backOff.Median/2},
			}
		}
	}
	back := downtime{phase: job.BackOff, length: k.backOff, source: job.Configured, note: "restart strategy"}
	if f == job.JobManagerFailure {
		back = downtime{phase: job.BackOff, source: job.Configured, note: "a recovered job restarts at once"}
	}
	return []downtime{detect, back, wait, restore}
}

// detection is the time until the JobManager knows, and until the slots of what
// is gone are out of the pool.
func (m *Model) detection(f job.Failure, k knobs) (d downtime, gone float64) {
	d = downtime{phase: job.Detect, source: job.Configured}
	calls := (k.threshold - 0.5) * k.heartbeat // between threshold−1 and threshold intervals
	if silent := k.timeout - k.heartbeat/2; k.threshold < 1 || calls > silent {
		calls = silent // calls do not count, or come too late
	}
	switch f {
	case job.TaskFailure:
		d.source, d.note = job.Assumed, "the task tells"
		d.length = recovery.Uncertain{Median: taskDetect, Spread: taskDetectSpread}
		return d, 0
	case job.ProcessFailure:
		if m.topology == job.Spread {
			d.source, d.note = job.Assumed, "the connection closes"
			d.length = recovery.Uncertain{Median: closedDetect, Spread: closedSpread}
			return d, calls
		}
		d.note = "failed heartbeat calls"
		d.length = recovery.Uncertain{Median: calls, Spread: 0.45 * k.heartbeat}
		return d, calls
	case job.NodeFailure:
		d.note = "heartbeat.timeout"
		d.length = recovery.Uncertain{Median: k.timeout - k.heartbeat/2, Spread: 0.45 * k.heartbeat}
		return d, 0 // its slots go with the heartbeat
	default:
		session := defaultZooKeeperSession
		if v, ok := m.Now.Config.Duration("high-availability.zookeeper.client.session-timeout"); ok {
			session = v
		}
		d.note = "leader's session expires"
		d.length = recovery.Uncertain{Median: session * 0.8, Spread: session * 0.3}
		return d, 0
	}
}

// phases of the downtime: the configuration's word, moved by what was measured.
func (m *Model) phases(f job.Failure, k knobs) []downtime {
	out := m.configured(f, k)
	for i, d := range out {
		var off, weights []float64
		for _, p := range m.Past {
			if p.Failure != f || p.Topology != m.topology || p.Process != f.TakenOverBy() {
				continue
			}
			was, ok1 := job.PhaseSeconds(p.Phases, d.phase)
			said, ok2 := job.PhaseSeconds(p.Configured, d.phase)
			if ok1 && ok2 {
				off, weights = append(off, was-said), append(weights, weight(p))
			}
		}
		l := learn(prior{spread: d.length.Spread, floor: leastPhaseSpread}, off, weights)
		if l.samples > 0 {
			out[i].length = recovery.Uncertain{Median: math.Max(0, d.length.Median+l.value), Spread: l.spread}
			out[i].source, out[i].samples = job.Measured, l.samples
		}
	}
	return out
}

// stateBytes is the size of the last completed checkpoint's state, 0 if unknown.
func (m *Model) stateBytes() float64 {
	c, _ := m.Now.Checkpointing.LastCompleted()
	return value(c.StateBytes, 0)
}

// holders counts the TaskManagers that run the job.
func (m *Model) holders() int {
	seen := map[string]bool{}
	for _, v := range m.Now.Vertices {
		for _, s := range v.Subtasks {
			seen[s.TaskManager] = true
		}
	}
	return len(seen)
}
