package twinserve

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"rebound/internal/flink"
	"rebound/internal/job"
)

var monday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// fakeWorld is a job that always looks the same, but for the time.
type fakeWorld struct {
	now     time.Time
	obs     job.Observation // with times relative to monday
	broken  bool
	applied []job.Change
	asked   []string
	looks   int
	onAsk   func()
}

func (w *fakeWorld) Now() time.Time          { return w.now }
func (w *fakeWorld) Advance(d time.Duration) { w.now = w.now.Add(d) }

func (w *fakeWorld) Observe(ctx context.Context) (job.Observation, error) {
	if err := ctx.Err(); err != nil {
		return job.Observation{}, err
	}
	w.looks++
	if w.broken {
		return job.Observation{}, errors.New("no leader")
	}
	o := w.obs
	o.At, o.ServerTime = w.now, w.now
	return o, nil
}

func (w *fakeWorld) Apply(_ context.Context, c job.Change) error {
	if c.Want.SlotsPerTaskManager != nil && *c.Want.SlotsPerTaskManager > 8 {
		return errors.New("no node has so many slots")
	}
	w.applied = append(w.applied, c)
	w.obs.LastChange = c.ID
	return nil
}

func (w *fakeWorld) Checkpoint(_ context.Context, id string) error {
	w.asked = append(w.asked, id)
	if w.onAsk != nil {
		w.onAsk()
	}
	return nil
}

func (w *fakeWorld) Capabilities() job.Capabilities {
	return job.Capabilities{Ways: []job.Way{job.InPlace, job.LastState}, Restart: map[job.Knob]job.Way{job.KnobParallelism: job.InPlace}, Pacing: true}
}

const (
	jobID  = "5c6522e6417bacc50ec09232e4eb1ab4"
	source = "f362c87ffabe89c8a91fa7d0a523ba6c"
	work   = "674df9b0384c0348e0b9d1034a44c46c"
)

// calm is a job of parallelism 2 that runs since an hour before monday.
func calm() job.Observation {
	since, beat := monday.Add(-time.Hour), monday.Add(-time.Second)
	o := job.Observation{
		Job: job.Identity{Cluster: "twin", Name: "daily"}, ID: jobID, FlinkVersion: "2.3.0", State: "RUNNING", Type: "STREAMING", Scheduler: "Adaptive",
		Config: job.Options{
			"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "1 s",
			"heartbeat.timeout": "20 s", "execution.checkpointing.interval": "30000 ms",
		},
		Checkpointing: job.Checkpointing{
			Enabled: true, Mode: "exactly_once", IntervalSeconds: new(30.0), MinPauseSeconds: new(0.5), TimeoutSeconds: new(600.0),
			MaxConcurrent: new(1), TolerableFailures: new(3), Unaligned: new(false), Externalized: new(true), Backend: "rocksdb", Storage: "filesystem",
			Completed: new(41), Failed: new(1), InProgress: new(1),
			History: []job.Checkpoint{
				{ID: 43, Status: "IN_PROGRESS", TriggeredAt: monday.Add(-2 * time.Second)},
				{ID: 42, Status: "COMPLETED", TriggeredAt: monday.Add(-32 * time.Second), DurationSeconds: new(4.321), StateBytes: new(2.0e10), WrittenBytes: new(5.0e9)},
				{ID: 41, Status: "FAILED", TriggeredAt: monday.Add(-62 * time.Second), DurationSeconds: new(10.0), Failure: "timeout"},
				{ID: 40, Status: "COMPLETED", Savepoint: true, TriggeredAt: monday.Add(-92 * time.Second), DurationSeconds: new(4.0)},
			},
			Restored: &job.Restored{ID: 7, At: since.Add(-time.Second)},
		},
		TaskManagers: []job.TaskManager{
			{ID: "tm-1", Slots: 1, CPUCores: new(2.0), MemoryBytes: new(4.0 * job.GiB), LastHeartbeat: &beat, CPUUsedCores: new(1.25)},
			{ID: "tm-2", Slots: 1, CPUCores: new(2.0), MemoryBytes: new(4.0 * job.GiB), LastHeartbeat: &beat, CPUUsedCores: new(0.75)},
		},
		Exceptions: []job.Exception{{At: monday.Add(-time.Hour - 30*time.Second), Name: "org.example.Broken", Task: "work (1/2)", TaskManager: "tm-0"}},
		Restarts:   new(1), StartedAt: since, Lacks: []job.Lack{}, LastChange: "01kx",
		JobManager: job.TaskManagerResources{CPUCores: new(1.0), MemoryBytes: new(2.0 * job.GiB)},
		Settings: job.Settings{
			CheckpointIntervalSeconds: new(30.0), SlotsPerTaskManager: new(1), Parallelism: map[string]int{source: 2, work: 2},
			TaskManagerResources: job.TaskManagerResources{CPUCores: new(2.0), MemoryBytes: new(4.0 * job.GiB)},
		},
		WindowSeconds: new(10.0),
	}
	read := job.Vertex{ID: source, Name: "Source: read", Parallelism: 2, MaxParallelism: 128, Inputs: []string{}}
	sink := job.Vertex{ID: work, Name: "work", Parallelism: 2, MaxParallelism: 128, Inputs: []string{source}}
	for i := range 2 {
		tm := "tm-" + strconv.Itoa(i+1)
		read.Subtasks = append(read.Subtasks, job.Subtask{
			Index: i, Attempt: 1, TaskManager: tm, State: "RUNNING", RunningSince: &since,
			RecordsInPerSecond: new(20_000.0 + float64(i)), RecordsOutPerSecond: new(20_000.0 + float64(i)),
			BusyRatio: new(0.25), BackPressuredRatio: new(0.125), IdleRatio: new(0.625),
			PendingRecords: new(500.0), PendingSlope: new(0.0), EmitLagSeconds: new(0.25), WatermarkLag: new(1.5),
		})
		sink.Subtasks = append(sink.Subtasks, job.Subtask{
			Index: i, Attempt: 1, TaskManager: tm, State: "RUNNING", RunningSince: &since,
			RecordsInPerSecond: new(20_000.0 - float64(i)), RecordsOutPerSecond: new(15_000.0),
			BusyRatio: new(0.75), BackPressuredRatio: new(0.0), IdleRatio: new(0.25), WatermarkLag: new(2.0),
		})
	}
	o.Vertices = []job.Vertex{read, sink}
	return o
}

// served is a server over a world, and a client of Flink's dialect.
func served(t *testing.T, s *Server) (url string, c *flink.Client) {
	t.Helper()
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	c, err := flink.New(flink.Config{URL: web.URL})
	if err != nil {
		t.Fatal(err)
	}
	return web.URL, c
}

func ExampleServer() {
	w := &fakeWorld{now: monday, obs: calm()}
	web := httptest.NewServer((&Server{World: w, Clock: w}).Handler())
	defer web.Close()
	c, _ := flink.New(flink.Config{URL: web.URL})
	o, err := c.Overview(context.Background())
	fmt.Println(o.FlinkVersion, o.Slots, err)
	// Output: 2.3.0 2 <nil>
}
