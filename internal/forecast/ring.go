package forecast

// ring holds the last values of a series, as many as it has room for. It keeps each
// twice, a room apart, so that what it holds always lies in one piece.
type ring struct {
	buf  []float64
	next int // where the next value goes, below the room
	full bool
}

func newRing(room int) ring { return ring{buf: make([]float64, 2*max(1, room))} }

// room is the greatest number of values held.
func (r *ring) room() int { return len(r.buf) / 2 }

// push appends v and drops the oldest value when the ring is full.
func (r *ring) push(v float64) {
	n := r.room()
	r.buf[r.next], r.buf[r.next+n] = v, v
	r.next++
	if r.next == n {
		r.next, r.full = 0, true
	}
}

// len is the number of values held.
func (r *ring) len() int { return len(r.view()) }

// view is what is held, oldest first, until the next push.
func (r *ring) view() []float64 {
	if !r.full {
		return r.buf[:r.next]
	}
	return r.buf[r.next : r.next+r.room()]
}

// at is the value of lag steps ago: 1 is the last one. The lag must not be more than
// len.
func (r *ring) at(lag int) float64 {
	v := r.view()
	return v[len(v)-lag]
}

// values copies what is held, oldest first.
func (r *ring) values() []float64 { return append([]float64(nil), r.view()...) }

// lagged is the value lag steps before the step h (0 is the next one), where path
// holds what was forecast for the steps before h.
func (r *ring) lagged(path []float64, h, lag int) float64 {
	if h >= lag {
		return path[h-lag]
	}
	return r.at(lag - h)
}

func (r *ring) code(c *codec) {
	room := c.count(r.room(), 0)
	values := r.view()
	c.floats(&values)
	if !c.reading {
		return
	}
	if c.err != nil || room < 1 || room > greatestRoom || len(values) > room {
		c.err = errState
		room, values = 1, nil
	}
	*r = newRing(room)
	for _, v := range values {
		r.push(v)
	}
}

// greatestRoom is more than any ring of a sound state has.
const greatestRoom = 1 << 16
