package learn

import (
	"math"
	"time"

	"rebound/internal/job"
)

// catchUp is a backlog being worked off, which shows capacity best: the job gives
// what it can. It is taken in when the recovery that it belongs to is known.
type catchUp struct {
	At      resources `json:"at"`
	Settled time.Time `json:"settled"` // the last subtask ran: warm-up begins
	Last    time.Time `json:"last"`
	Looks   []fullOut `json:"looks"`
	// Offset of our clock from the JobManager's, which the times are on.
	Offset time.Duration `json:"offset"`
}

// fullOut is a look at a job that works off a backlog.
type fullOut struct {
	From float64 `json:"from"` // s since Settled
	To   float64 `json:"to"`
	Log  float64 `json:"log"`  // of the rate
	Ckpt float64 `json:"ckpt"` // share of the time in a checkpoint
}

const (
	// A job works at full speed where it is this busy, and this much of its rate
	// waits (s).
	fullBusy    = 0.9
	fullBacklog = 1.0
)

// add takes a look at a job that is catching up.
func (c *catchUp) add(o job.Observation, l look, r resources) {
	if at := settledAt(o, l); c.Settled.IsZero() || c.At != r || at.Sub(c.Settled) > l.at.Sub(c.Last) {
		*c = catchUp{At: r, Settled: at, Offset: l.offset}
	}
	c.Last = l.at
	if l.rate == nil || !(*l.rate > 0) || !(l.window > 0) || len(c.Looks) == mostCatchLooks {
		return
	}
	switch {
	case l.busy == nil && l.pending == nil,
		l.busy != nil && *l.busy < fullBusy,
		l.pending != nil && *l.pending < fullBacklog**l.rate:
		return
	}
	to := l.at.Sub(c.Settled).Seconds()
	from := to - l.span
	if from < -0.5 { // some of it was downtime
		return
	}
	c.Looks = append(c.Looks, fullOut{From: math.Max(0, from), To: to, Log: math.Log(*l.rate), Ckpt: l.ckpt})
}

// settledAt is when the last subtask began to run; of a world that does not tell,
// when the look began.
func settledAt(o job.Observation, l look) time.Time {
	var last time.Time
	for _, v := range o.Vertices {
		for i := range v.Subtasks {
			if t := v.Subtasks[i].RunningSince; t != nil && t.After(last) {
				last = *t
			}
		}
	}
	if last.IsZero() || last.After(l.at) {
		return l.at.Add(-seconds(l.span))
	}
	return last
}

// meeting is what a catch-up says for one point of the grid of warm-ups.
type meeting struct{ mean, square float64 } // of log capacity over looks

// against works out, for every warm-up of the grid, what capacity the looks show.
func (c *catchUp) against(loss float64) []meeting {
	out := make([]meeting, warmStarts*warmTaus)
	var lost [mostCatchLooks]float64
	for j := range warmTaus {
		tau := gridTau(j)
		for k, l := range c.Looks {
			lost[k] = tau * (math.Exp(-l.From/tau) - math.Exp(-l.To/tau)) / math.Max(1e-3, l.To-l.From)
		}
		for i := range warmStarts {
			var sum, square float64
			for k, l := range c.Looks {
				y := l.Log - math.Log1p(-loss*l.Ckpt) - math.Log1p(-(1-gridStart(i))*lost[k])
				sum += y
				square += y * y
			}
			n := float64(len(c.Looks))
			out[i*warmTaus+j] = meeting{mean: sum / n, square: math.Max(0, square-sum*sum/n)}
		}
	}
	return out
}

// finish takes a catch-up in: how processes of that kind warm up, and the capacity
// that it showed once warm.
func (k *known) finish(c *catchUp, start job.Start, belief *capacity) {
	k.passTo(c.Last)
	loss := k.Cost.loss().Median
	w := k.warm(start)
	meetings, prior := c.against(loss), w.posterior(start)
	n, precision := float64(len(c.Looks)), 1/(lookScatter*lookScatter*lookAlike)
	expected, deviation := belief.at(c.At)
	own := deviation*deviation + 1/(n*precision)
	logs := make([]float64, len(meetings))
	w.fade(warmKept)
	grid := w.grid()
	for i, m := range meetings {
		shape := -m.square * precision / 2
		off := m.mean - expected
		logs[i] = math.Log(prior[i]+1e-300) + shape
		grid[i] += shape - off*off/own/2
	}
	w.Count++
	var mean, square float64
	for i, p := range normalized(logs) {
		mean += p * meetings[i].mean
		square += p * meetings[i].mean * meetings[i].mean
	}
	long := c.Looks[len(c.Looks)-1].To - c.Looks[0].From
	scatter := k.Scatter.deviation(blockScatter, blockWorth)
	alone := scatter * scatter
	weight := math.Min(1, long/blockSeconds) * alone / (alone + math.Max(0, square-mean*mean))
	k.Cells.at(c.At).Full.add(mean, weight, c.Last, &k.Scatter)
}

// full takes in the capacity that looks at a warm job showed.
func (k *known) full(c *catchUp) {
	loss, mean := k.Cost.loss().Median, 0.0
	for _, l := range c.Looks {
		mean += (l.Log - math.Log1p(-loss*l.Ckpt)) / float64(len(c.Looks))
	}
	long := c.Looks[len(c.Looks)-1].To - c.Looks[0].From
	k.Cells.at(c.At).Full.add(mean, math.Min(1, long/blockSeconds), c.Last, &k.Scatter)
}
