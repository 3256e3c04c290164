package flink

import "math"

// history is what all reads, oldest first, tell of one subtask.
type history []reading

func historyOf(reads []read, jobID, vertex string, i int) history {
	h := make(history, 0, len(reads))
	for _, r := range reads {
		if s := r.jobs[jobID]; s != nil {
			h = append(h, readingOf(s, vertex, i))
		}
	}
	return h
}

func (h history) last() reading {
	if len(h) == 0 {
		return reading{}
	}
	return h[len(h)-1]
}

// window is the stretch between two readings of one attempt.
type window struct{ from, to reading }

// pair is the longest window that ends at the last read, within one attempt, and in
// which the values moved.
func (h history) pair() (window, bool) {
	for _, from := range h[:max(0, len(h)-1)] {
		w := window{from, h.last()}
		if w.sameAttempt() && w.moved() {
			return w, true
		}
	}
	return window{}, false
}

func (w window) sameAttempt() bool {
	return w.from.running && w.to.running && w.from.attempt == w.to.attempt && w.from.began.Equal(w.to.began)
}

// moved tells new values from the ones that were there before. A task's own age
// tells; without it, an idle job at least has more idle time.
func (w window) moved() bool {
	if w.from.empty() || w.to.empty() {
		return false
	}
	if a, b := w.from.task.age(), w.to.task.age(); a.ok && b.ok {
		return b.v > a.v
	}
	if a, b := w.from.source.age(), w.to.source.age(); a.ok && b.ok {
		return b.v > a.v
	}
	return w.from.task.idle != w.to.task.idle || w.from.in != w.to.in || w.from.out != w.to.out ||
		w.from.operatorOut != w.to.operatorOut
}

// seconds passed between two clocks, or between the server's answers where the
// subtask has no clock; the latter is off by up to a fetch.
func (w window) seconds(from, to clock) number {
	a, b := from.age(), to.age()
	switch {
	case a.ok && b.ok && b.v > a.v:
		return number{(b.v - a.v) / 1e3, true}
	case a.ok || b.ok || !w.to.now.After(w.from.now) || w.from.now.IsZero():
		return number{}
	}
	return number{w.to.now.Sub(w.from.now).Seconds(), true}
}

// taskSeconds and sourceSeconds are the window by the two requests' clocks.
func (w window) taskSeconds() number   { return w.seconds(w.from.task, w.to.task) }
func (w window) sourceSeconds() number { return w.seconds(w.from.source, w.to.source) }

// rate of a counter; one that went back has none.
func rate(from, to, seconds number) *float64 {
	if !from.ok || !to.ok || !seconds.ok || to.v < from.v {
		return nil
	}
	return new((to.v - from.v) / seconds.v)
}

// ratio is the share of the window that an accumulated time grew by.
func ratio(from, to, seconds number) *float64 {
	r := rate(from, to, seconds)
	if r != nil {
		*r = math.Min(1, *r/1e3)
	}
	return r
}

// read is the rate of records that a source takes in. A counter that stayed 0 is one
// that the connector or the version does not count (sources have numRecordsIn 0
// before 2.x), unless all are.
func (w window) read() *float64 {
	src, task := w.sourceSeconds(), w.taskSeconds()
	var zero *float64
	for _, c := range []struct{ from, to, seconds number }{
		{w.from.operatorIn, w.to.operatorIn, src},
		{w.from.operatorOut, w.to.operatorOut, src},
		{w.from.in, w.to.in, task},
		{w.from.out, w.to.out, task},
	} {
		r := rate(c.from, c.to, c.seconds)
		if r != nil && c.to.v > 0 {
			return r
		}
		if r != nil {
			zero = r
		}
	}
	return zero
}
