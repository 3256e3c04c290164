package plan

import (
	"math"
	"math/rand/v2"
	"slices"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/recovery"
)

// What varies from one draw to the next.
const (
	byAge = iota
	byLoad
	byCapacity
	byStart
	byTau
	byDuration
	byLoss
	byPhase    // and the three after it
	dimensions = byPhase + 4
)

// moment is when a failure comes between two checkpoints.
type moment int

// A failure comes at any moment, or just before a checkpoint completes.
const (
	atRandom moment = iota
	atWorst
)

// draw is one recovery.
type draw struct {
	phases   [4]float64
	replayed float64 // records to process again
	outage   outage
	time     recovery.Time
}

// sampler draws recoveries of one behavior. The same seed gives the same ranks to
// every behavior, so that two of them differ by what they are and not by chance.
type sampler struct {
	ranks [dimensions][draws]float64
	laws  [dimensions]law
}

// law is the distribution of a quantity, ready to be drawn from often.
type law struct {
	recovery.Uncertain
	sigma float64
}

func (l law) at(z float64) float64 {
	if l.sigma > 0 {
		return l.Median * math.Exp(l.sigma*z)
	}
	return l.At(z)
}

func newSampler(b learn.Behavior, d learn.Downtime, q Question) *sampler {
	s, warm := &sampler{}, b.Warm
	if d.Cold {
		warm = b.Cold
	}
	for k, u := range [dimensions]recovery.Uncertain{
		byCapacity: b.Capacity, byStart: warm.Start, byTau: warm.Tau, byDuration: b.Duration, byLoss: b.Loss,
		byPhase: d.Phases[0], byPhase + 1: d.Phases[1], byPhase + 2: d.Phases[2], byPhase + 3: d.Phases[3],
	} {
		s.laws[k] = law{u, u.LogSpread()}
	}
	rng := rand.New(rand.NewPCG(q.Seed, 1))
	for i := range draws / 2 {
		z := quantileZ((float64(i) + 0.5) / draws)
		for k := range s.ranks {
			s.ranks[k][i], s.ranks[k][draws-1-i] = z, -z
		}
	}
	for k := range s.ranks {
		rng.Shuffle(draws, func(i, j int) { s.ranks[k][i], s.ranks[k][j] = s.ranks[k][j], s.ranks[k][i] })
	}
	return s
}

// uniform is the share of draws below the one whose standard normal is z.
func uniform(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// sample draws all recoveries from a failure at a moment, the soonest first.
func (s *sampler) sample(p *paths, at float64, q Question, m moment) sample {
	out := sample{draws: make([]draw, draws), scale: q.scale()}
	for i := range out.draws {
		value := func(k int) float64 { return s.laws[k].at(s.ranks[k][i]) }
		d := &out.draws[i]
		o := outage{at: at, lag: q.Lag, warmup: recovery.Warmup{Start: value(byStart), Tau: value(byTau)}}
		for k := range d.phases {
			d.phases[k] = value(byPhase + k)
			o.down += d.phases[k]
		}
		duration := value(byDuration)
		every := q.interval(duration)
		switch {
		case q.Age != nil:
			o.age = *q.Age
		case q.Change == job.Savepoint:
		case q.Change != "":
			o.age = duration
		case m == atWorst:
			o.age = duration + every
		default:
			o.age = duration + every*uniform(s.ranks[byAge][i])
		}
		o.capacity = value(byCapacity) * max(0, 1-value(byLoss)*share(duration, every))
		load := p.at(s.ranks[byLoad][i])
		d.replayed, d.outage, d.time = load.between(at-o.age, at), o, load.time(o)
	}
	slices.SortFunc(out.draws, func(a, b draw) int { return a.time.Compare(b.time) })
	return out
}

// share of time in which a checkpoint runs, D/I_e.
func share(duration, every float64) float64 {
	if !(every > 0) {
		return 0
	}
	return duration / every
}

// sample is a distribution of recoveries.
type sample struct {
	draws []draw // the soonest first
	scale float64
}

// quantile is the time within which a share p of recoveries end.
func (s sample) quantile(p float64) recovery.Time {
	t, median := s.raw(p), s.raw(0.5)
	if s.scale == 1 || t.Outcome != recovery.Recovers || median.Outcome != recovery.Recovers || !(median.Seconds > 0) {
		return t
	}
	t.Seconds = median.Seconds * math.Pow(t.Seconds/median.Seconds, s.scale)
	return t
}

// raw is the quantile before it is stretched: draw i stands for the rank
// (i + ½)/n.
func (s sample) raw(p float64) recovery.Time {
	at := min(float64(len(s.draws)-1), max(0, p*float64(len(s.draws))-0.5))
	i := int(at)
	t, part := s.draws[i].time, at-float64(i)
	if part == 0 || t.Outcome != recovery.Recovers {
		return t
	}
	next := s.draws[i+1].time
	if next.Outcome != recovery.Recovers {
		return next
	}
	return recovery.Time{Seconds: t.Seconds + part*(next.Seconds-t.Seconds)}
}

// phases are those of a recovery of median length: means over the tenth of the
// draws around it, brought to add up to it.
func (s sample) phases(down learn.Downtime) []job.PhaseTime {
	var sum [6]float64
	n := len(s.draws)
	for _, d := range s.draws[n/2-n/20 : n/2+n/20+1] {
		if d.time.Outcome != recovery.Recovers {
			continue
		}
		for k, v := range d.phases {
			sum[k] += v
		}
		o, replay := d.outage, 0.0
		if o.age > 0 {
			c := recovery.Case{Rate: d.replayed / o.age, Age: o.age, Capacity: o.capacity, Warmup: o.warmup}
			t, _ := c.Phases()
			replay = min(t.Seconds, d.time.Seconds-o.down)
		}
		sum[4] += replay
		sum[5] += max(0, d.time.Seconds-o.down-replay)
	}
	total := 0.0
	for _, v := range sum {
		total += v
	}
	median, out := s.quantile(0.5).Seconds, make([]job.PhaseTime, 0, len(sum))
	for k, f := range job.Phases() {
		t := job.PhaseTime{Phase: f, Source: job.Measured, Samples: down.Samples}
		if total > 0 {
			t.Seconds = sum[k] * median / total
		}
		if k < len(down.Phases) {
			t.Spread, t.Source = down.Phases[k].Spread, down.Source
		}
		out = append(out, t)
	}
	s.spread(out[4:])
	return out
}

// spread gives what the uncertainty of the whole leaves to replay and catch-up, in
// proportion.
func (s sample) spread(rest []job.PhaseTime) {
	low, high, sum := s.quantile(0.05), s.quantile(0.95), 0.0
	for _, t := range rest {
		sum += t.Seconds
	}
	if high.Outcome != recovery.Recovers || !(sum > 0) {
		return
	}
	for k := range rest {
		rest[k].Spread = (high.Seconds - low.Seconds) / 2 * rest[k].Seconds / sum
	}
}

// visibility adds what a read-committed reader waits for: the first commit comes
// one period and one checkpoint after the downtime, and its lateness is back in
// its band half a period after the catch-up.
func visibility(r *job.Recovery, every, duration float64) {
	down := 0.0
	for _, p := range r.Phases {
		if p.Phase.Downtime() {
			down += p.Seconds
		}
	}
	first := recovery.FirstCommit(down, every, duration)
	visible := max(first, *r.MedianSeconds+every/2+duration)
	r.FirstCommitSeconds, r.VisibleSeconds = &first, &visible
}

// unknownDowntime stands where nobody says anything of a kind of restart.
func unknownDowntime(cold bool) learn.Downtime {
	return learn.Downtime{
		Phases: [4]recovery.Uncertain{2: {Median: 20, Spread: 15}, 3: {Median: 10, Spread: 10}},
		Cold:   cold, Source: job.Assumed,
	}
}

// downtimeOf is the downtime that q asks for.
func downtimeOf(b *learn.Behavior, q Question) learn.Downtime {
	d, ok := b.Down[q.Failure]
	if q.Change != "" {
		d, ok = b.Change[q.Change]
	}
	if !ok {
		return unknownDowntime(q.Change != job.InPlace && q.Failure != job.TaskFailure)
	}
	return d
}

func outcomeOf(t recovery.Time) job.Outcome {
	switch t.Outcome {
	case recovery.Recovers:
		return job.Recovers
	case recovery.BeyondHorizon:
		return job.BeyondHorizon
	default:
		return job.Never
	}
}

// unless is the outcome where it is not the usual one.
func unless(t recovery.Time) job.Outcome {
	if t.Outcome == recovery.Recovers {
		return ""
	}
	return outcomeOf(t)
}

func seconds(t recovery.Time) *float64 {
	if t.Outcome != recovery.Recovers {
		return nil
	}
	return new(t.Seconds)
}

// scale is the factor on the width, 1 where nothing is known of it.
func (q Question) scale() float64 {
	if q.Scale > 0 {
		return q.Scale
	}
	return 1
}
