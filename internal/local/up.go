package local

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"time"

	"rebound/internal/kafka"
)

// Up starts a cluster.
type Up struct {
	Dirs     Dirs
	Name     string
	Settings Settings
	Source   fs.FS      // of the benchmark job: a Maven project
	Progress func(Step) // nil for none
}

// Step is a part of a start that has begun or, with Done, ended.
type Step struct {
	Name string
	Done bool
	Took time.Duration
}

// ErrRunning says that the cluster already runs, with the same settings.
var ErrRunning = errors.New("it runs already")

// Run starts the cluster and returns when all subtasks of its job run and a
// checkpoint has completed. If it fails or ctx ends before, what it has started
// is stopped again. A cluster that runs already with the same settings is
// returned with ErrRunning.
func (u Up) Run(ctx context.Context) (*Cluster, error) {
	u.Settings = u.Settings.Complete()
	if err := u.check(); err != nil {
		return nil, err
	}
	home := u.Dirs.home(u.Name)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	unlock, err := tryLockDir(home)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", u.Name, err)
	}
	defer unlock()
	old, err := readCluster(home)
	if err == nil {
		return old, u.compare(old)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c, deeds, err := u.prepare(ctx)
	if err != nil {
		return nil, errors.Join(err, u.undo(ctx, home, nil))
	}
	defer deeds.held.freeAll()
	if err := u.boot(ctx, c, deeds.starter()); err != nil {
		return nil, errors.Join(err, u.undo(ctx, home, c))
	}
	return c, nil
}

// undo stops what was started, also after ctx has ended.
func (u Up) undo(ctx context.Context, home string, c *Cluster) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), downTimeout)
	defer cancel()
	return u.Dirs.destroy(ctx, home, c)
}

// check finds what is wrong with the request itself.
func (u Up) check() error {
	errs := []error{checkName(u.Name), u.Settings.Validate()}
	if !u.Settings.NoJob {
		_, err := kafka.ParseLoad(u.Settings.Load, nil)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// compare tells what the cluster that is already there means for this request.
func (u Up) compare(old *Cluster) error {
	down := "stop it first with: rebound local down " + u.Name
	supervisor, _, err := old.process(func(p Process) bool { return p.Role == Supervisor })
	want := u.Settings
	if want.FlinkHome != "" {
		want.Flink = old.Flink
	}
	switch {
	case err != nil:
		return err
	case !old.Ready || !supervisor.Alive():
		return fmt.Errorf("cluster %s was left half started, or has lost its supervisor; %s", u.Name, down)
	case !reflect.DeepEqual(old.Settings, want):
		return fmt.Errorf("cluster %s runs already with other settings; %s", u.Name, down)
	}
	return ErrRunning
}

// prepare finds out all that can be known before anything is started: what is
// missing on this machine, which Flink it is, which ports are free.
func (u Up) prepare(ctx context.Context) (*Cluster, *deeds, error) {
	s := u.Settings
	c := &Cluster{Name: u.Name, Home: u.Dirs.home(u.Name), CreatedAt: time.Now().UTC()}
	if s.FlinkHome != "" {
		var err error
		if s.FlinkHome, s.Flink, err = flinkIn(s.FlinkHome); err != nil {
			return nil, nil, err
		}
	}
	c.Settings = s
	id := make([]byte, 4)
	rand.Read(id) // never fails
	c.ID = hex.EncodeToString(id)
	// What fetches and builds bears the mark too: down ends it if we are killed.
	d := &deeds{cache: cache{u.Dirs.Cache, runWith(c.mark())}, held: hold(u.Name)}
	if err := d.choose(c, u.Source); err != nil {
		return nil, nil, err
	}
	n := need{memory: s.memory()}
	n.flink = s.FlinkHome == "" && !d.cache.has(d.flink.name)
	n.kafka = !d.cache.has(d.kafka.name)
	n.job = !s.NoJob && !d.cache.has(d.job.name)
	var err error
	if c.Java, err = realMachine().require(ctx, u.Dirs, n); err != nil {
		return nil, nil, err
	}
	if c.Ports, err = d.held.takePorts(s.allTaskManagers()); err != nil {
		d.held.freeAll()
		return nil, nil, err
	}
	c.address()
	return c, d, nil
}

// flinkIn finds the version of an existing distribution by its flink-dist.
func flinkIn(home string) (dir, version string, err error) {
	dir, err = filepath.Abs(home)
	if err != nil {
		return "", "", err
	}
	found, err := filepath.Glob(filepath.Join(dir, "lib", "flink-dist-*.jar"))
	if err != nil || len(found) != 1 {
		return "", "", fmt.Errorf("flink-home: %s has no lib/flink-dist-VERSION.jar: want the folder of an unpacked Flink", home)
	}
	name := filepath.Base(found[0])
	version = name[len("flink-dist-") : len(name)-len(".jar")]
	if m := minor(version); m != minor(flink1) && m != minor(flink2) {
		return "", "", fmt.Errorf("flink-home: %s is Flink %s, want %s or %s", home, version, minor(flink1), minor(flink2))
	}
	return dir, version, nil
}

// address derives how the cluster is reached.
func (c *Cluster) address() {
	c.REST = "http://127.0.0.1:" + strconv.Itoa(c.Ports.REST)
	c.Brokers = []string{"127.0.0.1:" + strconv.Itoa(c.Ports.Kafka)}
	c.Input, c.Output = "events", "results"
	c.Group, c.Prefix = "rebound-"+c.Name, "rebound-"+c.Name
	if !c.NoJob {
		c.JobName = "ads"
	}
}
