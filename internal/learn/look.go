package learn

import (
	"math"
	"time"

	"rebound/internal/job"
)

// look is what one observation says of the whole job. What is NaN or infinite is
// absent.
type look struct {
	at     time.Time     // our clock, as all times that are kept
	offset time.Duration // of our clock from the JobManager's
	span   float64       // s that rates and shares are means over
	window float64       // s of that which no look has covered before
	ckpt   float64       // share of the span in which a checkpoint ran
	weight float64       // in (0, 1], less where that share is not clear
	state  float64       // bytes in the last completed checkpoint, 0: unknown

	rate    *float64 // records/s read by the sources
	busy    *float64 // of the busiest subtask, [0, 1]
	pending *float64 // records before the sources
	lag     *float64 // s, of the source that is furthest behind
}

// quickWindow is what a single read is worth: Flink's own averages may stem from
// before (s). No window is worth more than longestWindow at once.
const (
	quickWindow   = 2.0
	longestWindow = 120.0
)

// see reads off an observation what is learned from; since is the time of the look
// before, so that no second counts twice.
func see(o job.Observation, since time.Time) look {
	l := look{at: o.At, span: quickWindow, rate: finite(o.InputRate())}
	if !o.ServerTime.IsZero() {
		l.offset = o.At.Sub(o.ServerTime)
	}
	if w := finite(o.WindowSeconds); w != nil && *w > 0 {
		l.span = math.Min(*w, longestWindow)
	}
	l.window = l.span
	if !since.IsZero() {
		l.window = math.Min(l.span, math.Max(0, l.at.Sub(since).Seconds()))
	}
	l.ckpt, l.weight = checkpointed(o.Checkpointing.History, l.at.Add(-l.offset), l.span)
	if c, ok := o.Checkpointing.LastCompleted(); ok && finite(c.StateBytes) != nil {
		l.state = math.Max(0, *c.StateBytes)
	}
	for _, v := range o.Vertices {
		for i := range v.Subtasks {
			l.busy = greater(l.busy, occupied(&v.Subtasks[i]))
			if len(v.Inputs) > 0 {
				continue
			}
			l.lag = greater(l.lag, finite(v.Subtasks[i].EmitLagSeconds))
			if p := finite(v.Subtasks[i].PendingRecords); p != nil {
				l.pending = sum(l.pending, *p)
			}
		}
	}
	return l
}

// mostBlocked bounds what back-pressure is divided out: beyond it too little is
// left to tell.
const mostBlocked = 0.9

// occupied is the busy time of a subtask over what back-pressure left it.
func occupied(s *job.Subtask) *float64 {
	busy := finite(s.BusyRatio)
	if busy == nil {
		return nil
	}
	rho := math.Max(0, *busy)
	if b := finite(s.BackPressuredRatio); b != nil && *b > 0 {
		rho /= 1 - math.Min(mostBlocked, *b)
	}
	return new(math.Min(1, rho))
}

// Metrics are older than the answer that holds them, by an unknown part of the time
// between two scrapes (s).
const (
	scrape = 5.0
	// blurred is the error of the share at which a look counts half: with a usual
	// cost of checkpoints it is that of the capacity from look to look.
	blurred = 0.07
)

// checkpointed is the share of the span before a moment in which a checkpoint ran,
// and how much the look counts: the share is a mean over how old the metrics may
// be, and less certain the more it varies.
func checkpointed(history []job.Checkpoint, at time.Time, span float64) (share, weight float64) {
	most, least := 0.0, 1.0
	const ages = 3
	for i := range ages {
		to := at.Add(-seconds(float64(i) / (ages - 1) * math.Min(scrape, span/2)))
		q := running(history, to.Add(-seconds(span)), to)
		share += q / ages
		most, least = math.Max(most, q), math.Min(least, q)
	}
	off := (most - least) / 2 / blurred
	return share, 1 / (1 + off*off)
}

// running is the share of a stretch of time in which a checkpoint was under way.
func running(history []job.Checkpoint, from, to time.Time) float64 {
	if !to.After(from) {
		return 0
	}
	total := 0.0
	for i := range history {
		c := &history[i]
		end := to // of one in progress
		switch {
		case c.TriggeredAt.IsZero() || c.TriggeredAt.After(to):
			continue
		case c.DurationSeconds != nil && c.Status != "IN_PROGRESS":
			end = c.TriggeredAt.Add(seconds(*c.DurationSeconds))
		case c.Status != "IN_PROGRESS":
			continue // failed, nobody knows when
		}
		start := c.TriggeredAt
		if start.Before(from) {
			start = from
		}
		if end.After(to) {
			end = to
		}
		total += math.Max(0, end.Sub(start).Seconds())
	}
	return math.Min(1, total/to.Sub(from).Seconds())
}

// finite leaves out what is no number.
func finite(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

func greater(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

func sum(a *float64, b float64) *float64 {
	if a == nil {
		return &b
	}
	return new(*a + b)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
