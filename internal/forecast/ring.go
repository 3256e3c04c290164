package forecast

// ring holds the last values of a series, as many as it has room for.
type ring struct {
	buf  []float64
	next int // where the next value goes
	full bool
}

func newRing(room int) ring { return ring{buf: make([]float64, max(1, room))} }

// push appends v and drops the oldest value when the ring is full.
func (r *ring) push(v float64) {
	r.buf[r.next] = v
	r.next++
	if r.next == len(r.buf) {
		r.next, r.full = 0, true
	}
}

// len is the number of values held.
func (r *ring) len() int {
	if r.full {
		return len(r.buf)
	}
	return r.next
}

// at is the value of lag steps ago: 1 is the last one. The lag must not be more
// than len.
func (r *ring) at(lag int) float64 {
	i := r.next - lag
	if i < 0 {
		i += len(r.buf)
	}
	return r.buf[i]
}

// values copies what is held, oldest first.
func (r *ring) values() []float64 {
	if !r.full {
		return append([]float64(nil), r.buf[:r.next]...)
	}
	return append(append([]float64(nil), r.buf[r.next:]...), r.buf[:r.next]...)
}

// lagged is the value lag steps before the step h (0 is the next one), where path
// holds what was forecast for the steps before h.
func (r *ring) lagged(path []float64, h, lag int) float64 {
	if h >= lag {
		return path[h-lag]
	}
	return r.at(lag - h)
}
