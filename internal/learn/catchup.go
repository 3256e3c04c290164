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
}

// fullOut is a look at a job that works off a backlog.
type fullOut struct {
	From float64 `json:"from"` // s since Settled
	To   float64 `json:"to"`
	Log  float64 `json:"log"`  // of the rate
	Ckpt float64 `json:"ckpt"` // share of the time in a checkpoint
	// Weight is how much the look counts, in (0, 1].
	Weight float64 `json:"weight"`
}

const (
	// A job works at full speed where it is this busy, and this much of its rate
	// waits (s).
	fullBusy    = 0.9
	fullBacklog = 1.0
)

// add takes a look at a job that is catching up.
func (c *catchUp) add(o job.Observation, l look, r resources) {
	at, told := settledAt(o, l)
	if c.Settled.IsZero() || c.At != r || told && at.After(c.Last) {
		*c = catchUp{At: r, Settled: at}
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
	age := math.Min(scrape, l.span/2) // of the metrics, at most
	to := l.at.Sub(c.Settled).Seconds()
	if to-l.span < age-1 { // some of it may have been downtime
		return
	}
	to -= age / 2
	c.Looks = append(c.Looks, fullOut{From: math.Max(0, to-l.span), To: to, Log: math.Log(*l.rate), Ckpt: l.ckpt, Weight: l.weight})
}

// settledAt is when the last subtask began to run; of a world that does not tell,
// when the look began.
func settledAt(o job.Observation, l look) (at time.Time, told bool) {
	for _, v := range o.Vertices {
		for i := range v.Subtasks {
			if t := v.Subtasks[i].RunningSince; t != nil && t.After(at) {
				at = *t
			}
		}
	}
	if began := at.Add(l.offset); !at.IsZero() && !began.After(l.at) {
		return began, true
	}
	return l.at.Add(-seconds(l.span)), false
}

// meeting is what a catch-up says for one point of the grid of warm-ups.
type meeting struct{ mean, square float64 } // of log capacity over looks

// against works out, for every warm-up of the grid, what capacity the looks show.
func (c *catchUp) against(gamma float64) []meeting {
	out := make([]meeting, warmStarts*warmTaus)
	var lost [mostCatchLooks]float64
	var free [mostCatchLooks]float64 // log of the rate, without checkpoints
	for k, l := range c.Looks {
		more, _ := inFull(gamma, l.Ckpt)
		free[k] = l.Log + more
	}
	n, first := c.weight(), c.Looks[0].Log // subtracted, so that squares keep their digits
	for j := range warmTaus {
		tau := gridTau(j)
		for k, l := range c.Looks {
			lost[k] = tau * (math.Exp(-l.From/tau) - math.Exp(-l.To/tau)) / math.Max(1e-3, l.To-l.From)
		}
		for i := range warmStarts {
			var sum, square float64
			for k, l := range c.Looks {
				y := free[k] - first - math.Log1p(-(1-gridStart(i))*lost[k])
				sum += l.Weight * y
				square += l.Weight * y * y
			}
			out[i*warmTaus+j] = meeting{mean: first + sum/n, square: math.Max(0, square-sum*sum/n)}
		}
	}
	return out
}

// weight is how many looks there are.
func (c *catchUp) weight() float64 {
	n := 0.0
	for _, l := range c.Looks {
		n += l.Weight
	}
	return n
}

// slope is the mean derivative of log capacity in γ.
func (c *catchUp) slope(gamma float64) float64 {
	mean := 0.0
	for _, l := range c.Looks {
		_, slope := inFull(gamma, l.Ckpt)
		mean += l.Weight * slope / c.weight()
	}
	return mean
}

// finish takes a catch-up in: how processes of that kind warm up, and the capacity
// that it showed once warm.
func (k *known) finish(c *catchUp, start job.Start, belief *capacity) {
	k.passTo(c.Last)
	gamma, _ := k.Cost.gamma()
	w := k.warm(start)
	meetings, prior := c.against(gamma), w.posterior(start)
	n, precision := c.weight(), 1/(lookScatter*lookScatter*lookAlike)
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
	k.Cells.at(c.At).Full.add(sample{mean, weight, c.Last, gamma, c.slope(gamma)}, &k.Scatter)
}

// full takes in the capacity that looks at a warm job showed.
func (k *known) full(c *catchUp) {
	k.passTo(c.Last)
	gamma, _ := k.Cost.gamma()
	mean := 0.0
	for _, l := range c.Looks {
		more, _ := inFull(gamma, l.Ckpt)
		mean += l.Weight * (l.Log + more) / c.weight()
	}
	long := c.Looks[len(c.Looks)-1].To - c.Looks[0].From
	k.Cells.at(c.At).Full.add(sample{mean, math.Min(1, long/blockSeconds), c.Last, gamma, c.slope(gamma)}, &k.Scatter)
}
