package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rebound/internal/explore"
	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/policy"
)

// Options are what a Loop works with. World, Planner, Forecaster, Journal, Model
// and Policy must be there; the zero value of the others means the default.
type Options struct {
	World      World
	Planner    Planner
	Forecaster Forecaster // one step of it is Decide long
	Journal    Journal
	Model      Learner
	Policy     policy.Policy

	Explore  Explore     // what to profile, where the policy has a budget for it; nil: explore.Next
	Approver Approver    // nil: whatever needs approval of a program or a URL is refused
	Fleet    *Fleet      // nil: the job is alone
	Tell     func(Event) // nil: nobody listens

	Every   time.Duration // between two looks while something happens; 5 s
	Idle    time.Duration // between two looks in calm times; 15 s
	Decide  time.Duration // between two decisions; 1 min
	Store   time.Duration // between two times that what is learned is stored; 10 min
	Horizon time.Duration // of the forecast; 3 h
	Seed    uint64        // of all draws
}

func (o *Options) defaults() {
	for _, f := range []struct {
		value    *time.Duration
		standard time.Duration
	}{{&o.Every, 5 * time.Second}, {&o.Idle, 15 * time.Second}, {&o.Decide, time.Minute}, {&o.Store, 10 * time.Minute}, {&o.Horizon, 3 * time.Hour}} {
		if *f.value == 0 {
			*f.value = f.standard
		}
	}
	if o.Fleet == nil {
		o.Fleet = &Fleet{}
	}
	if o.Explore == nil {
		o.Explore = explore.Next
	}
}

func (o *Options) validate() error {
	var errs []error
	for name, there := range map[string]bool{
		"World": o.World != nil, "Planner": o.Planner != nil, "Forecaster": o.Forecaster != nil,
		"Journal": o.Journal != nil, "Model": o.Model != nil,
	} {
		if !there {
			errs = append(errs, errors.New(name+": absent"))
		}
	}
	if o.Policy.RecoveryTime <= 0 {
		errs = append(errs, fmt.Errorf("RecoveryTime: %v, want more than 0", o.Policy.RecoveryTime))
	}
	return errors.Join(errs...)
}

// Loop keeps one job within its policy. Its methods must not be called
// concurrently.
type Loop struct {
	Options

	job   job.Identity
	now   time.Time // of the last look, our clock
	looks int
	moved time.Time // when the JobManager's clock was seen to move last
	clock time.Time // what it showed

	situation    learn.Situation
	track        tracker
	minute       minute
	ledger       ledger
	act          *action // the decision that is being carried out or waits
	pacer        pacer
	copies       profiles
	warned       map[string]string // what was warned of last, by subject
	owed         []Outcome         // that the journal has not taken yet
	unplannedFor int               // minutes in a row in which nothing could be planned
	again        bool              // the journal was not reachable: see what became of it
	saved        time.Time
}

// New checks o and makes a Loop of it. Start comes next.
func New(o Options) (*Loop, error) {
	o.defaults()
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("control: %w", err)
	}
	return &Loop{Options: o, ledger: newLedger()}, nil
}

// Step looks at the job once and does what is due. It returns how soon to look
// again, also beside an error, which says that the journal could not be read or
// written: what failed is tried anew at the next look. That the world cannot be
// seen, or does not do what it is asked, is told as an event.
func (l *Loop) Step(ctx context.Context) (next time.Duration, err error) {
	o, err := l.World.Observe(ctx)
	if ctx.Err() != nil {
		return l.Every, ctx.Err()
	}
	if err != nil {
		l.situation = l.track.miss()
		if l.track.missed > 1 { // one that is lost is no news
			l.warn("observe", "the job cannot be seen: "+err.Error())
		}
		return l.Every, nil
	}
	l.warn("observe", "")
	k := l.take(o)
	err = l.work(ctx, k)
	return l.next(k), err
}

// take brings the loop's own picture up to date.
func (l *Loop) take(o job.Observation) *look {
	k := newLook(o)
	l.job, l.now = o.Job, k.at
	l.looks++
	if !k.server.Equal(l.clock) || l.moved.IsZero() {
		l.clock, l.moved = k.server, k.at
	}
	return &k
}

// work does what is due at a look. Each part is tried, whatever became of the
// others: a full disk does not stop the loop from looking.
func (l *Loop) work(ctx context.Context, k *look) error {
	var errs []error
	try := func(err error) { errs = append(errs, err) }
	if l.again {
		try(l.reconcile(ctx))
	}
	s, ended := l.track.see(k, l.act.planned())
	l.situation = s
	l.freeze(k)
	l.Model.Observe(k.obs, s)
	try(l.storeOutages(ctx))
	for _, i := range ended {
		try(l.measured(ctx, i))
	}
	l.minute.add(k, s)
	try(l.requests(ctx, k))
	try(l.pursue(ctx, k))
	if l.minute.due(k.at, l.Decide) {
		try(l.eachMinute(ctx, k))
	}
	l.pace(ctx, k)
	if k.at.Sub(l.saved) >= l.Store {
		try(l.Save(ctx))
	}
	return errors.Join(errs...)
}

// next is how soon to look again.
func (l *Loop) next(k *look) time.Duration {
	next := l.Idle
	if l.situation != learn.Calm || l.act.busy() {
		next = l.Every
	}
	if l.act.preparing() {
		next = min(next, time.Second)
	}
	if due, ok := l.pacer.due(k, &l.ledger, l.situation); ok {
		next = min(next, max(time.Second, due))
	}
	return next
}

// eachMinute closes the minute that is over, forecasts and decides.
func (l *Loop) eachMinute(ctx context.Context, k *look) error {
	w := l.minute.close(k, l)
	l.tell(Observed, "", inWords(w))
	err := l.Journal.AddWindow(ctx, w)
	if err != nil {
		err = fmt.Errorf("store what was seen: %w", err)
	}
	return errors.Join(err, l.readProfiles(ctx), l.followProfiles(ctx), l.decide(ctx, k))
}
