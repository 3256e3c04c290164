package twin

// work is what one step has done.
type work struct {
	at      float64 // s
	from    float64 // when in the step the job began to run
	active  float64 // s of the step in which it ran
	arrived int64
	before  int64   // pos at its beginning
	done    int64   // records processed, replayed ones included
	could   float64 // records that it could have processed
	latency float64 // s, mean of the records processed for the first time
	fresh   int64   // such records
	idle    bool    // it has processed all there was
}

// busy is the share of the step in which the job was busy.
func (w work) busy(step float64) float64 {
	if w.could <= 0 {
		return 0
	}
	return min(1, float64(w.done)/w.could) * w.active / step
}

// work processes what the step's capacity allows.
func (t *Twin) work(at, end float64, arrived int64) work {
	w := work{at: at, from: at, arrived: arrived}
	t.expire()
	if t.down != nil && !t.resume(end) {
		return w
	}
	w.before = t.pos
	w.from = max(at, t.now.upAt)
	w.active = end - w.from
	waiting := t.in - t.pos
	w.could = t.capacity(w, end)
	budget := w.could + t.carry
	if w.idle = budget >= float64(waiting); w.idle {
		w.done, t.carry = waiting, 0
	} else {
		w.done = int64(budget)
		t.carry = budget - float64(w.done)
	}
	t.pos += w.done
	t.latencies(&w, end)
	if len(t.open) > 0 {
		t.progress(w, end)
	}
	return w
}

// capacity is how many records the step could process.
func (t *Twin) capacity(w work, end float64) float64 {
	seconds := w.active
	if t.now.cold > 0 {
		seconds -= t.warming(w.active)
	}
	if loss := t.s.Checkpoint.Loss; loss > 0 {
		seconds *= 1 - loss*t.snapshotsRun(w.from, end)/w.active
	}
	could := t.rate * t.noise.factor(w.at) * seconds
	if r := t.s.Capacity.AlignmentRatio; r > 0 && t.in-t.pos > w.arrived {
		could = min(could, r*float64(w.arrived)*w.active/t.step)
	}
	return could
}

// coldEnough: a job that lacks less of its capacity is warm.
const coldEnough = 1e-5

// warming is ∫ cold dt over the time that the job ran in the step (s).
func (t *Twin) warming(active float64) float64 {
	tau := t.s.Warmup.TimeSeconds
	keep := t.now.warms
	if active < t.step {
		keep = decay(active, tau)
	}
	lacking := t.now.cold * (1 - keep) * tau
	if t.now.cold *= keep; t.now.cold < coldEnough {
		t.now.cold = 0
	}
	return lacking
}

// expire loses the records that retention has taken away before they were read.
func (t *Twin) expire() {
	hours := t.s.Kafka.RetentionHours
	if hours == 0 || t.in == t.pos {
		return
	}
	if first := t.log.arrivedBy(t.clock() - hours*3600); t.pos < first {
		t.lost += first - t.pos
		t.pos = first
		t.high = max(t.high, first)
	}
}
