package drill

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rebound/internal/job"
	"rebound/internal/model"
)

// fakeWorld is a job of one vertex that recovers on a script: downtime 3 s, of
// which 0.5 s detection and 1 s back-off, and caught up after the given time.
type fakeWorld struct {
	recovery time.Duration
	change   func(*job.Observation)
	inject   error
	calm     bool
	// invisible: a read-committed reader never sees it
	invisible bool

	injectedAt time.Time
	calls      []string
}

func (w *fakeWorld) Observe(ctx context.Context, window float64) (job.Observation, error) {
	w.calls = append(w.calls, "observe")
	if err := sleep(ctx, time.Duration(window*float64(time.Second))); err != nil {
		return job.Observation{}, err
	}
	now := time.Now()
	trigger := now.Truncate(10 * time.Second)
	o := job.Observation{
		Job: job.Identity{Cluster: "test", Name: "ads"}, ID: "a1", At: now, ServerTime: now, State: "RUNNING",
		WindowSeconds: new(15.0), Config: job.Options{"heartbeat.interval": "1 s", "restart-strategy.type": "fixed-delay"},
		Checkpointing: job.Checkpointing{Enabled: true, IntervalSeconds: new(10.0), History: []job.Checkpoint{
			{ID: 7, Status: "COMPLETED", TriggeredAt: trigger, DurationSeconds: new(0.1)},
		}},
		TaskManagers: []job.TaskManager{{ID: "tm1", Slots: 1}, {ID: "tm2", Slots: 1, FreeSlots: 1}},
		Vertices: []job.Vertex{{ID: "v", Name: "work", Parallelism: 1, Subtasks: []job.Subtask{
			{State: "RUNNING", TaskManager: "tm1", BusyRatio: new(0.5), RecordsInPerSecond: new(500.0)},
		}}},
	}
	if w.change != nil {
		w.change(&o)
	}
	return o, nil
}

func (w *fakeWorld) LastCheckpoint(context.Context) (job.Checkpoint, error) {
	return job.Checkpoint{ID: 7, Status: "COMPLETED", TriggeredAt: time.Now().Truncate(10 * time.Second)}, nil
}

func (w *fakeWorld) Inject(context.Context, job.Failure) (time.Time, error) {
	w.calls = append(w.calls, "inject")
	w.injectedAt = time.Now()
	return w.injectedAt, w.inject
}

func (w *fakeWorld) Restart(context.Context, time.Time) (job.Restart, error) {
	at := func(s float64) *time.Time {
		return new(w.injectedAt.Add(time.Duration(s * float64(time.Second))))
	}
	since := time.Since(w.injectedAt).Seconds()
	r := job.Restart{Subtasks: []job.SubtaskRestart{}}
	if since < 0.5 {
		return r, nil
	}
	r.SeenAt = at(0.5)
	if since < 3 {
		return r, nil
	}
	r.ScheduledAt, r.Complete = at(1.5), true
	r.Restored = &job.Checkpoint{ID: 7, TriggeredAt: w.injectedAt.Truncate(10 * time.Second)}
	r.Subtasks = append(r.Subtasks, job.SubtaskRestart{DeployingAt: at(1.6), RunningAt: at(3)})
	return r, nil
}

func (w *fakeWorld) Output(failedAt time.Time) job.Output {
	o := job.Output{Calm: w.calm}
	if since := time.Since(failedAt); !w.injectedAt.IsZero() && since > w.recovery {
		s := job.SubtaskMeasurement{
			SubtaskRef: job.SubtaskRef{Vertex: "work", ID: "v"}, OutputSeconds: new(3.2),
			PassedSeconds: new(6.0), CaughtUp: new(w.recovery.Seconds()),
		}
		o.Subtasks, o.CaughtUp, o.Visible = []job.SubtaskMeasurement{s}, true, true
		o.FirstCommitSeconds, o.VisibleSeconds = new(9.0), new(w.recovery.Seconds()+4)
		o.Visible = !w.invisible
	}
	return o
}

func (w *fakeWorld) Heal(context.Context) error {
	w.calls = append(w.calls, "heal")
	return nil
}

func (w *fakeWorld) Starved() *float64 { return new(0.1) }

func (w *fakeWorld) Audit(context.Context) (job.Audit, error) {
	w.calls = append(w.calls, "audit")
	return job.Audit{Sent: 1000, Seen: 1000, Verdict: "exactly_once"}, nil
}

// fakeJournal records what is stored, in the world's own list, so that the order
// shows.
type fakeJournal struct {
	world      *fakeWorld
	prediction Prediction
	measured   job.Measurement
	aborted    string
}

func (j *fakeJournal) Begin(_ context.Context, p Prediction) (string, error) {
	j.world.calls = append(j.world.calls, "begin")
	j.prediction = p
	return "d1", nil
}

func (j *fakeJournal) Finish(_ context.Context, _ string, m job.Measurement) error {
	j.world.calls = append(j.world.calls, "finish")
	j.measured = m
	return nil
}

func (j *fakeJournal) Abort(_ context.Context, _, reason string) error {
	j.world.calls = append(j.world.calls, "abort")
	j.aborted = reason
	return nil
}

func (j *fakeJournal) Evidence(context.Context, job.Identity) (model.Evidence, error) {
	return model.Evidence{}, nil
}

func newDrill(w *fakeWorld) (*Drill, *fakeJournal) {
	j := &fakeJournal{world: w}
	return &Drill{
		World: w, Journal: j, Failure: job.ProcessFailure, Moment: WorstMoment, Risk: 0.01,
		Random: rand.New(rand.NewPCG(1, 1)),
	}, j
}

// The prediction is stored before the failure, the cluster is healed before the
// audit, and every part of the recovery is measured: T_d ends with the first
// output of the last subtask (3.2 s), not with its RUNNING (3 s).
func TestDrill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWorld{recovery: 14 * time.Second, calm: true}
		d, j := newDrill(w)
		var phases []string
		d.Tell = func(e Event) {
			if e.Kind == PhaseEnded {
				phases = append(phases, string(e.Phase))
			}
		}
		r, err := d.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(slices.Compact(w.calls), " "), "observe begin inject heal audit finish"; got != want {
			t.Errorf("order %q, want %q", got, want)
		}
		want := map[job.Phase]float64{job.Detect: 0.5, job.BackOff: 1, job.Resources: 0.1, job.Restore: 1.6, job.Replay: 2.8, job.CatchUp: 8}
		for _, p := range r.Measured.Phases {
			if diff := p.Seconds - want[p.Phase]; diff > 1e-6 || diff < -1e-6 {
				t.Errorf("%s took %v s, want %v s", p.Phase, p.Seconds, want[p.Phase])
			}
		}
		if got := strings.Join(phases, " "); got != "detect back_off resources restore replay catch_up" {
			t.Errorf("told of %q", got)
		}
		// Right before the next checkpoint: 0.3 s short of the 10 s interval.
		if a := *j.measured.AgeSeconds; a < 9.65 || a > 9.75 {
			t.Errorf("the checkpoint was %v s old, want 9.7 s", a)
		}
		if a := *j.prediction.Conditional.AgeSeconds; a != *j.measured.AgeSeconds {
			t.Errorf("predicted for an age of %v s, it was %v s", a, *j.measured.AgeSeconds)
		}
		if r.Measured.Audit.Verdict != "exactly_once" || *r.Measured.VisibleSeconds != 18 {
			t.Errorf("got %+v", r.Measured)
		}
		// R = (T_d + ρA)/(1 − ρ): 14 = (3.2 + 9.7ρ)/(1 − ρ) has ρ = 10.8/23.7.
		if rho := *r.Measured.CatchUpUtilization; rho < 0.4557-1e-3 || rho > 0.4557+1e-3 {
			t.Errorf("the catch-up shows a utilization of %v, want 0.456", rho)
		}
	})
}

// Where nothing commits, a read-committed reader is waited for, but not for ever.
func TestInvisibleOutputEndsTheDrill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWorld{recovery: 14 * time.Second, calm: true, invisible: true}
		d, _ := newDrill(w)
		r, err := d.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Measured.RecoverySeconds == nil || r.Measured.VisibleSeconds != nil {
			t.Errorf("got %+v", r.Measured)
		}
		if waited := time.Since(r.Measured.At); waited > 90*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

// What takes too long is a bound, not a number.
func TestTimeoutIsCensored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWorld{recovery: time.Hour, calm: true}
		d, _ := newDrill(w)
		d.Timeout = time.Minute
		r, err := d.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m := r.Measured
		if m.Outcome != job.BeyondHorizon || m.RecoverySeconds != nil || *m.AtLeastSeconds < 60 {
			t.Errorf("got %+v", m)
		}
	})
}

// An interrupt in the middle leaves a whole cluster and a closed drill.
func TestInterruptHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWorld{recovery: time.Hour, calm: true}
		d, j := newDrill(w)
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		_, err := d.Run(ctx)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if got := strings.Join(slices.Compact(w.calls), " "); got != "observe begin inject heal abort" {
			t.Errorf("order %q", got)
		}
		if j.aborted == "" {
			t.Error("the journal does not say why")
		}
	})
}

func TestRefuse(t *testing.T) {
	tests := map[string]struct {
		change  func(*job.Observation)
		failure job.Failure
		stormy  bool
		limits  Limits
		says    string
	}{
		"in catch-up":    {stormy: true, says: "catching up"},
		"restarting":     {change: func(o *job.Observation) { o.State = "RESTARTING" }, says: "is RESTARTING"},
		"one deploys":    {change: func(o *job.Observation) { o.Vertices[0].Subtasks[0].State = "DEPLOYING" }, says: "subtask 0 of work is not RUNNING"},
		"no checkpoints": {change: func(o *job.Observation) { o.Checkpointing.Enabled = false }, says: "checkpointing is off"},
		"none completed": {change: func(o *job.Observation) { o.Checkpointing.History = nil }, says: "no checkpoint has completed"},
		"stale checkpoint": {change: func(o *job.Observation) {
			o.Checkpointing.History[0].TriggeredAt = o.ServerTime.Add(-40 * time.Second)
		}, says: "is 40 s old"},
		"overload":            {change: func(o *job.Observation) { o.Vertices[0].Subtasks[0].BusyRatio = new(1.0) }, says: "might not recover"},
		"blind":               {change: func(o *job.Observation) { o.Vertices[0].Subtasks[0].BusyRatio = nil }, says: "too little is known"},
		"another drill":       {limits: Limits{OpenDrill: "d0"}, says: "drill d0 has not ended"},
		"no HA":               {failure: job.JobManagerFailure, says: "--ha"},
		"transaction timeout": {limits: Limits{TransactionTimeoutSeconds: new(12.0)}, says: "longer than its timeout of 12 s"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWorld{calm: !tt.stormy, change: tt.change}
				d, _ := newDrill(w)
				d.Limits = tt.limits
				if tt.failure != "" {
					d.Failure = tt.failure
				}
				_, err := d.Run(t.Context())
				if _, ok := errors.AsType[*Refusal](err); !ok || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("got %v, want a refusal that says %q", err, tt.says)
				}
				if slices.Contains(w.calls, "inject") {
					t.Error("it failed the job all the same")
				}
			})
		})
	}
}
