package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rebound/internal/api"
	"rebound/internal/control"
	"rebound/internal/job"
	"rebound/internal/learn"
	"rebound/internal/policy"
	"rebound/internal/store"
	"rebound/internal/twin"
)

// roomy is a job with four times the cores that its flat load needs.
const roomy = `
apiVersion: rebound.dev/v1alpha1
kind: Scenario
name: roomy
about: a flat load on four times the cores that it needs
hours: 4
load: {mean_per_second: 20000}
kafka: {partitions: 24}
capacity: {per_core: 10000}
latency: {base_seconds: 0.1, queue_seconds: 0.05}
state: {gib: 4}
checkpoint: {base_seconds: 2}
restart:
  detect_seconds: {task: 0, process: 2, node: 20, jobmanager: 2}
  back_off: {initial_seconds: 1}
  process_start_seconds: 12
  restore_seconds: 5
failures: {every_minutes: 50, kind: process}
change: {in_place_seconds: 3, redeploy_seconds: 25}
start: {interval_seconds: 30, parallelism: 10, slots: 1, cpu_cores: 1, memory_gib: 2}
jobmanager: {cpu_cores: 1, memory_gib: 2}
`

// visited is a simulation in which somebody does something between two looks.
type visited struct {
	*lockStep
	visit func(now time.Duration)
}

func (v visited) Wait(ctx context.Context, d time.Duration) error {
	err := v.lockStep.Wait(ctx, d)
	v.visit(v.Now().Sub(twin.Epoch()))
	return err
}

func simulated(t *testing.T) *lockStep {
	t.Helper()
	return simulation(t, roomy)
}

func simulation(t *testing.T, scenario string) *lockStep {
	t.Helper()
	s, err := twin.Parse([]byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	w, err := twin.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &lockStep{Twin: w, end: w.Now().Add(time.Duration(s.Hours * float64(time.Hour)))}
}

// shrinking is a policy under which that job is to give cores back.
func shrinking() policy.Policy {
	p := policy.Default()
	p.RecoveryTime, p.Mode = 5*time.Minute, job.ModeApply
	p.Knobs.Parallelism = policy.Range{Min: 2, Max: 16}
	return p
}

// console runs command lines against one journal.
type console struct {
	t       *testing.T
	journal string
}

func (c console) run(into any, args ...string) {
	c.t.Helper()
	out, errs := new(bytes.Buffer), new(bytes.Buffer)
	if code := Main(c.t.Context(), append(args, "--journal", c.journal, "-o", "json"), out, errs); code != exitOK {
		c.t.Errorf("%v: exit code %d, %s", args, code, errs)
		return
	}
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		c.t.Error(err)
	}
}

func (c console) history(state job.DecisionState) []job.Decision {
	c.t.Helper()
	var doc api.Decisions
	args := []string{"history"}
	if state != "" {
		args = append(args, "--state", string(state))
	}
	c.run(&doc, args...)
	return doc.Decisions
}

func quiet(ctx context.Context) *env {
	return &env{ctx: ctx, stdout: new(bytes.Buffer), stderr: new(bytes.Buffer), log: slog.New(slog.DiscardHandler)}
}

// A user pauses the loop, lets it go on, approves what it then wants to do, and
// takes that back: each through the journal, each answered by the loop at its next
// look.
func TestRunDoesWhatIsAskedFor(t *testing.T) {
	c := console{t, filepath.Join(t.TempDir(), "j.db")}
	var pause, resume, approve, back api.Request
	var decided string
	resumed := false
	var waiting sync.WaitGroup
	w := visited{simulated(t), func(now time.Duration) {
		switch {
		case pause.ID == "" && now > 2*time.Minute:
			c.run(&pause, "pause")
		case !resumed && now > 40*time.Minute:
			if all := c.history(job.Waiting); len(all) > 0 {
				t.Errorf("while paused %s was decided", all[0].ID)
			}
			resumed = true
			waiting.Go(func() { c.run(&resume, "resume", "--wait") }) // it ends when the loop has answered
		case resumed && decided == "":
			if all := c.history(job.Waiting); len(all) > 0 {
				decided = all[0].ID
				c.run(&approve, "approve", decided)
			}
		case decided != "" && back.ID == "" && now > 90*time.Minute:
			c.run(&back, "rollback", decided)
		}
	}}
	p := shrinking()
	p.Approval = policy.Approval{Manual: true, Timeout: time.Hour}
	if err := (&runCmd{journal: journal{c.journal}}).watch(quiet(t.Context()), p, w); err != nil {
		t.Fatal(err)
	}
	waiting.Wait()
	if resume.Answer != "resumed" {
		t.Errorf("who waited was told %q", resume.Answer)
	}
	for name, r := range map[string]api.Request{"pause": pause, "resume": resume, "approve": approve, "rollback": back} {
		if r.ID == "" {
			t.Errorf("%s was never asked for", name)
			continue
		}
		j, err := store.OpenReadOnly(t.Context(), c.journal)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := j.Request(t.Context(), r.ID); err != nil || got.Answer == "" {
			t.Errorf("%s: %q, %v", name, got.Answer, err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var taken *job.Decision
	for _, d := range c.history("") {
		if d.RollsBack == decided && d.Kind == job.RollBack {
			taken = &d
		}
	}
	if taken == nil || taken.State != job.Verified {
		t.Errorf("the way back: %+v", taken)
	}
}

// An interrupt in the middle of a change leaves its decision open; the next start
// brings it to its end, once.
func TestRunGoesOnAfterAnInterrupt(t *testing.T) {
	c := console{t, filepath.Join(t.TempDir(), "j.db")}
	ctx, stop := context.WithCancel(t.Context())
	w := visited{simulated(t), func(time.Duration) {
		if len(c.history(job.Applying)) > 0 {
			stop()
		}
	}}
	r := &runCmd{journal: journal{c.journal}}
	if err := r.watch(quiet(ctx), shrinking(), w); err != nil {
		t.Fatalf("an interrupt is no error: %v", err)
	}
	open := c.history(job.Applying)
	if len(open) != 1 {
		t.Fatalf("%d decisions under way, want 1", len(open))
	}
	w.visit = func(time.Duration) {}
	if err := r.watch(quiet(t.Context()), shrinking(), w); err != nil {
		t.Fatal(err)
	}
	var d api.Decision
	c.run(&d, "explain", open[0].ID)
	if d.Decision.State != job.Verified {
		t.Errorf("it is %s: %s", d.Decision.State, d.Decision.Outcome)
	}
	if left := c.history(job.Applying); len(left) > 0 {
		t.Errorf("still open: %+v", left)
	}
}

// What was learned is stored at the end, however short the run was.
func TestRunSavesAtItsEnd(t *testing.T) {
	c := console{t, filepath.Join(t.TempDir(), "j.db")}
	w := simulated(t)
	w.end = w.Now().Add(5 * time.Minute)
	if err := (&runCmd{journal: journal{c.journal}}).watch(quiet(t.Context()), shrinking(), w); err != nil {
		t.Fatal(err)
	}
	j, err := store.OpenReadOnly(t.Context(), c.journal)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	f, err := newForecaster()
	if err != nil {
		t.Fatal(err)
	}
	id := job.Identity{Cluster: twinCluster, Name: "roomy"}
	m := learn.New(id)
	if known, err := control.Recall(t.Context(), j, id, m, f); !known || err != nil {
		t.Fatalf("known %v, %v", known, err)
	}
	k := job.Knobs{IntervalSeconds: 30, Parallelism: 10, Slots: 1, CPUCores: 1, MemoryBytes: 2 * job.GiB}
	// 10 cores of 10,000 records/s each.
	if got := m.Behavior(k).Capacity.Median; got < 80000 || got > 120000 {
		t.Errorf("capacity %v, want about 100,000", got)
	}
}

// Two loops on one job would undo each other's changes: the second one ends at
// once. A job beside it, and the time after the first, are free.
func TestRunIsAlone(t *testing.T) {
	j := journal{filepath.Join(t.TempDir(), "j.db")}
	roomy := job.Identity{Cluster: twinCluster, Name: "roomy"}
	release, err := j.alone(roomy)
	if err != nil {
		t.Fatal(err)
	}
	other, err := j.alone(views())
	if err != nil {
		t.Fatalf("another job: %v", err)
	}
	defer other()
	w := simulated(t)
	w.end = w.Now().Add(time.Minute)
	if err := (&runCmd{journal: j}).watch(quiet(t.Context()), shrinking(), w); err == nil || !strings.Contains(err.Error(), "another rebound run keeps twin/roomy") {
		t.Errorf("a second loop: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := (&runCmd{journal: j}).watch(quiet(t.Context()), shrinking(), w); err != nil {
		t.Errorf("after the first: %v", err)
	}
}

// One process keeps several jobs: each has its own loop, and they share a journal.
func TestRunKeepsSeveralJobs(t *testing.T) {
	c := console{t, filepath.Join(t.TempDir(), "j.db")}
	a, b := simulated(t), simulation(t, strings.Replace(roomy, "name: roomy", "name: spare", 1))
	a.end, b.end = a.Now().Add(40*time.Minute), b.Now().Add(40*time.Minute)
	if err := (&runCmd{journal: journal{c.journal}}).watch(quiet(t.Context()), shrinking(), &guarded{w: a}, &guarded{w: b}); err != nil {
		t.Fatal(err)
	}
	changed := map[string]int{}
	for _, d := range c.history(job.Verified) {
		changed[d.Job.Name]++
	}
	if changed["roomy"] == 0 || changed["spare"] == 0 {
		t.Errorf("changed: %v, want both", changed)
	}
}

// guarded is a simulation whose clock is read by others, too: the journal's.
type guarded struct {
	mu sync.Mutex
	w  *lockStep
}

func (g *guarded) Observe(ctx context.Context) (job.Observation, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.w.Observe(ctx)
}

func (g *guarded) Apply(ctx context.Context, c job.Change) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.w.Apply(ctx, c)
}

func (g *guarded) Checkpoint(ctx context.Context, id string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.w.Checkpoint(ctx, id)
}

func (g *guarded) Capabilities() job.Capabilities { return g.w.Capabilities() }

func (g *guarded) Now() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.w.Now()
}

func (g *guarded) Wait(ctx context.Context, d time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.w.Wait(ctx, d)
}
