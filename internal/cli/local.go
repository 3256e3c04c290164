package cli

import (
	"errors"
	"fmt"
	"time"

	"rebound/internal/flink"
	"rebound/internal/local"
	"rebound/jobs"
)

type localCmd struct {
	Up        localUpCmd        `cmd:"" help:"Start a real Flink, a real Kafka and a job under load on this machine."`
	Down      localDownCmd      `cmd:"" help:"Stop a local cluster and remove what it left."`
	Status    localStatusCmd    `cmd:"" help:"Show the local clusters and their processes."`
	Supervise localSuperviseCmd `cmd:"" hidden:"" help:"Watch a local cluster; up starts this."`
}

type localUpCmd struct {
	Name string `help:"Name of the cluster; several run side by side." default:"default"`

	Flink     string `help:"Version of Flink: 2.3 or 1.20." default:"2.3" group:"Versions"`
	FlinkHome string `help:"Use the Flink in this folder instead of fetching one." type:"existingdir" group:"Versions"`

	TaskManagers      int           `name:"taskmanagers" help:"TaskManagers; 0 for as many as the parallelism needs." default:"0" group:"Size"`
	Slots             int           `help:"Slots of each TaskManager." default:"1" group:"Size"`
	Spares            int           `help:"TaskManagers beyond those." default:"1" group:"Size"`
	TaskManagerMemory memorySize    `name:"taskmanager-memory" help:"Memory of a TaskManager process." default:"832mb" group:"Size"`
	CPU               float64       `help:"Cores of each TaskManager, by cgroup; 0 for no limit." default:"0" group:"Size"`
	RestartDelay      time.Duration `help:"After which a dead TaskManager or JobManager is started again." default:"5s" group:"Size"`

	Scheduler         string            `help:"Flink's scheduler: adaptive or default." enum:"adaptive,default" default:"adaptive" group:"Flink"`
	State             string            `help:"State backend: hashmap, or rocksdb with incremental checkpoints." enum:"hashmap,rocksdb" default:"hashmap" group:"Flink"`
	HA                bool              `name:"ha" help:"JobManager high availability by ZooKeeper." group:"Flink"`
	HeartbeatInterval time.Duration     `help:"Between heartbeats of Flink's processes." default:"1s" group:"Flink"`
	HeartbeatTimeout  time.Duration     `help:"After which a silent process is given up." default:"5s" group:"Flink"`
	JobRestartDelay   time.Duration     `help:"Of Flink's fixed-delay restart strategy." default:"1s" group:"Flink"`
	Prometheus        bool              `help:"Prometheus reporters of Flink's processes. Flink has no setting for their address: they listen on all." group:"Flink"`
	Option            map[string]string `help:"Any Flink option, as key=value; repeatable." mapsep:"none" group:"Flink"`

	NoJob       bool          `help:"Start neither the job nor its load." group:"Job"`
	Parallelism int           `help:"Of the job." default:"2" group:"Job"`
	Interval    time.Duration `help:"Between checkpoints; 0 for none." default:"10s" group:"Job"`
	MinPause    time.Duration `help:"Least pause between checkpoints." default:"0s" group:"Job"`
	Guarantee   string        `help:"Of the sink: exactly-once, at-least-once or none." enum:"exactly-once,at-least-once,none" default:"exactly-once" group:"Job"`
	Capacity    float64       `help:"Input records/s that each keyed subtask can take, paced by wall clock; 0 for not paced." default:"1000" group:"Job"`
	Work        int           `help:"CPU work of a view, in rounds of a hash." default:"0" group:"Job"`
	StateBytes  int           `help:"Bytes of each extra state entry." default:"0" group:"Job"`
	StateKeys   int           `help:"Extra state entries of each of the 100 campaigns." default:"1" group:"Job"`

	Load        string `help:"Load in records/s, such as constant:1000, sine:mean=1000,amplitude=500,period=10m or file:PATH." default:"constant:1000" group:"Load"`
	RecordBytes int    `help:"Size of a record." default:"1000" group:"Load"`
	Partitions  int    `help:"Of the input topic; 0 for twice the parallelism." default:"0" group:"Load"`
	Seed        uint64 `help:"Of the generated records." default:"1" group:"Load"`
}

// memorySize is a size as Flink writes it, such as 832mb or 1g.
type memorySize int64

// UnmarshalText reads it from the command line.
func (m *memorySize) UnmarshalText(b []byte) error {
	v, err := flink.ParseMemory(string(b))
	*m = memorySize(v)
	return err
}

func (c *localUpCmd) settings() local.Settings {
	return local.Settings{
		Flink: c.Flink, FlinkHome: c.FlinkHome,
		TaskManagers: c.TaskManagers, Spares: c.Spares, Slots: c.Slots,
		TaskManagerMemory: int64(c.TaskManagerMemory), CPU: c.CPU, RestartDelay: c.RestartDelay,
		Scheduler: c.Scheduler, StateBackend: c.State, HA: c.HA,
		HeartbeatInterval: c.HeartbeatInterval, HeartbeatTimeout: c.HeartbeatTimeout,
		JobRestartDelay: c.JobRestartDelay, Prometheus: c.Prometheus, Options: c.Option,
		NoJob: c.NoJob, Parallelism: c.Parallelism, Interval: c.Interval, MinPause: c.MinPause,
		Guarantee: c.Guarantee, Capacity: c.Capacity, Work: c.Work,
		StateBytes: c.StateBytes, StateKeys: c.StateKeys,
		Partitions: c.Partitions, Load: c.Load, RecordBytes: c.RecordBytes, Seed: c.Seed,
	}
}

// shownStep is the least time of a step that is worth a line.
const shownStep = 50 * time.Millisecond

func (c *localUpCmd) Run(e *env) error {
	dirs, err := local.DefaultDirs()
	if err != nil {
		return err
	}
	began, line := time.Now(), newProgress(e.stderr)
	up := local.Up{Dirs: dirs, Name: c.Name, Settings: c.settings(), Source: jobs.Source()}
	up.Progress = func(s local.Step) {
		if !s.Done {
			line.step(s.Name + " …")
			return
		}
		line.clear()
		if s.Took >= shownStep {
			fmt.Fprintf(e.stderr, "%6s  %s\n", short(s.Took.Seconds()), s.Name)
		}
	}
	if err := up.Settings.Complete().Validate(); err != nil {
		return &exit{exitUsage, err}
	}
	cluster, err := up.Run(e.ctx)
	line.clear()
	if errors.Is(err, local.ErrRunning) {
		fmt.Fprintf(e.stdout, "Cluster %s runs already with these settings.\n", c.Name)
		return c.describe(e, cluster)
	}
	if err != nil {
		return err
	}
	for _, w := range cluster.Warnings {
		fmt.Fprintf(e.stderr, "warning: %s\n", w)
	}
	fmt.Fprintf(e.stdout, "Cluster %s is ready after %s.\n", c.Name, short(time.Since(began).Seconds()))
	return c.describe(e, cluster)
}

// describe says how to reach the cluster and what to do with it.
func (c *localUpCmd) describe(e *env, cluster *local.Cluster) error {
	fmt.Fprintf(e.stdout, "\n  Flink %-7s %s\n  Kafka         %s\n", cluster.Flink, cluster.REST, cluster.Brokers[0])
	check, drill, down := "rebound check", "rebound drill", "rebound local down"
	if c.Name != "default" {
		check += " --flink " + cluster.REST
		drill += " --name " + c.Name
		down += " " + c.Name
	}
	if cluster.JobID == "" {
		fmt.Fprintf(e.stdout, "\nStop it: %s\n", down)
		return nil
	}
	fmt.Fprintf(e.stdout, "  job           %s (%s)\n", cluster.JobName, cluster.JobID)
	_, err := fmt.Fprintf(e.stdout, "\nHow long would it need to recover?  %s\nSee it recover:                     %s\nStop it:                            %s\n",
		check, drill, down)
	return err
}

type localDownCmd struct {
	Name string `arg:"" optional:"" help:"Name of the cluster." default:"default"`
	All  bool   `help:"Stop all local clusters."`
}

func (c *localDownCmd) Run(e *env) error {
	dirs, err := local.DefaultDirs()
	if err != nil {
		return err
	}
	names := []string{c.Name}
	if c.All {
		if names, err = dirs.Names(); err != nil {
			return err
		}
	}
	var errs []error
	for _, name := range names {
		found, err := dirs.Down(e.ctx, name)
		switch {
		case err != nil:
			errs = append(errs, err)
		case found:
			fmt.Fprintf(e.stdout, "Cluster %s is gone.\n", name)
		default:
			fmt.Fprintf(e.stdout, "There is no cluster %s.\n", name)
		}
	}
	return errors.Join(errs...)
}

type localSuperviseCmd struct {
	Home string `arg:"" help:"Folder of the cluster."`
}

func (c *localSuperviseCmd) Run(e *env) error { return local.Supervise(e.ctx, c.Home, e.log) }

// Help is the example of the command.
func (*localUpCmd) Help() string {
	return "rebound local up --parallelism 2 --interval 10s --capacity 1000 --load constant:1000"
}

// Help is the example of the command.
func (*localDownCmd) Help() string { return "rebound local down --all" }

// Help is the example of the command.
func (*localStatusCmd) Help() string { return "rebound local status -o json" }
