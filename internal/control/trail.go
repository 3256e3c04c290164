package control

import "time"

// trail is the backlog of the last minutes of one run of the job.
type trail struct {
	at  [trailSize]time.Time
	lag [trailSize]float64
	n   int // ever added since the last reset
}

// trailSize looks are 5 min at one every 5 s.
const trailSize = 60

func (t *trail) add(at time.Time, lag float64) {
	t.at[t.n%trailSize], t.lag[t.n%trailSize] = at, lag
	t.n++
}

func (t *trail) reset() { t.n = 0 }

// slope is by how much the backlog grew a second over about the last span, from
// the mean of its older half to that of its newer; false where less is known.
func (t *trail) slope(span time.Duration) (perSecond float64, ok bool) {
	newest := (t.n - 1 + trailSize) % trailSize
	if t.n < 4 {
		return 0, false
	}
	var old, late mean
	first := t.at[newest]
	for i := range min(t.n, trailSize) {
		k := (t.n - 1 - i) % trailSize
		age := t.at[newest].Sub(t.at[k])
		if age > span {
			break
		}
		first = t.at[k]
		if age < span/2 {
			late.add(t.lag[k])
		} else {
			old.add(t.lag[k])
		}
	}
	covered := t.at[newest].Sub(first)
	if old.n == 0 || late.n == 0 || covered < span*3/4 {
		return 0, false
	}
	return (late.value() - old.value()) / (covered.Seconds() / 2), true
}

// mean is the mean of what it was given.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) {
	m.sum += v
	m.n++
}

// take adds a value that may be unknown.
func (m *mean) take(v *float64) {
	if v != nil {
		m.add(*v)
	}
}

func (m *mean) value() float64 { return m.sum / float64(m.n) }

// pointer is the mean, or nil where nothing was known.
func (m *mean) pointer() *float64 {
	if m.n == 0 {
		return nil
	}
	return new(m.value())
}
