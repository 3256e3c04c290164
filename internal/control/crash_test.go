package control_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rebound/internal/control"
	"rebound/internal/job"
	"rebound/internal/plan"
)

// fault is what goes wrong, once, at the nth call that writes or acts.
type fault struct {
	at    int
	how   string // die | err, before | after the call took effect
	calls int
	names []string
}

var errFault = errors.New("injected")

// around makes the call go wrong if it is its turn.
func (f *fault) around(name string, call func() error) error {
	f.calls++
	f.names = append(f.names, name)
	if f.calls != f.at {
		return call()
	}
	switch f.how {
	case "die before":
		panic(errFault)
	case "die after":
		_ = call()
		panic(errFault)
	case "err after":
		_ = call()
	}
	return errFault
}

// faultyWorld and faultyJournal are a world and a journal in which one call goes
// wrong.
type faultyWorld struct {
	*fakeWorld
	*fault
}

func (w faultyWorld) Apply(ctx context.Context, c job.Change) error {
	return w.around("apply", func() error { return w.fakeWorld.Apply(ctx, c) })
}

func (w faultyWorld) Checkpoint(ctx context.Context, id string) error {
	return w.around("checkpoint", func() error { return w.fakeWorld.Checkpoint(ctx, id) })
}

type faultyJournal struct {
	*control.Memory
	*fault
	closed map[string]int
}

func (j faultyJournal) AddDecision(ctx context.Context, d job.Decision) (id string, err error) {
	err = j.around("add decision", func() (err error) {
		id, err = j.Memory.AddDecision(ctx, d)
		if d.State.Closed() {
			j.closed[id]++
		}
		return err
	})
	return id, err
}

func (j faultyJournal) UpdateDecision(ctx context.Context, d job.Decision) error {
	return j.around("update decision", func() error {
		err := j.Memory.UpdateDecision(ctx, d)
		if err == nil && d.State.Closed() {
			j.closed[d.ID]++
		}
		return err
	})
}

func (j faultyJournal) AddPredictions(ctx context.Context, p []job.Standing) (ids []string, err error) {
	err = j.around("add predictions", func() (err error) {
		ids, err = j.Memory.AddPredictions(ctx, p)
		return err
	})
	return ids, err
}

func (j faultyJournal) AddOutage(ctx context.Context, id job.Identity, m job.Measurement, p string, c *job.Recovery) error {
	return j.around("add outage", func() error { return j.Memory.AddOutage(ctx, id, m, p, c) })
}

func (j faultyJournal) AddWindow(ctx context.Context, w job.Window) error {
	return j.around("add window", func() error { return j.Memory.AddWindow(ctx, w) })
}

func (j faultyJournal) SaveState(ctx context.Context, id job.Identity, kind string, version int, state []byte) error {
	return j.around("save state", func() error { return j.Memory.SaveState(ctx, id, kind, version, state) })
}

func (j faultyJournal) AnswerRequest(ctx context.Context, r job.Request) error {
	return j.around("answer request", func() error { return j.Memory.AnswerRequest(ctx, r) })
}

// ordeal is half an hour in which much happens: a change, one that is found
// wanting and taken back, one that a user approves and takes back, a failure.
type ordeal struct {
	story
	f       *fault
	journal faultyJournal
	manual  bool
}

func newOrdeal(f *fault) *ordeal {
	o := &ordeal{f: f, journal: faultyJournal{control.NewMemory(), f, map[string]int{}}}
	o.story = story{world: newWorld(), planner: &fakePlanner{change: new(60.0)}, model: &fakeModel{}, policy: testPolicy()}
	o.policy.Budget.RestartsPerDay, o.policy.Cooldown = 0, 2*time.Minute
	return o
}

// begin starts a loop on what there is, until that works.
func (o *ordeal) begin(t *testing.T) {
	t.Helper()
	opts := o.options()
	opts.World, opts.Journal, opts.Tell = faultyWorld{o.world, o.f}, o.journal, nil
	opts.Policy.Approval.Manual = o.manual
	l, err := control.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	o.loop = l
	for range 3 {
		if o.survive(func() error { return l.Start(t.Context()) }) {
			return
		}
	}
	t.Fatal("the loop does not start")
}

// survive says whether a call came back without dying or failing.
func (o *ordeal) survive(call func() error) (ok bool) {
	defer func() {
		if r := recover(); r != nil && r != errFault { //nolint:errorlint // the value that was thrown
			panic(r)
		}
	}()
	return call() == nil
}

// run lets the job and the loop go on; a loop that dies is started anew.
func (o *ordeal) run(t *testing.T, d time.Duration) {
	for end := o.world.now.Add(d); o.world.now.Before(end); {
		next, died := 5*time.Second, true
		o.survive(func() (err error) {
			next, err = o.loop.Step(t.Context())
			died = false
			return err
		})
		if died {
			o.world.advance(3 * time.Second)
			o.begin(t)
		}
		o.world.advance(next)
	}
}

func (o *ordeal) want(p int) {
	o.planner.want = func(in plan.Input) job.Knobs {
		if p > 0 {
			in.Now.Parallelism = p
		}
		return in.Now
	}
}

func (o *ordeal) last() job.Decision {
	all := o.journal.All()
	return all[len(all)-1]
}

func (o *ordeal) live(t *testing.T) {
	o.begin(t)
	o.run(t, 10*time.Minute)
	o.want(14)
	o.run(t, 3*time.Minute)
	o.world.fail("app.UserException")
	o.run(t, 2*time.Minute)
	o.world.sick, o.world.fit = 0.3, o.world.knobs
	o.want(9)
	o.run(t, 2*time.Minute)
	o.want(0)
	o.run(t, 4*time.Minute)
	o.world.sick = 0
	o.manual = true
	o.begin(t)
	o.want(16)
	o.run(t, 90*time.Second)
	o.journal.Ask(job.Request{Job: jobID, At: o.world.now, Verb: job.ApproveRequest, Decision: o.last().ID})
	o.run(t, 2*time.Minute)
	o.want(0)
	o.journal.Ask(job.Request{Job: jobID, At: o.world.now, Verb: job.RollBackRequest, Decision: o.last().ID})
	o.run(t, 2*time.Minute)
	o.manual = false
	o.begin(t) // whatever waits for a person is dropped
	o.run(t, 12*time.Minute)
}

// stride is how many of the calls that store what is not needed to finish a
// decision share a fault.
const stride = 4

// Whatever call goes wrong, and however, every decision is closed once in the end,
// nothing was done that the journal does not have, what it calls done was done, and
// the job has the settings of the last change that was made.
func TestCrashAnywhere(t *testing.T) {
	calm := &fault{}
	o := newOrdeal(calm)
	o.live(t)
	o.check(t)
	if n := len(o.world.changes); n != 5 {
		t.Fatalf("without faults %d changes were made, want 5: there, there and back, there and back", n)
	}
	for i, how := range []string{"die before", "die after", "err before", "err after"} {
		for at := 1; at <= calm.calls; at++ {
			if (at+i)%stride != 0 && !strings.Contains(calm.names[at-1], "decision") && calm.names[at-1] != "apply" {
				continue
			}
			f := &fault{at: at, how: how}
			t.Run(fmt.Sprintf("%s call %d %s", how, at, calm.names[at-1]), func(t *testing.T) {
				o := newOrdeal(f)
				o.live(t)
				o.check(t)
				if t.Failed() {
					o.log(t)
				}
			})
		}
	}
}

func (o *ordeal) log(t *testing.T) {
	for _, d := range o.journal.All() {
		t.Logf("%s %s %s %s p %d → %d: %s (takes back %q)", d.ID, clock(d.At), d.Kind, d.State,
			d.Seen.Knobs.Parallelism, d.Proposed.Want.Parallelism, d.Outcome, d.RollsBack)
	}
}

func (o *ordeal) check(t *testing.T) {
	t.Helper()
	made := map[string]job.Change{}
	last := o.world.first
	for _, c := range o.world.changes {
		made[c.ID] = c
		last.Parallelism = c.Want.Parallelism["src"]
	}
	if o.world.knobs != last || o.world.down() {
		t.Errorf("the job has %s, the last change made it %s", o.world.knobs, last)
	}
	back := map[string]int{}
	for _, d := range o.journal.All() {
		_, done := made[d.ID]
		delete(made, d.ID)
		if n := o.journal.closed[d.ID]; n != 1 || !d.State.Closed() {
			t.Errorf("decision %s is %s and was closed %d times", d.ID, d.State, n)
		}
		switch d.State {
		case job.Verified, job.RolledBack:
			if !done && d.Applied != nil && d.Kind == job.Reconfigure {
				t.Errorf("decision %s is %s and was not carried out", d.ID, d.State)
			}
		default:
			if done {
				t.Errorf("decision %s is %s (%s), and was carried out", d.ID, d.State, d.Outcome)
			}
		}
		if d.RollsBack != "" && done {
			back[d.RollsBack]++
		}
	}
	for _, d := range o.journal.All() {
		if n := back[d.ID]; n > 1 || n == 0 && d.State == job.RolledBack {
			t.Errorf("decision %s is %s and was taken back %d times", d.ID, d.State, n)
		}
	}
	outages := map[job.Failure]int{}
	for _, out := range o.journal.Outages() {
		outages[out.Measurement.Failure]++
		if out.Measurement.Failure != "" && out.Standing == nil {
			t.Errorf("the failure at %s has no prediction that stood", clock(out.Measurement.At))
		}
	}
	if n := outages[job.TaskFailure]; n != 1 || len(outages) > 2 {
		t.Errorf("%v outages in the journal, want one of a task", outages)
	}
	for id := range made {
		t.Errorf("change %s was made, and the journal has no such decision", id)
	}
}
