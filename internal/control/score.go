package control

import (
	"context"
	"fmt"
	"maps"
	"math"
	"time"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/plan"
	"rebound/internal/recovery"
)

// ModelVersion names the way in which predictions are made, in the journal.
const ModelVersion = "loop-1"

// frozen is what was believed when an interruption began: what is predicted of it
// must not have learned from it.
type frozen struct {
	knobs    job.Knobs
	behavior learn.Behavior
	load     plan.Load
	interval float64 // s, that was in force
	lag      float64 // records that waited already
	scale    float64
	standing map[job.Failure]standing
}

// freeze keeps what is believed as soon as an interruption shows, before anything
// is learned from it.
func (l *Loop) freeze(k *look) {
	i := l.track.open
	if i == nil || i.belief != nil || !i.seenAt.Equal(k.server) {
		return
	}
	if i.change == nil && i.watched {
		l.tell(Outage, "", "the job is down")
	}
	if !i.watched || !i.before.known {
		return
	}
	knobs := i.before.knobs
	if i.change != nil && l.act != nil && i.change == l.act.cause {
		knobs = l.act.want // with which it comes back
	}
	b := l.Model.Behavior(knobs)
	b.Down, b.Change = maps.Clone(b.Down), maps.Clone(b.Change)
	i.belief = &frozen{
		knobs: knobs, behavior: b, load: l.Forecaster.Forecast(l.Horizon.Seconds()),
		interval: l.intervalOf(&i.before), scale: l.scale(), standing: maps.Clone(l.ledger.Standing),
	}
	if i.rate != nil {
		i.belief.load.Now = *i.rate
	}
	if i.before.lag != nil {
		i.belief.lag = max(0, *i.before.lag-i.usual)
	}
}

// intervalOf is the period of checkpoints in force: the pace, else what is
// configured.
func (l *Loop) intervalOf(k *look) float64 {
	if l.ledger.Pace > 0 && l.paces() {
		return min(l.ledger.Pace, k.knobs.IntervalSeconds)
	}
	return k.knobs.IntervalSeconds
}

// scale is by how much past predictions were too sure.
func (l *Loop) scale() float64 { return recovery.FittedScale(l.ledger.Scores) }

// predict renews the predictions that stand, where they have changed.
func (l *Loop) predict(ctx context.Context, k *look, in *plan.Input) error {
	now := basis{At: k.at, Knobs: k.knobs, Interval: l.intervalOf(k), Scale: l.scale(), Rate: in.Load.Now}
	if l.ledger.Basis.holds(now) {
		return nil
	}
	l.ledger.Basis = now
	var news []job.Standing
	var which []standing
	b := l.Model.Behavior(k.knobs)
	for _, f := range l.Policy.Failures {
		r := plan.Recovery(b, in.Load, plan.Question{
			Knobs: k.knobs, Failure: f, Risk: l.Policy.Risk, At: new(0.0),
			Interval: now.Interval, MinPause: in.MinPauseSeconds, Scale: now.Scale, Seed: l.Seed,
		})
		s := standing{At: k.at, Median: known(r.MedianSeconds), P95: known(r.P95Seconds), Knobs: k.knobs}
		if old, ok := l.ledger.Standing[f]; ok && old.holds(s) {
			continue
		}
		which = append(which, s)
		news = append(news, job.Standing{
			Job: l.job, Incarnation: k.obs.ID, At: k.at, ServerAt: k.server, Recovery: r, Settings: k.obs.Settings,
			ModelVersion: ModelVersion, Seed: l.Seed, InputHash: k.hashed(),
		})
	}
	if len(news) == 0 {
		return nil
	}
	ids, err := l.Journal.AddPredictions(ctx, news)
	if err != nil {
		l.ledger.Basis = basis{}
		return fmt.Errorf("store predictions: %w", err)
	}
	for i, id := range ids {
		which[i].ID = id
		l.ledger.Standing[news[i].Recovery.Failure] = which[i]
	}
	return nil
}

const (
	// sameWithin: a prediction that moves by less is the same one.
	sameWithin = 0.05
	// standsAtMost is how long a prediction stands before it is made anew.
	standsAtMost = 10 * time.Minute
)

// basis is what a prediction rests on that changes from minute to minute.
type basis struct {
	At       time.Time `json:"at"`
	Knobs    job.Knobs `json:"knobs"`
	Interval float64   `json:"interval_seconds"`
	Scale    float64   `json:"scale"`
	Rate     float64   `json:"rate_per_second"`
}

// holds says whether a prediction made on b is still the one to make. Its parts
// count half, since they act together.
func (b basis) holds(now basis) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= sameWithin/2*max(x, y) }
	return b.Knobs == now.Knobs && near(b.Interval, now.Interval) && near(b.Scale, now.Scale) &&
		near(b.Rate, now.Rate) && now.At.Sub(b.At) < standsAtMost
}

// holds says whether s still says the same as a newer prediction.
func (s standing) holds(newer standing) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= sameWithin*max(a, b) }
	return s.Knobs == newer.Knobs && near(s.Median, newer.Median) && near(s.P95, newer.P95) &&
		newer.At.Sub(s.At) < standsAtMost
}

// measured takes an interruption that is over: the model learns from it, the
// prediction that stood is scored, the action that caused it is told.
func (l *Loop) measured(ctx context.Context, i *interruption) error {
	m := i.measurement(i.belief.believed(i))
	l.act.saw(i, m)
	if i.beside != "" {
		m = i.asFailure(m)
	}
	if !i.watched || i.disturbed != "" && !i.told() {
		return nil
	}
	if i.clear() {
		l.Model.Measured(m)
	}
	conditional, id := l.judge(i, m)
	if conditional == nil && id == "" && m.Disturbed == "" {
		m.Disturbed = i.unjudged()
	}
	l.tell(Recovered, "", verdict(m, conditional))
	l.owed = append(l.owed, Outcome{Job: l.job, Measurement: m, Conditional: conditional, standing: id})
	return l.storeOutages(ctx)
}

// storeOutages writes down what is over. What cannot be written now is at the next
// look.
func (l *Loop) storeOutages(ctx context.Context) error {
	if len(l.owed) == 0 {
		return nil
	}
	for len(l.owed) > 0 {
		o := l.owed[0]
		if err := l.Journal.AddOutage(ctx, o.Job, o.Measurement, o.standing, o.Conditional); err != nil {
			return fmt.Errorf("store the outage: %w", err)
		}
		l.owed = l.owed[1:]
	}
	return l.saveLedger(ctx)
}

// believed are the parts of the downtime that nothing shows.
func (f *frozen) believed(i *interruption) believed {
	if f == nil || i.failure == "" {
		return believed{}
	}
	d, ok := f.behavior.Down[i.failure]
	if !ok {
		return believed{}
	}
	return believed{d.Phases[0].Median, d.Phases[1].Median}
}

// unjudged is why no prediction is held against it; empty: none stood.
func (i *interruption) unjudged() string {
	switch {
	case !i.calm:
		return "the job was behind already"
	case i.belief == nil:
		return "what it ran with was not known"
	case i.amid:
		return "the one before had not been caught up with"
	}
	return ""
}

// judge is what had been predicted of a failure: given the age of the checkpoint
// that was restored, by the model as it was before, and the ID of the prediction
// that stood. A job that was not calm had no prediction.
func (l *Loop) judge(i *interruption, m job.Measurement) (*job.Recovery, string) {
	f := i.belief
	if f == nil || !i.calm || i.disturbed != "" {
		return nil, ""
	}
	id := f.standing[m.Failure].ID
	if i.amid { // what stood was said of a job that has caught up
		id = ""
	}
	if m.AgeSeconds == nil || !i.clear() {
		return nil, id
	}
	r := plan.Recovery(f.behavior, f.load, plan.Question{
		Knobs: f.knobs, Failure: m.Failure, Change: m.Change, Risk: l.Policy.Risk, Age: m.AgeSeconds, At: new(0.0),
		Interval: f.interval, Lag: f.lag, Scale: f.scale, Seed: l.Seed,
	})
	if m.Failure != "" && m.RecoverySeconds != nil && r.P05Seconds != nil && r.MedianSeconds != nil && r.P95Seconds != nil {
		// The scale is learned of widths that it has not been applied to.
		plain := func(q float64) float64 { return *r.MedianSeconds * math.Pow(q / *r.MedianSeconds, 1/f.scale) }
		l.ledger.scored(recovery.Scored{
			P05: plain(*r.P05Seconds), Median: *r.MedianSeconds, P95: plain(*r.P95Seconds), Measured: *m.RecoverySeconds,
		})
	}
	return &r, id
}

// took puts a measurement into words.
func took(m job.Measurement) string {
	switch {
	case m.RecoverySeconds != nil && m.DowntimeSeconds != nil:
		return fmt.Sprintf("%.0f s, of which %.0f s nothing ran", *m.RecoverySeconds, *m.DowntimeSeconds)
	case m.AtLeastSeconds != nil:
		return fmt.Sprintf("not within %.0f s", *m.AtLeastSeconds)
	}
	return "how long it took cannot be told"
}

// verdict compares a recovery with what was predicted of it.
func verdict(m job.Measurement, r *job.Recovery) string {
	s := fmt.Sprintf("%s failure: recovered in %s", m.Failure, took(m))
	switch {
	case m.Failure == "":
		s = "back after the change: " + took(m)
	case m.RecoverySeconds == nil:
		s = fmt.Sprintf("%s failure: recovered %s", m.Failure, took(m))
	}
	if r == nil || r.MedianSeconds == nil {
		return s
	}
	s += fmt.Sprintf("; predicted %.0f s", *r.MedianSeconds)
	if r.P05Seconds != nil && r.P95Seconds != nil {
		s += fmt.Sprintf(" (%.0f to %.0f s)", *r.P05Seconds, *r.P95Seconds)
	}
	return s
}
