package control

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/policy"
	"rebound/internal/recovery"
)

// linear is a model in which capacity is what the cores are.
type linear struct{ Learner }

func (linear) Behavior(k job.Knobs) learn.Behavior {
	return learn.Behavior{Capacity: recovery.Exactly(100 * float64(k.TaskManagers()) * k.CPUCores)}
}

var noon = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC) // a Wednesday

// sound is what all guards say yes to: from 10 to 12 cores in calm running.
func sound() *asking {
	p := policy.Default()
	p.RecoveryTime, p.Mode = 180*time.Second, job.ModeApply
	p.Knobs.Parallelism = policy.Range{Min: 1, Max: 200}
	now := job.Knobs{IntervalSeconds: 30, Parallelism: 10, Slots: 1, CPUCores: 1, MemoryBytes: job.GiB}
	want := now
	want.Parallelism = 12
	g := newLedger()
	return &asking{
		look:      &look{at: noon, rate: new(500.0), lag: new(0.0), knobs: now, known: true, settled: true},
		situation: learn.Calm, want: want, plan: job.Plan{Now: now, Want: want}, policy: &p, model: linear{},
		caps:   job.Capabilities{Restart: map[job.Knob]job.Way{job.KnobParallelism: job.InPlace}},
		ledger: &g, looks: 1000, fleet: &Fleet{},
	}
}

func TestGuards(t *testing.T) {
	if words, stopped := consult(guards(), sound()); stopped {
		t.Fatalf("the sound proposal is stopped: %+v", words[len(words)-1])
	}
	down := func(a *asking) { a.want.Parallelism = 8 }
	tests := map[string]struct {
		change func(a *asking)
		guard  string
		word   job.Word
		says   string
	}{
		"blind":             {func(a *asking) { a.situation = learn.Blind }, "data", job.No, "neither rate nor lag"},
		"stale":             {func(a *asking) { a.stale = 61 * time.Second }, "data", job.No, "61 s old"},
		"no rate":           {func(a *asking) { a.look.rate = nil }, "data", job.No, "input rate is not known"},
		"no lag":            {func(a *asking) { a.look.lag = nil }, "data", job.No, "neither lag nor latency"},
		"latency will do":   {func(a *asking) { a.look.lag, a.look.latency = nil, new(1.0) }, "data", job.Yes, "fresh"},
		"no settings":       {func(a *asking) { a.look.known = false }, "data", job.No, "settings are not all known"},
		"too few looks":     {func(a *asking) { a.looks = 3 }, "data", job.No, "seen 3 times, want 40"},
		"few, and behind":   {func(a *asking) { a.looks, a.overloaded = 3, true }, "data", job.Yes, ""},
		"down":              {func(a *asking) { a.situation = learn.Down }, "health", job.No, "not every subtask runs"},
		"changing":          {func(a *asking) { a.situation = learn.Changing }, "health", job.No, "under way"},
		"catching up":       {func(a *asking) { a.situation = learn.CatchingUp }, "health", job.No, "catching up"},
		"falling behind":    {func(a *asking) { a.situation, a.overloaded = learn.CatchingUp, true }, "health", job.Yes, "falls behind"},
		"recommend":         {func(a *asking) { a.policy.Mode = job.ModeRecommend }, "mode", job.No, "said, not done"},
		"pace":              {func(a *asking) { a.policy.Mode = job.ModePace }, "mode", job.No, "mode pace"},
		"paused":            {func(a *asking) { a.ledger.Paused = true }, "quiet", job.No, "until resumed"},
		"pause is over":     {func(a *asking) { a.ledger.Paused, a.ledger.Until = true, noon }, "quiet", job.Yes, ""},
		"quiet":             {func(a *asking) { a.policy.QuietPeriods = []policy.QuietPeriod{{From: "11:00", To: "13:00"}} }, "quiet", job.No, "11:00 to 13:00, UTC"},
		"unreadable quiet":  {func(a *asking) { a.policy.QuietPeriods = []policy.QuietPeriod{{From: "noon"}} }, "quiet", job.No, "cannot be read"},
		"autoscaler":        {func(a *asking) { a.look.obs.Steers = "the autoscaler" }, "steering", job.No, "the autoscaler changes"},
		"knob not free":     {func(a *asking) { a.policy.Knobs.Parallelism = policy.Range{} }, "limits", job.No, "parallelism may not be changed"},
		"out of range":      {func(a *asking) { a.policy.Knobs.Parallelism.Max = 11 }, "limits", job.No, "parallelism 12 is out of its range 1 to 11"},
		"world cannot":      {func(a *asking) { a.caps.Restart = nil }, "limits", job.No, "cannot turn"},
		"too many cores":    {func(a *asking) { a.policy.Limits.CPUCores = 11.5 }, "limits", job.No, "12 cores, the limit is 11.5"},
		"back to limits":    {func(a *asking) { a.policy.Limits.CPUCores = 5; down(a) }, "limits", job.Yes, ""},
		"too much memory":   {func(a *asking) { a.policy.Limits.MemoryBytes = 11 * job.GiB }, "limits", job.No, "12 GiB, the limit is 11"},
		"too dear":          {func(a *asking) { a.policy.Limits.CostPerHour = 0.5 }, "limits", job.No, "the limit is 0.5"},
		"big step":          {func(a *asking) { a.want.Parallelism = 60 }, "step", job.Trims, "parallelism 40 instead of 60"},
		"big step down":     {func(a *asking) { a.want.Parallelism = 1 }, "step", job.Trims, "parallelism 3 instead of 1"},
		"big, and behind":   {func(a *asking) { a.want.Parallelism, a.overloaded = 60, true }, "step", job.Yes, ""},
		"just changed":      {func(a *asking) { a.ledger.count("d", noon.Add(-9*time.Minute)) }, "cooldown", job.No, "in 1m0s"},
		"changed a while":   {func(a *asking) { a.ledger.count("d", noon.Add(-10*time.Minute)) }, "cooldown", job.Yes, "10m0s ago"},
		"behind, in haste":  {func(a *asking) { a.ledger.count("d", noon.Add(-time.Minute)); a.overloaded = true }, "cooldown", job.Yes, ""},
		"failed lately":     {func(a *asking) { a.ledger.holdOff(a.look.knobs, a.want, noon.Add(-time.Minute), time.Hour) }, "cooldown", job.No, "held off for 59m0s"},
		"other direction":   {func(a *asking) { a.ledger.holdOff(a.look.knobs, a.want, noon, time.Hour); down(a) }, "cooldown", job.Yes, ""},
		"a saving, first":   {down, "budget", job.Yes, "0 of 8"},
		"a saving too soon": {func(a *asking) { down(a); used(a, 2, time.Hour) }, "budget", job.No, "lie 1h30m0s apart"},
		"a saving":          {func(a *asking) { down(a); used(a, 5, 2*time.Hour) }, "budget", job.Yes, "5 of 8"},
		"savings used up":   {func(a *asking) { down(a); used(a, 7, 2*time.Hour) }, "budget", job.No, "the last 1 are kept"},
		"needed":            {func(a *asking) { used(a, 7, 15*time.Minute); fails(a, job.Recovers) }, "budget", job.Yes, "7 of 8"},
		"used up":           {func(a *asking) { used(a, 8, time.Hour); fails(a, job.Recovers) }, "budget", job.No, "8 of 8"},
		"used up, never":    {func(a *asking) { used(a, 8, time.Hour); fails(a, job.Never) }, "budget", job.Yes, "would not come back"},
		"overdrawn":         {func(a *asking) { used(a, 16, time.Hour); fails(a, job.Never) }, "budget", job.No, "16 of 8"},
		"others change":     {func(a *asking) { a.fleet.enter(job.Identity{Name: "other"}, 1) }, "blast_radius", job.No, "1 other jobs"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := sound()
			tt.change(a)
			words, _ := consult(guards(), a)
			for _, w := range words {
				if w.Guard == tt.guard {
					if w.Word != tt.word || !strings.Contains(w.Reason, tt.says) {
						t.Errorf("says %s: %s\nwant %s: …%s…", w.Word, w.Reason, tt.word, tt.says)
					}
					return
				}
			}
			t.Errorf("was not asked: %+v", words)
		})
	}
}

// used fills the budget with n restarts, the last of them a while ago.
func used(a *asking, n int, ago time.Duration) {
	for i := range n {
		a.ledger.Restarts = append(a.ledger.Restarts, noon.Add(-ago).Add(-time.Duration(n-1-i)*time.Minute))
	}
}

func fails(a *asking, o job.Outcome) {
	a.plan.Present.Recovery = []job.Recovery{{Outcome: o, AtRiskSeconds: new(181.0)}}
}

// Whatever a planner proposes, what passes the guards is within the policy's
// ranges, limits and steps.
func TestGuardsKeepLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := sound()
		a.policy.Limits.CPUCores = rapid.Float64Range(1, 100).Draw(t, "limit")
		a.policy.Knobs.Parallelism.Max = rapid.Float64Range(1, 100).Draw(t, "most")
		a.policy.Limits.StepRatio = rapid.Float64Range(1.1, 5).Draw(t, "step")
		a.look.knobs.Parallelism = rapid.IntRange(1, 100).Draw(t, "now")
		a.want.Parallelism = rapid.IntRange(1, 300).Draw(t, "want")
		if _, stopped := consult(guards(), a); stopped {
			return
		}
		is, was := float64(a.want.Parallelism), float64(a.look.knobs.Parallelism)
		if is > max(a.policy.Limits.CPUCores, was) || is != was && is > a.policy.Knobs.Parallelism.Max {
			t.Fatalf("%v → %v passes the limits", was, is)
		}
		if r := max(is/was, was/is); r > a.policy.Limits.StepRatio {
			t.Fatalf("%v → %v is a step of %v", was, is, r)
		}
	})
}

// A change that the world could not make holds its direction off for an hour at the
// most: 10, 20, 40, 60, 60 minutes.
func TestHoldAfterFailureIsBounded(t *testing.T) {
	g, now := newLedger(), noon
	from, to := job.Knobs{Parallelism: 2, Slots: 1, CPUCores: 1}, job.Knobs{Parallelism: 4, Slots: 1, CPUCores: 1}
	for _, want := range []time.Duration{10, 20, 40, 60, 60} {
		g.holdOff(from, to, now, failedHold)
		if got := g.Holds[up].Until.Sub(now); got != want*time.Minute {
			t.Errorf("held off for %v, want %v", got, want*time.Minute)
		}
		now = g.Holds[up].Until
	}
}

// What the world refused is held off by itself, for six hours; its direction is not.
func TestRefusalHoldsNoDirection(t *testing.T) {
	g := newLedger()
	from, to := job.Knobs{Parallelism: 2, Slots: 1, CPUCores: 1}, job.Knobs{Parallelism: 2, Slots: 1, CPUCores: 4}
	g.refuse(from, to, noon)
	if len(g.Holds) != 0 {
		t.Errorf("holds %v, want none", g.Holds)
	}
	if got := g.refusals(noon.Add(refusedHold - time.Second)); len(got) != 1 || !got[0].Covers(to) {
		t.Errorf("refusals %v, want the one", got)
	}
	if got := g.refusals(noon.Add(refusedHold)); len(got) != 0 {
		t.Errorf("refusals %v, want none", got)
	}
}

// The hold doubles with each failure that follows soon, and begins anew after a
// long calm.
func TestHoldGrows(t *testing.T) {
	g := newLedger()
	from, to := job.Knobs{Parallelism: 10, Slots: 1, CPUCores: 1}, job.Knobs{Parallelism: 8, Slots: 1, CPUCores: 1}
	now := noon
	for _, want := range []time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 16 * time.Hour, 24 * time.Hour, 24 * time.Hour} {
		g.holdOff(from, to, now, firstHold)
		if got := g.Holds[down].Until.Sub(now); got != want {
			t.Fatalf("held off for %v, want %v", got, want)
		}
		now = g.Holds[down].Until
	}
	now = now.Add(25 * time.Hour)
	g.holdOff(from, to, now, firstHold)
	if got := g.Holds[down].Until.Sub(now); got != time.Hour {
		t.Errorf("after a long calm held off for %v, want an hour", got)
	}
}

func TestFleet(t *testing.T) {
	var f Fleet
	a, b := job.Identity{Name: "a"}, job.Identity{Name: "b"}
	first, again := f.enter(a, 1), f.enter(a, 1)
	if !first || !again || f.enter(b, 1) || f.others(b) != 1 || f.others(a) != 0 {
		t.Error("one job at a time, and the same one again")
	}
	if f.leave(a); !f.enter(b, 1) || !f.enter(a, 2) {
		t.Error("after one has left, or with room for two, others may enter")
	}
}
