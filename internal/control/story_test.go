package control_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rebound/internal/control"
	"rebound/internal/explore"
	"rebound/internal/job"
	"rebound/internal/plan"
	"rebound/internal/policy"
)

// story is one script: a job, its loop, and what is told of it.
type story struct {
	world   *fakeWorld
	planner *fakePlanner
	model   *fakeModel
	journal *control.Memory
	policy  policy.Policy
	loop    *control.Loop
	told    strings.Builder
	answer  string     // of the approver; empty: there is none
	next    *job.Knobs // what to profile; nil: nothing
	why     string
	asked   []explore.Input
}

func (s *story) explore(in explore.Input) (job.Exploration, bool, string) {
	s.asked = append(s.asked, in)
	if s.next == nil {
		return job.Exploration{}, false, s.why
	}
	hours := s.next.Cores(job.TaskManagerResources{}) / 6
	if hours > in.CoreHours {
		return job.Exploration{}, false, fmt.Sprintf("it would take %.3g core-hours, %.3g are left", hours, in.CoreHours)
	}
	return job.Exploration{Knobs: *s.next, Seconds: 600, CoreHours: hours, Reason: s.why}, true, s.why
}

func testPolicy() policy.Policy {
	p := policy.Default()
	p.RecoveryTime, p.Mode = 180*time.Second, job.ModeApply
	p.Knobs = policy.Knobs{
		CheckpointInterval: policy.Range{Min: 5, Max: 120}, Parallelism: policy.Range{Min: 1, Max: 100},
		CPU: policy.Range{Min: 0.5, Max: 4}, Memory: policy.Range{Min: job.GiB, Max: 8 * job.GiB}, Slots: policy.Range{Min: 1, Max: 4},
	}
	return p
}

func newStory(t testing.TB) *story {
	s := &story{world: newWorld(), planner: &fakePlanner{}, model: &fakeModel{}, journal: control.NewMemory(), policy: testPolicy()}
	s.start(t)
	return s
}

// start begins the loop, also after a crash: only world and journal stay.
func (s *story) start(t testing.TB) {
	t.Helper()
	var err error
	s.loop, err = control.New(s.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.loop.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *story) options() control.Options {
	o := control.Options{
		World: s.world, Planner: s.planner, Forecaster: control.NewSimple(time.Minute), Journal: s.journal, Model: s.model,
		Policy: s.policy, Tell: s.tell, Seed: 1, Explore: s.explore,
	}
	if s.answer != "" {
		o.Approver = approver(s.answer)
	}
	return o
}

// approver says yes where the text begins with it.
type approver string

func (a approver) Approve(_ context.Context, _ job.Decision) (bool, string) {
	return strings.HasPrefix(string(a), "yes"), string(a)
}

func (s *story) tell(e control.Event) {
	if e.Kind == control.Observed || e.Kind == control.Checkpoint {
		return
	}
	fmt.Fprintf(&s.told, "%s %s: %s\n", clock(e.At), e.Kind, strings.TrimSpace(e.Decision+" "+e.Text))
}

// clock prints the time since the beginning.
func clock(t time.Time) string {
	d := t.Sub(epoch)
	return fmt.Sprintf("%02d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

func (s *story) run(t testing.TB, d time.Duration) {
	t.Helper()
	for end := s.world.now.Add(d); s.world.now.Before(end); {
		next, err := s.loop.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.world.advance(min(next, end.Sub(s.world.now)))
	}
}

// TestStories runs the scripts in testdata. Commands: rate N; plan p=N | plan
// stay | plan pace=S; run D; fail EXCEPTION; miss, see WHAT; policy KEY=VALUE; ask
// VERB [ID]; crash; decisions; world; explore p=N WHY | explore none WHY; profiles.
func TestStories(t *testing.T) {
	runScripts(t, "testdata/story", func(t *testing.T) func(t *testing.T, words []string) string {
		s := newStory(t)
		return func(t *testing.T, words []string) string {
			s.told.Reset()
			s.command(t, words[0], words[1:])
			if s.told.Len() == 0 {
				return "ok\n"
			}
			return s.told.String()
		}
	})
}

func (s *story) command(t *testing.T, name string, args []string) {
	switch name {
	case "rate":
		s.world.rate = number(t, args[0])
	case "plan":
		s.plan(t, args)
	case "run":
		span, err := time.ParseDuration(args[0])
		if err != nil {
			t.Fatal(err)
		}
		s.run(t, span)
	case "fail":
		s.world.fail(args[0])
	case "miss":
		s.world.missing[args[0]] = true
	case "see":
		delete(s.world.missing, args[0])
	case "policy":
		s.setPolicy(t, args)
		s.start(t)
	case "world":
		s.setWorld(t, args)
	case "ask":
		r := job.Request{Job: jobID, At: s.world.now, Verb: job.RequestVerb(args[0]), By: "kim"}
		if len(args) > 1 {
			r.Decision = args[1]
		}
		s.journal.Ask(r)
	case "crash": // and away for a while
		if len(args) > 0 {
			away, err := time.ParseDuration(args[0])
			if err != nil {
				t.Fatal(err)
			}
			s.world.advance(away)
		}
		s.start(t)
	case "explore":
		s.next, s.why = nil, strings.Join(args[1:], " ")
		if p, ok := strings.CutPrefix(args[0], "p="); ok {
			s.next = new(s.world.knobs)
			s.next.Parallelism = int(number(t, p))
		}
	case "profiles":
		s.profiles(t)
	case "decisions":
		for _, d := range s.journal.All() {
			if d.Kind == job.Pace {
				continue
			}
			fmt.Fprintf(&s.told, "%s %s %s p %d → %d: %s", d.ID, clock(d.At), d.State, d.Seen.Knobs.Parallelism, d.Proposed.Want.Parallelism, d.Outcome)
			if d.RollsBack != "" {
				fmt.Fprintf(&s.told, " (takes back %s)", d.RollsBack)
			}
			s.told.WriteByte('\n')
		}
	case "job":
		fmt.Fprintf(&s.told, "%s, %.0f wait, %d changes, %d checkpoints on request\n", s.world.knobs, s.world.lag, len(s.world.changes), s.world.asked)
	case "measured":
		for _, o := range s.journal.Outages() {
			m := o.Measurement
			fmt.Fprintf(&s.told, "journal: %s %s%s%s: recovered %s, at least %s, a prediction stood: %v, given the age: %v\n", clock(m.At), m.Failure, m.Change, words(m.Disturbed),
				text(m.RecoverySeconds), text(m.AtLeastSeconds), o.Standing != nil, o.Conditional != nil)
		}
		for _, m := range s.model.measured {
			fmt.Fprintf(&s.told, "%s %s%s: down %s, recovered %s, age %s\n", clock(m.At), m.Failure, m.Change, text(m.DowntimeSeconds), text(m.RecoverySeconds), text(m.AgeSeconds))
		}
	default:
		t.Fatalf("%s: unknown command", name)
	}
}

// profiles are what the journal has, what the model heard of, and what ran.
func (s *story) profiles(t *testing.T) {
	ps, err := s.journal.Profiles(t.Context(), jobID, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range slices.Backward(ps) {
		fmt.Fprintf(&s.told, "%s %s p %d, %.3g core-hours: %s\n", p.ID, p.State, p.Knobs.Parallelism, p.CPUCoreHours, p.Reason)
	}
	for _, p := range s.model.profiled {
		fmt.Fprintf(&s.told, "the model heard of %s, which is %s\n", p.ID, p.State)
	}
	fmt.Fprintf(&s.told, "%d copies ran, %d changes\n", len(s.world.copies), len(s.world.changes))
}

func text(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f s", *v)
}

func (s *story) plan(t *testing.T, args []string) {
	s.planner.want, s.planner.pace, s.planner.needed = nil, nil, false
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "p":
			p := int(number(t, value))
			s.planner.want = func(in plan.Input) job.Knobs { in.Now.Parallelism = p; return in.Now }
		case "cpu":
			c := number(t, value)
			s.planner.want = func(in plan.Input) job.Knobs { in.Now.CPUCores = c; return in.Now }
		case "fit": // twice what arrives, as a planner without any sense would
			s.planner.want = func(in plan.Input) job.Knobs {
				in.Now.Parallelism = max(1, int(2*in.Load.Now/perCore+0.5))
				return in.Now
			}
		case "pace":
			s.planner.pace = new(number(t, value))
		case "needed":
			s.planner.needed = true
		case "change":
			s.planner.change = new(number(t, value))
		case "stay":
		default:
			t.Fatalf("plan: %s?", arg)
		}
	}
}

func (s *story) setPolicy(t *testing.T, args []string) {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "mode":
			s.policy.Mode = job.Mode(value)
		case "restarts":
			s.policy.Budget.RestartsPerDay = int(number(t, value))
		case "profiling":
			s.policy.Budget.ProfilingCoreHours = number(t, value)
		case "manual":
			s.policy.Approval.Manual = true
		case "hook":
			s.policy.Approval.Command, s.answer = []string{"ask"}, value
		case "quiet":
			from, to, _ := strings.Cut(value, "-")
			s.policy.QuietPeriods = []policy.QuietPeriod{{From: from, To: to}}
		default:
			t.Fatalf("policy: %s?", arg)
		}
	}
}

func (s *story) setWorld(t *testing.T, args []string) {
	w := s.world
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "deaf":
			w.deaf = true
		case "refuse":
			w.refuse = true
		case "broken":
			w.broken = true
		case "well":
			w.deaf, w.refuse, w.broken, w.sick, w.steers = false, false, false, 0, ""
			w.missing = map[string]bool{}
		case "waits":
			w.waits = true
		case "sick":
			w.sick, w.fit = number(t, value), w.knobs
		case "steers":
			w.steers = value
		case "unreachable":
			w.failObserve = int(number(t, value))
		case "zero-lag":
			w.zeroLagAfterRun = time.Duration(number(t, value)) * time.Second
		case "no-copies":
			w.noCopies = value
		case "copies":
			w.noCopies = ""
		case "copies-blind":
			w.copiesBlind = value == "yes"
		case "copies-forgotten":
			w.copies = nil
		case "copy-lost": // the newest
			w.copies[len(w.copies)-1].lost = true
		case "interval":
			w.knobs.IntervalSeconds = number(t, value)
		default:
			t.Fatalf("world: %s?", arg)
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	var v float64
	if _, err := fmt.Sscanf(s, "%g", &v); err != nil {
		t.Fatalf("%q is no number", s)
	}
	return v
}

// words are added in brackets where there are any.
func words(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
