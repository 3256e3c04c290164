package recovery

// Case is one subtask's recovery at a constant rate.
type Case struct {
	Rate     float64 // λ, records/s
	Capacity float64 // μ, records/s, once warm
	Age      float64 // A, seconds
	Downtime float64 // T_d, seconds
	Warmup   Warmup
}

// Utilization is ρ = λ/μ.
func (c Case) Utilization() float64 { return c.Rate / c.Capacity }

// Time is R: (T_d + ρA)/(1 − ρ), or more where capacity has to warm up.
func (c Case) Time() Time {
	if !(c.Rate < c.Capacity) {
		return Time{Outcome: Never}
	}
	rho := c.Utilization()
	if c.Warmup.cold() == 0 {
		return ends((c.Downtime + rho*c.Age) / (1 - rho))
	}
	return ends(c.Downtime + c.Warmup.drain(rho*(c.Age+c.Downtime), rho))
}

// doneBy tells whether c has recovered at time t, which is cheaper than when.
func (c Case) doneBy(t Time) bool {
	rho, x := c.Utilization(), t.Seconds-c.Downtime
	return t.Outcome == Recovers && rho < 1 && x > 0 &&
		(1-rho)*x-c.Warmup.lost(x) >= rho*(c.Age+c.Downtime)
}

// Phases splits what follows the downtime: replay ends when the offsets of the
// failure are passed, catchUp when nothing waits any more. Downtime, replay and
// catchUp add up to Time. A job with ρ ≥ 1 still replays.
func (c Case) Phases() (replay, catchUp Time) {
	if !(c.Capacity > 0) {
		return Time{Outcome: Never}, Time{Outcome: Never}
	}
	replay = ends(c.Warmup.drain(c.Utilization()*c.Age, 0))
	catchUp = c.Time().after(-c.Downtime - replay.Seconds)
	catchUp.Seconds = max(0, catchUp.Seconds) // what rounding leaves
	return replay, catchUp
}

// OldestUnread is the age of the oldest record not yet processed, t seconds
// after the failure and before recovery: A + t during the downtime, after which
// it falls by μ/λ − 1 a second. Rate is more than 0.
func (c Case) OldestUnread(t float64) float64 {
	age := c.Age + t
	if x := t - c.Downtime; x > 0 {
		age -= (x - c.Warmup.lost(x)) / c.Utilization()
	}
	return max(0, age)
}

// Retention is how long a source must keep records so that none is deleted
// unread, whatever the order in which segments expire: the offsets restored are
// A old at the failure, and the outage lasts R.
func (c Case) Retention() Time { return c.Time().after(c.Age) }

// Slowest returns the subtask that is done last, the first of equals, and its
// time, which is the job's. Of no cases the index is -1 and the time 0.
func Slowest(cases []Case) (index int, t Time) {
	index = -1
	for i, c := range cases {
		if u := c.Time(); index < 0 || u.Compare(t) > 0 {
			index, t = i, u
		}
	}
	return index, t
}
