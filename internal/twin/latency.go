package twin

// Quantile ranges of an exponential distribution: the share of records in each, and
// the mean over the range, in units of the distribution's: with F the range's ends,
// ((1−a)(1 − ln(1−a)) − (1−b)(1 − ln(1−b)))/(b − a).
const (
	shareB, shareC, shareD             = 0.30, 0.15, 0.05 // 50–80, 80–95 and 95–100 %
	meanOfA, meanOfB, meanOfC, meanOfD = 0.3069, 1.0823, 2.1473, 3.9957
)

// mostQueued caps ρ in the part of the latency that queueing below capacity makes:
// beyond, the backlog does.
const mostQueued = 0.9

// latencies counts the records that were processed for the first time; a record
// that is replayed was there before.
func (t *Twin) latencies(w *work, end float64) {
	first := max(w.before, t.high)
	w.fresh = t.pos - first
	if w.fresh <= 0 {
		w.fresh = 0
		return
	}
	t.high = t.pos
	delay := t.delay(*w, first, end)
	rho := mostQueued
	if w.could > 0 {
		rho = min(mostQueued, float64(w.done)/w.could)
	}
	base, queue := t.s.Latency.BaseSeconds+delay, t.s.Latency.QueueSeconds*rho/(1-rho)
	w.latency = base + queue
	h := &t.book.calm
	if t.book.failing > 0 {
		h = &t.book.disturbed
	}
	n := float64(w.fresh)
	b, c, d := int64(n*shareB), int64(n*shareC), int64(n*shareD)
	h.add(base+queue*meanOfA, w.fresh-b-c-d)
	h.add(base+queue*meanOfB, b)
	h.add(base+queue*meanOfC, c)
	h.add(base+queue*meanOfD, d)
}

// delay is the mean time that the records which the step processed for the first
// time, from number first on, had waited in the log.
func (t *Twin) delay(w work, first int64, end float64) float64 {
	backlog := t.in - w.arrived - w.before
	switch {
	case !w.idle: // evenly over the step: the middle stands for all
		return max(0, (w.from+end)/2-t.log.arrived(first+w.fresh/2))
	case backlog <= 0:
		return 0
	}
	// Until it is caught up the wait shrinks in a straight line to 0.
	until := t.caughtUp(w, end)
	atFirst := max(0, w.from-t.log.arrived(w.before))
	share := min(1, w.could*(until-w.from)/w.active/float64(w.done))
	return atFirst / 2 * share
}

// visible counts the records that a checkpoint, which completes at a moment, makes
// visible to a read-committed reader: those between two offsets, taken as four
// equal parts.
func (t *Twin) visible(offset int64, at float64) {
	n := offset - t.committed
	if n <= 0 {
		return
	}
	const parts = 4
	for i := range int64(parts) {
		from, to := t.committed+n*i/parts, t.committed+n*(i+1)/parts
		t.book.visible.add(max(0, at-t.log.arrived((from+to)/2)), to-from)
	}
	t.committed = offset
}
