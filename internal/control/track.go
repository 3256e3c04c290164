package control

import (
	"math"
	"slices"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
)

// tracker follows a job from look to look: whether it is calm, down or catching
// up, and what each interruption took. It agrees with package outage, which finds
// the same in a recorded series, but needs no series.
type tracker struct {
	prev  *look
	band  band // of the backlog, in records
	late  band // of the latency, in seconds, which stands in where the backlog is unknown
	trail trail
	open  *interruption
	// missed counts the looks that failed since the last good one.
	missed int
	// blamed is the newest exception that an interruption was put down to.
	blamed time.Time
	// above is since when the backlog has been above its band without an
	// interruption; zero: it is not.
	above   time.Time
	growing bool     // the job falls behind
	calm    *float64 // records/s that arrived when it was calm last
	taken   checkpoints
}

const (
	// holdSeen is how long a backlog that was seen to fall must stay in its band;
	// holdUnseen is for one that was never seen: metrics of a restarted source
	// are said to read 0 for up to half a minute.
	holdSeen, holdUnseen = 10 * time.Second, 35 * time.Second
	// followFor is how long a recovery is followed.
	followFor = time.Hour
	// usualAfter: a backlog that stays above its band for so long without growing
	// is what is usual from now on.
	usualAfter = 10 * time.Minute
	// unnoticed is how long a job may be dead before the JobManager notices: the
	// backlog grows meanwhile although every subtask is said to run.
	unnoticed = 90 * time.Second
	// overloadSpan is the stretch over which a job must fall behind before that is
	// taken for more than a passing rise.
	overloadSpan = time.Minute
	// busyEnough: a job whose busiest subtask is idler than this is not behind for
	// lack of capacity.
	busyEnough = 0.9
	// outgrown: falling behind by this share of the input is more than noise.
	outgrown = 0.01
)

// see takes a look and says how the job is. A change that has been applied and
// not been seen to restart the job yet explains an interruption. ended are the
// interruptions that are over with this look.
func (t *tracker) see(k *look, c *planned) (s learn.Situation, ended []*interruption) {
	t.taken.note(k.obs.Checkpointing.History)
	if t.interrupted(k) {
		before := t.close(k)
		if before != nil {
			ended = append(ended, before)
		}
		t.start(k, c)
		t.open.amid = before != nil
	}
	if i := t.open; i != nil {
		i.see(k, t)
		if i.over(k) {
			ended, t.open = append(ended, i), nil
			t.above = time.Time{}
		}
	}
	s = t.situation(k)
	t.growing = t.overloaded(k, s)
	t.settle(k, s)
	t.missed, t.prev = 0, k
	return s, ended
}

// miss is a look that failed.
func (t *tracker) miss() learn.Situation {
	t.missed++
	return learn.Blind
}

// interrupted says whether a new interruption shows. One that is open already
// explains what is seen until every subtask has been RUNNING again.
func (t *tracker) interrupted(k *look) bool {
	if t.open != nil && t.open.runningAt.IsZero() {
		return false
	}
	if k.broken {
		return true
	}
	return t.prev != nil && restarted(t.prev, k)
}

// restarted says whether the job restarted between two looks that may both have
// found it whole.
func restarted(was, is *look) bool {
	switch a, b := was.obs.Restarts, is.obs.Restarts; {
	case a != nil && b != nil && *b > *a:
		return true
	case was.obs.ID != is.obs.ID:
		return true
	}
	return was.settled && !was.running.IsZero() && is.running.After(was.running)
}

// close ends an interruption that is still open because another begins.
func (t *tracker) close(k *look) *interruption {
	i := t.open
	t.open = nil
	if i != nil {
		i.censoredAt = k.server
	}
	return i
}

func (t *tracker) start(k *look, c *planned) {
	i := &interruption{seenAt: k.server, lastDown: k.server, offset: k.at.Sub(k.server), unreachable: t.missed > 0}
	if t.prev != nil {
		i.before, i.watched, i.rate = *t.prev, true, t.calm
		if k.settled { // it was down in between
			i.lastDown = t.prev.server
		}
		i.calm = t.prev.settled && (t.above.IsZero() || k.server.Sub(t.above) < unnoticed)
	}
	if c != nil && !c.restarted {
		i.change, c.restarted = c, true
	}
	i.usual = t.band.usual()
	t.trail.reset()
	t.open = i
}

// situation names what is seen.
func (t *tracker) situation(k *look) learn.Situation {
	switch i := t.open; {
	case i != nil && i.runningAt.IsZero() && i.change != nil:
		return learn.Changing
	case i != nil && i.runningAt.IsZero():
		return learn.Down
	case !k.tells() || !k.settled:
		return learn.Blind
	case i != nil || t.behind(k):
		return learn.CatchingUp
	}
	return learn.Calm
}

// behind says whether more waits than does in calm times.
func (t *tracker) behind(k *look) bool {
	switch {
	case k.lag != nil:
		return *k.lag > t.band.high(known(k.arriving()))
	case k.latency != nil:
		return *k.latency > t.late.high(1)
	}
	return false
}

// overloaded says whether the job falls behind although it runs: nothing but
// capacity helps then.
func (t *tracker) overloaded(k *look, s learn.Situation) bool {
	if s != learn.CatchingUp || k.lag == nil || !k.settled {
		return false
	}
	t.trail.add(k.server, *k.lag)
	slope, ok := t.trail.slope(overloadSpan)
	return ok && t.behind(k) && slope > outgrown*known(k.arriving()) && (k.busy == nil || *k.busy >= busyEnough)
}

// settle keeps what is usual.
func (t *tracker) settle(k *look, s learn.Situation) {
	switch {
	case s == learn.Calm:
		t.above, t.calm = time.Time{}, k.arriving()
		t.trail.reset()
		if k.lag != nil && k.rate != nil {
			t.band.add(*k.lag, *k.rate)
		}
		if k.latency != nil {
			t.late.add(*k.latency, 1)
		}
	case s != learn.CatchingUp || t.open != nil:
	case t.above.IsZero():
		t.above = k.server
	case k.server.Sub(t.above) > usualAfter && !t.growing && t.steady(k):
		t.band.reset()
		t.band.add(*k.lag, known(k.rate))
		t.above = time.Time{}
	}
}

// steady says whether the backlog is neither worked off nor grows.
func (t *tracker) steady(k *look) bool {
	slope, ok := t.trail.slope(overloadSpan)
	return ok && math.Abs(slope) < outgrown*known(k.arriving())
}

// excess is how many records wait beyond what is usual.
func (t *tracker) excess(k *look) float64 {
	if k.lag == nil || !t.behind(k) && t.open == nil {
		return 0
	}
	return max(0, *k.lag-t.band.usual())
}

// checkpoints remembers when the last checkpoints were triggered: the one that a
// restart begins from may have left the history by then.
type checkpoints struct {
	ids  [16]int64
	at   [16]time.Time
	next int
}

func (c *checkpoints) note(history []job.Checkpoint) {
	for _, h := range slices.Backward(history) {
		if _, ok := c.triggered(h.ID); !ok && h.Status == "COMPLETED" {
			c.add(h.ID, h.TriggeredAt)
		}
	}
}

func (c *checkpoints) add(id int64, triggered time.Time) {
	c.ids[c.next], c.at[c.next] = id, triggered
	c.next = (c.next + 1) % len(c.ids)
}

func (c *checkpoints) triggered(id int64) (time.Time, bool) {
	for i, known := range c.ids {
		if known == id && !c.at[i].IsZero() {
			return c.at[i], true
		}
	}
	return time.Time{}, false
}
