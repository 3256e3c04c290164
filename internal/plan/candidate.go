package plan

import (
	"math"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/recovery"
)

// candidate is one choice of resources, with what decides about it. Logarithms are
// natural, of records/s.
type candidate struct {
	knobs    job.Knobs
	behavior learn.Behavior
	cost     float64    // money per hour
	capacity float64    // log μ₀
	sigma    float64    // of it
	duration float64    // D, s
	loss     float64    // β
	wide     [2]float64 // standard deviations of the logarithms of D and β
	doubt    float64    // by how much the utilization may be more, as a factor
	tails    []tail     // one a failure of the policy
	busy     float64    // log of the greatest utilization allowed
	longest  float64    // interval that visibility and transactions allow, s
	interval float64    // that supports most, s
	supports support    // with it
	restarts [3]restart
}

// support is the greatest rates that settings can take, at the risk of the policy:
// means over a recovery, and peaks.
type support struct{ window, peak float64 }

// missing is by how much a demand is above what is supported, as a difference of
// logarithms: 0.1 says that about 10 % of capacity are missing.
func (s support) missing(e epoch) float64 {
	return max(0, e.window-s.window, e.peak-s.peak)
}

// least is the lower of both.
func (s support) least() float64 { return min(s.window, s.peak) }

// question is what all candidates are asked.
type question struct {
	in       Input
	target   float64 // R*, s
	z        float64 // standard normal of 1 − risk, widened by what scores ask for
	spread   float64 // of the logarithm of the rate
	failures []job.Failure
	periods  []float64  // intervals to choose from: free of restart with pacing
	last     int        // the best of them for the last candidate
	others   float64    // deviation of the logarithm of all but the downtime, about
	known    []restarts // by number of TaskManagers
}

// newCandidate scores resources.
func (q *question) newCandidate(k job.Knobs) candidate {
	c := candidate{knobs: k, behavior: q.in.Model.Behavior(k)}
	b := &c.behavior
	c.cost = k.PerHour(q.in.JobManager, q.in.Policy.Prices)
	c.capacity, c.sigma = math.Log(max(1e-9, b.Capacity.Median)), b.Capacity.LogSpread()
	c.duration, c.loss = b.Duration.Median, b.Loss.Median
	c.doubt = math.Exp(eachZ * math.Hypot(c.sigma, q.spread))
	known := q.restartsOf(k.TaskManagers(), b)
	c.tails, c.restarts = known.tails, known.restarts
	c.busy = math.Log(q.busiest(b))
	c.longest = q.longest(&c)
	c.interval, c.supports = q.best(&c, q.periods)
	return c
}

// busiest is the utilization that the policy allows: its limit, or less where
// latency asks for it.
func (q *question) busiest(b *learn.Behavior) float64 {
	limit, most := q.in.Policy.Latency.Seconds(), q.in.Policy.Utilization
	if !(most > 0) {
		most = defaultUtilization
	}
	if limit == 0 {
		return most
	}
	room := limit - b.LatencyBase.At(upperZ)
	if !(room > 0) {
		return 1e-9
	}
	return min(most, room/(room+b.LatencyQueue.At(upperZ)))
}

// defaultUtilization stands where a policy names no limit.
const defaultUtilization = 0.9

// longest is the interval at which visibility and transactions are just safe.
func (q *question) longest(c *candidate) float64 {
	most := math.Inf(1)
	if v := q.in.Policy.VisibilityLatency.Seconds(); v > 0 {
		most = v - c.behavior.Duration.At(upperZ)
	}
	if t := q.in.TransactionTimeoutSeconds; t != nil {
		for _, f := range q.failures {
			_, down := upperOf(downtimeOf(&c.behavior, Question{Failure: f}), upperZ)
			most = min(most, *t-down-c.behavior.Duration.At(upperZ))
		}
	}
	return most
}

// support at a period of checkpoints: the greatest rate at which the (1 − risk)
// quantile of a recovery from the greatest age is the target, and the greatest
// with which utilization and latency keep their limits.
//
//	K = μ₀(1 − βD/I_e)·h/(R* + I_e + D)
func (q *question) support(c *candidate, interval float64) support {
	every := recovery.EffectiveInterval(interval, q.in.MinPauseSeconds, c.duration)
	lost := c.loss * share(c.duration, every)
	if !(lost < 1) || interval > c.longest*(1+1e-9) {
		return support{window: -1e3, peak: -1e3}
	}
	effective := c.capacity + math.Log1p(-lost)
	wide := c.checkpointSpread(every, lost, q.target)
	s := support{window: math.Inf(1), peak: effective + c.busy - upperZ*math.Hypot(c.sigma, q.spread)}
	known := c.sigma*c.sigma + q.spread*q.spread + wide*wide
	for _, t := range c.tails {
		s.window = min(s.window, t.log-q.z*math.Sqrt(known+t.sigma*t.sigma))
	}
	s.window += effective - math.Log(q.target+every+c.duration)
	return s
}

// checkpointSpread is what the uncertainty of a checkpoint's duration and cost
// adds, to first order.
func (c *candidate) checkpointSpread(every, lost, target float64) float64 {
	rest := lost / (1 - lost)
	byDuration := (rest + c.duration/(target+every+c.duration)) * c.wide[0]
	return math.Hypot(byDuration, rest*c.wide[1])
}

// best is the interval that supports most, the longest of equals, by the limit that
// leaves least. What that supports rises with the interval, while less capacity
// goes into checkpoints, and then falls, while more has to be replayed: so it is
// climbed, from where the last one was.
func (q *question) best(c *candidate, all []float64) (interval float64, most support) {
	n := len(all)
	for n > 1 && all[n-1] > c.longest*(1+1e-9) {
		n--
	}
	i := min(q.last, n-1)
	most = q.support(c, all[i])
	for up := i + 1; up < n; up++ {
		s := q.support(c, all[up])
		if s.least() < most.least() {
			break
		}
		i, most = up, s
	}
	for down := i - 1; down >= 0; down-- {
		s := q.support(c, all[down])
		if s.least() <= most.least() {
			break
		}
		i, most = down, s
	}
	q.last = i
	return all[i], most
}

// spacing between restarts that are spread evenly over a day (s).
func (q *question) spacing() float64 {
	return 24 * 3600 / float64(max(1, q.in.Policy.Budget.RestartsPerDay))
}
