package plan

import (
	"rebound/internal/job"
	"rebound/internal/learn"
)

// restart is the downtime of a planned restart, warm-up included (s).
type restart struct{ median, upper float64 }

// downs is the restart by a way.
func (c *candidate) downs(w job.Way) restart {
	switch w {
	case job.InPlace:
		return c.restarts[0]
	case job.Savepoint:
		return c.restarts[1]
	default:
		return c.restarts[2]
	}
}

// restartOf is a downtime with the warm-up after it.
func restartOf(b *learn.Behavior, d learn.Downtime) restart {
	median, upper := upperOf(d, eachZ)
	warm := b.Warm
	if d.Cold {
		warm = b.Cold
	}
	slow := max(0, 1-warm.Start.Median) * warm.Tau.Median
	return restart{median + slow, upper + slow}
}

// restarts are what follows from the downtimes of a behavior. They hang on how many
// TaskManagers read the state back, and hardly on anything else, so that the last
// ones of that many mostly serve again.
type restarts struct {
	of       []learn.Downtime // the failures', then those of the ways
	warm     [2]learn.Warmup
	tails    []tail
	restarts [3]restart
}

// ways are all ways, in the order of restarts.
func ways() [3]job.Way { return [3]job.Way{job.InPlace, job.Savepoint, job.LastState} }

// restartsOf computes them for n TaskManagers, or finds them.
func (q *question) restartsOf(n int, b *learn.Behavior) *restarts {
	for len(q.known) <= n {
		q.known = append(q.known, restarts{})
	}
	r := &q.known[n]
	if r.same(q, b) {
		return r
	}
	*r = restarts{warm: [2]learn.Warmup{b.Cold, b.Warm}}
	for _, f := range q.failures {
		d := downtimeOf(b, Question{Failure: f})
		r.of, r.tails = append(r.of, d), append(r.tails, tailOf(b, d, q.target, q.z, q.others))
	}
	for i, w := range ways() {
		d := downtimeOf(b, Question{Change: w})
		r.of, r.restarts[i] = append(r.of, d), restartOf(b, d)
	}
	return r
}

// same says whether r was made from what b says.
func (r *restarts) same(q *question, b *learn.Behavior) bool {
	if len(r.of) == 0 || r.warm != [2]learn.Warmup{b.Cold, b.Warm} {
		return false
	}
	for i, f := range q.failures {
		if r.of[i] != downtimeOf(b, Question{Failure: f}) {
			return false
		}
	}
	for i, w := range ways() {
		if r.of[len(q.failures)+i] != downtimeOf(b, Question{Change: w}) {
			return false
		}
	}
	return true
}
